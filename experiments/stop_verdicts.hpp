// Right and wrong stops: what rules stopped, and what they missed, judged by what was true.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// `right`: the attempt stood still, as the stop says.  `late`: it did, for longer than
/// World::late_after when the stop was decided on.  `wrong` ("false"): it did not.  `missed`:
/// nothing noticed that it stood still.  `kept_rule`: a stop that says no such thing, but that a
/// rule was broken: right by what the rule is.
enum class StopVerdict : std::uint8_t { right, late, wrong, missed, kept_rule };

/// As in tables: "false".
std::string_view name(StopVerdict verdict);

/// One stop of a seat, or one standstill that it missed.
struct JudgedStop {
  policy::SeatId seat;
  StopVerdict verdict = StopVerdict::right;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Instant onset = policy::never;    ///< of the standstill, if there was one
  policy::Instant decided = policy::never;  ///< `never`: missed
  policy::Usd usd;  ///< false: destroyed; late: stalled beyond late_after; missed: stalled
};

/// By seat.  What false stops in force destroyed sums to the use of that name to the last
/// micro-dollar.  Of a seat in shadow, or that warns, the first stop of an attempt that it wished
/// for, if decisions were kept: those destroyed nothing.
std::vector<JudgedStop> judge_stops(const scenarios::Scenario& scenario, const RunResult& result);

/// The rows of one seat in numbers.
struct VerdictSums {
  std::uint64_t right = 0;
  std::uint64_t late = 0;
  std::uint64_t wrong = 0;
  std::uint64_t missed = 0;
  std::uint64_t kept_rule = 0;
  std::optional<policy::Duration> mean_delay;  ///< of right and late ones, onset to decision
  std::optional<policy::Duration> max_delay;
  policy::Usd false_stop;
  policy::Usd late_stop;
  policy::Usd missed_stall;
};

VerdictSums sums_of(const std::vector<JudgedStop>& stops, policy::SeatId seat);

}  // namespace reeve::experiments
