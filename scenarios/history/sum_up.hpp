// What follows from all files of a history: jobs of clusters, and how long each job trained.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Makes jobs of the objects of clusters and of the records of Slurm, ends open stretches of work,
/// and sets what follows from when a job trained and held instances: `duration`, the sum of its
/// work, up to `as_of` (none: HistoryJob::seen) if it still runs; `lost`, the rest of the time it
/// had instances besides its startup.
void sum_up_work(History& history, std::optional<policy::Instant> as_of);

}  // namespace reeve::scenarios
