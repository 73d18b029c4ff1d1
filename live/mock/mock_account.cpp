#include "live/mock/mock_account.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "live/events/write_event.hpp"
#include "live/mock/metric_data.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::chrono::seconds visibility_timeout{30};
constexpr const char* rule_name = "training-jobs";

const TrainingJobState* state_of(const FleetEvent& event) {
  return std::get_if<TrainingJobState>(&event.detail);
}

/// The message of an event.  What its logs say of a failure has no place in an event of AWS.
std::string body_of(const FleetEvent& event) {
  return event.from_logs ? recorded(event, *event.received) : written_event(event).dump();
}

}  // namespace

MockAccount::MockAccount(std::vector<FleetEvent> events, std::string account, std::string region,
                         MockFaults faults, std::uint64_t seed)
    : all_{std::move(events)},
      account_{std::move(account)},
      region_{std::move(region)},
      faults_{faults},
      draws_{seed} {
  for (const FleetEvent& event : all_) {
    const Instant at = event.time.value_or(*event.received);
    if (const auto* created = std::get_if<TrainingJobCreated>(&event.detail)) {
      jobs_[created->job.name].request = &event;
    } else if (const auto* state = state_of(event)) {
      jobs_[state->name].versions.push_back({at, &event});
    }
  }
  for (auto& [name, job] : jobs_) {
    std::stable_sort(job.versions.begin(), job.versions.end(),
                     [](const Version& a, const Version& b) { return a.at < b.at; });
  }
}

void MockAccount::measure(std::vector<HostSamples> hosts, policy::Duration publish_delay) {
  publish_delay_ = publish_delay;
  for (HostSamples& samples : hosts) metrics_[samples.host] = std::move(samples);
}

MockAnswer MockAccount::answer(std::string_view service, std::string_view operation,
                               const json& asked, Instant now) {
  const auto is = [&](std::string_view s, std::string_view o) {
    return service == s && operation == o;
  };
  if (auto error = wrong_parameters(service, operation, asked)) return *std::move(error);
  if (is("sts", "GetCallerIdentity")) {
    return json{{"Account", account_},
                {"UserId", "AIDAREEVEMOCK"},
                {"Arn", "arn:aws:iam::" + account_ + ":user/mock"}};
  }
  if (is("sagemaker", "ListTrainingJobs")) return list_training_jobs(asked, now);
  if (is("sagemaker", "DescribeTrainingJob")) return describe_training_job(asked, now);
  if (is("sagemaker", "ListTags")) return list_tags(asked, now);
  if (is("monitoring", "GetMetricData")) {
    return metric_data(metrics_, asked, now - publish_delay_);
  }
  if (is("events", "ListRuleNamesByTarget")) {
    const bool is_ours = asked.at("TargetArn") == queue_arn();
    return json{{"RuleNames", is_ours ? json{rule_name} : json::array()}};
  }
  if (is("events", "DescribeRule")) return describe_rule(asked);
  if (auto error = wrong_queue(asked)) return *std::move(error);
  deliver(now);
  if (is("sqs", "ReceiveMessage")) return receive_message(asked, now);
  if (is("sqs", "DeleteMessageBatch")) return delete_message_batch(asked);
  if (is("sqs", "DeleteMessage")) return delete_message(asked);
  if (is("sqs", "GetQueueUrl")) return json{{"QueueUrl", queue_path()}};
  return queue_attributes(now);
}

std::optional<json> MockAccount::described(const std::string& name, Instant now) const {
  const auto found = jobs_.find(name);
  if (found == jobs_.end()) return std::nullopt;
  const Job& job = found->second;
  const auto after = std::upper_bound(job.versions.begin(), job.versions.end(), now,
                                      [](Instant at, const Version& v) { return at < v.at; });
  json answer;
  if (after != job.versions.begin()) {
    const FleetEvent& newest = *std::prev(after)->event;
    answer = written_description(newest, *state_of(newest));
  } else if (job.request != nullptr && job.request->time && *job.request->time <= now) {
    TrainingJobState asked = std::get<TrainingJobCreated>(job.request->detail).job;
    asked.secondary = policy::Secondary::starting;
    asked.secondary_word = "Starting";
    asked.modified = asked.created;
    answer = written_description(*job.request, asked);
  } else {
    return std::nullopt;
  }
  answer["AlgorithmSpecification"] = {{"TrainingInputMode", "File"}};
  answer["RoleArn"] = "arn:aws:iam::" + account_ + ":role/training";
  answer["OutputDataConfig"] = {{"S3OutputPath", "s3://mock/" + name}};
  return answer;
}

