// What the label of a CloudWatch query says: the job and host, or that it is of another metric.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reeve::scenarios {

struct MetricLabel {
  std::string job;         ///< empty: not named
  std::uint32_t host = 0;  ///< of the job, from 1; 0: not named
};

/// "demo/algo-2", also behind other words.
MetricLabel read_metric_label(std::string_view label);

/// Whether it names a metric other than GPUUtilization.
bool is_another_metric(std::string_view label);

}  // namespace reeve::scenarios
