// A call of AWS that failed for good.
#pragma once

#include <string>
#include <utility>

#include "live/aws/client.hpp"

namespace reeve::live {

struct FailedCall {
  std::string action;  ///< as IAM names it: `sagemaker:ListTrainingJobs`
  CallError error;
};

/// A reply has other members or types than AWS documents: to read on could act on wrong facts.
inline FailedCall unreadable_reply(std::string action,
                                   std::string why = "the reply lacks what AWS documents") {
  return {std::move(action),
          {CallErrorKind::rejected, "UnreadableReply", std::move(why), {}, false}};
}

/// No such training job.  AWS answers ValidationException where its model names ResourceNotFound.
inline bool is_gone(const CallError& error) {
  return error.code == "ResourceNotFound" ||
         (error.code == "ValidationException" &&
          error.message.find("esource not found") != std::string::npos);
}

/// A policy may allow the same action on another job, by its tags.
inline bool is_denied(const CallError& error) {
  return error.code.starts_with("AccessDenied") || error.code == "UnauthorizedOperation";
}

/// Whether calls of the same action will fail as well until a person helps.
inline bool concerns_all(const CallError& error) {
  return error.kind == CallErrorKind::not_sent || is_denied(error) ||
         error.code == "UnrecognizedClientException" || error.code == "InvalidSignatureException" ||
         error.code == "SignatureDoesNotMatch" || error.code == "InvalidClientTokenId" ||
         error.code.starts_with("ExpiredToken");
}

}  // namespace reeve::live
