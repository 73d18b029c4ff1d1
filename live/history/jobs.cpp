#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/events/json_fields.hpp"
#include "live/history/account_history.hpp"
#include "live/history/history_pages.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr const char* jobs_part = "jobs";
constexpr int page_size = 100;

/// More is no training job of SageMaker.
std::int64_t instances_in(const json& config) {
  constexpr std::int64_t most = 10'000;
  return std::clamp<std::int64_t>(whole_of(config, "InstanceCount").value_or(0), 0, most);
}

/// Machines of a type that SageMaker sells: ml.p4d.24xlarge is p4d.24xlarge in EC2.
void add_type(const std::string& type, KeptJobs& kept) {
  constexpr std::string_view prefix = "ml.";
  if (type.starts_with(prefix)) kept.types.insert(type.substr(prefix.size()));
}

void keep_job(const json& job, Instant now, KeptJobs& kept) {
  const json* config = field(job, "ResourceConfig");
  if (config == nullptr) return;
  add_type(text_of(*config, "InstanceType"), kept);
  std::int64_t instances = instances_in(*config);
  const json* groups = field(*config, "InstanceGroups");
  for (const json& group : groups != nullptr && groups->is_array() ? *groups : json::array()) {
    add_type(text_of(group, "InstanceType"), kept);
    instances += instances_in(group);
  }
  const auto started = instant_of(job, "TrainingStartTime", TimeUnit::seconds);
  if (!started) return;
  const auto ended = instant_of(job, "TrainingEndTime", TimeUnit::seconds);
  kept.started.push_back(
      {text_of(job, "TrainingJobName"), instances, *started, ended.value_or(now)});
}

/// A page of Search.
void take_page(const json& page, const HistoryReading& reading, KeptJobs& kept) {
  const json& results = page.at("Results");
  for (const json& result : results) {
    const json* job = field(result, "TrainingJob");
    if (job != nullptr) keep_job(*job, reading.now, kept);
  }
  reading.take(jobs_part, page, results.size());
}

std::optional<FailedCall> search_jobs(const HistoryReading& reading, KeptJobs& kept) {
  const json filter{{"Name", "CreationTime"},
                    {"Operator", "GreaterThanOrEqualTo"},
                    {"Value", iso_date(reading.since)}};
  const Call call = history_call(services::sagemaker, "Search",
                                 {{"Resource", "TrainingJob"},
                                  {"SearchExpression", {{"Filters", json::array({filter})}}},
                                  {"SortBy", "CreationTime"},
                                  {"SortOrder", "Ascending"},
                                  {"MaxResults", page_size}});
  Pace pace{reading.clock, std::chrono::milliseconds{200}};
  return each_page(reading.client, call, "Results", pace,
                   [&](json& page) { take_page(page, reading, kept); });
}

/// Describes one job at a time.
class JobDescriber {
 public:
  JobDescriber(const HistoryReading& reading, KeptJobs& kept)
      : reading_{reading}, kept_{kept}, pace_{reading.clock, std::chrono::milliseconds{200}} {}

  /// A job that was deleted since it was listed is left out.
  std::optional<FailedCall> describe(const std::string& name) {
    pace_.wait();
    const Call call =
        history_call(services::sagemaker, "DescribeTrainingJob", {{"TrainingJobName", name}});
    CallResult described = reading_.client.call(call);
    if (described.error) {
      if (is_gone(*described.error)) return std::nullopt;
      FailedCall failed{action_of(call), *described.error};
      if (!is_denied(*described.error)) return failed;
      ++kept_.unread;
      if (!denied_) denied_ = std::move(failed);
      return std::nullopt;
    }
    json& job = described.value;
    if (!job.is_object()) return unreadable(call, "TrainingJobName");
    if (auto failed = add_tags(job)) return failed;
    json result = json::object();
    result["TrainingJob"] = std::move(job);
    take_page({{"Results", json::array({std::move(result)})}}, reading_, kept_);
    ++described_;
    return std::nullopt;
  }

  /// Why no job could be described.
  std::optional<FailedCall> denied_all() const { return described_ == 0 ? denied_ : std::nullopt; }

 private:
  std::optional<FailedCall> add_tags(json& job) {
    if (kept_.tags) return std::nullopt;
    const Call call =
        history_call(services::sagemaker, "ListTags",
                     {{"ResourceArn", text_of(job, "TrainingJobArn")}, {"MaxResults", page_size}});
    Pace pace{reading_.clock, std::chrono::milliseconds{200}};
    json tags = json::array();
    auto failed = each_page(reading_.client, call, "Tags", pace, [&](const json& page) {
      const json& some = page.at("Tags");
      tags.insert(tags.end(), some.begin(), some.end());
    });
    if (failed && is_gone(failed->error)) failed.reset();
    if (failed && is_denied(failed->error)) std::swap(kept_.tags, failed);
    job["Tags"] = std::move(tags);
    return failed;
  }

  const HistoryReading& reading_;
  KeptJobs& kept_;
  Pace pace_;
  std::optional<FailedCall> denied_;
  std::size_t described_ = 0;
};

std::optional<FailedCall> describe_jobs(const HistoryReading& reading, KeptJobs& kept) {
  TrainingJobReader reader{reading.client, reading.clock};
  std::vector<ListedJob> listed;
  const double since = std::chrono::duration<double>(reading.since.time_since_epoch()).count();
  if (auto failed = reader.list({{"CreationTimeAfter", since}}, listed)) return failed;
  JobDescriber describer{reading, kept};
  for (const ListedJob& job : listed) {
    if (auto failed = describer.describe(job.name)) return failed;
  }
  return describer.denied_all();
}

}  // namespace

std::variant<KeptJobs, FailedCall> read_jobs(const HistoryReading& reading) {
  KeptJobs kept;
  auto failed = search_jobs(reading, kept);
  if (failed && is_denied(failed->error)) {
    kept.search = std::move(failed);
    failed = describe_jobs(reading, kept);
  }
  if (failed) return *std::move(failed);
  return kept;
}

}  // namespace reeve::live
