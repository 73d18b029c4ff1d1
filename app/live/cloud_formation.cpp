#include "app/live/cloud_formation.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace reeve::app {

using nlohmann::ordered_json;

ordered_json attribute_of(std::string_view of, std::string_view name) {
  return {{"Fn::GetAtt", ordered_json::array({of, name})}};
}

ordered_json reference_to(std::string_view to) {
  return {{"Ref", to}};
}

ordered_json resource_of(std::string_view type, ordered_json properties) {
  return {{"Type", type}, {"Properties", std::move(properties)}};
}

ordered_json substituted(std::string text) {
  if (text.find("${") == text.npos) return text;
  return {{"Fn::Sub", std::move(text)}};
}

ordered_json output_of(std::string_view description, ordered_json value) {
  return {{"Description", description}, {"Value", std::move(value)}};
}

ArnPlace place_of(const scenarios::LiveSpec& live) {
  const auto or_own = [](const std::string& text, std::string_view own) {
    return text.empty() ? std::string{own} : text;
  };
  return {live.region.empty() ? "${AWS::Partition}" : std::string{partition_of(live.region)},
          or_own(live.region, "${AWS::Region}"), or_own(live.account, "${AWS::AccountId}")};
}

ReadResources read_in_stack(const scenarios::LiveSpec& live, bool has_metrics) {
  const ArnPlace place = place_of(live);
  ReadResources read{.training_jobs = substituted(place.arn("sagemaker", "training-job/*")),
                     .queue = attribute_of(events_id, "Arn"),
                     .kill_parameter = nullptr,
                     .has_metrics = has_metrics,
                     .has_kill_tag = !live.kill_tag.empty()};
  if (!live.kill_parameter.empty()) {
    read.kill_parameter = substituted(place.arn("ssm", parameter_resource(live.kill_parameter)));
  }
  return read;
}

namespace {

constexpr std::string_view send_policy_id = "SendPolicy";
constexpr int kept_s = 14 * 24 * 3600;  // the longest that SQS keeps messages

struct EventRule {
  std::string_view name;
  std::string_view description;
  ordered_json pattern;
};

/// The events that rules use (docs/how-to/observe-account.md).
std::array<EventRule, 4> event_rules() {
  return {
      {{"StateChanges",
        "Status of training jobs",
        {{"source", {"aws.sagemaker"}}, {"detail-type", {"SageMaker Training Job State Change"}}}},
       {"Requests",
        "Requests of training jobs, recorded by CloudTrail",
        {{"source", {"aws.sagemaker"}},
         {"detail-type", {"AWS API Call via CloudTrail"}},
         {"detail",
          {{"eventSource", {"sagemaker.amazonaws.com"}}, {"eventName", {"CreateTrainingJob"}}}}}},
       {"ServiceJobs",
        "Status of service jobs of AWS Batch, which run training jobs",
        {{"source", {"aws.batch"}}, {"detail-type", {"Batch Service Job State Change"}}}},
       {"Reports",
        "Reports of training scripts",
        {{"source", {"reeve.training"}}, {"detail-type", {"Training Report"}}}}}};
}

ordered_json event_queue(const std::optional<QueueName>& queue, const QueueShape& shape) {
  ordered_json properties = ordered_json::object();
  if (queue) properties["QueueName"] = queue->name;
  properties["MessageRetentionPeriod"] = kept_s;
  properties["VisibilityTimeout"] = shape.hidden_s;
  properties["SqsManagedSseEnabled"] = true;
  properties["RedrivePolicy"] = {{"deadLetterTargetArn", attribute_of(dead_letters_id, "Arn")},
                                 {"maxReceiveCount", shape.most_receives}};
  return resource_of("AWS::SQS::Queue", std::move(properties));
}

/// Only the rules of the template may send.
ordered_json policy_of_queue() {
  ordered_json senders = ordered_json::array();
  for (const EventRule& rule : event_rules()) senders.push_back(attribute_of(rule.name, "Arn"));
  ordered_json allow{{"Sid", "SendEvents"},
                     {"Effect", "Allow"},
                     {"Principal", {{"Service", "events.amazonaws.com"}}},
                     {"Action", "sqs:SendMessage"},
                     {"Resource", attribute_of(events_id, "Arn")},
                     {"Condition", {{"ArnEquals", {{"aws:SourceArn", std::move(senders)}}}}}};
  return resource_of(
      "AWS::SQS::QueuePolicy",
      {{"Queues", ordered_json::array({reference_to(events_id)})},
       {"PolicyDocument",
        {{"Version", "2012-10-17"}, {"Statement", ordered_json::array({std::move(allow)})}}}});
}

ordered_json rule_of(const EventRule& rule) {
  const ordered_json target{{"Id", "reeve"}, {"Arn", attribute_of(events_id, "Arn")}};
  return resource_of("AWS::Events::Rule", {{"Description", rule.description},
                                           {"EventPattern", rule.pattern},
                                           {"Targets", ordered_json::array({target})}});
}

}  // namespace

ordered_json event_resources(const std::optional<QueueName>& queue, const QueueShape& shape) {
  ordered_json resources = ordered_json::object();
  resources[std::string{dead_letters_id}] = resource_of(
      "AWS::SQS::Queue", {{"MessageRetentionPeriod", kept_s}, {"SqsManagedSseEnabled", true}});
  resources[std::string{events_id}] = event_queue(queue, shape);
  for (const EventRule& rule : event_rules()) resources[std::string{rule.name}] = rule_of(rule);
  resources[std::string{send_policy_id}] = policy_of_queue();
  return resources;
}

}  // namespace reeve::app
