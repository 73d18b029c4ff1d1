#include "scenarios/history/reading/cluster_resources.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "scenarios/history/reading/json_records.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

// As the device plug-ins of the vendors name them.
constexpr auto whole_gpus = std::to_array<std::string_view>(
    {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi",
     "aws.amazon.com/neuron", "aws.amazon.com/neurondevice", "google.com/tpu"});
constexpr auto shared_gpus =
    std::to_array<std::string_view>({"nvidia.com/gpu.shared", "aws.amazon.com/neuroncore"});
constexpr std::string_view vendor = "nvidia.com/";
constexpr std::string_view mig = "nvidia.com/mig-";
constexpr std::int64_t most_gpus = 1'000'000;

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

AskedGpus gpus_among(const json& amounts) {
  AskedGpus asked;
  if (!amounts.is_object()) return asked;
  for (auto each = amounts.begin(); each != amounts.end(); ++each) {
    const std::string& name = each.key();
    const std::int64_t count = std::min(count_at(amounts, name).value_or(0), most_gpus);
    if (count == 0) continue;
    if (is_among(name, whole_gpus)) asked.gpus += count;
    const bool is_slice = name.starts_with(mig);
    if (!is_slice && !is_among(name, shared_gpus)) continue;
    asked.slice = name.substr(is_slice ? vendor.size() : name.find('/') + 1);
  }
  return asked;
}

AskedGpus gpus_asked(const json& resources) {
  const json* limits = member(resources, "limits");
  if (limits != nullptr && limits->is_object()) {
    const AskedGpus asked = gpus_among(*limits);
    if (asked.gpus > 0 || !asked.slice.empty()) return asked;
  }
  const json* requests = member(resources, "requests");
  return requests == nullptr ? AskedGpus{} : gpus_among(*requests);
}

}  // namespace reeve::scenarios
