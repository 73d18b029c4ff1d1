// What follows from all files of a history: jobs of clusters, and how long each job trained.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Makes jobs of the objects of clusters and of the records of Slurm, and sums up each job: one
/// that still runs up to `as_of` (none: HistoryJob::seen).
void sum_up_work(History& history, std::optional<policy::Instant> as_of);

}  // namespace reeve::scenarios
