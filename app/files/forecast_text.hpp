// The scenario of a history, for weeks that come after it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "experiments/fit/fit.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::app {

/// What the replay of the history has, which is what a forecast draws from.
struct ReplayedHistory {
  std::size_t jobs = 0;
  std::int64_t weeks = 0;         ///< whole ones
  std::set<std::string> running;  ///< job_id of jobs that still ran
};

struct ForecastWeeks {
  std::uint32_t weeks = 4;
  policy::Instant clock{};                            ///< start of the history
  const std::map<std::size_t, std::string>& running;  ///< job_id of jobs that still ran, by job
  const ReplayedHistory& replayed;
};

/// `history`, a scenario that replays a trace, with another clock and with `workload.forecast`: the
/// laws of `fit`, and comments with what they rest on.  Its weeks begin whole weeks after the
/// history, at its end or later.
std::string forecast_text(const scenarios::Document& history, const experiments::Fit& fit,
                          const ForecastWeeks& of);

}  // namespace reeve::app
