#include "live/mock/parameters.hpp"

#include <nettle/md5.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "live/mock/parameter_table.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using parameter_table::Kind;
using parameter_table::Operation;
using parameter_table::Parameter;

constexpr std::array search = std::to_array<Parameter>({
    {"Resource", Kind::text, true},
    {"SearchExpression", Kind::object},
    {"SortBy"},
    {"SortOrder"},
    {"NextToken"},
    {"MaxResults", Kind::whole, false, 1, 100},
    {"CrossAccountFilterOption"},
    {"VisibilityConditions", Kind::list, false, 1, 5},
});
constexpr std::array list_jobs = std::to_array<Parameter>({
    {"CreationTimeAfter", Kind::number},
    {"StatusEquals"},
    {"NameContains"},
    {"LastModifiedTimeAfter", Kind::number},
    {"LastModifiedTimeBefore", Kind::number},
    {"MaxResults", Kind::whole, false, 1, 100},
    {"NextToken"},
});
constexpr std::array describe_job =
    std::to_array<Parameter>({{"TrainingJobName", Kind::text, true}});
/// AlgorithmSpecification, ResourceConfig and StoppingCondition are needed by some jobs only.
constexpr std::array create_job = std::to_array<Parameter>({
    {"TrainingJobName", Kind::text, true},
    {"HyperParameters", Kind::object},
    {"AlgorithmSpecification", Kind::object},
    {"RoleArn", Kind::text, true},
    {"InputDataConfig", Kind::list, false, 1, 20},
    {"OutputDataConfig", Kind::object, true},
    {"ResourceConfig", Kind::object},
    {"VpcConfig", Kind::object},
    {"StoppingCondition", Kind::object},
    {"Tags", Kind::list, false, 0, 50},
    {"EnableNetworkIsolation", Kind::truth},
    {"EnableInterContainerTrafficEncryption", Kind::truth},
    {"EnableManagedSpotTraining", Kind::truth},
    {"CheckpointConfig", Kind::object},
    {"DebugHookConfig", Kind::object},
    {"DebugRuleConfigurations", Kind::list, false, 0, 20},
    {"TensorBoardOutputConfig", Kind::object},
    {"ExperimentConfig", Kind::object},
    {"ProfilerConfig", Kind::object},
    {"ProfilerRuleConfigurations", Kind::list, false, 0, 20},
    {"Environment", Kind::object},
    {"RetryStrategy", Kind::object},
    {"RemoteDebugConfig", Kind::object},
    {"InfraCheckConfig", Kind::object},
    {"SessionChainingConfig", Kind::object},
    {"ServerlessJobConfig", Kind::object},
    {"MlflowConfig", Kind::object},
    {"ModelPackageConfig", Kind::object},
});
constexpr std::array add_tags = std::to_array<Parameter>({
    {"ResourceArn", Kind::text, true},
    {"Tags", Kind::list, true, 0, 50},
});
constexpr std::array list_tags = std::to_array<Parameter>({
    {"ResourceArn", Kind::text, true},
    {"MaxResults", Kind::whole, false, 50, 100},
    {"NextToken"},
});
constexpr std::array receive = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"MaxNumberOfMessages", Kind::whole, false, 1, 10},
    {"WaitTimeSeconds", Kind::whole, false, 0, 20},
    {"VisibilityTimeout", Kind::whole, false, 0, 43'200},
    {"AttributeNames", Kind::list},
    {"MessageSystemAttributeNames", Kind::list},
    {"MessageAttributeNames", Kind::list},
});
constexpr std::array delete_batch = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"Entries", Kind::list, true, 1, 10},
});
constexpr std::array delete_one = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"ReceiptHandle", Kind::text, true},
});
constexpr std::array attributes = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"AttributeNames", Kind::list},
});
constexpr std::array queue_url = std::to_array<Parameter>({
    {"QueueName", Kind::text, true},
    {"QueueOwnerAWSAccountId"},
});

constexpr std::array queue_alone = std::to_array<Parameter>({{"QueueUrl", Kind::text, true}});
constexpr std::array tag_queue = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"Tags", Kind::object, true},
});
constexpr std::array untag_queue = std::to_array<Parameter>({
    {"QueueUrl", Kind::text, true},
    {"TagKeys", Kind::list, true},
});

