// Orders that a job's place in changes only when somebody changes its priority: by submission, by
// length, by priority.
#pragma once

#include <cstdint>
#include <reeve/policy/fleet_view.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

enum class JobOrder : std::uint8_t { submission, length, priority };

/// By the instant at which the attempt was asked for.
inline Waiting place_by_submission(const Candidate& candidate, const policy::FleetView&) {
  return {.first = candidate.since.time_since_epoch().count(),
          .second = 0,
          .job = candidate.job,
          .attempt = candidate.attempt};
}

/// By the user's own estimate of the whole job, then by its submission.
inline Waiting place_by_length(const Candidate& candidate, const policy::FleetView& fleet) {
  const policy::JobDescription& description = fleet.description(candidate.job);
  return {.first = description.expected_work.count(),
          .second = description.submitted_at.time_since_epoch().count(),
          .job = candidate.job,
          .attempt = candidate.attempt};
}

/// The highest priority first, then by the job's submission.
inline Waiting place_by_priority(const Candidate& candidate, const policy::FleetView& fleet) {
  const policy::JobDescription& description = fleet.description(candidate.job);
  return {.first = -std::int64_t{description.priority},
          .second = description.submitted_at.time_since_epoch().count(),
          .job = candidate.job,
          .attempt = candidate.attempt};
}

inline Waiting place_in(JobOrder order, const Candidate& candidate,
                        const policy::FleetView& fleet) {
  switch (order) {
    case JobOrder::submission:
      return place_by_submission(candidate, fleet);
    case JobOrder::length:
      return place_by_length(candidate, fleet);
    case JobOrder::priority:
      return place_by_priority(candidate, fleet);
  }
  return {};
}

}  // namespace reeve::policies
