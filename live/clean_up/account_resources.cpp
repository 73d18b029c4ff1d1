#include "live/clean_up/account_resources.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <nlohmann/json.hpp>
#include <reeve/policy/training_job_name.hpp>
#include <utility>

#include "live/aws/arn.hpp"
#include "live/aws/pages.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::size_t most_at_once = 100;  // names of a call

/// The job of "JOB/algo-N"; empty: it is no host of a training job.
std::string job_of_host(const std::string& host) {
  constexpr std::string_view between = "/algo-";
  const std::size_t at = host.rfind(between);
  if (at == std::string::npos) return {};
  const std::string_view number = std::string_view{host}.substr(at + between.size());
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  std::string job = host.substr(0, at);
  return is_number && policy::is_training_job_name(job) ? job : std::string{};
}

/// Of a metric with its dimensions; empty: it is of no training job.
std::string job_of_metric(const json& metric) {
  const json* dimensions = list_of(metric, "Dimensions");
  if (text_of(metric, "Namespace") != "/aws/sagemaker/TrainingJobs" || dimensions == nullptr) {
    return {};
  }
  for (const json& dimension : *dimensions) {
    if (text_of(dimension, "Name") == "Host") return job_of_host(text_of(dimension, "Value"));
  }
  return {};
}

void add_metric(const json& metric, const json& with_period, AlarmSubject& subject) {
  constexpr std::int64_t minute = 60;
  ++subject.metrics;
  subject.is_high_resolution =
      subject.is_high_resolution || whole_of(with_period, "Period").value_or(minute) < minute;
  std::string job = job_of_metric(metric);
  if (job.empty()) {
    subject.has_other_metrics = true;
  } else if (std::find(subject.jobs.begin(), subject.jobs.end(), job) == subject.jobs.end()) {
    subject.jobs.push_back(std::move(job));
  }
}

/// The articles append "GPUUtil" to the name of the job.
std::string job_in_name(const std::string& alarm) {
  constexpr std::string_view suffix = "GPUUtil";
  if (!alarm.ends_with(suffix)) return {};
  std::string job = alarm.substr(0, alarm.size() - suffix.size());
  return policy::is_training_job_name(job) ? job : std::string{};
}

/// Whether the query reads metrics that it does not name: of another account, or by a query of
/// Metrics Insights.
bool reads_others(const json& query, const std::string& account) {
  const std::string owner = text_of(query, "AccountId");
  std::string expression = text_of(query, "Expression");
  std::transform(expression.begin(), expression.end(), expression.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return (!owner.empty() && owner != account) || expression.find("SELECT") != std::string::npos ||
         expression.find("SEARCH") != std::string::npos;
}

AlarmSubject subject_of(const json& alarm) {
  AlarmSubject subject;
  if (!text_of(alarm, "MetricName").empty()) add_metric(alarm, alarm, subject);
  const std::string account{part_of_arn(text_of(alarm, "AlarmArn"), 4)};
  const json* queries = list_of(alarm, "Metrics");
  subject.has_other_metrics = subject.has_other_metrics || queries == nullptr;
  for (const json& query : queries == nullptr ? json::array() : *queries) {
    if (reads_others(query, account)) {
      ++subject.metrics;
      subject.has_other_metrics = true;
      continue;
    }
    const json* stat = field(query, "MetricStat");
    const json* metric = stat == nullptr ? nullptr : field(*stat, "Metric");
    if (metric != nullptr) add_metric(*metric, *stat, subject);
  }
  if (subject.jobs.empty()) subject.job_in_name = job_in_name(text_of(alarm, "AlarmName"));
  return subject;
}

std::optional<Resource> alarm_in(const json& alarm) {
  const auto made = instant_of(alarm, "AlarmConfigurationUpdatedTimestamp", TimeUnit::seconds);
  Resource found{ResourceKind::alarm, text_of(alarm, "AlarmName"),
                 made.value_or(policy::Instant{})};
  found.arn = text_of(alarm, "AlarmArn");
  found.subject = subject_of(alarm);
  if (found.id.empty() || !made) return std::nullopt;
  return found;
}

std::optional<Resource> instance_in(const json& instance) {
  const auto made = instant_of(instance, "launchTime", TimeUnit::seconds);
  Resource found{ResourceKind::instance, text_of(instance, "instanceId"),
                 made.value_or(policy::Instant{})};
  found.type = text_of(instance, "instanceType");
  found.is_spot = text_of(instance, "instanceLifecycle") == "spot";
  if (const json* state = field(instance, "instanceState")) found.state = text_of(*state, "name");
  const json* tags = list_of(instance, "tagSet");
  if (found.id.empty() || !made || tags == nullptr) return std::nullopt;
  for (const json& tag : *tags) found.tags.emplace_back(text_of(tag, "key"), text_of(tag, "value"));
  return found;
}

json filter(const char* name, json values) {
  return {{"Name", name}, {"Value", std::move(values)}};
}

}  // namespace

