#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/cloud_formation.hpp"
#include "app/live/iam.hpp"
#include "app/live/template.hpp"
#include "app/study/study_arguments.hpp"
#include "live/journal/dynamo_journal.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

// Names of resources and parameters in the template.
constexpr std::string_view journal_id = "Journal";
constexpr std::string_view role_id = "Role";
constexpr std::string_view function_id = "Function";
constexpr std::string_view schedule_id = "Schedule";
constexpr std::string_view bucket_parameter = "CodeBucket";
constexpr std::string_view key_parameter = "CodeKey";
constexpr std::string_view schedule_parameter = "ScheduleExpression";

constexpr int timeout_s = 300;
constexpr int memory_mb = 512;
constexpr int messages_per_pass = 10;
constexpr int longest_wait_s = 20;  // for a batch to fill
/// Lambda asks for six times the timeout.  A message that finds the function busy was received too.
constexpr QueueShape queue_shape{6 * timeout_s, 20};

/// An item for each entry.  It stays if the stack is deleted.
ordered_json journal_table() {
  const auto attribute = [](std::string_view name, std::string_view type) {
    return ordered_json{{"AttributeName", name}, {"AttributeType", type}};
  };
  const auto key = [](std::string_view name, std::string_view type) {
    return ordered_json{{"AttributeName", name}, {"KeyType", type}};
  };
  ordered_json table = resource_of(
      "AWS::DynamoDB::Table",
      {{"BillingMode", "PAY_PER_REQUEST"},
       {"AttributeDefinitions",
        ordered_json::array({attribute(live::journal_key, "S"), attribute(live::number_key, "N")})},
       {"KeySchema",
        ordered_json::array({key(live::journal_key, "HASH"), key(live::number_key, "RANGE")})},
       {"PointInTimeRecoverySpecification", {{"PointInTimeRecoveryEnabled", true}}}});
  table["DeletionPolicy"] = "Retain";
  table["UpdateReplacePolicy"] = "Retain";
  return table;
}

/// Place names of the configuration may be those of the stack.
void substitute_resources(ordered_json& statements) {
  for (ordered_json& statement : statements) {
    ordered_json& resource = statement["Resource"];
    if (resource.is_string()) resource = substituted(resource.get<std::string>());
  }
}

ordered_json role_of(const scenarios::PolicySpec& rules, const scenarios::LiveSpec& live,
                     const Console& console) {
  const ArnPlace place = place_of(live);
  ordered_json document = read_policy(read_in_stack(live, needs_metrics(rules)));
  add_actions(document, rules, place, live.notify.sns, console);
  substitute_resources(document["Statement"]);
  document["Statement"].push_back(
      {{"Sid", "KeepJournal"},
       {"Effect", "Allow"},
       {"Action", {"dynamodb:PutItem", "dynamodb:GetItem", "dynamodb:Query"}},
       {"Resource", attribute_of(journal_id, "Arn")}});
  const ordered_json may_assume{{"Effect", "Allow"},
                                {"Principal", {{"Service", "lambda.amazonaws.com"}}},
                                {"Action", "sts:AssumeRole"}};
  const ordered_json logs =
      substituted("arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole");
  return resource_of(
      "AWS::IAM::Role",
      {{"AssumeRolePolicyDocument",
        {{"Version", "2012-10-17"}, {"Statement", ordered_json::array({may_assume})}}},
       {"ManagedPolicyArns", ordered_json::array({logs})},
       {"Policies", ordered_json::array(
                        {{{"PolicyName", "reeve"}, {"PolicyDocument", std::move(document)}}})}});
}

/// The variables that have the addresses of messages, with the parameter that each comes from.
std::map<std::string, std::string> address_variables(const scenarios::LiveSpec& live) {
  constexpr std::string_view in_variable = "env:";
  std::map<std::string, std::string> variables;
  for (const auto& [parameter, address] :
       {std::pair{"WebhookAddress", live.notify.webhook}, {"SlackAddress", live.notify.slack}}) {
    if (!address.starts_with(in_variable)) continue;
    variables.emplace(address.substr(in_variable.size()), parameter);
  }
  return variables;
}

