#include "experiments/fit/waves.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace reeve::experiments {
namespace {

double of_waves(std::span<const policy::Instant> sorted, policy::Duration window,
                policy::Duration length) {
  if (sorted.size() < 2 || length.count() <= 0) return 1;
  double squares = 0;
  for (const EventWave& wave : waves_of(sorted, window)) {
    const auto size = static_cast<double>(wave.events);
    squares += size * size;
  }
  const auto count = static_cast<double>(sorted.size());
  // Independent events are in waves of geometric size.
  const double alone = std::exp(-count * seconds_of(window) / seconds_of(length));
  const double by_chance = 2 * (1 - alone) / alone;
  return std::max(1.0, squares / count - by_chance);
}

double of_weeks(std::span<const double> counts, std::span<const double> expected) {
  constexpr std::size_t least_weeks = 5;
  double statistic = 0;
  double weeks = 0;
  for (std::size_t week = 0; week < counts.size(); ++week) {
    if (expected[week] <= 0) continue;
    const double off = counts[week] - expected[week];
    statistic += off * off / expected[week];
    weeks += 1;
  }
  if (weeks < least_weeks) return 1;
  const double chance = 2 * boost::math::gamma_p_inv((weeks - 1) / 2, 0.95);  // of chi-square
  return statistic > chance ? statistic / (weeks - 1) : 1;
}

}  // namespace

std::vector<EventWave> waves_of(std::span<const policy::Instant> sorted, policy::Duration window) {
  std::vector<EventWave> waves;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] - sorted[i - 1] > window) waves.push_back({sorted[i], 0});
    ++waves.back().events;
  }
  return waves;
}

double dispersion_of(std::span<const policy::Instant> sorted, policy::Duration window,
                     policy::Duration length, std::span<const double> counts,
                     std::span<const double> expected) {
  return std::max(of_waves(sorted, window, length), of_weeks(counts, expected));
}

}  // namespace reeve::experiments
