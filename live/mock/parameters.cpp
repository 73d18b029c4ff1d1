#include "live/mock/parameters.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace reeve::live {
namespace {

using nlohmann::json;

/// `time` and `count` are numbers in JSON and texts in forms.
enum class Kind : std::uint8_t { text, whole, number, list, time, count, object, truth };

struct Parameter {
  std::string_view name;
  Kind kind = Kind::text;
  bool is_required = false;
  std::int64_t least = 0;  ///< of a whole number, or of the elements of a list
  std::int64_t most = 0;   ///< 0: no bound
};

struct Operation {
  std::string_view service;
  std::string_view name;
  std::span<const Parameter> parameters;
};

constexpr std::array list_jobs = std::to_array<Parameter>({
    {"StatusEquals"},
    {"NameContains"},
    {"LastModifiedTimeAfter", Kind::number},
    {"LastModifiedTimeBefore", Kind::number},
    {"MaxResults", Kind::whole, false, 1, 100},
    {"NextToken"},
});
constexpr std::array describe_job =
    std::to_array<Parameter>({{"TrainingJobName", Kind::text, true}});
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

constexpr std::array submit_job = std::to_array<Parameter>({
    {"jobName", Kind::text, true},
    {"jobQueue", Kind::text, true},
    {"jobDefinition", Kind::text, true},
    {"shareIdentifier"},
    {"schedulingPriorityOverride", Kind::whole},
    {"arrayProperties", Kind::object},
    {"dependsOn", Kind::list},
    {"parameters", Kind::object},
    {"containerOverrides", Kind::object},
    {"nodeOverrides", Kind::object},
    {"eksPropertiesOverride", Kind::object},
    {"retryStrategy", Kind::object},
    {"propagateTags", Kind::truth},
    {"timeout", Kind::object},
    {"tags", Kind::object},
});
constexpr std::array describe_jobs = std::to_array<Parameter>({{"jobs", Kind::list, true, 1, 100}});
constexpr std::array terminate_job = std::to_array<Parameter>({
    {"jobId", Kind::text, true},
    {"reason", Kind::text, true},
});

constexpr std::array operations = std::to_array<Operation>({
    {"sts", "GetCallerIdentity", {}},
    {"sagemaker", "ListTrainingJobs", list_jobs},
    {"sagemaker", "DescribeTrainingJob", describe_job},
    {"sagemaker", "StopTrainingJob", describe_job},
    {"sagemaker", "ListTags", list_tags},
    {"sqs", "ReceiveMessage", receive},
    {"sqs", "DeleteMessageBatch", delete_batch},
    {"sqs", "DeleteMessage", delete_one},
    {"sqs", "GetQueueAttributes", attributes},
    {"sqs", "GetQueueUrl", queue_url},
    {"events", "ListRuleNamesByTarget", rules_of},
    {"events", "DescribeRule", one_rule},
    {"monitoring", "GetMetricData", metric_queries},
    {"batch", "SubmitJob", submit_job},
    {"batch", "DescribeJobs", describe_jobs},
    {"batch", "TerminateJob", terminate_job},
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
      return value.is_number() || value.is_string();
    case Kind::count:
      return value.is_number_integer() || value.is_string();
    case Kind::object:
      return value.is_object();
    case Kind::truth:
      return value.is_boolean();
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
  const auto known =
      std::find_if(operations.begin(), operations.end(), [&](const Operation& candidate) {
        return candidate.service == service && candidate.name == operation;
      });
  if (known == operations.end()) {
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

std::string md5_hex(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_md5(), nullptr);
  std::string hex;
  for (unsigned int byte = 0; byte < length; ++byte) {
    hex.push_back(digits[digest.at(byte) >> 4U]);
    hex.push_back(digits[digest.at(byte) & 15U]);
  }
  return hex;
}

}  // namespace reeve::live
