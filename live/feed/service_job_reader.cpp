#include "live/feed/service_job_reader.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// Of a description or a summary; empty: no attempt has begun.
std::string newest_training_job(const json& job) {
  const json* newest = field(job, "latestAttempt");
  const json* resource = newest == nullptr ? nullptr : field(*newest, "serviceResourceId");
  return resource == nullptr ? std::string{} : training_job_in(text_of(*resource, "value"));
}

}  // namespace

bool is_named_by_batch(std::string_view training_job) {
  constexpr std::string_view begin = "AWSBatch";
  constexpr std::size_t digits = 32;
  return training_job.starts_with(begin) && training_job.size() >= begin.size() + digits &&
         training_job.substr(training_job.size() - digits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

std::string training_job_in(const std::string& arn) {
  constexpr std::string_view kind = ":training-job/";
  const std::size_t at = arn.find(kind);
  return at == std::string::npos ? std::string{} : arn.substr(at + kind.size());
}

ServiceJobReader::ServiceJobReader(Client& client, Clock& clock, policy::Duration apart)
    : client_{client}, pace_{clock, apart} {}

ServiceJobReader::Found ServiceJobReader::find(const std::string& training_job,
                                               const std::string& hint) {
  const auto known = ids_.find(training_job);
  const std::string& guess = known == ids_.end() ? hint : known->second;
  if (!guess.empty()) {
    Found found = describe(guess, training_job);
    const auto* job = std::get_if<std::optional<FoundServiceJob>>(&found);
    if (job == nullptr || *job) return found;
  }
  if (auto failed = list()) return *std::move(failed);
  const auto listed = ids_.find(training_job);
  if (listed == ids_.end()) return std::nullopt;
  return describe(listed->second, training_job);
}

ServiceJobReader::Found ServiceJobReader::describe(const std::string& id,
                                                   const std::string& training_job) {
  pace_.wait();
  const CallResult reply = client_.call({services::batch, "DescribeServiceJob", {{"jobId", id}}});
  if (reply.error && reply.error->code == "ClientException") return std::nullopt;  // unknown to AWS
  if (reply.error) return FailedCall{"batch:DescribeServiceJob", *reply.error};
  const std::string status = text_of(reply.value, "status");
  if (status.empty()) return unreadable_reply("batch:DescribeServiceJob");
  if (newest_training_job(reply.value) != training_job) return std::nullopt;
  const json* terminated = field(reply.value, "isTerminated");
  const bool is_terminated = terminated != nullptr && *terminated == true;
  return FoundServiceJob{id, is_terminated || status == "SUCCEEDED" || status == "FAILED"};
}

std::optional<FailedCall> ServiceJobReader::each(const char* operation, json parameters,
                                                 const char* list, const Take& take) {
  parameters["maxResults"] = 100;
  Pages pages{{services::batch, operation, std::move(parameters)}};
  while (!pages.at_end()) {
    pace_.wait();
    const CallResult page = pages.read(client_);
    if (page.error) return FailedCall{std::string{"batch:"} + operation, *page.error};
    const json* elements = field(page.value, list);
    if (elements == nullptr || !elements->is_array())
      return unreadable_reply(std::string{"batch:"} + operation);
    for (const json& element : *elements) take(element);
  }
  return std::nullopt;
}

std::optional<FailedCall> ServiceJobReader::list() {
  std::vector<std::string> queues;
  auto failed = each("DescribeJobQueues", json::object(), "jobQueues", [&](const json& queue) {
    if (text_of(queue, "jobQueueType") != "SAGEMAKER_TRAINING") return;
    queues.push_back(text_of(queue, "jobQueueArn"));
  });
  std::map<std::string, std::string> ids;
  for (const std::string& queue : queues) {
    for (const char* status : {"SCHEDULED", "STARTING", "RUNNING"}) {
      if (failed) return failed;
      failed =
          each("ListServiceJobs", {{"jobQueue", queue}, {"jobStatus", status}}, "jobSummaryList",
               [&](const json& job) { ids[newest_training_job(job)] = text_of(job, "jobId"); });
    }
  }
  if (!failed) ids_ = std::move(ids);
  return failed;
}

}  // namespace reeve::live
