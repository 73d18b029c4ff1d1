#include "live/mock/mock_account.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <reeve/policy/condition.hpp>
#include <set>
#include <utility>

#include "live/events/write_event.hpp"
#include "live/mock/metric_data.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::chrono::seconds visibility_timeout{30};
/// One that was received as often goes to the dead-letter queue.
constexpr int most_receives = 5;
constexpr const char* rule_name = "training-jobs";

const TrainingJobState* state_of(const FleetEvent& event) {
  return std::get_if<TrainingJobState>(&event.detail);
}

double seconds_of(Instant at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
  return std::chrono::duration<double>(ms).count();
}

/// A row of ListTrainingJobs.
json summary_of(const FleetEvent& event, const TrainingJobState& job) {
  json summary{{"TrainingJobName", job.name},
               {"TrainingJobArn", training_job_arn(event, job.name)},
               {"TrainingJobStatus", policy::primary_names[static_cast<std::size_t>(job.primary)]}};
  if (job.created) summary["CreationTime"] = seconds_of(*job.created);
  if (job.ended) summary["TrainingEndTime"] = seconds_of(*job.ended);
  if (job.modified) summary["LastModifiedTime"] = seconds_of(*job.modified);
  return summary;
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
      draws_{seed},
      batch_{account_, region_} {
  for (const FleetEvent& event : all_) {
    if (const auto* created = std::get_if<TrainingJobCreated>(&event.detail)) {
      request(event, created->job);
    } else if (const auto* state = state_of(event)) {
      Job& job = jobs_[state->name];
      if (job.tags == nullptr && state->tags) job.tags = &*state->tags;
      job.versions.push_back({event.time.value_or(*event.received), &event, state});
    }
  }
  order_jobs();
}

/// SageMaker describes a job before its first event.
void MockAccount::request(const FleetEvent& event, const TrainingJobState& asked) {
  if (!event.time) return;
  Job& job = jobs_[asked.name];
  job.tags = asked.tags ? &*asked.tags : nullptr;
  job.requested = std::make_unique<TrainingJobState>(asked);
  job.requested->secondary = policy::Secondary::starting;
  job.requested->secondary_word = "Starting";
  job.requested->modified = asked.created;
  job.versions.insert(job.versions.begin(), {*event.time, &event, job.requested.get()});
}

void MockAccount::order_jobs() {
  for (auto& [name, job] : jobs_) {
    std::stable_sort(job.versions.begin(), job.versions.end(),
                     [](const Version& a, const Version& b) { return a.at < b.at; });
    by_creation_.push_back(&job);
  }
  const auto created = [](const Job* job) {
    return job->versions.front().state->created.value_or(Instant::min());
  };
  std::stable_sort(by_creation_.begin(), by_creation_.end(),
                   [&](const Job* a, const Job* b) { return created(a) < created(b); });
}

void MockAccount::measure(MetricsByHost metrics, policy::Duration publish_delay) {
  publish_delay_ = publish_delay;
  metrics_ = std::move(metrics);
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
  if (service == "batch") return batch_.answer(operation, asked, now);
  if (is("sagemaker", "ListTrainingJobs")) return list_training_jobs(asked, now);
  if (is("sagemaker", "DescribeTrainingJob")) return describe_training_job(asked, now);
  if (is("sagemaker", "StopTrainingJob")) return stop_training_job(asked, now);
  if (is("sagemaker", "ListTags")) return list_tags(asked, now);
  if (is("monitoring", "GetMetricData")) {
    return metric_data(metrics_, asked, now - publish_delay_);
  }
  if (is("events", "ListRuleNamesByTarget")) {
    // EventBridge may return an empty page before the last one.
    if (!asked.contains("NextToken")) return json{{"RuleNames", json::array()}, {"NextToken", "2"}};
    const bool is_ours = asked.at("TargetArn") == queue_arn();
    return json{{"RuleNames", is_ours ? json{rule_name} : json::array()}};
  }
  if (is("events", "DescribeRule")) return describe_rule(asked);
  if (auto error = wrong_queue(asked)) return *std::move(error);
  deliver(now);
  if (is("sqs", "ReceiveMessage")) return receive_message(asked, now);
  if (is("sqs", "DeleteMessageBatch")) return delete_message_batch(asked);
  if (is("sqs", "DeleteMessage")) return delete_message(asked);
  if (is("sqs", "GetQueueUrl")) return queue_url(asked);
  return queue_attributes(asked, now);
}

const MockAccount::Version* MockAccount::version_of(const Job& job, Instant now) {
  const auto after = std::upper_bound(job.versions.begin(), job.versions.end(), now,
                                      [](Instant at, const Version& v) { return at < v.at; });
  return after == job.versions.begin() ? nullptr : &*std::prev(after);
}

MockAnswer MockAccount::list_training_jobs(const json& asked, Instant now) const {
  const auto status = asked.value("StatusEquals", "");
  const double after = asked.value("LastModifiedTimeAfter", -HUGE_VAL);
  const double before = asked.value("LastModifiedTimeBefore", HUGE_VAL);
  const auto part = asked.value("NameContains", "");
  const auto is_status = [&](std::string_view name) { return name == status; };
  if (!status.empty() &&
      std::none_of(policy::primary_names.begin(), policy::primary_names.end(), is_status)) {
    return MockError{"ValidationException", "StatusEquals is no TrainingJobStatus: " + status};
  }
  const auto token = asked.value("NextToken", "0");
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos) {
    return MockError{"ValidationException", "the token is of no reply"};
  }
  const auto is_asked_for = [&](const TrainingJobState& job) {
    const double modified = job.modified ? seconds_of(*job.modified) : 0;
    return job.name.find(part) != std::string::npos && modified > after && modified < before &&
           (status.empty() ||
            status == policy::primary_names[static_cast<std::size_t>(job.primary)]);
  };
  const auto most = asked.value("MaxResults", std::size_t{10});
  // A token names the place in the listing.
  std::size_t skipped = std::strtoull(token.c_str(), nullptr, 10);
  const std::size_t next = skipped + most;
  json answer{{"TrainingJobSummaries", json::array()}};
  json& summaries = answer["TrainingJobSummaries"];
  for (const Job* job : by_creation_) {
    const Version* version = version_of(*job, now);
    if (version == nullptr || !is_asked_for(*version->state)) continue;
    if (skipped > 0) {
      --skipped;
    } else if (summaries.size() < most) {
      summaries.push_back(summary_of(*version->event, *version->state));
    } else {
      answer["NextToken"] = std::to_string(next);
      break;
    }
  }
  return answer;
}

