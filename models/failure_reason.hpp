// The words in which an attempt says why it failed: SageMaker's, or plain ones.
#pragma once

#include <cstdint>
#include <reeve/policy/job.hpp>
#include <string>
#include <string_view>

#include "models/managed.hpp"

namespace reeve::models {

enum class PlatformModel : std::uint8_t;

/// Whether SageMaker calls it InternalServerError, which is what RetryStrategy retries.
bool is_internal_error(policy::FailureClass failure);

/// DescribeTrainingJob's FailureReason, `<Class>: <text>`, at most 1,024 characters; empty for
/// none.  Of an internal error AWS writes one blank between its sentences, or two.
std::string failure_reason(policy::FailureClass failure, bool two_blanks = false);

/// The same of machines of one's own, where no service writes a FailureReason.
std::string failure_words(policy::FailureClass failure);

/// Whether the platform itself says so: SageMaker in the prefix of the FailureReason, others of
/// capacity alone.  All else is read from logs.
bool is_said(PlatformModel model, policy::FailureClass failure);

/// What CreateTrainingJob answers to a request for `delta` instances more than there may be.
std::string quota_message(std::string_view type, QuotaFamily family, std::uint64_t limit,
                          std::uint64_t used, std::uint64_t delta);

}  // namespace reeve::models