MockAnswer MockAccount::list_training_jobs(const json& asked, Instant now) const {
  const auto status = asked.value("StatusEquals", "");
  const double after = asked.value("LastModifiedTimeAfter", -HUGE_VAL);
  const double before = asked.value("LastModifiedTimeBefore", HUGE_VAL);
  const auto part = asked.value("NameContains", "");
  std::vector<json> found;
  for (const auto& [name, job] : jobs_) {
    if (name.find(part) == std::string::npos) continue;
    const auto answer = described(name, now);
    if (!answer) continue;
    const double modified = answer->value("LastModifiedTime", 0.0);
    if (!status.empty() && answer->at("TrainingJobStatus") != status) continue;
    if (modified <= after || modified >= before) continue;
    json summary;
    for (const char* key : {"TrainingJobName", "TrainingJobArn", "CreationTime", "TrainingEndTime",
                            "LastModifiedTime", "TrainingJobStatus"}) {
      if (answer->contains(key)) summary[key] = answer->at(key);
    }
    found.push_back(std::move(summary));
  }
  const auto created = [](const json& summary) { return summary.value("CreationTime", 0.0); };
  std::stable_sort(found.begin(), found.end(),
                   [&](const json& a, const json& b) { return created(a) < created(b); });
  const auto most = asked.value("MaxResults", std::size_t{10});
  // A token names the place in the listing.
  const std::size_t first = std::min<std::size_t>(
      std::strtoull(asked.value("NextToken", "0").c_str(), nullptr, 10), found.size());
  json answer{{"TrainingJobSummaries", json::array()}};
  for (std::size_t at = first; at < std::min(first + most, found.size()); ++at) {
    answer["TrainingJobSummaries"].push_back(found[at]);
  }
  if (first + most < found.size()) answer["NextToken"] = std::to_string(first + most);
  return answer;
}

MockAnswer MockAccount::describe_training_job(const json& asked, Instant now) const {
  const auto answer = described(asked.at("TrainingJobName"), now);
  if (!answer) return MockError{"ValidationException", "Requested resource not found."};
  return *answer;
}

MockAnswer MockAccount::list_tags(const json& asked, Instant now) const {
  const std::string arn = asked.at("ResourceArn");
  const std::string name = arn.substr(arn.rfind('/') + 1);
  const auto found = jobs_.find(name);
  if (found == jobs_.end() || !described(name, now)) {
    return MockError{"ValidationException", "Requested resource not found."};
  }
  const Job& job = found->second;
  const std::vector<policy::Tag>* tags = nullptr;
  if (job.request != nullptr) {
    const auto& asked_tags = std::get<TrainingJobCreated>(job.request->detail).job.tags;
    if (asked_tags) tags = &*asked_tags;
  } else if (!job.versions.empty()) {
    const auto& known = state_of(*job.versions.front().event)->tags;
    if (known) tags = &*known;
  }
  json answer{{"Tags", json::array()}};
  if (tags == nullptr) return answer;
  for (const auto& [key, value] : *tags) answer["Tags"].push_back({{"Key", key}, {"Value", value}});
  return answer;
}

std::optional<MockError> MockAccount::wrong_queue(const json& asked) const {
  if (!asked.contains("QueueUrl")) return std::nullopt;
  const std::string url = asked.at("QueueUrl");
  if (url.ends_with(queue_path())) return std::nullopt;
  return MockError{"com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist."};
}

/// Messages that were sent up to `now`.
void MockAccount::deliver(Instant now) {
  for (; next_ < all_.size() && *all_[next_].received <= now; ++next_) {
    const bool is_lost = draws_.happens(faults_.lost);
    const int copies = draws_.happens(faults_.duplicated) ? 2 : 1;
    for (int copy = 0; copy < copies && !is_lost; ++copy) {
      const Instant sent = *all_[next_].received;
      queue_.push_back({"message-" + std::to_string(++sent_), body_of(all_[next_]), sent, sent, 0});
    }
  }
}

