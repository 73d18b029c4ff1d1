// How recorded GPU utilization is to be read: formats, and what a file leaves open.
#pragma once

#include <cstdint>
#include <optional>

#include "scenarios/records/trace_limits.hpp"

namespace reeve::scenarios {

/// How a file tells what GPUs read.
enum class UtilFormat : std::uint8_t {
  csv,         ///< t_s,host,gpu_util_pct
  nvidia_smi,  ///< nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv; one host
  cloudwatch,  ///< JSON answer of GetMetricData
};

/// What a value of the file is: the percent of one GPU, or the sum over those of a host.
enum class UtilScale : std::uint8_t { per_gpu, sum };

/// What holds between samples that are much farther apart than usual: nothing, or the value before
/// (then the rows are changes, not samples, and none is missing).
enum class UtilGaps : std::uint8_t { missing, hold };

struct UtilOptions {
  std::optional<UtilFormat> format;  ///< none: seen from the first bytes
  std::optional<UtilScale> scale;    ///< none: per_gpu, but sum where CloudWatch tells it
  UtilGaps gaps = UtilGaps::missing;
  std::uint32_t gpus = 0;  ///< of a host; > 0 where the scale is a sum
  TraceLimits limits;
};

}  // namespace reeve::scenarios
