#include "scenarios/records/sample_periods.hpp"

#include <algorithm>
#include <map>

namespace reeve::scenarios {
namespace {

using policy::Duration;

constexpr Duration one_minute = std::chrono::minutes{1};
/// Of so many distances in a row, one is the period: fewer are lost in a row.
constexpr std::uint64_t in_view = 4;

bool is_kept_period(Duration distance) {
  return distance == one_minute || distance == 5 * one_minute || distance == 60 * one_minute;
}

/// The least of the run at `i` and of those in view before or after it.
Duration least_near(std::span<const DistanceRun> runs, std::size_t i, bool before) {
  Duration least = runs[i].distance;
  std::uint64_t seen = runs[i].count;
  while (seen < in_view && (before ? i > 0 : i + 1 < runs.size())) {
    i = before ? i - 1 : i + 1;
    least = std::min(least, runs[i].distance);
    seen += runs[i].count;
  }
  return least;
}

}  // namespace

std::vector<Duration> sample_periods(std::span<const DistanceRun> runs, Duration usual) {
  std::vector<Duration> periods;
  periods.reserve(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Duration before = least_near(runs, i, true);
    const Duration after = least_near(runs, i, false);
    // A stretch may end in a coarser one.  One distance alone at the end is a gap: metrics get
    // coarser with age.
    const bool is_last = i + 1 == runs.size() && runs[i].count == 1;
    const Duration period = is_last ? before : std::max(before, after);
    if (is_kept_period(period)) {
      periods.push_back(period);
    } else if (period - usual > usual / 2 && !periods.empty()) {
      periods.push_back(periods.back());
    } else {
      periods.push_back(usual);
    }
  }
  return periods;
}

Duration usual_distance(std::span<const DistanceRun> runs) {
  std::map<Duration, std::uint64_t> counts;
  std::uint64_t all = 0;
  for (const DistanceRun& run : runs) {
    counts[run.distance] += run.count;
    all += run.count;
  }
  std::uint64_t below = 0;
  for (const auto& [distance, count] : counts) {
    below += count;
    if (2 * below >= all) return distance;
  }
  return Duration{0};
}

}  // namespace reeve::scenarios
