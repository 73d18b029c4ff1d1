#include "models/failure_reason.hpp"

#include <array>
#include <reeve/policy/failure_reason.hpp>

#include "models/world.hpp"

namespace reeve::models {

using policy::FailureClass;

bool is_internal_error(FailureClass failure) {
  return failure == FailureClass::infrastructure || failure == FailureClass::hardware;
}

std::string failure_reason(FailureClass failure, bool two_blanks) {
  switch (failure) {
    case FailureClass::none:
      return {};
    case FailureClass::infrastructure:
    case FailureClass::hardware:  // what could not be repaired; see is_internal_error
      return std::string{"InternalServerError: We encountered an internal error. "} +
             (two_blanks ? " " : "") + "Please try again.";
    case FailureClass::capacity:
      return "CapacityError: Unable to provision requested ML compute capacity. Please retry using "
             "a different ML instance type.";
    case FailureClass::code:
      return "AlgorithmError: ExecuteUserScriptError:\nExitCode 1\nErrorMessage \"\"\nCommand "
             "\"/usr/bin/python3 train.py\", exit code: 1";
    case FailureClass::out_of_memory:
      return "ClientError: Please use an instance type with more memory, or reduce the size of job "
             "data processed on an instance.";
    case FailureClass::data:
      return "ClientError: Data download failed: no readable object under the input channel.";
    case FailureClass::configuration:
      return "ClientError: The job cannot run as it is configured.";
    case FailureClass::quota:
      return "ResourceLimitExceeded: The account-level service limit is reached.";
    case FailureClass::unknown:
      break;
  }
  return "The training job failed.";
}

bool is_said(PlatformModel model, FailureClass failure) {
  if (model != PlatformModel::sagemaker_training) return failure == FailureClass::capacity;
  return policy::classify(failure_reason(failure)) == failure;
}

std::string failure_words(FailureClass failure) {
  switch (failure) {
    case FailureClass::none:
      return {};
    case FailureClass::infrastructure:
      return "a service that the attempt needs failed";
    case FailureClass::hardware:
      return "an instance failed";
    case FailureClass::capacity:
      return "no instances were available, or they were reclaimed";
    case FailureClass::code:
      return "the script failed";
    case FailureClass::out_of_memory:
      return "out of memory";
    case FailureClass::data:
      return "data could not be read";
    case FailureClass::configuration:
      return "it cannot run as it is configured";
    case FailureClass::quota:
      return "more instances than the account may have";
    case FailureClass::unknown:
      break;
  }
  return "the cause is unknown: its logs are gone";
}

std::string quota_message(std::string_view type, QuotaFamily family, std::uint64_t limit,
                          std::uint64_t used, std::uint64_t delta) {
  static constexpr std::array<std::string_view, quota_family_count> families{
      "training job usage", "spot training job usage", "training warm pool usage"};
  return "ResourceLimitExceeded: The account-level service limit '" + std::string{type} + " for " +
         std::string{families[static_cast<std::size_t>(family)]} + "' is " + std::to_string(limit) +
         " Instances, with current utilization of " + std::to_string(used) +
         " Instances and a request delta of " + std::to_string(delta) +
         " Instances. Please contact AWS support to request an increase for this limit.";
}

}  // namespace reeve::models
