// How long the samples of a metric stand, found from how far apart they are.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <span>
#include <vector>

namespace reeve::scenarios {

/// Consecutive samples as far apart as each other.
struct DistanceRun {
  policy::Duration distance;
  std::uint64_t count = 1;
  std::uint64_t line = 0;  ///< of the first, in its file; 0: not known
};

/// The period of the stretch that each run is in.  CloudWatch keeps minutes for 15 days, five
/// minutes for 63 days and hours for 455 days, so one export has up to three stretches.  A distance
/// longer than its period is a gap.  `usual`: the middle of all distances.
std::vector<policy::Duration> sample_periods(std::span<const DistanceRun> runs,
                                             policy::Duration usual);

/// The middle of the distances, of an even number the lower; 0 without any.
policy::Duration usual_distance(std::span<const DistanceRun> runs);

}  // namespace reeve::scenarios
