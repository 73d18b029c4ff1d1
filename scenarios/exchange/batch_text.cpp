// Queues of AWS Batch as what creates them: a CloudFormation template, or calls of the AWS CLI.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "scenarios/exchange/batch.hpp"

namespace reeve::scenarios {
namespace {

using Json = nlohmann::ordered_json;

enum class BatchResource : std::uint8_t { environment, scheduling_policy, queue, share };

/// How each is called in a template and by the CLI.
struct Names {
  std::string_view type, operation;
};
Names names_listed(BatchResource resource) {
  switch (resource) {
    case BatchResource::environment:
      return {"ServiceEnvironment", "create-service-environment"};
    case BatchResource::scheduling_policy:
      return {"SchedulingPolicy", "create-scheduling-policy"};
    case BatchResource::queue:
      return {"JobQueue", "create-job-queue"};
    case BatchResource::share:
      break;
  }
  return {"QuotaShare", "create-quota-share"};
}

/// What is asked for, as the CLI spells it; what it refers to stands there by name.
struct Creation {
  BatchResource resource;
  std::string name;
  Json input;
};

Json limits_json(const std::vector<BatchLimit>& limits) {
  Json all = Json::array();
  for (const BatchLimit& limit : limits) {
    all.push_back({{"maxCapacity", limit.instances}, {"capacityUnit", limit.unit}});
  }
  return all;
}

std::string_view strategy(policy::Sharing sharing) {
  switch (sharing) {
    case policy::Sharing::reserve:
      return "RESERVE";
    case policy::Sharing::lend:
      return "LEND";
    case policy::Sharing::lend_and_borrow:
      break;
  }
  return "LEND_AND_BORROW";
}

Json policy_json(const BatchQueue& queue) {
  Json input{{"name", batch_policy_name(queue.name)}};
  if (queue.order == BatchOrder::quota) {
    input["quotaSharePolicy"] = {{"idleResourceAssignmentStrategy", "FIFO"}};
    return input;
  }
  Json shares = Json::array();
  for (const BatchShare& share : queue.shares) {
    shares.push_back({{"shareIdentifier", share.name},
                      {"weightFactor", static_cast<double>(share.weight) / policy::weight_one}});
  }
  input["fairsharePolicy"] = {{"shareDecaySeconds", queue.share_decay_s},
                              {"computeReservation", queue.compute_reservation_pct},
                              {"shareDistribution", std::move(shares)}};
  return input;
}

Json queue_json(const BatchQueue& queue) {
  Json input{{"jobQueueName", queue.name},
             {"jobQueueType", "SAGEMAKER_TRAINING"},
             {"state", "ENABLED"},
             {"priority", queue.priority}};
  if (queue.order != BatchOrder::fifo) input["schedulingPolicyArn"] = batch_policy_name(queue.name);
  input["serviceEnvironmentOrder"] =
      Json::array({{{"order", 1}, {"serviceEnvironment", queue.environment}}});
  if (queue.runnable_limit_s > 0) {
    input["jobStateTimeLimitActions"] = Json::array({{{"reason", batch_capacity_reason},
                                                      {"state", "RUNNABLE"},
                                                      {"maxTimeSeconds", queue.runnable_limit_s},
                                                      {"action", "TERMINATE"}}});
  }
  return input;
}

Json share_json(const BatchQueue& queue, const BatchShare& share) {
  Json sharing{{"strategy", strategy(share.sharing)}};
  if (share.sharing == policy::Sharing::lend_and_borrow) {
    sharing["borrowLimit"] = share.borrow_limit_pct;
  }
  return {{"quotaShareName", share.name},
          {"jobQueue", queue.name},
          {"capacityLimits", limits_json(share.limits)},
          {"resourceSharingConfiguration", std::move(sharing)},
          {"preemptionConfiguration",
           {{"inSharePreemption", share.in_share_preemption ? "ENABLED" : "DISABLED"}}},
          {"state", "ENABLED"}};
}

/// In the order in which each finds what it refers to.
std::vector<Creation> creations(const BatchSet& set) {
  std::vector<Creation> all;
  for (const BatchEnvironment& environment : set.environments) {
    all.push_back({BatchResource::environment,
                   environment.name,
                   {{"serviceEnvironmentName", environment.name},
                    {"serviceEnvironmentType", "SAGEMAKER_TRAINING"},
                    {"state", "ENABLED"},
                    {"capacityLimits", limits_json(environment.limits)}}});
  }
  for (const BatchQueue& queue : set.queues) {
    if (queue.order != BatchOrder::fifo) {
      all.push_back(
          {BatchResource::scheduling_policy, batch_policy_name(queue.name), policy_json(queue)});
    }
    all.push_back({BatchResource::queue, queue.name, queue_json(queue)});
    if (queue.order != BatchOrder::quota) continue;
    for (const BatchShare& share : queue.shares) {
      all.push_back({BatchResource::share, share.name, share_json(queue, share)});
    }
  }
  return all;
}

/// What a key refers to; none: nothing.
std::optional<BatchResource> referred(std::string_view key) {
  if (key == "jobQueue") return BatchResource::queue;
  if (key == "serviceEnvironment") return BatchResource::environment;
  if (key == "schedulingPolicyArn") return BatchResource::scheduling_policy;
  return std::nullopt;
}

using LogicalIds = std::map<std::pair<BatchResource, std::string>, std::string>;

/// As CloudFormation spells it: keys begin with a capital, references are made by `Ref`.
Json properties_of(const Json& input, const LogicalIds& ids) {
  if (input.is_array()) {
    Json all = Json::array();
    for (const Json& each : input) all.push_back(properties_of(each, ids));
    return all;
  }
  if (!input.is_object()) return input;
  Json all = Json::object();
  for (const auto& item : input.items()) {
    std::string key = item.key();
    const auto resource = referred(key);
    key[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(key[0])));
    all[key] = resource
                   ? Json::object({{"Ref", ids.at({*resource, item.value().get<std::string>()})}})
                   : properties_of(item.value(), ids);
  }
  return all;
}

std::string policy_arn(const BatchPlace& place, const std::string& name) {
  const bool china = place.region.starts_with("cn-");
  const bool government = place.region.starts_with("us-gov-");
  return fmt::format("arn:{}:batch:{}:{}:scheduling-policy/{}",
                     china        ? "aws-cn"
                     : government ? "aws-us-gov"
                                  : "aws",
                     place.region, place.account, name);
}

}  // namespace

