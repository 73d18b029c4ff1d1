#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <reeve/policy/condition.hpp>
#include <set>

#include "live/events/read_event.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Primary;
using policy::Secondary;

/// Nothing for a status that is newer than reeve.
std::optional<Primary> primary_named(const std::string& word) {
  const auto& names = policy::primary_names;
  const auto* const found = std::find(names.begin() + 1, names.end(), word);  // 0: reeve's own
  if (found == names.end()) return std::nullopt;
  return static_cast<Primary>(found - names.begin());
}

Secondary secondary_named(const std::string& word) {
  for (const auto& [name, status] : policy::secondary_names) {
    if (name == word && status != Secondary::queued) return status;
  }
  if (word == "Updating") return Secondary::updating;
  if (word == "Restarting") return Secondary::restarting;
  if (word == "Deleting") return Secondary::deleting;
  // No longer produced; the instances are not ready yet.
  if (word == "LaunchingMLInstances" || word == "PreparingTrainingStack")
    return Secondary::starting;
  if (word == "DownloadingTrainingImage") return Secondary::downloading;
  return Secondary::other;
}

std::optional<policy::Duration> seconds_of(const json& object, const char* key) {
  constexpr std::int64_t year = 366 * 86'400;
  const auto seconds = whole_of(object, key);
  if (!seconds || *seconds < 1 || *seconds > 10 * year) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

/// No account has more instances of a type.
constexpr std::int64_t most_instances = 100'000;

/// 0, which is unknown, for what is no number of instances.
std::uint32_t count_of(const json& object, const char* key) {
  const std::int64_t count = whole_of(object, key).value_or(0);
  return count < 0 || count > most_instances ? 0 : static_cast<std::uint32_t>(count);
}

/// The instances of all groups; 0, which is unknown, if one is unknown or there are too many.
std::uint32_t sum_of_groups(const json& groups, const char* key) {
  std::int64_t count = 0;
  for (const json& group : groups) {
    const std::uint32_t some = count_of(group, key);
    if (some == 0) return 0;
    count += some;
  }
  return count > most_instances ? 0 : static_cast<std::uint32_t>(count);
}

/// The instances of one type, or those of the groups of a heterogeneous cluster: several types are
/// one with both names, which has no price.
void read_resources(const json& job, TrainingJobState& state) {
  const json* resources = field(job, "ResourceConfig");
  if (resources == nullptr) return;
  state.instance_type = text_of(*resources, "InstanceType");
  state.instances = count_of(*resources, "InstanceCount");
  const json* groups = field(*resources, "InstanceGroups");
  if (groups == nullptr || !groups->is_array() || groups->empty()) return;
  std::set<std::string> types;
  for (const json& group : *groups) types.insert(text_of(group, "InstanceType"));
  state.instance_type.clear();
  for (const std::string& type : types) {
    if (type.empty()) return;
    state.instance_type += (state.instance_type.empty() ? "" : "+") + type;
  }
  state.instances = sum_of_groups(*groups, "InstanceCount");
}

void read_transitions(const json& job, TimeUnit unit, TrainingJobState& state) {
  const json* written = field(job, "SecondaryStatusTransitions");
  if (written == nullptr || !written->is_array()) return;
  for (const json& element : *written) {
    const std::string word = text_of(element, "Status");
    const auto start = instant_of(element, "StartTime", unit);
    if (word.empty() || !start) continue;
    state.transitions.push_back({secondary_named(word), word, *start,
                                 instant_of(element, "EndTime", unit),
                                 text_of(element, "StatusMessage")});
  }
}

/// What a request and a description have in common.
void read_terms(const json& job, TrainingJobState& state) {
  state.name = text_of(job, "TrainingJobName");
  state.tags = tags_in(job);
  read_resources(job, state);
  if (const json* limits = field(job, "StoppingCondition")) {
    state.max_runtime = seconds_of(*limits, "MaxRuntimeInSeconds");
    state.max_wait = seconds_of(*limits, "MaxWaitTimeInSeconds");
  }
  state.spot = flag_of(job, "EnableManagedSpotTraining");
}

/// A request of CloudTrail with keys that begin with capital letters, as the API has them: so many
/// levels of it, because a hostile one has more than the stack.
json capitalized(const json& of, int levels) {
  if (!of.is_structured()) return of;
  if (levels == 0) return nullptr;
  json out = of.is_object() ? json::object() : json::array();
  for (const auto& [key, value] : of.items()) {
    if (of.is_array()) {
      out.push_back(capitalized(value, levels - 1));
      continue;
    }
    std::string name = key;
    if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') {
      name.front() = static_cast<char>(name.front() - 'a' + 'A');
    }
    out[name] = capitalized(value, levels - 1);
  }
  return out;
}

}  // namespace

std::optional<std::vector<policy::Tag>> tags_in(const json& job) {
  const json* written = field(job, "Tags");
  if (written == nullptr) return std::nullopt;
  std::vector<policy::Tag> tags;
  if (written->is_object()) {
    for (const auto& [key, value] : written->items()) {
      if (!value.is_string()) return std::nullopt;
      tags.emplace_back(key, value.get<std::string>());
    }
  } else if (written->is_array()) {
    for (const json& tag : *written) {
      const json* value = field(tag, "Value");
      const std::string key = text_of(tag, "Key");
      if (key.empty() || (value != nullptr && !value->is_string())) return std::nullopt;
      tags.emplace_back(key, text_of(tag, "Value"));
    }
  } else {
    return std::nullopt;
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

Result<TrainingJobState> read_training_job_request(const json& request) {
  constexpr int levels = 4;  // ResourceConfig.InstanceGroups[0].InstanceType
  TrainingJobState state;
  read_terms(capitalized(request, levels), state);
  if (state.name.empty()) return Failure{"it has no trainingJobName"};
  if (!state.tags) state.tags.emplace();  // a request without tags is one for a job without tags
  return state;
}

Result<TrainingJobState> read_training_job(const json& job, TimeUnit unit) {
  TrainingJobState state;
  read_terms(job, state);
  state.arn = text_of(job, "TrainingJobArn");
  if (state.name.empty()) return Failure{"it has no TrainingJobName"};
  const std::string word = text_of(job, "TrainingJobStatus");
  const auto primary = primary_named(word);
  if (!primary) {
    return Failure{word.empty() ? "training job " + state.name + " has no TrainingJobStatus"
                                : "training job " + state.name +
                                      " has a TrainingJobStatus that reeve does not know: " + word};
  }
  state.primary = *primary;
  state.secondary_word = text_of(job, "SecondaryStatus");
  state.secondary = secondary_named(state.secondary_word);
  state.failure_reason = text_of(job, "FailureReason");
  state.created = instant_of(job, "CreationTime", unit);
  state.started = instant_of(job, "TrainingStartTime", unit);
  state.ended = instant_of(job, "TrainingEndTime", unit);
  state.modified = instant_of(job, "LastModifiedTime", unit);
  state.billable = seconds_of(job, "BillableTimeInSeconds");
  read_transitions(job, unit, state);
  return state;
}

}  // namespace reeve::live
