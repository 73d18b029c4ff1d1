// What can happen in a scenario at all: a rule judges by it whether it can ever act.
#pragma once

#include <array>
#include <reeve/policy/job.hpp>
#include <reeve/policy/units.hpp>

namespace reeve::policy {

/// Facts of one scenario, known before a run.
struct ScenarioFacts {
  Instant start;              ///< of the clock
  bool spot_warns = true;     ///< Spot instances end with a notice
  bool loses_nodes = true;    ///< a gang can lose some of its instances and keep the others
  bool reports_loss = true;   ///< a job reports a training loss, or there is no job
  bool self_managed = false;  ///< jobs run on self-managed instances, which can be left behind
  /// The greatest confidence with which a failure is ever classified, by class, 0 to 1.
  std::array<double, failure_class_names.size()> confidence = {};
};

}  // namespace reeve::policy
