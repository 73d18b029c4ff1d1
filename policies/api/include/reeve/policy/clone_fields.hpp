// The fields of CreateTrainingJob that a clone can lack by mistake, and the effect of each.
#pragma once

#include <array>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string_view>

namespace reeve::policy {

/// One field of DescribeTrainingJob that a clone has to copy.
struct CloneField {
  CloneLoss loss;
  std::string_view name;    ///< in the API of AWS
  std::string_view effect;  ///< of the missing field
};

inline constexpr std::array<CloneField, 9> clone_fields{{
    {CloneLoss::input_data, "InputDataConfig", "fails after its startup: no data"},
    {CloneLoss::vpc, "VpcConfig", "fails after its startup: it reaches nothing"},
    {CloneLoss::checkpoint, "CheckpointConfig", "starts from scratch, and saves nothing"},
    {CloneLoss::environment, "Environment", "runs"},
    {CloneLoss::retry_strategy, "RetryStrategy", "is not retried by the platform"},
    {CloneLoss::experiment, "ExperimentConfig", "runs, outside of its experiment"},
    {CloneLoss::debug, "DebugHookConfig", "runs, without its debugger"},
    {CloneLoss::profiler, "ProfilerConfig", "runs, without its profiler"},
    {CloneLoss::tags, "Tags", "runs untagged"},
}};

constexpr std::optional<CloneLoss> clone_loss_named(std::string_view name) {
  for (const CloneField& field : clone_fields) {
    if (field.name == name) return field.loss;
  }
  return std::nullopt;
}

/// Whether `loses`, the bits of CloneJob::loses, include `loss`.
constexpr bool has_lost(std::uint16_t loses, CloneLoss loss) {
  return (loses & static_cast<std::uint16_t>(loss)) != 0;
}

}  // namespace reeve::policy
