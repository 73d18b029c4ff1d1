#include "experiments/explain/alternatives.hpp"

#include <limits>
#include <utility>
#include <variant>

#include "host/interventions.hpp"

namespace reeve::experiments {
namespace {

using policy::AttemptNumber;
using policy::CloneJob;
using policy::PoolId;

constexpr std::size_t pools_at_most = 2;

/// Other fleets with room for the job: those of the same machines first.
std::vector<PoolId> elsewhere(const models::World& world, const models::JobSpec& job, PoolId here) {
  std::vector<PoolId> pools;
  const policy::TypeId type = world.pools[here.index].type;
  for (const bool same : {true, false}) {
    for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
      const models::Pool& there = world.pools[pool];
      if (pool == here.index || (there.type == type) != same) continue;
      if (there.capacity >= job.instances && pools.size() < pools_at_most) pools.push_back({pool});
    }
  }
  return pools;
}

std::string on(const models::World& world, PoolId pool) {
  return "on " + world.pools[pool.index].name;
}

/// A restart needs the machines' loss to be over: it comes when the stop is through.
std::vector<Alternative> of_stop(const models::World& world, const models::JobSpec& job,
                                 const DecisionRow& row, const Stood& stood) {
  std::vector<Alternative> all;
  policy::StopJob stop = std::get<policy::StopJob>(row.verb);
  if (stop.job != row.job) {  // it was meant for another, whose alarm is called like this one
    stop.job = row.job;
    stop.attempt = row.attempt;
    stop.found_by = policy::FoundBy::job_name;
  }
  const auto save = world.profiles[job.profile].checkpoint.on_request;
  if (save) {
    const policy::Duration until = *save + 2 * world.platform.api.latency;
    all.push_back({"save first",
                   {{.verb = policy::SaveCheckpoint{stop.job, stop.attempt}},
                    {.verb = stop, .after = until}}});
  }
  // An incident of its own, because recipients are not notified twice of one incident.
  constexpr auto incident = std::numeric_limits<std::uint16_t>::max();
  all.push_back({"only tell people", {{.verb = policy::Notify{stop.job, stop.attempt, incident}}}});
  if (stood.is_cloned || stop.attempt == std::numeric_limits<AttemptNumber>::max()) return all;
  const auto next = static_cast<AttemptNumber>(stop.attempt + 1);
  const auto restarted = [&](std::string name, std::optional<PoolId> pool) {
    const CloneJob clone{.job = stop.job, .attempt = next, .pool = pool};
    all.push_back({std::move(name), {{.verb = stop}, {.verb = clone, .since = Deed::Since::end}}});
  };
  restarted("start it again", std::nullopt);
  for (const PoolId pool : elsewhere(world, job, stood.pool)) {
    restarted("start it again " + on(world, pool), pool);
  }
  return all;
}

std::vector<Alternative> of_clone(const models::World& world, const models::JobSpec& job,
                                  const DecisionRow& row, const CloneJob& clone,
                                  const Stood& stood) {
  std::vector<Alternative> all;
  const bool waited = stood.ended + 2 * world.platform.api.latency < row.at;
  if (waited) all.push_back({"at once", {{.verb = clone, .since = Deed::Since::end}}});
  const bool fresh = clone.from == policy::ResumeFrom::scratch;
  const bool saves = world.profiles[job.profile].checkpoint.every > policy::Duration{0};
  if (fresh ? saves : stood.resumed_from > policy::Duration{0}) {
    CloneJob other = clone;
    other.from = fresh ? policy::ResumeFrom::last_checkpoint : policy::ResumeFrom::scratch;
    all.push_back({fresh ? "from the last checkpoint" : "from scratch", {{.verb = other}}});
  }
  const PoolId there = clone.pool.value_or(stood.pool);
  for (const PoolId pool : elsewhere(world, job, there)) {
    CloneJob other = clone;
    other.pool = pool;
    all.push_back({on(world, pool), {{.verb = other}}});
  }
  return all;
}

}  // namespace

Standings::Standings(const RunResult& result) {
  for (const DecisionRow& row : result.decisions) {
    const auto before = host::judged_attempt(host::kind_of(row.verb), row.attempt);
    attempts_.try_emplace({row.job, before});
    attempts_.try_emplace({row.job, row.attempt});
    const bool clones = std::holds_alternative<CloneJob>(row.verb);
    if (clones && row.verdict == "accepted") clones_.insert({row.job, row.attempt});
  }
  for (const models::AttemptRow& row : result.record.attempts) {
    const auto wanted = attempts_.find({row.job, row.number});
    if (wanted != attempts_.end()) wanted->second = &row;
  }
}

std::optional<Stood> Standings::of(const DecisionRow& row) const {
  const auto before = host::judged_attempt(host::kind_of(row.verb), row.attempt);
  const auto found = attempts_.find({row.job, before});
  if (found == attempts_.end() || found->second == nullptr) return std::nullopt;
  const models::AttemptRow& attempt = *found->second;
  const auto own = attempts_.find({row.job, row.attempt});
  const bool made = own != attempts_.end() && own->second != nullptr;
  return Stood{.pool = attempt.pool,
               .ended = attempt.end,
               .resumed_from = made ? own->second->resumed_from : policy::Duration{0},
               .is_cloned = clones_.contains({row.job, static_cast<AttemptNumber>(before + 1)})};
}

std::vector<Alternative> alternatives(const models::World& world, const models::JobSpec& job,
                                      const DecisionRow& row, const Stood& stood) {
  if (world.platform.model == models::PlatformModel::ticks) return {};
  if (std::holds_alternative<policy::StopJob>(row.verb)) return of_stop(world, job, row, stood);
  if (const auto* clone = std::get_if<CloneJob>(&row.verb)) {
    return of_clone(world, job, row, *clone, stood);
  }
  std::vector<Alternative> all;
  const auto* place = std::get_if<policy::PlaceJob>(&row.verb);
  if (place == nullptr) return all;
  for (const PoolId pool : elsewhere(world, job, place->pool)) {
    policy::PlaceJob other = *place;
    other.pool = pool;
    all.push_back({on(world, pool), {{.verb = other}}});
  }
  return all;
}

}  // namespace reeve::experiments
