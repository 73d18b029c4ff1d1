#include "live/act/clone_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <reeve/policy/clone_fields.hpp>
#include <set>
#include <string_view>

#include "live/events/json_fields.hpp"
#include "live/feed/roster.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// What DescribeTrainingJob returns and CreateTrainingJob accepts, besides the name.  Source: the
/// model of SageMaker in botocore 1.43.11 and 1.44.8.  There both operations use the same nested
/// shapes, so no member within these is of descriptions only; tests/cli/clone_judge_test.sh
/// compares both again with the installed botocore.
constexpr std::array copied = std::to_array<const char*>({
    "HyperParameters",
    "AlgorithmSpecification",
    "RoleArn",
    "InputDataConfig",
    "OutputDataConfig",
    "ResourceConfig",
    "VpcConfig",
    "StoppingCondition",
    "EnableNetworkIsolation",
    "EnableInterContainerTrafficEncryption",
    "EnableManagedSpotTraining",
    "CheckpointConfig",
    "DebugHookConfig",
    "DebugRuleConfigurations",
    "TensorBoardOutputConfig",
    "ExperimentConfig",
    "ProfilerConfig",
    "ProfilerRuleConfigurations",
    "Environment",
    "RetryStrategy",
    "RemoteDebugConfig",
    "InfraCheckConfig",
    "ServerlessJobConfig",
    "MlflowConfig",
    "ModelPackageConfig",
});

/// Members whose own members are names and texts of users: an empty text is a value there.
constexpr std::array maps = std::to_array<std::string_view>({
    "HyperParameters",
    "Environment",
    "RuleParameters",
    "HookParameters",
    "CollectionParameters",
    "ProfilingParameters",
});

constexpr std::size_t most_tags = 50;  // of a resource of AWS
constexpr std::int64_t day_s = 86'400;

bool is_empty(const json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  return value.is_null() || (value.is_structured() && value.empty());
}

/// CreateTrainingJob rejects most empty members: the least length is 1, the text is a name or an
/// address, or the object has required members.  Elements of lists stay, because their place
/// counts.
json without_empty(std::string_view name, const json& value) {
  if (value.is_array()) {
    json list = json::array();
    for (const json& element : value) list.push_back(without_empty({}, element));
    return list;
  }
  if (!value.is_object() || std::find(maps.begin(), maps.end(), name) != maps.end()) return value;
  json object = json::object();
  for (const auto& [key, member] : value.items()) {
    json kept = without_empty(key, member);
    if (!is_empty(kept)) object[key] = std::move(kept);
  }
  return object;
}

bool is_left_out(std::string_view name, std::uint16_t loses) {
  const auto loss = policy::clone_loss_named(name);
  return loss && policy::has_lost(loses, *loss);
}

/// The API reference: AlgorithmName and TrainingImage exclude each other.
void choose_algorithm(json& request) {
  const auto algorithm = request.find("AlgorithmSpecification");
  if (algorithm == request.end() || field(*algorithm, "AlgorithmName") == nullptr) return;
  algorithm->erase("TrainingImage");
}

bool is_spot(const json& request) {
  return flag_of(request, "EnableManagedSpotTraining").value_or(false);
}

/// Managed Spot training needs a MaxWaitTimeInSeconds of at least MaxRuntimeInSeconds, and other
/// training refuses one.
void set_limits(json& request, const CloneChanges& changes) {
  const json* known = field(request, "StoppingCondition");
  json limits = known != nullptr && known->is_object() ? *known : json::object();
  if (changes.max_runtime) limits["MaxRuntimeInSeconds"] = changes.max_runtime->count();
  if (is_spot(request)) {
    const std::int64_t run = whole_of(limits, "MaxRuntimeInSeconds").value_or(day_s);
    const std::int64_t wait = whole_of(limits, "MaxWaitTimeInSeconds").value_or(day_s);
    limits["MaxWaitTimeInSeconds"] = std::max(run, wait);
  } else {
    limits.erase("MaxWaitTimeInSeconds");
  }
  if (known != nullptr || !limits.empty()) request["StoppingCondition"] = std::move(limits);
}

void set_instances(json& request, const std::string& type) {
  const auto resources = request.find("ResourceConfig");
  if (resources == request.end() || !resources->is_object()) return;
  // A warm pool is refused for Spot instances.
  if (is_spot(request)) resources->erase("KeepAlivePeriodInSeconds");
  json* typed = &*resources;
  const auto groups = resources->find("InstanceGroups");
  if (groups != resources->end()) {
    if (!groups->is_array() || groups->size() != 1 || !groups->front().is_object()) return;
    typed = &groups->front();
  }
  if (type.empty() || text_of(*typed, "InstanceType") == type) return;
  (*typed)["InstanceType"] = type;
  resources->erase("TrainingPlanArn");
  resources->erase("InstancePlacementConfig");
}

