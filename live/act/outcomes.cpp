#include "live/act/outcomes.hpp"

#include <algorithm>
#include <array>

namespace reeve::live {
namespace {

using host::ReplyKind;

struct ErrorMeaning {
  std::string_view operation;  ///< empty: any
  std::string_view code;
  std::string_view message_has;  ///< a part of the message; empty: any message
  ReplyKind kind;
};

/// The first row that fits.  Other codes mean what CallErrorKind says.  Sources: the API reference
/// of SageMaker (Errors of each operation, Common Errors); for the ValidationException of an ended
/// job, which no model names, the handling in grand-challenge.org (amazon_sagemaker_base.py); the
/// API reference of AWS Batch (TerminateServiceJob), where a ClientException does not say whether
/// the job has ended; its other error, ServerException, has the status 500; the API reference of
/// SNS (Publish), whose code of a busy KMS key is no usual one.
constexpr std::array meanings = std::to_array<ErrorMeaning>({
    {"StopTrainingJob", "ValidationException", "is in status", ReplyKind::done},
    {"StopTrainingJob", "ValidationException", "esource not found", ReplyKind::done},
    {"StopTrainingJob", "ResourceNotFound", "", ReplyKind::done},
    {"TerminateServiceJob", "ClientException", "", ReplyKind::unknown},
    {"CreateTrainingJob", "ResourceInUse", "", ReplyKind::rejected},
    {"Publish", "KMSThrottling", "", ReplyKind::throttled},
    {"", "ResourceLimitExceeded", "", ReplyKind::no_room},
});

struct StatusMeaning {
  int first;
  int last;
  ReplyKind kind;
};

/// Other statuses are refusals; redirects are not followed.  Sources: RFC 9110, section 15;
/// RFC 8470, section 5.2 (425); RFC 6585, section 4 (429); for 409, an earlier try that is still
/// being processed, draft-ietf-httpapi-idempotency-key-header-06, Error Handling.
constexpr std::array status_meanings = std::to_array<StatusMeaning>({
    {200, 299, ReplyKind::done},
    {408, 408, ReplyKind::throttled},  // the request did not arrive as a whole
    {409, 409, ReplyKind::unknown},
    {425, 425, ReplyKind::throttled},
    {429, 429, ReplyKind::throttled},
    {500, 599, ReplyKind::unknown},
});

}  // namespace

ReplyKind reply_kind(std::string_view operation, const CallResult& result) {
  if (!result.error) return ReplyKind::done;
  const CallError& error = *result.error;
  const auto fits = [&](const ErrorMeaning& row) {
    return (row.operation.empty() || row.operation == operation) && row.code == error.code &&
           error.message.find(row.message_has) != std::string::npos;
  };
  const auto* row = std::find_if(meanings.begin(), meanings.end(), fits);
  // An earlier try may have had its effect, whatever the last one came to.
  const bool may_have_worked = error.kind == CallErrorKind::unknown;
  if (row != meanings.end() && (row->kind == ReplyKind::done || !may_have_worked)) return row->kind;
  switch (error.kind) {
    case CallErrorKind::rejected:
      return ReplyKind::rejected;
    case CallErrorKind::throttled:
    case CallErrorKind::not_sent:  // without an effect
      return ReplyKind::throttled;
    case CallErrorKind::unknown:
      break;
  }
  return ReplyKind::unknown;
}

ReplyKind reply_kind_of_status(int status) {
  const auto* row = std::find_if(
      status_meanings.begin(), status_meanings.end(),
      [&](const StatusMeaning& range) { return status >= range.first && status <= range.last; });
  return row == status_meanings.end() ? ReplyKind::rejected : row->kind;
}

}  // namespace reeve::live
