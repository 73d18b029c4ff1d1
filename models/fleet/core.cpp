#include "models/fleet/core.hpp"

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

}  // namespace reeve::models
