// What a history says of the quantities that a forecast needs, each with its interval and grade.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/fit/hold_out.hpp"
#include "experiments/fit/interval.hpp"
#include "experiments/fit/observed_job.hpp"
#include "experiments/fit/running_jobs.hpp"

namespace reeve::experiments {

/// tested: the hold-out covers enough weeks, and no test refuses the law.  widened: tested, but the
/// intervals are widened, a test refuses the law, or the history drifts.  untested: too few weeks
/// to tell, or they do not suffice to widen.  prior_only: other fleets say it.
enum class Grade : std::uint8_t { tested, widened, untested, prior_only };

/// A, B, C, D.
char letter_of(Grade grade);

struct FittedQuantity {
  std::string name;   ///< "duration", "node_faults"
  std::string group;  ///< "all", or the jobs that it is about
  std::string unit;   ///< of `value` and its interval: "s", "per node-hour"
  double n = 0;       ///< jobs or events that it rests on
  double exposure = 0;
  std::string exposure_unit = {};
  std::string law = {};
  std::optional<double> value = std::nullopt;
  std::optional<Interval> interval90 = std::nullopt;
  std::vector<std::pair<std::string, double>> parameters = {};
  std::vector<std::pair<std::string, std::vector<double>>> lists = {};
  std::string method = {};  ///< of the interval
  std::optional<double> aic = std::nullopt;
  std::optional<double> ks = std::nullopt;  ///< p-value of the Kolmogorov-Smirnov test
  std::optional<HoldOut> hold_out = std::nullopt;
  Grade grade = Grade::untested;
  std::string note = {};
};

struct Fit {
  policy::Instant start{};
  policy::Instant end{};
  std::size_t weeks = 0;  ///< whole ones
  std::size_t jobs = 0;
  std::uint64_t seed = 0;
  std::vector<FittedQuantity> quantities;
  std::vector<std::string> notes;
  std::vector<RunningJobs> running = {};  ///< whose work a forecast draws
};

/// A rate of node faults that is known before the history: what `--prior published` states.
struct RatePrior {
  double events = 0;      ///< how much it weighs
  double node_hours = 0;  ///< `events` within them
};

/// The published rates of 2.3 to 6.5 failures per 1,000 node-days (docs/explanation/faults.md) as
/// their middle, with the weight of four events.
inline constexpr RatePrior published_node_faults{4, 4.0 * 24'000 / 3.8};

struct FitOptions {
  bool hold_out = true;
  std::optional<RatePrior> node_fault_prior = std::nullopt;
};

/// Throws std::invalid_argument if the window is empty.  The same history gives the same result.
Fit fit(const ObservedHistory& history, const FitOptions& options = {});

/// The quantity of that name and group; null if there is none.
const FittedQuantity* find(const Fit& fit, std::string_view name, std::string_view group = "all");

// The parts of `fit`: each appends its quantities.

void fit_durations(const ObservedHistory& history, const FitOptions& options, Fit& fit);
void fit_arrivals(const ObservedHistory& history, const FitOptions& options, Fit& fit);
void fit_weekly_totals(const ObservedHistory& history, const FitOptions& options, Fit& fit);
void fit_event_rates(const ObservedHistory& history, const FitOptions& options, Fit& fit);
void fit_spot_times(const ObservedHistory& history, Fit& fit);
void fit_time_limits(const ObservedHistory& history, Fit& fit);
void fit_running_work(const ObservedHistory& history, Fit& fit);

/// Sets the grade, and widens the interval about the value if the hold-out demands it.
void grade(FittedQuantity& quantity);

}  // namespace reeve::experiments