constexpr std::array get_parameter = std::to_array<Parameter>({
    {"Name", Kind::text, true},
    {"WithDecryption", Kind::truth},
});
constexpr std::array put_parameter = std::to_array<Parameter>({
    {"Name", Kind::text, true},
    {"Description"},
    {"Value", Kind::text, true},
    {"Type"},
    {"KeyId"},
    {"Overwrite", Kind::truth},
    {"AllowedPattern"},
    {"Tags", Kind::list},
    {"Tier"},
    {"Policies"},
    {"DataType"},
});
constexpr std::array delete_parameter = std::to_array<Parameter>({{"Name", Kind::text, true}});

constexpr std::array rules_of = std::to_array<Parameter>({
    {"TargetArn", Kind::text, true},
    {"EventBusName"},
    {"NextToken"},
    {"Limit", Kind::whole, false, 1, 100},
});
constexpr std::array one_rule = std::to_array<Parameter>({
    {"Name", Kind::text, true},
    {"EventBusName"},
});

constexpr std::array metric_queries = std::to_array<Parameter>({
    {"MetricDataQueries", Kind::list, true, 1, 500},
    {"StartTime", Kind::time, true},
    {"EndTime", Kind::time, true},
    {"ScanBy"},
    {"MaxDatapoints", Kind::count},
    {"NextToken"},
});

constexpr std::array put_alarm = std::to_array<Parameter>({
    {"AlarmName", Kind::text, true},
    {"AlarmDescription", Kind::text},
    {"ActionsEnabled", Kind::flag},
    {"OKActions", Kind::members, false, 0, 5},
    {"AlarmActions", Kind::members, false, 0, 5},
    {"InsufficientDataActions", Kind::members, false, 0, 5},
    {"MetricName"},
    {"Namespace"},
    {"Statistic"},
    {"ExtendedStatistic"},
    {"Dimensions", Kind::members, false, 0, 30},
    {"Period", Kind::count},
    {"Unit"},
    {"EvaluationPeriods", Kind::count},
    {"DatapointsToAlarm", Kind::count},
    {"Threshold", Kind::decimal},
    {"ComparisonOperator"},
    {"TreatMissingData"},
    {"EvaluateLowSampleCountPercentile"},
    {"Metrics", Kind::members},
    {"Tags", Kind::members},
    {"ThresholdMetricId"},
    {"EvaluationCriteria", Kind::object},
    {"EvaluationInterval", Kind::count},
});
constexpr std::array delete_alarms = std::to_array<Parameter>({
    {"AlarmNames", Kind::members, true, 0, 100},
});
constexpr std::array describe_alarms = std::to_array<Parameter>({
    {"AlarmNames", Kind::members, false, 0, 100},
    {"AlarmNamePrefix"},
    {"AlarmTypes", Kind::members},
    {"ChildrenOfAlarmName"},
    {"ParentsOfAlarmName"},
    {"StateValue"},
    {"ActionPrefix"},
    {"MaxRecords", Kind::count},
    {"NextToken"},
});

constexpr std::array list_alarm_tags = std::to_array<Parameter>({
    {"ResourceARN", Kind::text, true},
});

constexpr std::array run_instances = std::to_array<Parameter>({
    {"ImageId", Kind::text, true},
    {"InstanceType", Kind::text, true},
    {"MinCount", Kind::count, true},
    {"MaxCount", Kind::count, true},
    {"ClientToken"},
    {"TagSpecification", Kind::list, false, 1, 10},
    {"InstanceMarketOptions", Kind::object},
    {"DisableApiTermination", Kind::flag},
});
constexpr std::array describe_instances = std::to_array<Parameter>({
    {"InstanceId", Kind::list, false, 1, 1000},
    {"Filter", Kind::list, false, 1, 50},
    {"MaxResults", Kind::count},
    {"NextToken"},
});
constexpr std::array terminate_instances = std::to_array<Parameter>({
    {"InstanceId", Kind::list, true, 1, 1000},
});
constexpr std::array create_tags = std::to_array<Parameter>({
    {"ResourceId", Kind::list, true, 1, 1000},
    {"Tag", Kind::list, true, 1, 1000},
});

