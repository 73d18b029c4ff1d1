// Which failures AWS Batch retries: patterns of status reasons, the first match decides.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "models/world.hpp"

namespace reeve::models {

inline constexpr std::string_view status_reason_prefix = "Received status from SageMaker: ";

/// The AWS Batch status reason for the FailureReason of a training job.
inline std::string status_reason(std::string_view failure_reason) {
  return std::string{status_reason_prefix} + std::string{failure_reason};
}

/// AWS Batch API, ServiceJobEvaluateOnExit: exact, or a prefix if the pattern ends with `*`.
constexpr bool fits_reason(std::string_view pattern, std::string_view reason) {
  if (!pattern.ends_with('*')) return pattern == reason;
  return reason.starts_with(pattern.substr(0, pattern.size() - 1));
}

/// The first matching entry decides; without a match, the job is retried.
inline bool retries(const RetryStrategy& strategy, std::string_view reason) {
  const auto found =
      std::find_if(strategy.on_exit.begin(), strategy.on_exit.end(),
                   [&](const auto& entry) { return fits_reason(entry.reason, reason); });
  return found == strategy.on_exit.end() || found->retries;
}

}  // namespace reeve::models
