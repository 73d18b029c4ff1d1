// Events that come together: they are one wave, and rates count them with less certainty.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/fit/observed_job.hpp"

namespace reeve::experiments {

struct EventWave {
  policy::Instant at{};  ///< of its first event
  std::size_t events = 0;
};

/// Puts events together whose distance to the event before is at most `window`.  Sorted in, sorted
/// out.
std::vector<EventWave> waves_of(std::span<const policy::Instant> sorted, policy::Duration window);

/// The variance of a number of events divided by that of independent ones, at least 1: the larger
/// of what waves and what whole weeks show.
/// - Waves: the mean of their squared sizes over the mean size, less what chance puts together.
/// - Weeks: Pearson's statistic of the counts, if it is beyond its 95 % quantile.  `expected` are
///   the numbers that the exposure of each week lets expect; at least five weeks are needed.
double dispersion_of(std::span<const policy::Instant> sorted, policy::Duration window,
                     policy::Duration length, std::span<const double> counts,
                     std::span<const double> expected);

}  // namespace reeve::experiments
