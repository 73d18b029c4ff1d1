#include "live/act/outcomes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace reeve::live {
namespace {

using host::ReplyKind;

CallResult failed(CallErrorKind kind, std::string code, std::string message = {}) {
  CallResult result;
  result.error = CallError{kind, std::move(code), std::move(message), {}, false};
  return result;
}

TEST(ReplyKind, AStopOfAJobThatHasEndedIsDone) {
  const auto ended =
      failed(CallErrorKind::rejected, "ValidationException",
             "The request was rejected because the training job is in status Stopped");
  EXPECT_EQ(reply_kind("StopTrainingJob", ended), ReplyKind::done);
  EXPECT_EQ(reply_kind("CreateTrainingJob", ended), ReplyKind::rejected);
  const auto gone =
      failed(CallErrorKind::rejected, "ValidationException", "Requested resource not found.");
  EXPECT_EQ(reply_kind("StopTrainingJob", gone), ReplyKind::done);
}

TEST(ReplyKind, ALostTryStaysUnknownWhateverTheLastTryCameTo) {
  const auto denied_after = failed(CallErrorKind::unknown, "AccessDeniedException");
  EXPECT_EQ(reply_kind("StopTrainingJob", denied_after), ReplyKind::unknown);
  const auto throttled_after = failed(CallErrorKind::unknown, "ThrottlingException");
  EXPECT_EQ(reply_kind("StopTrainingJob", throttled_after), ReplyKind::unknown);
}

TEST(ReplyKind, OtherErrorsFollowFromWhatMayHaveHappened) {
  EXPECT_EQ(reply_kind("StopTrainingJob", {}), ReplyKind::done);
  EXPECT_EQ(reply_kind("StopTrainingJob", failed(CallErrorKind::not_sent, "NoConnection")),
            ReplyKind::throttled);
  EXPECT_EQ(reply_kind("StopTrainingJob", failed(CallErrorKind::throttled, "ThrottlingException")),
            ReplyKind::throttled);
  EXPECT_EQ(reply_kind("StopTrainingJob", failed(CallErrorKind::rejected, "NewError")),
            ReplyKind::rejected);
  EXPECT_EQ(
      reply_kind("CreateTrainingJob", failed(CallErrorKind::rejected, "ResourceLimitExceeded")),
      ReplyKind::no_room);
}

TEST(ReplyKind, AWSBatchDoesNotSayWhetherAServiceJobHasEnded) {
  const auto of = [](CallErrorKind kind, const char* code) {
    return reply_kind("TerminateServiceJob", failed(kind, code));
  };
  EXPECT_EQ(reply_kind("TerminateServiceJob", {}), ReplyKind::done);
  EXPECT_EQ(of(CallErrorKind::rejected, "ClientException"), ReplyKind::unknown);
  EXPECT_EQ(of(CallErrorKind::unknown, "ServerException"), ReplyKind::unknown);
  EXPECT_EQ(of(CallErrorKind::rejected, "AccessDeniedException"), ReplyKind::rejected);
  EXPECT_EQ(of(CallErrorKind::throttled, "TooManyRequestsException"), ReplyKind::throttled);
}

}  // namespace
}  // namespace reeve::live
