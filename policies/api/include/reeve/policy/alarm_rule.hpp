// The configuration of a metric alarm (CloudWatch PutMetricAlarm), as a rule requests it.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::policy {

enum class Metric : std::uint8_t { gpu_utilization };
enum class Statistic : std::uint8_t { average, minimum, maximum, sum, sample_count };
enum class Compare : std::uint8_t { less, less_or_equal, greater, greater_or_equal };
enum class MissingData : std::uint8_t { missing, ignore, breaching, not_breaching };
enum class Window : std::uint8_t { sliding, wall_clock };

/// The alarm fires if `datapoints_to_alarm` of the last `evaluation_periods` datapoints, each of
/// `period`, satisfy `compare` with `threshold`.
struct AlarmRule {
  Metric metric = Metric::gpu_utilization;
  Statistic statistic = Statistic::average;
  Duration period = std::chrono::minutes{5};
  std::uint16_t evaluation_periods = 3;   ///< N
  std::uint16_t datapoints_to_alarm = 3;  ///< M, 1..N
  double threshold = 0;                   ///< in the metric's own unit: percent, summed over GPUs
  Compare compare = Compare::less_or_equal;
  MissingData missing = MissingData::missing;
  Window window = Window::sliding;
  friend constexpr bool operator==(const AlarmRule&, const AlarmRule&) = default;
};

}  // namespace reeve::policy