MockAnswer MockAccount::describe_training_job(const json& asked, Instant now) const {
  const std::string name = asked.at("TrainingJobName");
  const auto found = jobs_.find(name);
  const Version* version = found == jobs_.end() ? nullptr : version_of(found->second, now);
  if (version == nullptr) {
    return MockError{"ValidationException", "Requested resource not found."};
  }
  json answer = written_description(*version->event, *version->state);
  answer["AlgorithmSpecification"] = {{"TrainingInputMode", "File"}};
  answer["RoleArn"] = "arn:aws:iam::" + account_ + ":role/training";
  answer["OutputDataConfig"] = {{"S3OutputPath", "s3://mock/" + name}};
  return answer;
}

/// SIGTERM, then two minutes until the end.  Source: the API reference of StopTrainingJob.
MockAnswer MockAccount::stop_training_job(const json& asked, Instant now) {
  const auto found = jobs_.find(asked.at("TrainingJobName").get<std::string>());
  const Version* version = found == jobs_.end() ? nullptr : version_of(found->second, now);
  if (version == nullptr) return MockError{"ValidationException", "Requested resource not found."};
  if (version->state->primary != policy::Primary::in_progress) {
    const auto status = policy::primary_names[static_cast<std::size_t>(version->state->primary)];
    return MockError{"ValidationException",
                     "The request was rejected because the training job is in status " +
                         std::string{status} + '.'};
  }
  constexpr std::chrono::seconds grace{120};
  Job& job = found->second;
  std::erase_if(job.versions, [&](const Version& later) { return later.at > now; });
  job.stopped = now;
  change(job, policy::Primary::stopping, policy::Secondary::stopping, now);
  change(job, policy::Primary::stopped, policy::Secondary::stopped, now + grace);
  return json::object();
}

/// Appends a version of the job and its event.
void MockAccount::change(Job& job, policy::Primary primary, policy::Secondary secondary,
                         Instant at) {
  FleetEvent event = *job.versions.back().event;
  TrainingJobState state = *job.versions.back().state;
  state.primary = primary;
  state.secondary = secondary;
  state.secondary_word = policy::primary_names[static_cast<std::size_t>(primary)];
  state.modified = at;
  if (primary == policy::Primary::stopped) state.ended = at;
  if (!state.transitions.empty()) state.transitions.back().end = at;
  state.transitions.push_back({secondary, state.secondary_word, at, {}, {}});
  event.id = "stop-" + state.name + '-' + state.secondary_word;
  event.time = at;
  event.received = at + std::chrono::seconds{1};
  event.from_logs = std::nullopt;
  event.detail = std::move(state);
  const FleetEvent& made = made_.emplace_back(std::move(event));
  job.versions.push_back({at, &made, state_of(made)});
  later_.emplace(*made.received, &made);
}

