#include "live/mock/mock_account.hpp"

#include <algorithm>
#include <utility>

#include "live/mock/metric_data.hpp"
#include "live/mock/parameters.hpp"
#include "live/mock/spot_prices.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr const char* rule_name = "training-jobs";

/// Of MessageAttributes of SNS as its form lists them; empty: it is not there.
std::string attribute(const json& asked, std::string_view name) {
  const json attributes = asked.value("MessageAttributes", json::object());
  const json entries = attributes.value("entry", json::object());
  for (const auto& [number, entry] : entries.items()) {
    if (entry.value("Name", "") != name) continue;
    return entry.value("Value", json::object()).value("StringValue", "");
  }
  return {};
}

}  // namespace

MockAccount::MockAccount(std::unique_ptr<MockFleet> fleet, std::string account, std::string region,
                         policy::Duration publish_delay, MockFaults faults, std::uint64_t seed)
    : fleet_{std::move(fleet)},
      account_{std::move(account)},
      region_{std::move(region)},
      publish_delay_{publish_delay},
      jobs_{account_, region_},
      queue_{account_, region_, faults, seed},
      batch_{account_, region_},
      batch_queues_{account_, region_},
      alarms_{account_, region_},
      table_{account_, region_},
      trail_{account_, region_} {}

void MockAccount::take(FleetHistory& history) {
  for (FleetEvent& state : history.states) {
    const auto& job = std::get<TrainingJobState>(state.detail);
    if (job.created && !jobs_.has(job.name)) trail_.note_creation(job.name, *job.created);
    if (const auto queued = fleet_->queued(job)) batch_queues_.run(*queued, job);
    jobs_.take(std::move(state));
  }
  for (const FleetEvent& event : history.told) queue_.send(event);
  send_batch_events();
  history = {};
}

void MockAccount::send_batch_events() {
  for (const FleetEvent& event : batch_queues_.take_events()) queue_.send(event);
}

void MockAccount::advance(Instant now) {
  FleetHistory history;
  do {
    fleet_->advance(std::max(now, fleet_->time()), history);
    take(history);
  } while (fleet_->time() < now);
}

Instant MockAccount::await_message(Instant now, Instant until) {
  const Instant limit = std::min(until, queue_.next_visible(now).value_or(until));
  const std::uint64_t before = queue_.sent();
  FleetHistory history;
  while (fleet_->time() < limit && queue_.sent() == before) {
    fleet_->advance(limit, history);
    take(history);
  }
  return queue_.sent() == before ? limit : fleet_->time();
}

MockAnswer MockAccount::answer(std::string_view service, std::string_view operation,
                               const json& asked, Instant now) {
  if (auto error = wrong_parameters(service, operation, asked)) return *std::move(error);
  advance(now);
  if (service == "sts") {
    return json{{"Account", account_},
                {"UserId", "AIDAREEVEMOCK"},
                {"Arn", "arn:aws:iam::" + account_ + ":user/mock"}};
  }
  if (service == "batch") {
    if (operation == "TerminateServiceJob") return terminate(asked, now);
    if (!BatchQueues::has(operation)) return batch_.answer(operation, asked, now);
    MockAnswer answer = batch_queues_.answer(operation, asked, now);
    send_batch_events();
    return answer;
  }
  if (service == "sagemaker") {
    MockAnswer answer = jobs_.answer(operation, asked, *fleet_);
    if (operation == "StopTrainingJob") trail_.note_stop(asked.at("TrainingJobName"), answer, now);
    advance(fleet_->time());  // what the call changed can be read at once
    return answer;
  }
  if (service == "sqs") return queue_.answer(operation, asked, now);
  if (service == "cloudtrail") return trail_.answer(asked, now);
  if (service == "ssm") return parameters_.answer(operation, asked);
  if (service == "dynamodb") return table_.answer(operation, asked);
  if (service == "sns") return publish(asked);
  if (operation == "DescribeSpotPriceHistory") return spot_price_history(asked, region_, now);
  if (service == "ec2") return instances_.answer(operation, asked, now);
  if (service == "monitoring" && MockAlarms::has(operation)) {
    return alarms_.answer(operation, asked, now);
  }
  if (service == "monitoring" && operation == "GetMetricData") {
    const MetricOfHost metric = [&](const std::string& host, Instant from) {
      return fleet_->gpu_utilization(host, from);
    };
    return metric_data(metric, asked, now - publish_delay_);
  }
  if (operation == "ListRuleNamesByTarget") return rule_names(asked);
  if (operation == "DescribeRule") return describe_rule(asked);
  return MockError{"AccessDeniedException", "the mock account refuses " + std::string{service} +
                                                ':' + std::string{operation}};
}

/// Of one that runs a training job of the fleet, it stops that.
MockAnswer MockAccount::terminate(const json& asked, Instant now) {
  const std::string training_job = batch_queues_.newest_training_job(asked.at("jobId"));
  MockAnswer reply = json::object();
  if (!training_job.empty()) reply = answer_for(fleet_->terminate(training_job));
  if (std::holds_alternative<MockError>(reply)) return reply;
  MockAnswer answer = batch_queues_.answer("TerminateServiceJob", asked, now);
  advance(fleet_->time());
  return std::holds_alternative<LostReply>(reply) ? reply : answer;
}

/// A message about a job reaches its owner.  Others go nowhere.
MockAnswer MockAccount::publish(const json& asked) {
  const std::string topic = "arn:aws:sns:" + region_ + ':' + account_ + ':';
  if (!asked.value("TopicArn", "").starts_with(topic)) {
    return MockError{"NotFound", "Topic does not exist"};
  }
  const std::string job = attribute(asked, "reeve_job");
  if (jobs_.has(job)) {
    MockAnswer answer = answer_for(fleet_->notify(job, attribute(asked, "reeve_key")));
    if (!std::holds_alternative<json>(answer)) return answer;
  }
  return json{{"MessageId", "00000000-0000-0000-0000-000000000000"}};
}

/// EventBridge may return an empty page before the last one.
MockAnswer MockAccount::rule_names(const json& asked) const {
  if (!asked.contains("NextToken")) return json{{"RuleNames", json::array()}, {"NextToken", "2"}};
  const bool is_ours = asked.at("TargetArn") == queue_.arn();
  return json{{"RuleNames", is_ours ? json{rule_name} : json::array()}};
}

MockAnswer MockAccount::describe_rule(const json& asked) const {
  if (asked.at("Name") != rule_name) {
    return MockError{"ResourceNotFoundException", "the mock account has no such rule"};
  }
  return json{{"Name", rule_name},
              {"Arn", "arn:aws:events:" + region_ + ':' + account_ + ":rule/" + rule_name},
              {"State", "ENABLED"},
              {"EventPattern",
               json{{"source", {"aws.sagemaker", "aws.batch"}},
                    {"detail-type",
                     {"SageMaker Training Job State Change", "Batch Service Job State Change"}}}
                   .dump()}};
}

}  // namespace reeve::live
