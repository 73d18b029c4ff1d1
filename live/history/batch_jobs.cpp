#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/events/json_fields.hpp"
#include "live/history/account_history.hpp"
#include "live/history/history_pages.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::size_t most_described = 100;  // jobs of a call

class BatchHistory {
 public:
  explicit BatchHistory(const HistoryReading& reading)
      : reading_{reading}, pace_{reading.clock, std::chrono::milliseconds{100}} {
    const auto since =
        std::chrono::floor<std::chrono::milliseconds>(reading.since.time_since_epoch());
    filters_ = json::array(
        {{{"name", "AFTER_CREATED_AT"}, {"values", json::array({std::to_string(since.count())})}}});
  }

  std::optional<FailedCall> read() {
    struct Queue {
      std::string name;
      bool has_service_jobs;
    };
    std::vector<Queue> queues;
    auto failed = pages("DescribeJobQueues", json::object(), "jobQueues", [&](const json& queue) {
      queues.push_back(
          {text_of(queue, "jobQueueName"), text_of(queue, "jobQueueType") == "SAGEMAKER_TRAINING"});
    });
    for (const Queue& queue : queues) {
      if (failed) return failed;
      failed = queue.has_service_jobs ? read_service_jobs(queue.name) : read_jobs(queue.name);
    }
    return failed;
  }

 private:
  std::optional<FailedCall> pages(const char* operation, json parameters, const char* list,
                                  const std::function<void(const json&)>& each) {
    parameters["maxResults"] = 100;
    Call call = history_call(services::batch, operation, std::move(parameters));
    return each_page(reading_.client, call, list, pace_, [&](const json& page) {
      for (const json& element : page.at(list)) each(element);
    });
  }

  std::optional<FailedCall> read_jobs(const std::string& queue) {
    std::vector<std::string> ids;
    std::vector<std::string> arrays;
    const auto note = [&](const json& job) {
      ids.push_back(text_of(job, "jobId"));
      const json* array = field(job, "arrayProperties");
      if (array != nullptr && field(*array, "size") != nullptr) arrays.push_back(ids.back());
    };
    const json asked{{"jobQueue", queue}, {"filters", filters_}};
    if (auto failed = pages("ListJobs", asked, "jobSummaryList", note)) return failed;
    for (const std::string& array : arrays) {
      for (const char* status : {"RUNNING", "SUCCEEDED", "FAILED"}) {
        auto failed =
            pages("ListJobs", {{"arrayJobId", array}, {"jobStatus", status}}, "jobSummaryList",
                  [&](const json& job) { ids.push_back(text_of(job, "jobId")); });
        if (failed) return failed;
      }
    }
    for (std::size_t first = 0; first < ids.size(); first += most_described) {
      json some = json::array();
      for (std::size_t i = first; i < std::min(first + most_described, ids.size()); ++i) {
        some.push_back(ids[i]);
      }
      const Call call = history_call(services::batch, "DescribeJobs", {{"jobs", std::move(some)}});
      auto failed = each_page(reading_.client, call, "jobs", pace_, [&](const json& page) {
        reading_.take("batch", page, page.at("jobs").size());
      });
      if (failed) return failed;
    }
    return std::nullopt;
  }

  std::optional<FailedCall> read_service_jobs(const std::string& queue) {
    std::vector<std::string> ids;
    const json asked{{"jobQueue", queue}, {"filters", filters_}};
    auto failed = pages("ListServiceJobs", asked, "jobSummaryList",
                        [&](const json& job) { ids.push_back(text_of(job, "jobId")); });
    for (const std::string& id : ids) {
      if (failed) return failed;
      pace_.wait();
      const Call call = history_call(services::batch, "DescribeServiceJob", {{"jobId", id}});
      const CallResult described = reading_.client.call(call);
      if (described.error) return FailedCall{action_of(call), *described.error};
      if (text_of(described.value, "jobId").empty()) return unreadable(call, "jobId");
      reading_.take("batch", described.value, 1);
    }
    return failed;
  }

  const HistoryReading& reading_;
  Pace pace_;
  json filters_;
};

}  // namespace

std::optional<FailedCall> read_batch_jobs(const HistoryReading& reading) {
  return BatchHistory{reading}.read();
}

}  // namespace reeve::live
