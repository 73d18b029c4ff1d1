// Reads the FailureReason of a training job: by its prefix only, as the text behind may change.
#pragma once

#include <reeve/policy/job.hpp>
#include <string_view>

namespace reeve::policy {

/// DescribeTrainingJob cuts its FailureReason there.
inline constexpr std::size_t failure_reason_max = 1024;

/// `<Class>: <text>` with one of four classes; anything else is unknown, and nothing is none.
constexpr FailureClass classify(std::string_view reason) {
  if (reason.empty()) return FailureClass::none;
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
