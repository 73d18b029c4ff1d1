// The command `reeve live iam`: the permissions that rules of a live configuration need.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

struct IamArguments {
  RuleRunArguments rules;
  bool enforce = false;   ///< also what the rules may do
  bool clean_up = false;  ///< also what live orphans and live down need
  bool batch = false;     ///< also what live batch needs
};

/// Prints an IAM policy document; returns the exit code.
int iam(const IamArguments& arguments, const Console& console);

/// The place in an ARN.
struct ArnPlace {
  std::string partition;
  std::string region;
  std::string account;

  std::string arn(std::string_view service, std::string_view resource) const;
};

/// The partition of AWS that has the region.
std::string_view partition_of(std::string_view region);

struct QueueName {
  std::string region;  ///< empty: unknown
  std::string account;
  std::string name;
};

/// The queue of a live configuration, if it has one.  Throws UsageError if its URL names no queue.
std::optional<QueueName> queue_of(const scenarios::LiveSpec& live);
/// The same.  Throws UsageError also if it is a FIFO queue.
std::optional<QueueName> standard_queue_of(const scenarios::LiveSpec& live);

/// What a policy is for: ARNs, or functions of CloudFormation that give them; null: there is none.
struct ReadResources {
  nlohmann::ordered_json training_jobs;
  nlohmann::ordered_json queue;
  nlohmann::ordered_json kill_parameter;
  bool has_metrics = false;
  bool has_kill_tag = false;  ///< of the queue
};

/// The resource of a parameter of SSM in an ARN.
std::string parameter_resource(const std::string& name);

/// The policy document with what `live plan` and `live shadow` need, and the kill switch.
nlohmann::ordered_json read_policy(const ReadResources& of);

/// Appends to the policy document what the rules may do as their modes say, and tells what
/// SageMaker has no call for.
void add_actions(nlohmann::ordered_json& document, const scenarios::PolicySpec& rules,
                 const ArnPlace& place, const std::string& topic, const Console& console);

}  // namespace reeve::app
