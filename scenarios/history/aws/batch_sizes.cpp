#include "scenarios/history/aws/batch_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "scenarios/history/reading/cluster_resources.hpp"
#include "scenarios/history/reading/json_parts.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

constexpr std::int64_t most_nodes = 100'000;
constexpr std::int64_t most_of_container = 1'000'000;  // of one container

/// GPUs of a container, a task of ECS or a pod of EKS.
std::int64_t gpus_of_container(const json& properties) {
  std::int64_t gpus = 0;
  for (const json& need : list_at(properties, "resourceRequirements")) {
    if (text_at(need, "type") == "GPU") gpus += count_at(need, "value").value_or(0);
  }
  gpus += gpus_asked(inside(properties, "resources")).gpus;
  return std::min(gpus, most_of_container);
}

std::int64_t gpus_of_node(const json& properties) {
  std::int64_t gpus = gpus_of_container(inside(properties, "container"));
  for (const json& task : list_at(inside(properties, "ecsProperties"), "taskProperties")) {
    for (const json& container : list_at(task, "containers")) gpus += gpus_of_container(container);
  }
  const json& pod = inside(inside(properties, "eksProperties"), "podProperties");
  for (const json& container : list_at(pod, "containers")) gpus += gpus_of_container(container);
  return gpus;
}

std::string type_of_node(const json& properties) {
  const std::string one = text_at(inside(properties, "container"), "instanceType");
  if (!one.empty()) return one;
  const json& several = list_at(properties, "instanceTypes");
  return !several.empty() && several[0].is_string() ? several[0].get<std::string>() : "";
}

/// "0:3", "2:", ":5" or "4", as first and last node.
std::pair<std::int64_t, std::int64_t> nodes_in(std::string_view range, std::int64_t count) {
  const auto number = [&](std::string_view text, std::int64_t otherwise) {
    const auto written = parse_decimal(text, 0);
    return std::clamp(written.value_or(otherwise), std::int64_t{0}, count - 1);
  };
  const std::size_t colon = range.find(':');
  if (colon == range.npos) return {number(range, 0), number(range, 0)};
  return {number(range.substr(0, colon), 0), number(range.substr(colon + 1), count - 1)};
}

/// Machines of a multi-node job.  A narrower range takes its nodes out of a wider one.
void read_nodes(const json& nodes, HistoryJob& to, FileFindings& findings) {
  ImportedJob& record = to.record;
  const std::int64_t count = std::min(count_at(nodes, "numNodes").value_or(0), most_nodes);
  if (count <= 0) return;
  struct Range {
    std::int64_t first, last;
    const json* properties;
  };
  std::vector<Range> ranges;
  for (const json& each : list_at(nodes, "nodeRangeProperties")) {
    const auto [first, last] = nodes_in(text_at(each, "targetNodes"), count);
    ranges.push_back({first, last, &each});
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.last - a.first > b.last - b.first;
  });
  std::vector<const json*> of_node(static_cast<std::size_t>(count), nullptr);
  for (const Range& range : ranges) {
    for (auto i = range.first; i <= range.last; ++i) {
      of_node[static_cast<std::size_t>(i)] = range.properties;
    }
  }
  record.instance_type = of_node[0] == nullptr ? "" : type_of_node(*of_node[0]);
  std::int64_t gpus = 0, same = 0;
  std::map<const json*, std::pair<std::int64_t, std::string>> known;
  for (const json* properties : of_node) {
    if (properties == nullptr) continue;
    const auto [entry, is_new] = known.try_emplace(properties);
    if (is_new) entry->second = {gpus_of_node(*properties), type_of_node(*properties)};
    const auto& [of_one, type] = entry->second;
    if (type != record.instance_type) {
      ++to.beside[type];
      continue;
    }
    gpus += of_one;
    ++same;
  }
  record.nodes = same;
  if (gpus > 0 || record.instance_type.empty()) record.gpus_total = gpus;
  if (gpus > 0 && same > 0 && gpus % same == 0) record.gpus_per_node = gpus / same;
  if (!to.beside.empty()) {
    findings.warn("W0622", record.line,
                  fmt::format("{} has machines of a second instance type", record.job_id),
                  "they are billed beside it and not simulated");
  }
}

std::optional<Duration> seconds_in(const json& object, std::string_view key) {
  const auto count = count_at(object, key);
  if (!count || *count > 3'000'000'000) return {};
  return Duration{std::chrono::seconds{*count}};
}

/// What a service job asks SageMaker for; JSON in a text.
void read_request(const json& job, HistoryJob& to, FileFindings& findings) {
  ImportedJob& record = to.record;
  const json* written = member(job, "serviceRequestPayload");
  if (written == nullptr) return;
  const json request = written->is_string()
                           ? json::parse(written->get_ref<const std::string&>(), nullptr, false)
                           : *written;
  if (!request.is_object()) {
    findings.warn("W0632", record.line,
                  fmt::format("{}: serviceRequestPayload is not JSON", record.job_id));
    return;
  }
  const json& machines = inside(request, "ResourceConfig");
  record.instance_type = text_at(machines, "InstanceType");
  record.nodes = count_at(machines, "InstanceCount");
  for (const json& group : list_at(machines, "InstanceGroups")) {
    const std::string type = text_at(group, "InstanceType");
    const std::int64_t count = count_at(group, "InstanceCount").value_or(0);
    if (record.instance_type.empty()) record.instance_type = type;
    if (type == record.instance_type) {
      record.nodes = record.nodes.value_or(0) + count;
    } else {
      to.beside[type] += count;
    }
  }
  const json& limits = inside(request, "StoppingCondition");
  record.time_limit = seconds_in(limits, "MaxRuntimeInSeconds");
  record.max_wait = seconds_in(limits, "MaxWaitTimeInSeconds");
  record.market = is_true(request, "EnableManagedSpotTraining") ? policy::Market::spot
                                                                : policy::Market::on_demand;
  if (!text_at(machines, "TrainingPlanArn").empty()) record.market = policy::Market::reserved;
  to.saves_checkpoints = member(request, "CheckpointConfig") != nullptr;
}

}  // namespace

void read_batch_size(const json& job, HistoryJob& to, FileFindings& findings) {
  ImportedJob& record = to.record;
  if (!text_at(job, "serviceJobType").empty()) {
    read_request(job, to, findings);
    for (const json& used : list_at(job, "capacityUsage")) {
      if (!record.nodes) record.nodes = count_at(used, "quantity");
    }
  } else if (const json* nodes = member(job, "nodeProperties")) {
    read_nodes(*nodes, to, findings);
  } else {
    record.nodes = 1;
    record.gpus_total = record.gpus_per_node = gpus_of_node(job);
    record.instance_type = type_of_node(job);
  }
  for (const auto* key : {"timeout", "timeoutConfig"}) {
    const auto limit = seconds_in(inside(job, key), "attemptDurationSeconds");
    if (limit) record.time_limit = limit;
  }
}

}  // namespace reeve::scenarios