/// A recorded event of a job after a call has stopped it: it does not happen.
bool MockAccount::is_overtaken(const FleetEvent& event) const {
  const TrainingJobState* state = state_of(event);
  const auto job = state == nullptr ? jobs_.end() : jobs_.find(state->name);
  return job != jobs_.end() && job->second.stopped &&
         event.time.value_or(*event.received) > *job->second.stopped;
}

MockAnswer MockAccount::list_tags(const json& asked, Instant now) const {
  const std::string arn = asked.at("ResourceArn");
  const std::string name = arn.substr(arn.rfind('/') + 1);
  const auto found = jobs_.find(name);
  const FleetEvent here{.id = {},
                        .account = account_,
                        .region = region_,
                        .kind = {},
                        .time = {},
                        .detail = OtherEvent{}};
  if (arn != training_job_arn(here, name) || found == jobs_.end() ||
      version_of(found->second, now) == nullptr) {
    return MockError{"ValidationException", "Requested resource not found."};
  }
  json answer{{"Tags", json::array()}};
  if (found->second.tags == nullptr) return answer;
  for (const auto& [key, value] : *found->second.tags) {
    answer["Tags"].push_back({{"Key", key}, {"Value", value}});
  }
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
    if (!is_overtaken(all_[next_])) send(all_[next_]);
  }
  while (!later_.empty() && later_.begin()->first <= now) {
    send(*later_.begin()->second);
    later_.erase(later_.begin());
  }
}

void MockAccount::send(const FleetEvent& event) {
  const bool is_lost = draws_.happens(faults_.lost);
  const int copies = draws_.happens(faults_.duplicated) ? 2 : 1;
  for (int copy = 0; copy < copies && !is_lost; ++copy) {
    const Instant at = *event.received;
    queue_.push_back({"message-" + std::to_string(++sent_), body_of(event), at, at, 0});
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
  if (!later_.empty()) next = std::min(next.value_or(Instant::max()), later_.begin()->first);
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
  std::erase_if(queue_, [&](const Message& message) {
    return message.received >= most_receives && message.visible <= now;
  });
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
  std::set<std::string> ids;
  for (const json& entry : asked.at("Entries")) {
    if (!ids.insert(entry.value("Id", "")).second) {
      return MockError{"com.amazonaws.sqs#BatchEntryIdsNotDistinct", "two entries have one Id"};
    }
  }
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

MockAnswer MockAccount::queue_url(const json& asked) const {
  const bool is_ours = asked.at("QueueName") == "reeve" &&
                       asked.value("QueueOwnerAWSAccountId", account_) == account_;
  if (is_ours) return json{{"QueueUrl", queue_path()}};
  return MockError{"com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist."};
}

MockAnswer MockAccount::queue_attributes(const json& asked, Instant now) {
  json all = all_queue_attributes(now);
  if (!asked.contains("AttributeNames")) return json::object();
  json attributes = json::object();
  for (const json& name : asked["AttributeNames"]) {
    if (name == "All") return json{{"Attributes", std::move(all)}};
    const auto known = all.find(name.get_ref<const std::string&>());
    if (known == all.end()) {
      return MockError{"InvalidAttributeName", "Unknown Attribute " + name.get<std::string>()};
    }
    attributes[known.key()] = *known;
  }
  return json{{"Attributes", std::move(attributes)}};
}

json MockAccount::all_queue_attributes(Instant now) const {
  const auto visible = std::count_if(queue_.begin(), queue_.end(),
                                     [&](const Message& m) { return m.visible <= now; });
  const auto all = static_cast<std::ptrdiff_t>(queue_.size());
  return {{"ApproximateNumberOfMessages", std::to_string(visible)},
          {"ApproximateNumberOfMessagesNotVisible", std::to_string(all - visible)},
          {"VisibilityTimeout", std::to_string(visibility_timeout.count())},
          {"RedrivePolicy", json{{"deadLetterTargetArn", queue_arn() + "-dead-letters"},
                                 {"maxReceiveCount", most_receives}}
                                .dump()},
          {"QueueArn", queue_arn()}};
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
