// Lints for what begins when the clock has ended.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "models/progress.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"

namespace reeve::scenarios {
namespace {

/// Reports what begins when the run is over; `node` is where it is written.
void check_begin(const Resolved& resolved, const Node& node, Duration from, std::string_view what,
                 Findings& findings) {
  const models::World& world = resolved.world();
  if (world.end == policy::never || from < world.end - world.start) return;
  findings.warning(node, "W0476", fmt::format("{} has no effect here", what),
                   fmt::format("the clock ends after {}", show(world.end - world.start)));
}

/// The part of a list that begins too late: all that follow do so as well.
template <class List, class Begin>
void check_list(const Resolved& resolved, const std::optional<Node>& list, const List& entries,
                std::string_view what, const Begin& begin, Findings& findings) {
  if (!list || list->size() != entries.size()) return;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    check_begin(resolved, (*list)[i], begin(entries[i]), what, findings);
  }
}

void check_times(const Resolved& resolved, Findings& findings) {
  const ScenarioInput& input = resolved.input;
  const auto first = [](const auto& interval) { return interval.first; };
  const auto from = [](const auto& entry) { return entry.from; };
  for (const PoolInput& fleet : input.fleet) {
    const MarketInput& market = fleet.of_market;
    check_list(resolved, under(fleet.written, "windows"), market.windows, "a window", first,
               findings);
    if (const auto& offers = market.availability) {
      check_list(
          resolved, under(offers->written, "steps"), offers->steps, "a step",
          [](const models::Offer& step) { return step.at; }, findings);
    }
    if (const auto& faults = market.node_faults) {
      check_list(
          resolved, under(under(fleet.written, "node_faults"), "down"), faults->stated, "a fault",
          [](const StatedFaultInput& fault) { return fault.at; }, findings);
    }
  }
  const auto& root = input.written;
  const auto& platform = input.platform.written;
  check_list(resolved, under(root, "outages"), input.outages, "an outage", from, findings);
  check_list(
      resolved, under(under(platform, "api"), "brownouts"), input.platform.api.brownouts,
      "a brown-out", [](const BrownOutInput& trouble) { return trouble.trouble.from; }, findings);
  check_list(resolved, under(under(platform, "alarm_link"), "down"), input.platform.alarm_link.down,
             "an interval", first, findings);
  check_list(resolved, under(under(root, "kill_switch"), "engaged"), input.kill_switch.engaged,
             "an interval", first, findings);
  for (const HumanInput& human : input.humans) {
    check_list(resolved, under(human.written, "away"), human.human.away, "an absence", first,
               findings);
  }
}

/// How long the market takes at least to find machines of the fleet.
Duration least_wait(const models::Pool& pool) {
  if (!pool.capacity_wait) return Duration{0};
  const models::DurationLaw& law = *pool.capacity_wait;
  const bool bounded = law.shape == models::Shape::fixed || law.shape == models::Shape::uniform ||
                       law.shape == models::Shape::pareto;
  return bounded ? law.scale : Duration{0};
}

/// A fleet whose machines are found when the clock has ended.
void check_capacity_waits(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (world.end == policy::never || world.pools.size() != resolved.input.fleet.size()) return;
  for (std::size_t i = 0; i < world.pools.size(); ++i) {
    const Duration wait = least_wait(world.pools[i]);
    if (wait == Duration{0} || wait < world.end - world.start) continue;
    const Node fleet = *resolved.input.fleet[i].written;
    findings.warning(fleet.find("capacity_wait").value_or(fleet), "W0510",
                     fmt::format("no job gets instances: the capacity wait is {} in {}", show(wait),
                                 in_quotes(world.pools[i].name)),
                     fmt::format("the clock ends after {}", show(world.end - world.start)),
                     "use a longer \"horizon\" or a shorter \"capacity_wait\"");
  }
}

/// A job whose maximum wait is shorter than provisioning never starts, unless a warm pool matches.
void check_waits(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const Place& place = job.place;
  const models::Pool& pool = resolved.world().pools[profile.pool.index];
  const Duration wait = least_wait(pool);
  if (wait == Duration{0} || profile.keep_alive > Duration{0} || rules_move(resolved.input)) return;
  const auto warn = [&](std::string_view key, Duration limit) {
    findings.warning(place.of(key), "W0510",
                     fmt::format("no attempt gets instances: the capacity wait is {} in {}",
                                 show(wait), in_quotes(pool.name)),
                     fmt::format("it waits for at most {}", show(limit)),
                     fmt::format("use a longer \"{}\" or a shorter \"capacity_wait\"", key));
  };
  if (profile.max_pending < wait) {
    warn("max_pending", profile.max_pending);
  } else if (pool.market == policy::Market::spot && profile.max_wait <= wait) {
    warn("max_wait", profile.max_wait);
  }
}

void check_work(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::World& world = resolved.world();
  if (!job.work || world.end == policy::never || has_ticks(world)) return;
  const models::JobProfile& profile = resolved.profile_of(job);
  const Duration least =
      models::time_to_finish(profile.checkpoint, *job.work, fastest(resolved, profile));
  if (least <= world.end - world.start) return;
  findings.warning(job.place.of("work"), "W0484",
                   fmt::format("no job can complete {} of work: the clock ends after {}",
                               show(*job.work), show(world.end - world.start)),
                   "there will be no result", "use a longer \"horizon\"");
}

}  // namespace

std::span<const Lint> clock_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {also("W0476"), check_times, RunIf::world_is_read},
      {{"W0510", "a capacity_wait that is too long",
        "`capacity_wait` of the fleet is never shorter than what its jobs wait for (`max_pending`, "
        "`max_wait`), or than the clock: no job gets instances. reeve does not warn where rules "
        "may send jobs elsewhere, or a warm pool may match.",
        "\"capacity_wait\": \"2h\", \"max_pending\": \"30m\"", "\"max_pending\": \"3h\""},
       check_capacity_waits,
       RunIf::world_is_read},
      {also("W0510"), check_waits},
      {also("W0484"), check_work},
  });
  return rows;
}

}  // namespace reeve::scenarios