std::optional<Instant> MockAccount::next_message(Instant now) {
  deliver(now);
  const bool is_there =
      std::any_of(queue_.begin(), queue_.end(), [&](const Message& m) { return m.visible <= now; });
  return is_there ? now : next_message_after(now);
}

std::optional<Instant> MockAccount::next_message_after(Instant now) {
  deliver(now);
  std::optional<Instant> next;
  if (next_ < all_.size()) next = all_[next_].received;
  for (const Message& message : queue_) {
    if (message.visible > now && (!next || message.visible < *next)) next = message.visible;
  }
  return next;
}

MockAnswer MockAccount::receive_message(const json& asked, Instant now) {
  const auto most = asked.value("MaxNumberOfMessages", std::size_t{1});
  const std::chrono::seconds hidden{
      asked.value("VisibilityTimeout", std::int64_t{visibility_timeout.count()})};
  json messages = json::array();
  for (Message& message : queue_) {
    if (messages.size() == most) break;
    if (message.visible > now) continue;
    message.visible = now + hidden;
    ++message.received;
    messages.push_back({{"MessageId", message.id},
                        {"ReceiptHandle", message.id + '#' + std::to_string(message.received)},
                        {"MD5OfBody", md5_hex(message.body)},
                        {"Body", message.body}});
  }
  json answer = json::object();
  if (!messages.empty()) answer["Messages"] = std::move(messages);
  return answer;
}

bool MockAccount::remove(const std::string& receipt) {
  const std::string id = receipt.substr(0, receipt.find('#'));
  const auto found = std::find_if(queue_.begin(), queue_.end(),
                                  [&](const Message& message) { return message.id == id; });
  if (found != queue_.end()) queue_.erase(found);
  return receipt.find('#') != std::string::npos;
}

MockAnswer MockAccount::delete_message_batch(const json& asked) {
  json answer{{"Successful", json::array()}, {"Failed", json::array()}};
  for (const json& entry : asked.at("Entries")) {
    const json id = entry.value("Id", "");
    if (remove(entry.value("ReceiptHandle", ""))) {
      answer["Successful"].push_back({{"Id", id}});
    } else {
      answer["Failed"].push_back(
          {{"Id", id}, {"Code", "ReceiptHandleIsInvalid"}, {"SenderFault", true}});
    }
  }
  return answer;
}

MockAnswer MockAccount::delete_message(const json& asked) {
  if (remove(asked.at("ReceiptHandle"))) return json::object();
  return MockError{"ReceiptHandleIsInvalid", "The specified receipt handle isn't valid."};
}

MockAnswer MockAccount::queue_attributes(Instant now) {
  const auto visible = std::count_if(queue_.begin(), queue_.end(),
                                     [&](const Message& m) { return m.visible <= now; });
  const auto all = static_cast<std::ptrdiff_t>(queue_.size());
  return json{{"Attributes",
               {{"ApproximateNumberOfMessages", std::to_string(visible)},
                {"ApproximateNumberOfMessagesNotVisible", std::to_string(all - visible)},
                {"VisibilityTimeout", std::to_string(visibility_timeout.count())},
                {"RedrivePolicy", json{{"deadLetterTargetArn", queue_arn() + "-dead-letters"},
                                       {"maxReceiveCount", 5}}
                                      .dump()},
                {"QueueArn", queue_arn()}}}};
}

std::string MockAccount::queue_arn() const {
  return "arn:aws:sqs:" + region_ + ':' + account_ + ":reeve";
}

MockAnswer MockAccount::describe_rule(const json& asked) const {
  if (asked.at("Name") != rule_name) {
    return MockError{"ResourceNotFoundException", "the mock account has no such rule"};
  }
  return json{{"Name", rule_name},
              {"Arn", "arn:aws:events:" + region_ + ':' + account_ + ":rule/" + rule_name},
              {"State", "ENABLED"},
              {"EventPattern", json{{"source", {"aws.sagemaker"}},
                                    {"detail-type", {"SageMaker Training Job State Change"}}}
                                   .dump()}};
}

}  // namespace reeve::live
