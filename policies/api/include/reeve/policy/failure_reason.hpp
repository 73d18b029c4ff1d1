// Classifies the FailureReason of a training job by its prefix. The text after it can change.
#pragma once

#include <reeve/policy/job.hpp>
#include <string_view>

namespace reeve::policy {

/// DescribeTrainingJob truncates FailureReason to this length.
inline constexpr std::size_t failure_reason_max = 1024;

/// The status reason of AWS Batch for a job that waited longer for capacity than its queue allows.
inline constexpr std::string_view runnable_limit_reason =
    "Terminated by JobStateTimeLimit action due to reason: "
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY";

/// Reads `<Class>: <text>` with one of five classes, or the status reason of a queue. Any other
/// text is `unknown`, an empty one `none`.
constexpr FailureClass classify(std::string_view reason) {
  if (reason.empty()) return FailureClass::none;
  if (reason.starts_with(runnable_limit_reason)) return FailureClass::capacity;
  const std::string_view prefix = reason.substr(0, reason.find(':'));
  if (prefix.size() == reason.size()) return FailureClass::unknown;
  if (prefix == "AlgorithmError") return FailureClass::code;
  if (prefix == "ClientError") return FailureClass::configuration;
  if (prefix == "InternalServerError") return FailureClass::infrastructure;
  if (prefix == "CapacityError") return FailureClass::capacity;
  if (prefix == "ResourceLimitExceeded") return FailureClass::quota;
  return FailureClass::unknown;
}

}  // namespace reeve::policy
