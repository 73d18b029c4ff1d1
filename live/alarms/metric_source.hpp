// Where the metrics of hosts come from.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "live/feed/failed_call.hpp"
#include "models/metric_series.hpp"

namespace reeve::live {

/// CloudWatch keeps one sample per minute of a training job's host.
inline constexpr policy::Duration metric_sample = std::chrono::minutes{1};

class MetricSource {
 public:
  using Read = std::variant<std::vector<models::MetricSeries>, FailedCall>;

  virtual ~MetricSource() = default;
  /// GPUUtilization of each host, named `JOB/algo-N`, in the full minutes of [from, until).  In
  /// percent, summed over the GPUs of the host.
  virtual Read gpu_utilization(std::span<const std::string> hosts, policy::Instant from,
                               policy::Instant until) = 0;
};

/// The series of samples, each of the minute that begins at its time.  They are in order of time.
class SampledSeries {
 public:
  void add(policy::Instant minute, double value) {
    if (next_ && *next_ < minute) series_.append(*next_, std::nullopt);
    series_.append(minute, value);
    next_ = minute + metric_sample;
  }
  models::MetricSeries take() && {
    if (next_) series_.append(*next_, std::nullopt);
    return std::move(series_);
  }

 private:
  models::MetricSeries series_;
  std::optional<policy::Instant> next_;
};

}  // namespace reeve::live
