// Orders in which a job's position changes only with its priority: by submission, by length, by
// priority.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <reeve/policy/fleet_view.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

enum class OrderBy : std::uint8_t { submission, length, priority };

struct JobOrder {
  OrderBy by = OrderBy::submission;
  /// `priority`: a wait of this length is worth one point; 0: waiting is worth nothing.
  policy::Duration ageing{0};
};

/// By the instant at which the attempt was requested.
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

/// The highest priority first, each point of it as good as having waited for `ageing`.  As all who
/// wait grow older alike, their order stays.  What is worth more than
/// 70,000 years is worth these.
inline Waiting place_by_aged_priority(const Candidate& candidate, const policy::FleetView& fleet,
                                      policy::Duration ageing) {
  using std::chrono::microseconds;
  constexpr std::int64_t most = std::int64_t{1} << 61;
  const policy::JobDescription& description = fleet.description(candidate.job);
  const std::int64_t worth = std::max<std::int64_t>(ageing / microseconds{1}, 1);
  const std::int64_t points =
      std::clamp<std::int64_t>(description.priority, -most / worth, most / worth);
  const std::int64_t since = candidate.since.time_since_epoch() / microseconds{1};
  return {.first = since - points * worth,
          .second = description.submitted_at.time_since_epoch().count(),
          .job = candidate.job,
          .attempt = candidate.attempt};
}

inline Waiting place_in(const JobOrder& order, const Candidate& candidate,
                        const policy::FleetView& fleet) {
  switch (order.by) {
    case OrderBy::submission:
      return place_by_submission(candidate, fleet);
    case OrderBy::length:
      return place_by_length(candidate, fleet);
    case OrderBy::priority:
      if (order.ageing > policy::Duration{0}) {
        return place_by_aged_priority(candidate, fleet, order.ageing);
      }
      return place_by_priority(candidate, fleet);
  }
  return {};
}

}  // namespace reeve::policies
