#include "models/fleet/core.hpp"

#include <algorithm>
#include <utility>

namespace reeve::models {

FleetCore::FleetCore(const World& of, std::uint32_t replication_nr, Admission admits, Keep keeps)
    : world{of},
      replication{replication_nr},
      admission{admits},
      keep{std::move(keeps)},
      now{of.start},
      last_work{of.start},
      last_progress{of.start} {
  record.jobs = materialize(world, replication);
  record.start = world.start;
  record.billed_time.resize(world.pools.size());
  record.pool_rows.resize(world.pools.size());
  const std::size_t jobs = record.jobs.specs.size();
  record.job_rows.resize(jobs, {.first_start = policy::never, .end = policy::never});
  truth.resize(jobs);
}

void FleetCore::note_detection(policy::JobId job, policy::AttemptNumber attempt) {
  Running* run = find(job, attempt);
  if (run == nullptr || run->open_stall == no_row) return;
  StallRow& stall = record.stalls[run->open_stall];
  stall.detected = std::min(stall.detected, now);
}

Running* FleetCore::find(policy::JobId job, policy::AttemptNumber attempt) {
  const Slot slot = truth[job.index].running;
  const bool runs = slot != no_slot && running[slot].number == attempt;
  return runs ? &running[slot] : nullptr;
}

}  // namespace reeve::models
