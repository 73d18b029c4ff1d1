// Lints for jobs that take turns with others and save nothing in one of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <reeve/policy/known_options.hpp>
#include <string>

#include "models/progress.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/written_keys.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// How long a job with this total number of GPUs keeps its instances before the turn of another
/// share; none: as long as it runs, or until another job comes before it in the order.
std::optional<Duration> turn_of(const SeatSpec& seat, std::int64_t gpus) {
  if (runs(seat, "gavel")) return seat.options.duration(policy::known::round);
  if (runs(seat, "themis")) return seat.options.duration(policy::known::lease);
  if (!runs(seat, "las") || seat.options.integer(policy::known::las_promote) < 0)
    return std::nullopt;
  const auto limits = seat.options.integers(policy::known::las_limits);
  if (limits.empty()) return std::nullopt;
  const std::int64_t first = *std::min_element(limits.begin(), limits.end());
  return Duration{std::chrono::seconds{first}} / std::max<std::int64_t>(gpus, 1);
}

/// From its start to its training, at least.
Duration least_start(const models::Platform& platform, const models::JobProfile& profile) {
  const Duration startup =
      platform.provisioning +
      std::min(platform.startup, platform.first_startup.value_or(platform.startup));
  return profile.keep_alive > Duration{0} ? std::min(startup, platform.warm_startup) : startup;
}

/// In the fleet that does most of its work.
std::uint32_t best_speed(const models::World& world, const models::JobProfile& profile) {
  std::uint32_t speed = 1;
  for (const models::Pool& pool : world.pools) {
    speed = std::max(speed, models::speed_on(profile.throughput.get(), pool.type));
  }
  return speed;
}

/// Whether turns bring it to its end: what it does in one is done then, or kept at its end.  A
/// checkpoint that is due just then is kept, and one that still has to leave the machines does.
bool comes_forward(const models::World& world, Duration work, const models::JobProfile& profile,
                   Duration turn) {
  const std::uint32_t speed = best_speed(world, profile);
  const models::Checkpoint plan = models::at_speed(profile.checkpoint, speed);
  const Duration left = models::machine_time(work, speed);
  const Duration start = least_start(world.platform, profile);
  if (start >= turn) return false;
  const bool keeps = plan.sync != models::Sync::none;
  if (keeps && plan.on_stop && *plan.on_stop <= world.platform.stop_grace) return true;
  const auto ends = [&](Duration rest, Duration time) {
    return models::time_to_finish(plan, rest) <= time;
  };
  const auto saved = [&](Duration rest, Duration time) {
    const bool any = keeps && time > Duration{0};
    return any ? models::progress_after(plan, rest, time).written : Duration{0};
  };
  const Duration first = turn - start;
  if (ends(left, first)) return true;
  const Duration rest = left - saved(left, first);
  const Duration further = first - std::min(first, plan.restore);  // it reads what it saved
  return rest < left && (ends(rest, further) || saved(rest, further) > Duration{0});
}

/// The shortest turn under any policy for this many instances; none: no policy takes turns.
std::optional<Duration> shortest_turn(const Resolved& resolved, const models::JobProfile& profile,
                                      std::uint32_t instances) {
  const models::World& world = resolved.world();
  const policy::TypeId type = world.pools[profile.pool.index].type;
  const std::int64_t gpus = std::int64_t{world.directory.types[type.index].gpus} * instances;
  std::optional<Duration> turn;
  for (const PolicySpec& policy : resolved.scenario.policies) {
    for (const SeatSpec& seat : policy.seats) {
      const auto of = turn_of(seat, gpus);
      if (of && (!turn || *of < *turn)) turn = of;
    }
  }
  return turn;
}

/// Who takes turns with others and saves nothing in one of them begins anew for ever.
void check_turns(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const auto lost_turn = [&](const models::JobProfile& profile, std::uint32_t instances,
                             Duration work) -> std::optional<Duration> {
    const policy::JobTerms& terms = world.directory.terms[profile.terms];
    if (!terms.queue || terms.keeps_machines) return std::nullopt;
    const auto turn = shortest_turn(resolved, profile, instances);
    return turn && !comes_forward(world, work, profile, *turn) ? turn : std::nullopt;
  };
  const auto tell = [&](const Node& place, const std::string& who, Duration turn) {
    findings.warning(place, "W0555", fmt::format("{} saves nothing within {}", who, show(turn)),
                     "with gavel, themis or las_promote it may lose all its work in each turn",
                     "use a shorter \"every\" in \"checkpoint\", or a longer \"round\", \"lease\" "
                     "or first value of \"las_limits\"");
  };
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const auto turn = lost_turn(world.profiles[spec.profile], spec.instances, spec.work);
    if (!turn) continue;
    const std::string_view name = world.jobs.names[job];
    return tell(written_key(resolved, name, "name"), "job " + in_quotes(name), *turn);
  }
  if (!world.drawn) return;
  std::uint32_t most = 1;
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight > 0) most = std::max(most, instances);
  }
  const auto turn =
      lost_turn(world.profiles[world.drawn->profile], most, models::longest_of(world.drawn->work));
  if (!turn) return;
  const Node workload = *resolved.input.workload->written;
  tell(workload.find("work").value_or(workload), "a drawn job", *turn);
}

}  // namespace

std::span<const Lint> turn_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0555", "a job that saves nothing in its turn on the instances",
        "`gavel` reassigns instances at each round, and `themis` at each lease. With `las` and "
        "`las_promote`, a turn lasts at least the first of `las_limits`, unless other jobs return "
        "to the first queue. A job that loses its instances continues from its last checkpoint, so "
        "two jobs without one may take turns forever. A turn must fit startup, reading the last "
        "checkpoint, `every` and the pause of the next one, or the rest of the work. A save that "
        "ends exactly then counts. If `stop_grace` is long enough, `on_stop` saves in each turn.",
        "\"checkpoint\": { \"every\": \"30m\" } beside { \"algorithm\": \"gavel\" }",
        "\"checkpoint\": { \"every\": \"2m\" }, or \"round\": \"1h\""},
       check_turns,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
