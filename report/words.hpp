// The words in tables for reeve's enumerations: those of SageMaker and CloudWatch if they exist.
#pragma once

#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <string>
#include <string_view>

#include "models/record.hpp"

namespace reeve::report {

std::string_view word(policy::Primary status);        ///< "InProgress"
std::string_view word(policy::Secondary status);      ///< "MaxRuntimeExceeded"
std::string_view word(policy::FailureClass failure);  ///< "out_of_memory"
std::string_view word(policy::AlarmState state);      ///< "INSUFFICIENT_DATA"
std::string_view word(models::EndReason reason);      ///< "max_runtime"
std::string_view word(policy::Market market);         ///< "on_demand"
std::string_view word(models::PlatformModel model);   ///< "sagemaker-training"

/// "algo-5"; "lowest" for an alarm on all hosts.
std::string host_name(std::uint32_t host);

}  // namespace reeve::report
