// Reads the FailureReason of a training job: by its prefix only, as the text behind may change.
#pragma once

#include <reeve/policy/job.hpp>
#include <string_view>

namespace reeve::policy {

/// DescribeTrainingJob cuts its FailureReason there.
inline constexpr std::size_t failure_reason_max = 1024;

/// What AWS Batch says of a job that waited longer than its queue allows, for want of capacity.
inline constexpr std::string_view runnable_limit_reason =
    "Terminated by JobStateTimeLimit action due to reason: "
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY";

/// `<Class>: <text>` with one of five classes, or what a queue says; anything else is unknown, and
/// nothing is none.
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
