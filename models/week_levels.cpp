#include <algorithm>
#include <cmath>

#include "models/resampling.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

std::optional<WeekLevels> WeekLevels::of(std::span<const double> totals, std::uint64_t seed,
                                         std::uint32_t replication) {
  constexpr std::size_t least_totals = 3;
  constexpr double reach = 8;
  double least = 0, largest = 0, sum = 0;
  for (const double total : totals) {
    if (total > 0 && (least == 0 || total < least)) least = total;
    largest = std::max(largest, total);
    sum += total;
  }
  if (totals.size() < least_totals || largest <= 0) return std::nullopt;
  const auto log_of = [&](double total) { return std::log(std::max(total, least / 2)); };
  const auto count = static_cast<double>(totals.size());
  double mean = 0, squares = 0;
  for (const double total : totals) mean += log_of(total) / count;
  for (const double total : totals) squares += std::pow(log_of(total) - mean, 2);
  WeekLevels levels;
  levels.seed_ = seed;
  levels.replication_ = replication;
  double chi_square = 0;
  const auto freedom = static_cast<std::uint32_t>(totals.size() - 1);
  for (std::uint32_t nth = 1; nth <= freedom; ++nth) {
    chi_square += std::pow(levels.normal(0, nth), 2);
  }
  constexpr double rounding = 1e-9;
  levels.deviation_ = std::sqrt(squares / std::max(chi_square, rounding));
  const double variance = levels.deviation_ * levels.deviation_ * (1 + 1 / count);
  // Less half the variance: the mean of the levels is that of the totals.
  levels.centre_ = std::log(sum / count) - variance / 2 +
                   levels.deviation_ / std::sqrt(count) * levels.normal(0, 0);
  levels.least_ = least / reach;
  levels.most_ = largest * reach;
  return levels;
}

double WeekLevels::operator()(std::uint32_t slot) const {
  return std::clamp(std::exp(centre_ + deviation_ * normal(slot + 1, 0)), least_, most_);
}

double WeekLevels::normal(std::uint32_t entity, std::uint32_t nth) const {
  constexpr double least = 1e-12;  // its quantile is finite
  const double uniform =
      sim::uniform({seed_, replication_, sim::Cause::forecast_level, entity, nth});
  return sim::normal_quantile(std::clamp(uniform, least, 1 - least));
}

}  // namespace reeve::models
