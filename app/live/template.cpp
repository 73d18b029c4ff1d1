#include "app/live/template.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/iam.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

// Names of resources in the template.
constexpr std::string_view events_id = "Events";
constexpr std::string_view dead_letters_id = "DeadLetters";
constexpr std::string_view send_policy_id = "SendPolicy";
constexpr std::string_view read_policy_id = "ReadPolicy";

constexpr int kept_s = 14 * 24 * 3600;  // the longest that SQS keeps messages
constexpr int hidden_s = 30;
constexpr int most_receives = 5;

struct EventRule {
  std::string_view name;
  std::string_view description;
  ordered_json pattern;
};

/// The events that rules use (docs/how-to/observe-account.md).
std::array<EventRule, 3> event_rules() {
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
       {"Reports",
        "Reports of training scripts",
        {{"source", {"reeve.training"}}, {"detail-type", {"Training Report"}}}}}};
}

ordered_json attribute_of(std::string_view of, std::string_view name) {
  return {{"Fn::GetAtt", ordered_json::array({of, name})}};
}

ordered_json reference_to(std::string_view to) {
  return {{"Ref", to}};
}

ordered_json resource_of(std::string_view type, ordered_json properties) {
  return {{"Type", type}, {"Properties", std::move(properties)}};
}

/// CloudFormation replaces `${...}`.
ordered_json substituted(std::string text) {
  if (text.find("${") == text.npos) return text;
  return {{"Fn::Sub", std::move(text)}};
}

ordered_json event_queue(const std::optional<QueueName>& queue) {
  ordered_json properties = ordered_json::object();
  if (queue) properties["QueueName"] = queue->name;
  properties["MessageRetentionPeriod"] = kept_s;
  properties["VisibilityTimeout"] = hidden_s;
  properties["SqsManagedSseEnabled"] = true;
  properties["RedrivePolicy"] = {{"deadLetterTargetArn", attribute_of(dead_letters_id, "Arn")},
                                 {"maxReceiveCount", most_receives}};
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

ordered_json policy_of_reader(const scenarios::LiveSpec& live, bool with_metrics) {
  const auto or_own = [](const std::string& text, std::string_view own) {
    return text.empty() ? std::string{own} : text;
  };
  const ArnPlace place{
      live.region.empty() ? "${AWS::Partition}" : std::string{partition_of(live.region)},
      or_own(live.region, "${AWS::Region}"), or_own(live.account, "${AWS::AccountId}")};
  ReadResources read{.training_jobs = substituted(place.arn("sagemaker", "training-job/*")),
                     .queue = attribute_of(events_id, "Arn"),
                     .kill_parameter = nullptr,
                     .has_metrics = with_metrics,
                     .has_kill_tag = !live.kill_tag.empty()};
  if (!live.kill_parameter.empty()) {
    read.kill_parameter = substituted(place.arn("ssm", parameter_resource(live.kill_parameter)));
  }
  return resource_of("AWS::IAM::ManagedPolicy",
                     {{"Description", "What reeve live plan and reeve live shadow read"},
                      {"PolicyDocument", read_policy(read)}});
}

ordered_json rule_of(const EventRule& rule) {
  const ordered_json target{{"Id", "reeve"}, {"Arn", attribute_of(events_id, "Arn")}};
  return resource_of("AWS::Events::Rule", {{"Description", rule.description},
                                           {"EventPattern", rule.pattern},
                                           {"Targets", ordered_json::array({target})}});
}

ordered_json template_for(const scenarios::LiveSpec& live, const std::optional<QueueName>& queue,
                          bool with_metrics) {
  ordered_json resources = ordered_json::object();
  resources[std::string{dead_letters_id}] = resource_of(
      "AWS::SQS::Queue", {{"MessageRetentionPeriod", kept_s}, {"SqsManagedSseEnabled", true}});
  resources[std::string{events_id}] = event_queue(queue);
  for (const EventRule& rule : event_rules()) resources[std::string{rule.name}] = rule_of(rule);
  resources[std::string{send_policy_id}] = policy_of_queue();
  resources[std::string{read_policy_id}] = policy_of_reader(live, with_metrics);
  const auto output = [](std::string_view description, ordered_json value) {
    return ordered_json{{"Description", description}, {"Value", std::move(value)}};
  };
  return {
      {"AWSTemplateFormatVersion", "2010-09-09"},
      {"Description", "Events of training jobs for reeve live"},
      {"Resources", std::move(resources)},
      {"Outputs",
       {{"QueueUrl", output("live.queue of the configuration", reference_to(events_id))},
        {"DeadLetterQueueUrl",
         output("Messages that reeve could not take", reference_to(dead_letters_id))},
        {"PolicyArn", output("Attach it to the role of reeve", reference_to(read_policy_id))}}}};
}

}  // namespace

/// Of systemd; paths are absolute there.
int service_unit(const RuleRunArguments& arguments, const Console& console) {
  load_live_configuration(arguments.file, console);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string policy = arguments.policies.empty() ? "" : " -p " + arguments.policies.front();
  console.print(
      fmt::format("[Unit]\n"
                  "Description=reeve: rules for training jobs\n"
                  "Wants=network-online.target\n"
                  "After=network-online.target\n"
                  "# A second unit tries again until the first one ends.\n"
                  "StartLimitIntervalSec=0\n"
                  "\n"
                  "[Service]\n"
                  "ExecStart=\"{}\" live run \"{}\"{} --json --status-port 9464\n"
                  "SuccessExitStatus=130\n"
                  "# An invalid configuration does not mend itself.\n"
                  "RestartPreventExitStatus=3\n"
                  "Restart=on-failure\n"
                  "RestartSec=5\n"
                  "DynamicUser=yes\n"
                  "StateDirectory=reeve\n"
                  "Environment=XDG_STATE_HOME=%S\n"
                  "# AWS credentials of the service, unless the machine has a role:\n"
                  "EnvironmentFile=-/etc/reeve/environment\n"
                  "NoNewPrivileges=yes\n"
                  "ProtectSystem=strict\n"
                  "ProtectHome=read-only\n"
                  "\n"
                  "[Install]\n"
                  "WantedBy=multi-user.target\n",
                  error ? "reeve" : program.string(),
                  std::filesystem::absolute(arguments.file).string(), policy));
  return ExitCode::done;
}

int queue_template(const RuleRunArguments& arguments, const Console& console) {
  const scenarios::Scenario configuration = load_live_configuration(arguments.file, console);
  const scenarios::PolicySpec& rules = only_policy(configuration, arguments.policies);
  const std::optional<QueueName> queue = queue_of(*configuration.live);
  if (queue && queue->name.ends_with(".fifo")) {
    throw UsageError{scenarios::in_quotes(queue->name) + " is a FIFO queue",
                     "name a standard queue: order does not matter to reeve"};
  }
  const ordered_json all = template_for(*configuration.live, queue, needs_metrics(rules));
  console.print(all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  return ExitCode::done;
}

}  // namespace reeve::app
