#include "models/fleet/spare_instances.hpp"

#include <algorithm>
#include <string_view>

namespace reeve::models {

Use use_of(Spare::Kind kind) {
  switch (kind) {
    case Spare::Kind::orphan:
      return Use::orphan;
    case Spare::Kind::held:
      return Use::drain;
    case Spare::Kind::warm:
      return Use::idle_reserved;
  }
  return Use::orphan;
}

/// Owners are told apart by profile; equal names have equal numbers.
SpareInstances::SpareInstances(FleetCore& core, EventDelivery& events)
    : core_{core}, events_{events} {
  const std::vector<JobProfile>& profiles = core.world.profiles;
  const bool keeps_any = std::any_of(profiles.begin(), profiles.end(), [](const JobProfile& kind) {
    return kind.keep_alive > Duration{0};
  });
  if (!keeps_any) return;
  std::map<std::string_view, std::uint32_t> numbers;
  for (const JobProfile& kind : profiles) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    owners_.push_back(numbers.emplace(kind.owner, next).first->second);
  }
}

void SpareInstances::add(std::uint32_t id, Spare spare) {
  const std::uint32_t warm = spare.kind == Spare::Kind::warm ? spare.of.instances : 0;
  in_.emplace(spare.of.pool, warm, id);
  if (warm > 0) warm_of_.emplace(spare.of.pool, warm, owner_of(spare.of.job), id);
  of_.emplace(spare.of.job, id);
  spares_.emplace(id, std::move(spare));
}

Spare SpareInstances::remove(std::uint32_t id) {
  Spare spare = std::move(spares_.extract(id).mapped());
  const std::uint32_t warm = spare.kind == Spare::Kind::warm ? spare.of.instances : 0;
  in_.erase({spare.of.pool, warm, id});
  if (warm > 0) warm_of_.erase({spare.of.pool, warm, owner_of(spare.of.job), id});
  of_.erase({spare.of.job, id});
  return spare;
}

const Spare* SpareInstances::find(std::uint32_t id) const {
  const auto known = spares_.find(id);
  return known == spares_.end() ? nullptr : &known->second;
}

std::vector<std::uint32_t> SpareInstances::in(policy::PoolId pool) const {
  std::vector<std::uint32_t> ids;
  for (auto spare = in_.lower_bound({pool, 0, 0}); spare != in_.end(); ++spare) {
    if (std::get<0>(*spare) != pool) break;
    ids.push_back(std::get<2>(*spare));
  }
  return ids;
}

std::vector<std::uint32_t> SpareInstances::of(policy::JobId job) const {
  std::vector<std::uint32_t> ids;
  for (auto spare = of_.lower_bound({job, 0}); spare != of_.end(); ++spare) {
    if (spare->first != job) break;
    ids.push_back(spare->second);
  }
  return ids;
}

std::optional<SpareInstances::Place> SpareInstances::next_in(policy::PoolId pool,
                                                             std::optional<Place> after) const {
  const auto next =
      after ? in_.upper_bound({pool, after->warm, after->id}) : in_.lower_bound({pool, 0, 0});
  if (next == in_.end() || std::get<0>(*next) != pool) return std::nullopt;
  return Place{std::get<1>(*next), std::get<2>(*next)};
}

std::uint32_t SpareInstances::split(std::uint32_t id, std::vector<std::uint32_t> nodes,
                                    std::uint32_t instances) {
  Spare& spare = spares_.at(id);
  Spare part = spare;
  part.of.instances = instances;
  part.nodes = std::move(nodes);
  spare.of.instances -= instances;
  std::erase_if(spare.nodes, [&](std::uint32_t machine) {
    return std::find(part.nodes.begin(), part.nodes.end(), machine) != part.nodes.end();
  });
  for (std::size_t zone = 0; zone < spare.zones.size(); ++zone) {
    part.zones[zone] = std::min(instances, spare.zones[zone]);
    spare.zones[zone] -= part.zones[zone];
    instances -= part.zones[zone];
  }
  const std::uint32_t number = next_id();
  add(number, std::move(part));
  return number;
}

std::optional<std::uint32_t> SpareInstances::warm_for(policy::JobId job,
                                                      policy::PoolId pool) const {
  if (warm_of_.empty()) return std::nullopt;
  const std::uint32_t wanted = core_.spec(job).instances;
  const std::uint32_t owner = owner_of(job);
  const auto spare = warm_of_.lower_bound({pool, wanted, owner, 0});
  if (spare == warm_of_.end()) return std::nullopt;
  const auto& [in, instances, of, id] = *spare;
  const bool fits = in == pool && instances == wanted && of == owner;
  return fits ? std::optional{id} : std::nullopt;
}

void SpareInstances::join_queue(policy::JobId job) {
  if (owners_.empty()) [[likely]]
    return;
  const policy::PoolId pool = core_.truth[job.index].pool;
  position_of_[job] = ++last_position_;
  queued_[{pool, core_.spec(job).instances, owner_of(job), last_position_}] = job;
}

void SpareInstances::leave_queue(policy::JobId job) {
  if (position_of_.empty()) [[likely]]
    return;
  const auto position = position_of_.find(job);
  if (position == position_of_.end()) return;
  const policy::PoolId pool = core_.truth[job.index].pool;
  queued_.erase({pool, core_.spec(job).instances, owner_of(job), position->second});
  position_of_.erase(position);
}

std::optional<policy::JobId> SpareInstances::waits_for(policy::JobId owner_job, policy::PoolId pool,
                                                       std::uint32_t instances) const {
  const std::uint32_t owner = owner_of(owner_job);
  const auto first = queued_.lower_bound({pool, instances, owner, 0});
  if (first == queued_.end()) return std::nullopt;
  const auto& [in, wanted, of, position] = first->first;
  if (in != pool || wanted != instances || of != owner) return std::nullopt;
  return first->second;
}

void SpareInstances::tell_left(const Spare& spare, bool more) {
  if (spare.kind != Spare::Kind::orphan || !spare.mapped) return;
  const auto left = left_of_.try_emplace({spare.of.job, spare.of.attempt}, 0).first;
  left->second = more ? left->second + spare.of.instances : left->second - spare.of.instances;
  events_.tell_now({core_.now, policy::MachinesLeft{spare.of.job, spare.of.attempt, left->second}});
  if (left->second == 0) left_of_.erase(left);
}

}  // namespace reeve::models
