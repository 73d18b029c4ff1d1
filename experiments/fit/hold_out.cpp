#include "experiments/fit/hold_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reeve::experiments {
namespace {

/// Gneiting and Raftery, J. Am. Statist. Assoc. 102, 2007: the width, and a penalty for a miss.
double interval_score(const Interval& interval, double value) {
  const double penalty = 2 / (1 - fit_level);
  double score = interval.high - interval.low;
  if (value < interval.low) score += penalty * (interval.low - value);
  if (value > interval.high) score += penalty * (value - interval.high);
  return score;
}

/// The factor that would have held the wanted share of the weeks, with the correction of split
/// conformal prediction for their number.
double conformal_factor(std::vector<double> reaches) {
  std::sort(reaches.begin(), reaches.end());
  const double rank = std::ceil(fit_level * static_cast<double>(reaches.size() + 1));
  const auto index = std::min(reaches.size(), static_cast<std::size_t>(rank)) - 1;
  return std::max(1.0, reaches[index]);
}

}  // namespace

std::optional<HoldOut> hold_out(std::span<const std::optional<double>> actual,
                                const Predict& predict) {
  if (actual.size() < least_tested_weeks) return std::nullopt;
  HoldOut result;
  double distance = 0;
  double sum = 0;
  std::vector<double> reaches;
  for (std::size_t week = least_training_weeks; week < actual.size(); ++week) {
    if (!actual[week]) continue;
    const std::unique_ptr<Forecast> forecast = predict(week);
    if (!forecast) continue;
    const double value = *actual[week];
    const Interval wide = forecast->interval(fit_level);
    ++result.weeks;
    result.mean_error += value - forecast->centre();
    distance += std::abs(value - forecast->centre());
    sum += std::abs(value);
    result.coverage50 += forecast->interval(0.5).contains(value) ? 1 : 0;
    result.coverage90 += wide.contains(value) ? 1 : 0;
    result.score += interval_score(wide, value);
    const double place = forecast->share_up_to(value);
    result.pit_mean += place;
    const auto fifth = static_cast<std::size_t>(5 * place);
    ++result.pit[std::min<std::size_t>(fifth, 4)];
    reaches.push_back(forecast->reach(value, fit_level));
  }
  if (result.weeks == 0) return std::nullopt;
  const auto weeks = static_cast<double>(result.weeks);
  result.relative_error = sum > 0 || distance == 0
                              ? distance / std::max(sum, std::numeric_limits<double>::min())
                              : std::numeric_limits<double>::quiet_NaN();
  for (double* mean : {&result.mean_error, &result.coverage50, &result.coverage90, &result.score,
                       &result.pit_mean}) {
    *mean /= weeks;
  }
  if (!result.is_covered() && actual.size() >= least_widened_weeks) {
    result.widening = conformal_factor(std::move(reaches));
  }
  return result;
}

std::optional<HoldOut> hold_out_savings(std::span<const double> saved) {
  const std::vector<std::optional<double>> weeks(saved.begin(), saved.end());
  return hold_out(weeks, [&](std::size_t week) -> std::unique_ptr<Forecast> {
    const auto forecast = MeanForecast::of(saved.first(week));
    return forecast ? std::make_unique<MeanForecast>(*forecast) : nullptr;
  });
}

std::optional<HoldOut> hold_out_totals(std::span<const std::optional<double>> totals) {
  return hold_out(totals, [&](std::size_t week) -> std::unique_ptr<Forecast> {
    std::vector<double> before;
    for (std::size_t past = 0; past < week; ++past) {
      if (totals[past]) before.push_back(*totals[past]);
    }
    const auto forecast = TotalForecast::of(before);
    return forecast ? std::make_unique<TotalForecast>(*forecast) : nullptr;
  });
}

}  // namespace reeve::experiments