constexpr std::array spot_prices = std::to_array<Parameter>({
    {"StartTime"},
    {"EndTime"},
    {"InstanceType", Kind::list},
    {"ProductDescription", Kind::list},
    {"MaxResults", Kind::count},
    {"NextToken"},
});
constexpr std::array lookup_events = std::to_array<Parameter>({
    {"LookupAttributes", Kind::list, false, 0, 1},
    {"StartTime", Kind::number},
    {"EndTime", Kind::number},
    {"EventCategory"},
    {"MaxResults", Kind::whole, false, 1, 50},
    {"NextToken"},
});

constexpr std::array publish = std::to_array<Parameter>({
    {"TopicArn"},
    {"TargetArn"},
    {"PhoneNumber"},
    {"Message", Kind::text, true},
    {"Subject"},
    {"MessageStructure"},
    {"MessageAttributes", Kind::object},
    {"MessageDeduplicationId"},
    {"MessageGroupId"},
});

constexpr std::array put_item = std::to_array<Parameter>({
    {"TableName", Kind::text, true},
    {"Item", Kind::object, true},
    {"ConditionExpression"},
    {"ExpressionAttributeNames", Kind::object},
    {"ExpressionAttributeValues", Kind::object},
    {"ReturnValues"},
    {"ReturnValuesOnConditionCheckFailure"},
    {"ReturnConsumedCapacity"},
    {"ReturnItemCollectionMetrics"},
});
constexpr std::array get_item = std::to_array<Parameter>({
    {"TableName", Kind::text, true},
    {"Key", Kind::object, true},
    {"ConsistentRead", Kind::truth},
    {"ProjectionExpression"},
    {"ExpressionAttributeNames", Kind::object},
    {"ReturnConsumedCapacity"},
});
constexpr std::array query = std::to_array<Parameter>({
    {"TableName", Kind::text, true},
    {"KeyConditionExpression", Kind::text, true},
    {"ExpressionAttributeNames", Kind::object},
    {"ExpressionAttributeValues", Kind::object, true},
    {"ConsistentRead", Kind::truth},
    {"ExclusiveStartKey", Kind::object},
    {"Limit", Kind::whole, false, 1, 1'000'000},
    {"ScanIndexForward", Kind::truth},
    {"ReturnConsumedCapacity"},
});
constexpr std::array describe_table = std::to_array<Parameter>({{"TableName", Kind::text, true}});

constexpr std::array operations = std::to_array<Operation>({
    {"sts", "GetCallerIdentity", {}},
    {"sagemaker", "Search", search},
    {"sagemaker", "ListTrainingJobs", list_jobs},
    {"sagemaker", "DescribeTrainingJob", describe_job},
    {"sagemaker", "StopTrainingJob", describe_job},
    {"sagemaker", "CreateTrainingJob", create_job},
    {"sagemaker", "AddTags", add_tags},
    {"sagemaker", "ListTags", list_tags},
    {"sqs", "ReceiveMessage", receive},
    {"sqs", "DeleteMessageBatch", delete_batch},
    {"sqs", "DeleteMessage", delete_one},
    {"sqs", "GetQueueAttributes", attributes},
    {"sqs", "GetQueueUrl", queue_url},
    {"sqs", "ListQueueTags", queue_alone},
    {"sqs", "TagQueue", tag_queue},
    {"sqs", "UntagQueue", untag_queue},
    {"ssm", "GetParameter", get_parameter},
    {"ssm", "PutParameter", put_parameter},
    {"ssm", "DeleteParameter", delete_parameter},
    {"events", "ListRuleNamesByTarget", rules_of},
    {"events", "DescribeRule", one_rule},
    {"monitoring", "GetMetricData", metric_queries},
    {"monitoring", "PutMetricAlarm", put_alarm},
    {"monitoring", "DeleteAlarms", delete_alarms},
    {"monitoring", "DescribeAlarms", describe_alarms},
    {"monitoring", "ListTagsForResource", list_alarm_tags},
    {"ec2", "RunInstances", run_instances},
    {"ec2", "DescribeInstances", describe_instances},
    {"ec2", "TerminateInstances", terminate_instances},
    {"ec2", "CreateTags", create_tags},
    {"ec2", "DescribeSpotPriceHistory", spot_prices},
    {"cloudtrail", "LookupEvents", lookup_events},
    {"sns", "Publish", publish},
    {"dynamodb", "PutItem", put_item},
    {"dynamodb", "GetItem", get_item},
    {"dynamodb", "Query", query},
    {"dynamodb", "DescribeTable", describe_table},
});