/// SageMaker copies all that is below S3Uri to the instances of a new job, so the checkpoints of an
/// earlier attempt are out of its sight only below an address of its own.
void leave_checkpoints(json& request, const std::string& name) {
  const auto checkpoint = request.find("CheckpointConfig");
  if (checkpoint == request.end()) return;
  std::string address = text_of(*checkpoint, "S3Uri");
  if (address.empty()) return;
  while (address.ends_with('/')) address.pop_back();
  (*checkpoint)["S3Uri"] = address + '/' + name;
}

/// AWS keeps keys with this beginning for itself, in upper and lower case.
bool is_of_aws(std::string_view key) {
  constexpr std::string_view reserved = "aws:";
  return key.size() >= reserved.size() &&
         std::equal(reserved.begin(), reserved.end(), key.begin(), [](char wanted, char found) {
           return std::tolower(static_cast<unsigned char>(found)) == wanted;
         });
}

json tags_of_clone(const json& tags, const CloneChanges& changes) {
  json kept = json::array();
  const bool keeps = changes.keep_tags && !is_left_out("Tags", changes.loses) && tags.is_array();
  static const json none = json::array();
  const std::size_t own = changes.rule.empty() ? 2 : 3;
  for (const json& tag : keeps ? tags : none) {
    const std::string key = text_of(tag, "Key");
    if (key.empty() || is_of_aws(key) || key == retry_of_tag || key == attempt_tag ||
        key == created_by_tag) {
      continue;
    }
    if (kept.size() == most_tags - own) break;
    kept.push_back({{"Key", key}, {"Value", text_of(tag, "Value")}});
  }
  kept.push_back({{"Key", retry_of_tag}, {"Value", changes.first_name}});
  kept.push_back({{"Key", attempt_tag}, {"Value", std::to_string(changes.attempt)}});
  if (!changes.rule.empty()) kept.push_back({{"Key", created_by_tag}, {"Value", changes.rule}});
  return kept;
}

std::string shown(const json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const json& member(const json& object, const std::string& key) {
  static const json null;
  const json* found = field(object, key.c_str());
  return found == nullptr ? null : *found;
}

void compare(const std::string& path, const json& before, const json& after,
             std::vector<std::string>& lines) {
  if (before == after) return;
  if (after.is_null()) {
    lines.push_back(path + ": left out");
  } else if (after.is_object() && (before.is_object() || before.is_null())) {
    std::set<std::string> keys;
    for (const auto& item : after.items()) keys.insert(item.key());
    if (before.is_object()) {
      for (const auto& item : before.items()) keys.insert(item.key());
    }
    for (const std::string& key : keys) {
      compare(fmt::format("{}.{}", path, key), member(before, key), member(after, key), lines);
    }
  } else if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t at = 0; at < after.size(); ++at) {
      compare(fmt::format("{}[{}]", path, at), before[at], after[at], lines);
    }
  } else {
    lines.push_back(fmt::format("{}: {} -> {}", path, shown(before), shown(after)));
  }
}

}  // namespace

json clone_request(const json& described, const json& tags, const CloneChanges& changes) {
  json request = {{"TrainingJobName", changes.name}};
  for (const char* name : copied) {
    if (is_left_out(name, changes.loses)) continue;
    json value = without_empty(name, member(described, name));
    if (!is_empty(value)) request[name] = std::move(value);
  }
  const bool spot = changes.spot.value_or(is_spot(request));
  if (spot != is_spot(request)) request["EnableManagedSpotTraining"] = spot;
  choose_algorithm(request);
  set_limits(request, changes);
  set_instances(request, changes.instance_type);
  if (changes.from_scratch) leave_checkpoints(request, changes.name);
  request["Tags"] = tags_of_clone(tags, changes);
  return request;
}

std::vector<std::string> differences(const json& described, const json& request) {
  std::vector<std::string> lines;
  compare("TrainingJobName", member(described, "TrainingJobName"),
          member(request, "TrainingJobName"), lines);
  for (const char* name : copied) {
    json before = without_empty(name, member(described, name));
    if (is_empty(before)) before = nullptr;
    compare(name, before, member(request, name), lines);
  }
  return lines;
}

}  // namespace reeve::live
