// The default properties of each platform model: one row per model.
#pragma once

#include <chrono>
#include <reeve/policy/units.hpp>
#include <string_view>

#include "models/world.hpp"

namespace reeve::models {

/// Defaults of one model.  Sources: SageMaker API, StoppingCondition; EC2 User Guide, "Spot
/// Instance interruption notices" and "Billing for interrupted Spot Instances"; Compute Engine,
/// "Spot VMs".
struct PlatformPreset {
  policy::Duration provisioning{0};
  policy::Duration stop_grace{0};
  policy::Duration max_runtime = policy::Duration::max();
  BillingRules billing;
  policy::Duration notice{0};
};

/// On EC2 and GCP, instances come within 30 to 90 seconds, and a stop returns them at once.
/// Whether managed Spot has a minimum charge or gives notice is not known.
constexpr PlatformPreset preset_of(PlatformModel model) {
  using std::chrono::hours;
  using std::chrono::seconds;
  switch (model) {
    case PlatformModel::ideal:
    case PlatformModel::ticks:
      return {};
    case PlatformModel::sagemaker_training:
      return {.stop_grace = seconds{120}, .max_runtime = hours{24}, .billing = {}};
    case PlatformModel::ec2:
      return {.provisioning = seconds{60}, .billing = {seconds{60}, true}, .notice = seconds{120}};
    case PlatformModel::gcp:
      return {.provisioning = seconds{60}, .billing = {seconds{60}, false}, .notice = seconds{30}};
  }
  return {};
}

/// The platform of each model and the state of its documentation; later publications may differ.
constexpr std::string_view modelled_on(PlatformModel model) {
  switch (model) {
    case PlatformModel::ideal:
      return "ideal: no platform's";
    case PlatformModel::ticks:
      return "ticks: published simulators of 2024";
    case PlatformModel::sagemaker_training:
      return "sagemaker-training: AWS API of 2026-08-07, documentation of mid-2026";
    case PlatformModel::ec2:
      return "ec2: AWS API of 2026-08-07, documentation of mid-2026";
    case PlatformModel::gcp:
      return "gcp: Compute Engine documentation of 2026";
  }
  return "";
}

}  // namespace reeve::models
