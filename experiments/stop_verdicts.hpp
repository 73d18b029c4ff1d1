// Verdicts on stops: true and false positives and missed stalls of rules, judged by the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// `right`: the claim of the stop is true.  `late`: it is, but the stop was decided more than
/// World::late_after after the onset.  `wrong` ("false"): the claim is false.  `missed`: a stall
/// that nothing detected.  `kept_rule`: a policy-violation stop, right by definition.
enum class StopVerdict : std::uint8_t { right, late, wrong, missed, kept_rule };

/// As in tables: "false".
std::string_view name(StopVerdict verdict);

/// One stop of a seat, or one stall that it missed.
struct JudgedStop {
  policy::SeatId seat;
  StopVerdict verdict = StopVerdict::right;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Instant onset = policy::never;    ///< of the stall, if there was one
  policy::Instant decided = policy::never;  ///< `never`: missed
  policy::Usd usd;  ///< false: destroyed; late: stalled beyond late_after; missed: stalled
};

/// By seat.  The destroyed amounts of false stops in enforce mode sum to the use of that name
/// exactly, to the micro-dollar.  For a seat in shadow or warn mode: the first proposed stop of
/// each attempt, if decisions were kept; those destroyed nothing.
std::vector<JudgedStop> judge_stops(const scenarios::Scenario& scenario, const RunResult& result);

/// Sums over the rows of one seat.
struct VerdictSums {
  std::uint64_t right = 0;
  std::uint64_t late = 0;
  std::uint64_t wrong = 0;
  std::uint64_t missed = 0;
  std::uint64_t kept_rule = 0;
  std::optional<policy::Duration> mean_delay;  ///< of right and late stops, onset to decision
  std::optional<policy::Duration> max_delay;
  policy::Usd false_stop;
  policy::Usd late_stop;
  policy::Usd missed_stall;
};

VerdictSums sums_of(const std::vector<JudgedStop>& stops, policy::SeatId seat);

}  // namespace reeve::experiments
