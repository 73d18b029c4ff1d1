#include "live/batch/service_jobs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/batch/resources.hpp"
#include "live/events/json_fields.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> waiting{"SUBMITTED", "PENDING", "RUNNABLE"};
constexpr std::array<std::string_view, 3> holding{"SCHEDULED", "STARTING", "RUNNING"};

constexpr std::int64_t most_capacity = 1'000'000'000;  // a sum of a million jobs is a number

template <class Words>
bool holds(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

ServiceJob summary_of(const json& listed, const std::string& queue) {
  ServiceJob job{
      .id = text_of(listed, "jobId"),
      .name = text_of(listed, "jobName"),
      .queue = queue,
      .share = text_of(listed, "quotaShareName"),
      .status = text_of(listed, "status"),
      .created =
          instant_of(listed, "createdAt", TimeUnit::milliseconds).value_or(policy::Instant{}),
      .started = instant_of(listed, "startedAt", TimeUnit::milliseconds),
      .usage = {},
      .tags = {}};
  if (job.share.empty()) job.share = text_of(listed, "shareIdentifier");
  for (const json& usage : listed.value("capacityUsage", json::array())) {
    job.usage[text_of(usage, "capacityUnit")] +=
        std::clamp(whole_of(usage, "quantity").value_or(0), std::int64_t{0}, most_capacity);
  }
  return job;
}

void describe(const json& described, ServiceJob& job) {
  job.status = text_of(described, "status");
  job.priority = whole_of(described, "schedulingPriority").value_or(0);
  const json tags = described.value("tags", json::object());
  for (const auto& [key, value] : tags.items()) {
    if (value.is_string()) job.tags.emplace_back(key, value.get<std::string>());
  }
}

std::string id_in_arn(const std::string& arn) {
  return arn.substr(arn.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

bool ServiceJob::holds_instances() const {
  return holds(holding, status);
}

std::variant<std::vector<ServiceJob>, FailedCall> list_service_jobs(Client& client,
                                                                    const std::string& queue) try {
  std::map<std::string, ServiceJob> jobs;  // one that changed its status is listed twice
  const auto list = [&](std::string_view status) {
    return read_pages(client,
                      {services::batch,
                       "ListServiceJobs",
                       {{"jobQueue", queue}, {"jobStatus", status}, {"maxResults", 100}}},
                      [&](const json& page) {
                        for (const json& listed : page.value("jobSummaryList", json::array())) {
                          ServiceJob job = summary_of(listed, queue);
                          const std::string id = job.id;
                          jobs.insert_or_assign(id, std::move(job));
                        }
                        return true;
                      });
  };
  for (const auto* statuses : {&waiting, &holding}) {
    for (const std::string_view status : *statuses) {
      if (const auto error = list(status)) return FailedCall{"batch:ListServiceJobs", *error};
    }
  }
  std::vector<ServiceJob> all;
  for (auto& [id, job] : jobs) all.push_back(std::move(job));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.created < b.created; });
  return all;
} catch (const json::exception&) {
  return unreadable_reply("batch:ListServiceJobs");
}

std::optional<FailedCall> describe_service_jobs(Client& client, Clock& clock,
                                                std::vector<ServiceJob>& jobs,
                                                const std::function<bool()>& goes_on) try {
  Pace pace{clock, std::chrono::milliseconds{100}};
  for (ServiceJob& job : jobs) {
    if (!goes_on()) break;
    pace.wait();
    const CallResult reply =
        client.call({services::batch, "DescribeServiceJob", {{"jobId", job.id}}});
    if (reply.error && reply.error->code == "ClientException") {
      job.status.clear();  // it is gone
      continue;
    }
    if (reply.error) return FailedCall{"batch:DescribeServiceJob", *reply.error};
    describe(reply.value, job);
  }
  std::erase_if(jobs, [](const ServiceJob& job) {
    return !holds(waiting, job.status) && !holds(holding, job.status);
  });
  return std::nullopt;
} catch (const json::exception&) {
  return unreadable_reply("batch:DescribeServiceJob");
}

std::variant<std::vector<std::string>, FailedCall> front_of_queue(Client& client,
                                                                  const std::string& queue) try {
  const CallResult reply =
      client.call({services::batch, "GetJobQueueSnapshot", {{"jobQueue", queue}}});
  if (reply.error) return FailedCall{"batch:GetJobQueueSnapshot", *reply.error};
  std::vector<std::string> ids;
  const auto take = [&](const json& jobs) {
    for (const json& job : jobs) ids.push_back(id_in_arn(text_of(job, "jobArn")));
  };
  take(reply.value.value("frontOfQueue", json::object()).value("jobs", json::array()));
  const json shares = reply.value.value("frontOfQuotaShares", json::object());
  const json by_share = shares.value("quotaShares", json::object());
  for (const auto& [share, jobs] : by_share.items()) take(jobs);
  return ids;
} catch (const json::exception&) {
  return unreadable_reply("batch:GetJobQueueSnapshot");
}

}  // namespace reeve::live
