// The text of a failure reason: SageMaker's, or plain words.
#pragma once

#include <cstdint>
#include <reeve/policy/job.hpp>
#include <string>
#include <string_view>

#include "models/managed.hpp"

namespace reeve::models {

enum class PlatformModel : std::uint8_t;

/// Whether SageMaker reports InternalServerError, which RetryStrategy retries.
bool is_internal_error(policy::FailureClass failure);

/// DescribeTrainingJob's FailureReason, `<Class>: <text>`, at most 1,024 characters; empty for
/// none.  AWS separates the sentences of an internal error by one blank or two.
std::string failure_reason(policy::FailureClass failure, bool two_blanks = false);

/// The same for self-managed instances, where no service writes a FailureReason.
std::string failure_words(policy::FailureClass failure);

/// Whether the platform itself reports the class: SageMaker in the prefix of the FailureReason,
/// others only for capacity.  All other classes are read from logs.
bool is_said(PlatformModel model, policy::FailureClass failure);

/// CreateTrainingJob's error message for a request of `delta` instances beyond the quota.
std::string quota_message(std::string_view type, QuotaFamily family, std::uint64_t limit,
                          std::uint64_t used, std::uint64_t delta);

}  // namespace reeve::models
