// How well past weeks predict the next: a rolling origin over whole weeks.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "experiments/fit/forecast.hpp"

namespace reeve::experiments {

inline constexpr std::size_t least_training_weeks = 4;
inline constexpr std::size_t least_tested_weeks = 6;  ///< of a history: fewer are untested
inline constexpr std::size_t least_widened_weeks =
    10;  ///< of a history whose intervals are widened
inline constexpr std::size_t least_predicted_weeks = 2;  ///< that make a test
inline constexpr double least_coverage = 0.7;            ///< of the 90 % interval

/// The scores of the weeks that were predicted.
struct HoldOut {
  std::size_t weeks = 0;  ///< that were predicted
  double mean_error = 0;
  double relative_error = 0;  ///< mean absolute error over the mean of the weeks; NaN if that is 0
  double coverage50 = 0;      ///< the share of weeks within the 50 % interval
  double coverage90 = 0;
  double score = 0;                  ///< mean interval score of the 90 % interval (Winkler)
  std::array<std::size_t, 5> pit{};  ///< weeks by fifth of the predicted distribution
  double pit_mean = 0;  ///< mean place in the predicted distributions; 0.5 if they are right
  double widening = 1;  ///< factor by which intervals are widened; 1: they are not
  bool is_widened() const { return widening > 1; }
  bool is_covered() const { return coverage90 >= least_coverage; }
  /// True if the forecasts are too low or too high beyond chance (0.1 %): the history drifts.
  bool is_biased() const {
    constexpr double reach = 3.29;  // of a normal variable, two-sided
    const double off = pit_mean - 0.5;
    return 12 * static_cast<double>(weeks) * off * off > reach * reach;
  }
};

/// The prediction of week `week` from all weeks before it; null if these do not allow one.
using Predict = std::function<std::unique_ptr<Forecast>(std::size_t week)>;

/// `actual` has one value per whole week of the history, empty where there is none.  Nothing if the
/// history has fewer than six whole weeks or no week can be predicted.  Coverage of 90 % below 70 %
/// widens by the empirical quantile of the distances (split conformal prediction).
std::optional<HoldOut> hold_out(std::span<const std::optional<double>> actual,
                                const Predict& predict);

/// The hold-out of savings, which may be negative, by `MeanForecast`.
std::optional<HoldOut> hold_out_savings(std::span<const double> saved);

/// The hold-out of totals by `TotalForecast`.
std::optional<HoldOut> hold_out_totals(std::span<const std::optional<double>> totals);

}  // namespace reeve::experiments