ordered_json function_of(const RuleRunArguments& arguments, const scenarios::LiveSpec& live) {
  ordered_json variables{
      {"REEVE_TABLE", reference_to(journal_id)},
      {"REEVE_CONFIG", std::filesystem::path{arguments.file}.filename().string()}};
  if (!arguments.policies.empty()) variables["REEVE_POLICY"] = arguments.policies.front();
  for (const auto& [name, parameter] : address_variables(live)) {
    variables[name] = reference_to(parameter);
  }
  return resource_of(
      "AWS::Lambda::Function",
      {{"Description", "reeve: rules for training jobs"},
       {"Runtime", "provided.al2023"},
       {"Architectures", {"x86_64"}},
       {"Handler", "bootstrap"},
       {"Code",
        {{"S3Bucket", reference_to(bucket_parameter)}, {"S3Key", reference_to(key_parameter)}}},
       {"Role", attribute_of(role_id, "Arn")},
       {"Timeout", timeout_s},
       {"MemorySize", memory_mb},
       {"ReservedConcurrentExecutions", 1},
       {"Environment", {{"Variables", std::move(variables)}}}});
}

/// From the queue and from the schedule.
void add_invocations(ordered_json& resources) {
  resources["Messages"] = resource_of(
      "AWS::Lambda::EventSourceMapping",
      {{"EventSourceArn", attribute_of(events_id, "Arn")},
       {"FunctionName", reference_to(function_id)},
       {"BatchSize", messages_per_pass},
       {"MaximumBatchingWindowInSeconds", longest_wait_s},
       {"FunctionResponseTypes", {"ReportBatchItemFailures"}},
       {"ScalingConfig", {{"MaximumConcurrency", 2}}}});  // the least that Lambda accepts
  const ordered_json target{{"Id", "reeve"}, {"Arn", attribute_of(function_id, "Arn")}};
  resources[std::string{schedule_id}] =
      resource_of("AWS::Events::Rule", {{"Description", "Passes of reeve"},
                                        {"ScheduleExpression", reference_to(schedule_parameter)},
                                        {"Targets", ordered_json::array({target})}});
  resources["SchedulePermission"] =
      resource_of("AWS::Lambda::Permission", {{"Action", "lambda:InvokeFunction"},
                                              {"FunctionName", reference_to(function_id)},
                                              {"Principal", "events.amazonaws.com"},
                                              {"SourceArn", attribute_of(schedule_id, "Arn")}});
}

ordered_json parameter_of(std::string_view description) {
  return {{"Type", "String"}, {"Description", description}};
}

}  // namespace

int lambda_template(const RuleRunArguments& arguments, const Console& console) {
  const scenarios::Scenario configuration = load_live_configuration(arguments.file, console);
  const scenarios::PolicySpec& rules = only_policy(configuration, arguments.policies);
  const scenarios::LiveSpec& live = *configuration.live;
  ordered_json resources = event_resources(standard_queue_of(live), queue_shape);
  resources[std::string{journal_id}] = journal_table();
  resources[std::string{role_id}] = role_of(rules, live, console);
  resources[std::string{function_id}] = function_of(arguments, live);
  add_invocations(resources);
  ordered_json schedule = parameter_of("How often the running jobs are judged");
  schedule["Default"] = "rate(5 minutes)";
  ordered_json parameters{
      {bucket_parameter, parameter_of("Bucket of S3 with the zip file")},
      {key_parameter, parameter_of("Key of the zip file: bootstrap and the configuration")},
      {schedule_parameter, std::move(schedule)}};
  for (const auto& [name, parameter] : address_variables(live)) {
    parameters[parameter] = parameter_of("Address of messages, in the variable " + name);
    parameters[parameter]["NoEcho"] = true;
  }
  const ordered_json all{{"AWSTemplateFormatVersion", "2010-09-09"},
                         {"Description", "reeve as a function: rules for training jobs"},
                         {"Parameters", std::move(parameters)},
                         {"Resources", std::move(resources)},
                         {"Outputs",
                          {{"Table", output_of("With the journal: reeve live log dynamodb:TABLE",
                                               reference_to(journal_id))},
                           {"DeadLetterQueueUrl", output_of("Messages that reeve could not take",
                                                            reference_to(dead_letters_id))}}}};
  console.print(all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  return ExitCode::done;
}

}  // namespace reeve::app
