// The jobs of a team's own history, as the fit reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/market.hpp>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>

#include "scenarios/records/end_status.hpp"

namespace reeve::experiments {

using scenarios::EndCause;

/// One job.  What the sources do not say is empty.
struct ObservedJob {
  policy::Instant submit{};
  std::optional<policy::Duration> wait = std::nullopt;      ///< from submission to the first start
  std::optional<policy::Duration> startup = std::nullopt;   ///< from the start to the work
  std::optional<policy::Duration> duration = std::nullopt;  ///< of the work, >= 0
  bool censored = false;  ///< `duration` is a lower bound: running, killed, at its limit, lost
  std::string user = {};
  std::int64_t nodes = 1;
  double gpus = 0;  ///< of all nodes; a job may have a part of one
  std::string instance_type = {};
  std::optional<policy::Market> market = std::nullopt;
  scenarios::EndStatus end_status = scenarios::EndStatus::unknown;
  EndCause end_cause = EndCause::unknown;
  std::uint32_t interruptions = 0;    ///< the platform took the instances
  std::uint32_t restarts = 0;         ///< the job began again after a fault of the platform
  std::uint32_t failed_attempts = 0;  ///< the job began again after it failed by itself
  std::optional<std::uint32_t> stalls = std::nullopt;  ///< empty: utilization was not read
  std::optional<policy::Duration> time_limit = std::nullopt;
  std::optional<policy::Usd> billed_usd = std::nullopt;
  std::optional<policy::Usd> list_usd = std::nullopt;
};

/// One loss of Spot instances, if the sources say when it happened.
struct ObservedOutage {
  policy::Instant at{};
  std::optional<policy::Duration> down = std::nullopt;  ///< until work went on; empty: never
  std::string instance_type = {};
};

/// All that is known of the window from `start` to `end`.
struct ObservedHistory {
  policy::Instant start{};
  policy::Instant end{};  ///< of the window: the time of the export
  std::span<const ObservedJob> jobs = {};
  std::span<const ObservedOutage> outages = {};
};

inline double seconds_of(policy::Duration length) {
  return std::chrono::duration<double>{length}.count();
}
inline double hours_of(policy::Duration length) {
  return seconds_of(length) / 3600;
}

/// When the work began: the submission, the wait and the startup, as far as they are known.
inline policy::Instant began(const ObservedJob& job) {
  const auto start = policy::later(job.submit, job.wait.value_or(policy::Duration{}));
  return policy::later(start, job.startup.value_or(policy::Duration{}));
}

/// When the work ended, at the latest at the end of the window; `began` if its duration is unknown.
inline policy::Instant ended(const ObservedJob& job, policy::Instant window_end) {
  const auto end = policy::later(began(job), job.duration.value_or(policy::Duration{}));
  return end < window_end ? end : window_end;
}

/// True if the job was stopped before its work ended, so that its duration is a lower bound.  That
/// holds for failures too: their rate is fitted apart.
bool is_cut_short(const ObservedJob& job);

/// True if the sources do not say that the job ended.
bool still_runs(const ObservedJob& job);

/// True if the job ran for a time that is known.
bool has_run(const ObservedJob& job);

/// What the draws of a fit depend on: a hash of the window and of all jobs.
std::uint64_t content_seed(const ObservedHistory& history);

/// The length of a group of events that count as one, by default: 92 % of the interruptions that
/// came together came within it (SnS, arXiv 2604.16457).
inline constexpr policy::Duration wave_window = std::chrono::minutes{3};

inline constexpr policy::Duration week_length = std::chrono::hours{168};

/// How many whole weeks the window has, from its start.
inline std::size_t whole_weeks(const ObservedHistory& history) {
  if (history.end <= history.start) return 0;
  return static_cast<std::size_t>((history.end - history.start) / week_length);
}

}  // namespace reeve::experiments
