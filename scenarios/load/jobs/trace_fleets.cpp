#include "scenarios/load/jobs/trace_fleets.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

std::variant<policy::PoolId, Diagnostic> TraceFleets::of(const TraceReader& reader,
                                                         const TraceRow& row) {
  const models::World& world = resolved_.world();
  // In the tick model, rules choose among the fleets from tick to tick.
  if (world.pools.size() < 2 || has_ticks(world)) return usual_;
  if (row.instance_type.empty() && !row.market) return usual_;
  const Wish wish{row.instance_type, row.market};
  auto known = known_.find(wish);
  if (known == known_.end()) {
    const policy::TypeId usual = world.pools[usual_.index].type;
    const std::string_view type = row.instance_type.empty()
                                      ? std::string_view{world.directory.types[usual.index].name}
                                      : row.instance_type;
    auto found = find(type, row.market);
    if (!found) found = find(type, std::nullopt);
    if (!found) return no_fleet(reader, row);
    known = known_.emplace(wish, *found).first;
  }
  const policy::PoolId pool = known->second;
  if (row.market && *row.market != world.pools[pool.index].market && ++elsewhere_ == 1) {
    first_ = row.line;
  }
  return pool;
}

std::optional<policy::PoolId> TraceFleets::find(std::string_view type,
                                                std::optional<policy::Market> market) const {
  const models::World& world = resolved_.world();
  const auto fits = [&](policy::PoolId id) {
    const models::Pool& pool = world.pools[id.index];
    return world.directory.types[pool.type.index].name == type &&
           (!market || *market == pool.market);
  };
  if (fits(usual_)) return usual_;
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (fits({pool})) return policy::PoolId{pool};
  }
  return std::nullopt;
}

Diagnostic TraceFleets::no_fleet(const TraceReader& reader, const TraceRow& row) const {
  const models::World& world = resolved_.world();
  std::vector<std::string_view> types;
  for (const models::Pool& pool : world.pools) {
    types.push_back(world.directory.types[pool.type.index].name);
  }
  const std::string near = did_you_mean(row.instance_type, types);
  return reader
      .at("instance_type", "E0383",
          fmt::format("no fleet has instances of type {}", in_quotes(row.instance_type)),
          "the fleet of the job comes from this column")
      .with_help(near.empty() ? "add a fleet of this type, or leave the column out" : near);
}

void TraceFleets::report(Loading& loading, std::uint64_t jobs) const {
  if (elsewhere_ == 0) return;
  const Node written = *loading.input.workload->written;
  loading.warning(
      written.find("trace").value_or(written), "W0612",
      fmt::format("{} of the trace's {} ran in a market that no fleet of their type is in",
                  elsewhere_, counted(jobs, "job")),
      fmt::format("they run in another fleet of the type; the first is on line {}", first_),
      "add a fleet of the type and market");
}

}  // namespace reeve::scenarios
