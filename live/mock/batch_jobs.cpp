#include "live/mock/batch_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::chrono::minutes length_of_job{1};

std::int64_t milliseconds(Instant at) {
  return std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

MockError refusal(std::string message) {
  return {"ClientException", std::move(message)};
}

/// The name in an ARN, and of a definition without its revision.
std::string bare_name(std::string name) {
  name.erase(0, name.find('/') + 1);  // npos + 1 is 0
  name.erase(std::min(name.find(':'), name.size()));
  return name;
}

bool is_job_name(const std::string& name) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::size_t longest = 128;
  const std::string first = std::string{digits} + std::string{letters};
  return name.size() <= longest && first.find(name.front()) != first.npos &&
         name.find_first_not_of(first + "-_") == name.npos;
}

/// A whole number of an object, if it has one.
std::int64_t number_in(const json& asked, const char* object, const char* key,
                       std::int64_t otherwise) {
  const auto found = asked.find(object);
  return found == asked.end() ? otherwise : found->value(key, otherwise);
}

/// Batch names its own variables so.
bool sets_own_variable(const json& asked) {
  const json overrides = asked.value("containerOverrides", json::object());
  const json environment = overrides.value("environment", json::array());
  return std::any_of(environment.begin(), environment.end(), [](const json& variable) {
    return variable.value("name", "").starts_with("AWS_BATCH");
  });
}

std::optional<MockError> wrong_submission(const json& asked) {
  constexpr std::size_t longest_overrides = 8192;
  if (!is_job_name(asked.at("jobName"))) return refusal("Job name is invalid");
  const auto size = number_in(asked, "arrayProperties", "size", 2);
  if (size < 2 || size > 10'000) return refusal("Array size must be between 2 and 10000");
  const auto attempts = number_in(asked, "retryStrategy", "attempts", 1);
  if (attempts < 1 || attempts > 10) return refusal("Attempts must be between 1 and 10");
  if (sets_own_variable(asked)) return refusal("AWS_BATCH is a prefix of reserved variables");
  if (asked.value("containerOverrides", json::object()).dump().size() > longest_overrides) {
    return refusal("Container Overrides length must be at most 8192");
  }
  const std::string queue = asked.at("jobQueue");
  if (bare_name(queue) != "reeve") return refusal("JobQueue " + queue + " not found.");
  const std::string definition = asked.at("jobDefinition");
  if (bare_name(definition) != "reeve")
    return refusal("JobDefinition " + definition + " not found.");
  return std::nullopt;
}

}  // namespace

BatchJobs::BatchJobs(std::string account, std::string region)
    : account_{std::move(account)}, region_{std::move(region)} {}

MockAnswer BatchJobs::answer(std::string_view operation, const json& asked, Instant now) {
  if (operation == "SubmitJob") return submit(asked, now);
  if (operation == "ListJobs") return list(asked, now);
  return operation == "DescribeJobs" ? describe(asked, now) : terminate(asked, now);
}

MockAnswer BatchJobs::submit(const json& asked, Instant now) {
  if (auto error = wrong_submission(asked)) return *std::move(error);
  const std::string id = fmt::format("00000000-0000-4000-8000-{:012}", jobs_.size() + 1);
  jobs_.emplace(id, Job{.asked = asked, .created = now});
  return json{{"jobArn", arn("job/" + id)}, {"jobName", asked.at("jobName")}, {"jobId", id}};
}

/// In the order of creation, which is that of ids.
MockAnswer BatchJobs::list(const json& asked, Instant now) const {
  const std::string filter = unknown_filter(asked);
  if (!filter.empty()) return refusal("the filter " + filter + " is not known");
  if (asked.contains("jobQueue") == asked.contains("arrayJobId")) {
    return refusal("one of jobQueue and arrayJobId");
  }
  const std::string queue = bare_name(asked.value("jobQueue", ""));
  const std::string after = asked.value("nextToken", "");
  const auto most = asked.value("maxResults", std::size_t{100});
  json reply{{"jobSummaryList", json::array()}};
  json& all = reply["jobSummaryList"];
  for (const auto& [id, job] : jobs_) {
    json summary = detail(id, job, now);
    const bool is_shown = queue == "reeve" && id > after &&
                          is_listed(asked, summary.at("status").get_ref<const std::string&>(),
                                    milliseconds(job.created));
    if (!is_shown) continue;
    if (all.size() == most) {
      reply["nextToken"] = all.back().at("jobId");
      break;
    }
    for (const char* key : {"jobQueue", "jobDefinition"}) summary.erase(key);
    all.push_back(std::move(summary));
  }
  return reply;
}

/// Unknown jobs are left out.
MockAnswer BatchJobs::describe(const json& asked, Instant now) const {
  json details = json::array();
  for (const json& id : asked.at("jobs")) {
    const auto job = jobs_.find(id.get<std::string>());
    if (job != jobs_.end()) details.push_back(detail(job->first, job->second, now));
  }
  return json{{"jobs", std::move(details)}};
}

/// Of an unknown job, or one that has ended, it changes nothing.
MockAnswer BatchJobs::terminate(const json& asked, Instant now) {
  const auto found = jobs_.find(asked.at("jobId").get<std::string>());
  if (found == jobs_.end()) return json::object();
  Job& job = found->second;
  if (!job.terminated && now < job.created + length_of_job) {
    job.terminated = now;
    job.reason = asked.at("reason");
  }
  return json::object();
}

json BatchJobs::detail(const std::string& id, const Job& job, Instant now) const {
  const bool is_array = job.asked.contains("arrayProperties");
  const Instant ended = job.terminated.value_or(job.created + length_of_job);
  const char* const status = job.terminated ? "FAILED"
                             : now >= ended ? "SUCCEEDED"
                             : is_array     ? "PENDING"  // until all children have ended
                                            : "RUNNING";
  json detail{{"jobArn", arn("job/" + id)},
              {"jobId", id},
              {"jobName", job.asked.at("jobName")},
              {"jobQueue", arn("job-queue/reeve")},
              {"jobDefinition", arn("job-definition/reeve:1")},
              {"status", status},
              {"createdAt", milliseconds(job.created)},
              {"startedAt", milliseconds(job.created)}};
  if (job.terminated) detail["statusReason"] = job.reason;
  if (now >= ended) detail["stoppedAt"] = milliseconds(ended);
  if (is_array) detail["arrayProperties"] = job.asked.at("arrayProperties");
  return detail;
}

bool is_listed(const json& asked, std::string_view status, std::int64_t created) {
  const auto filters = asked.find("filters");
  if (filters == asked.end()) return status == asked.value("jobStatus", "RUNNING");
  return std::all_of(filters->begin(), filters->end(), [&](const json& filter) {
    return created >
           std::strtoll(filter.at("values").at(0).get<std::string>().c_str(), nullptr, 10);
  });
}

std::string unknown_filter(const json& asked) {
  const json filters = asked.value("filters", json::array());
  for (const json& filter : filters) {
    const std::string name = filter.value("name", "");
    if (name != "AFTER_CREATED_AT" || filter.value("values", json::array()).size() != 1)
      return name;
  }
  return {};
}

std::string BatchJobs::arn(std::string_view resource) const {
  return fmt::format("arn:aws:batch:{}:{}:{}", region_, account_, resource);
}

}  // namespace reeve::live
