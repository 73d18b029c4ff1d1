#include "experiments/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace reeve::experiments {
namespace {

/// On both sides of the value, on the scale of logarithms where that is possible.
Interval widened(const Interval& interval, double value, double factor) {
  if (interval.low > 0 && value > 0) {
    return {value * std::pow(interval.low / value, factor),
            value * std::pow(interval.high / value, factor)};
  }
  return {std::max(0.0, value - (value - interval.low) * factor),
          value + (interval.high - value) * factor};
}

void note_what_is_missing(const ObservedHistory& history, Fit& fit) {
  const auto count = [&](auto lacks) {
    return static_cast<std::size_t>(std::count_if(history.jobs.begin(), history.jobs.end(), lacks));
  };
  const auto tell = [&](std::size_t jobs, std::string_view what) {
    if (jobs > 0) fit.notes.push_back(fmt::format("{} of {} jobs {}", jobs, fit.jobs, what));
  };
  tell(count([](const ObservedJob& job) { return !has_run(job); }),
       "have no duration: they count as arrivals only");
  tell(count([&](const ObservedJob& job) { return job.submit < history.start; }),
       "were submitted before the window: they count from its start on");
  tell(count([&](const ObservedJob& job) { return job.submit >= history.end; }),
       "were submitted after the window: they do not count");
  tell(count([](const ObservedJob& job) { return job.user.empty(); }),
       "have no user: they count as jobs of one user");
  if (fit.weeks < least_tested_weeks) {
    fit.notes.push_back(fmt::format("{} whole weeks: at least {} are needed to test a quantity",
                                    fit.weeks, least_tested_weeks));
  }
}

}  // namespace

char letter_of(Grade grade) {
  return static_cast<char>('A' + static_cast<int>(grade));
}

void grade(FittedQuantity& quantity) {
  constexpr double refused = 0.01;
  quantity.grade = Grade::untested;
  if (!quantity.hold_out || quantity.hold_out->weeks < least_predicted_weeks) return;
  const HoldOut& scores = *quantity.hold_out;
  if (scores.is_biased()) {
    quantity.note += quantity.note.empty() ? "" : "; ";
    quantity.note += fmt::format("the history drifts: forecasts are too {}",
                                 scores.pit_mean > 0.5 ? "low" : "high");
  }
  const bool is_refused = scores.is_biased() || (quantity.ks && *quantity.ks < refused);
  if (scores.is_widened()) {
    quantity.grade = Grade::widened;
    if (quantity.interval90 && quantity.value) {
      quantity.interval90 = widened(*quantity.interval90, *quantity.value, scores.widening);
      quantity.method += ", widened";
    }
  } else if (scores.is_covered()) {
    quantity.grade = is_refused ? Grade::widened : Grade::tested;
  }
}

Fit fit(const ObservedHistory& history, const FitOptions& options) {
  if (history.end <= history.start) throw std::invalid_argument{"the window has no length"};
  Fit result{.start = history.start,
             .end = history.end,
             .weeks = whole_weeks(history),
             .jobs = history.jobs.size(),
             .seed = content_seed(history),
             .quantities = {},
             .notes = {}};
  fit_weekly_totals(history, options, result);
  fit_arrivals(history, options, result);
  fit_durations(history, options, result);
  fit_event_rates(history, options, result);
  fit_spot_times(history, result);
  fit_time_limits(history, result);
  fit_running_work(history, result);
  note_what_is_missing(history, result);
  return result;
}

const FittedQuantity* find(const Fit& fit, std::string_view name, std::string_view group) {
  const auto found = std::find_if(fit.quantities.begin(), fit.quantities.end(),
                                  [&](const FittedQuantity& quantity) {
                                    return quantity.name == name && quantity.group == group;
                                  });
  return found == fit.quantities.end() ? nullptr : &*found;
}

}  // namespace reeve::experiments