std::string cloudformation_text(const BatchSet& set, std::string_view description) {
  const std::vector<Creation> all = creations(set);
  LogicalIds ids;  // letters and digits alone, so names will not do
  std::vector<std::string> logical;
  std::map<BatchResource, int> counts;
  for (const Creation& each : all) {
    logical.push_back(
        fmt::format("{}{}", names_listed(each.resource).type, ++counts[each.resource]));
    ids[{each.resource, each.name}] = logical.back();
  }
  Json resources = Json::object();
  for (std::size_t each = 0; each < all.size(); ++each) {
    resources[logical[each]] = {
        {"Type", fmt::format("AWS::Batch::{}", names_listed(all[each].resource).type)},
        {"Properties", properties_of(all[each].input, ids)}};
  }
  const Json document{{"AWSTemplateFormatVersion", "2010-09-09"},
                      {"Description", description},
                      {"Resources", std::move(resources)}};
  return document.dump(2) + '\n';
}

std::vector<BatchCall> batch_calls(const BatchSet& set, const BatchPlace& place) {
  std::vector<BatchCall> calls;
  for (Creation& each : creations(set)) {
    if (each.input.contains("schedulingPolicyArn")) {
      Json& arn = each.input["schedulingPolicyArn"];
      arn = policy_arn(place, arn.get<std::string>());
    }
    const std::string operation{names_listed(each.resource).operation};
    calls.push_back({operation,
                     fmt::format("{:02}-{}-{}.json", calls.size() + 1, operation, each.name),
                     each.input.dump(2) + '\n'});
  }
  return calls;
}

}  // namespace reeve::scenarios