const std::string* Resource::tag(std::string_view key) const {
  const auto found = std::find_if(tags.begin(), tags.end(),
                                  [&](const policy::Tag& tag) { return tag.first == key; });
  return found == tags.end() ? nullptr : &found->second;
}

/// DescribeAlarms: 9 calls per second; DescribeInstances: a bucket of 50 that regains 10 per second
/// (CloudWatch service quotas; EC2, "Request throttling").
AccountResources::AccountResources(Client& client, Clock& clock)
    : client_{client},
      alarms_{clock, std::chrono::milliseconds{200}},
      instances_{clock, std::chrono::milliseconds{200}} {}

AccountResources::Resources AccountResources::alarms() {
  return described_alarms(json::object());
}

AccountResources::Resources AccountResources::described_alarms(json parameters) {
  const std::string action = "cloudwatch:DescribeAlarms";
  parameters["MaxRecords"] = 100;
  std::vector<Resource> found;
  Pages pages{{services::cloudwatch, "DescribeAlarms", std::move(parameters)}};
  while (!pages.at_end()) {
    alarms_.wait();
    const CallResult page = pages.read(client_);
    if (page.error) return FailedCall{action, *page.error};
    const json* alarms = list_of(page.value, "MetricAlarms");
    if (alarms == nullptr || field(page.value, "MetricAlarms") == nullptr) {
      return unreadable_reply(action, "a page has no MetricAlarms");
    }
    for (const json& each : *alarms) {
      auto alarm = alarm_in(each);
      if (!alarm) return unreadable_reply(action, "an alarm has no name or time");
      found.push_back(*std::move(alarm));
    }
  }
  return found;
}

AccountResources::Resources AccountResources::instances(
    std::span<const std::string_view> tag_keys) {
  json keys = json::array();
  for (const std::string_view key : tag_keys) keys.push_back(key);
  return described_instances(json::array({filter("tag-key", std::move(keys))}));
}

AccountResources::Resources AccountResources::described_instances(json filters) {
  const std::string action = "ec2:DescribeInstances";
  filters.push_back(filter("instance-state-name", {"pending", "running", "stopping", "stopped"}));
  std::vector<Resource> found;
  Pages pages{
      {services::ec2, "DescribeInstances", {{"Filter", std::move(filters)}, {"MaxResults", 1000}}}};
  while (!pages.at_end()) {
    instances_.wait();
    const CallResult page = pages.read(client_);
    if (page.error) return FailedCall{action, *page.error};
    const json* reservations = list_of(page.value, "reservationSet");
    if (reservations == nullptr || field(page.value, "reservationSet") == nullptr) {
      return unreadable_reply(action, "a page has no reservationSet");
    }
    for (const json& reservation : *reservations) {
      const json* instances = list_of(reservation, "instancesSet");
      for (const json& each : instances == nullptr ? json::array() : *instances) {
        auto instance = instance_in(each);
        if (!instance) return unreadable_reply(action, "an instance has no id or time");
        found.push_back(*std::move(instance));
      }
    }
  }
  return found;
}

AccountResources::Resources AccountResources::still_there(ResourceKind kind,
                                                          std::span<const std::string> ids) {
  std::vector<Resource> found;
  for (std::size_t first = 0; first < ids.size(); first += most_at_once) {
    json some = json::array();
    for (const std::string& id : ids.subspan(first, std::min(most_at_once, ids.size() - first))) {
      some.push_back(id);
    }
    Resources part =
        kind == ResourceKind::alarm
            ? described_alarms({{"AlarmNames", std::move(some)}})
            : described_instances(json::array({filter("instance-id", std::move(some))}));
    if (auto* failed = std::get_if<FailedCall>(&part)) return std::move(*failed);
    for (Resource& each : std::get<std::vector<Resource>>(part)) found.push_back(std::move(each));
  }
  return found;
}

std::optional<FailedCall> AccountResources::read_tags(Resource& alarm) {
  const std::string action = "cloudwatch:ListTagsForResource";
  alarms_.wait();
  const CallResult reply =
      client_.call({services::cloudwatch, "ListTagsForResource", {{"ResourceARN", alarm.arn}}});
  if (reply.error) return FailedCall{action, *reply.error};
  const json* tags = list_of(reply.value, "Tags");
  if (tags == nullptr) return unreadable_reply(action, "the reply has no Tags");
  alarm.tags.clear();
  for (const json& tag : *tags) alarm.tags.emplace_back(text_of(tag, "Key"), text_of(tag, "Value"));
  return std::nullopt;
}

}  // namespace reeve::live
