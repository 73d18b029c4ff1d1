#include "live/act/stop_call.hpp"

#include <optional>
#include <utility>

namespace reeve::live {
namespace {

/// AWS Batch, TerminateJob: a reason has at most 1024 characters.
std::string reason_of(const LoggedAction& stop) {
  constexpr std::size_t longest = 1000;
  std::string reason = "reeve: " + stop.rule + ": " + stop.details.value("reason", "");
  if (std::size_t size = longest; reason.size() > size) {
    while (size > 0 && (reason[size] & '\xC0') == '\x80') --size;  // not within a character
    reason.resize(size);
  }
  return reason;
}

}  // namespace

std::variant<StopCall, FailedCall> stop_call(ServiceJobReader& service_jobs,
                                             const LoggedAction& stop, const std::string& hint) {
  std::optional<FoundServiceJob> job;
  if (is_named_by_batch(stop.job)) {
    auto found = service_jobs.find(stop.job, hint);
    if (auto* failed = std::get_if<FailedCall>(&found)) return std::move(*failed);
    job = std::get<std::optional<FoundServiceJob>>(std::move(found));
  }
  if (!job) {
    return StopCall{{services::sagemaker, "StopTrainingJob", {{"TrainingJobName", stop.job}}}};
  }
  return StopCall{
      {services::batch, "TerminateServiceJob", {{"jobId", job->id}, {"reason", reason_of(stop)}}},
      job->id,
      job->is_over};
}

std::string action_of(const StopCall& stop) {
  return (stop.service_job.empty() ? "sagemaker:" : "batch:") + stop.call.operation;
}

}  // namespace reeve::live
