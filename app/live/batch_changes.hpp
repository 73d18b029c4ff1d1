// How the job queues of an account differ from those of a scenario, and the calls that change that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/batch/resources.hpp"
#include "live/batch/service_jobs.hpp"
#include "live/batch/settings.hpp"
#include "live/batch/updates.hpp"
#include "scenarios/exchange/batch.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// One setting that differs.
struct BatchChange {
  live::BatchResource resource = live::BatchResource::queue;
  std::string name;                        ///< `queue/share`
  live::SettingChange setting;             ///< of no setting: the resource as a whole
  std::optional<std::size_t> update = {};  ///< index in BatchChanges::updates
  std::string obstacle = {};               ///< without an update: why reeve does not change it
};

struct BatchChanges {
  std::vector<BatchChange> changes;
  std::vector<live::BatchUpdate> updates;
};

/// In the order of the scenario.  Resources are neither created nor removed.
BatchChanges changes_of_queues(const scenarios::BatchSet& wanted, const live::BatchAccount& found);

/// The priorities that queues of the scenario give to jobs by their tags.
void add_priorities(const scenarios::Scenario& scenario, const std::vector<live::ServiceJob>& jobs,
                    BatchChanges& changes);

/// A job that loses its instances if its share's quota is lowered and nothing is idle.
struct PreemptibleJob {
  const live::ServiceJob* job = nullptr;
  std::string unit;
  std::int64_t instances = 0;
};

/// By the order that reeve models: lowest priority, then latest start.  AWS Batch does not publish
/// its own.  Of shares whose limit is lowered alone.
std::vector<PreemptibleJob> preempted_by(const scenarios::BatchSet& wanted,
                                         const live::BatchAccount& found,
                                         const std::vector<live::ServiceJob>& jobs);

}  // namespace reeve::app