bool is_in_range(std::int64_t count, const Parameter& parameter) {
  return parameter.most == 0 || (count >= parameter.least && count <= parameter.most);
}

bool is_of_kind(const json& value, const Parameter& parameter) {
  switch (parameter.kind) {
    case Kind::text:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case Kind::whole:
      return value.is_number_integer() && is_in_range(value.get<std::int64_t>(), parameter);
    case Kind::number:
      return value.is_number();
    case Kind::time:
    case Kind::decimal:
      return value.is_number() || value.is_string();
    case Kind::count:
      return value.is_number_integer() || value.is_string();
    case Kind::object:
      return value.is_object();
    case Kind::truth:
      return value.is_boolean();
    case Kind::flag:
      return value.is_boolean() || value == "true" || value == "false";
    case Kind::members:
      if (value.is_string()) return value.get_ref<const std::string&>().empty();
      [[fallthrough]];
    case Kind::list:
      return value.is_array() && is_in_range(static_cast<std::int64_t>(value.size()), parameter) &&
             std::all_of(value.begin(), value.end(), [](const json& element) {
               return element.is_string() || element.is_object();
             });
  }
  return false;
}

MockError invalid(const std::string& message) {
  return {"ValidationException", "1 validation error detected: " + message};
}

}  // namespace

std::optional<MockError> wrong_parameters(std::string_view service, std::string_view operation,
                                          const json& asked) {
  const std::span<const Operation> all =
      service == "batch" ? parameter_table::batch_operations() : std::span{operations};
  const auto known = std::find_if(all.begin(), all.end(), [&](const Operation& candidate) {
    return candidate.service == service && candidate.name == operation;
  });
  if (known == all.end()) {
    return MockError{"AccessDeniedException", "the mock account refuses " + std::string{service} +
                                                  ':' + std::string{operation}};
  }
  if (!asked.is_object()) return MockError{"SerializationException", "the body is no object"};
  for (const Parameter& parameter : known->parameters) {
    const auto found = asked.find(parameter.name);
    if (found == asked.end() && parameter.is_required) {
      return invalid(std::string{parameter.name} + " is required");
    }
    if (found != asked.end() && !is_of_kind(*found, parameter)) {
      return invalid(std::string{parameter.name} + " has an invalid value");
    }
  }
  for (auto item = asked.begin(); item != asked.end(); ++item) {
    const std::string& name = item.key();
    const bool is_known =
        std::any_of(known->parameters.begin(), known->parameters.end(),
                    [&](const Parameter& parameter) { return parameter.name == name; });
    if (!is_known) return invalid(name + " is not a parameter of " + std::string{operation});
  }
  return std::nullopt;
}

std::string_view batch_operation(std::string_view path) {
  constexpr std::string_view version = "/v1/";
  if (!path.starts_with(version)) return {};
  path.remove_prefix(version.size());
  for (const Operation& operation : parameter_table::batch_operations()) {
    const std::string_view name = operation.name;
    const bool fits =
        std::equal(name.begin(), name.end(), path.begin(), path.end(), [](char own, char other) {
          return std::tolower(static_cast<unsigned char>(own)) == other;
        });
    if (fits) return name;
  }
  return {};
}

std::int64_t count_in(const json& asked, const char* key, std::int64_t otherwise) {
  const auto found = asked.find(key);
  if (found == asked.end()) return otherwise;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  const auto& text = found->get_ref<const std::string&>();
  std::int64_t number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? number : -1;
}

std::string md5_hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  md5_ctx state;
  md5_init(&state);
  md5_update(&state, text.size(), reinterpret_cast<const unsigned char*>(text.data()));
  std::array<unsigned char, MD5_DIGEST_SIZE> digest{};
  md5_digest(&state, digest.size(), digest.data());
  std::string hex;
  for (const unsigned char byte : digest) {
    hex.push_back(digits[byte >> 4U]);
    hex.push_back(digits[byte & 15U]);
  }
  return hex;
}

}  // namespace reeve::live
