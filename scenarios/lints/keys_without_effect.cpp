// Keys that are read and change nothing: each is named with what holds instead, for who writes a
// number believes that it counts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "policies/registry.hpp"
#include "scenarios/load/fastest.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

using models::PlatformModel;
using policy::Market;

/// Reports a key of `object`, if it is written and something else makes it idle.
void idle(Loading& loading, const std::optional<Node>& object, std::string_view key, bool works,
          std::string_view why, std::string_view help = {}) {
  const auto node = object ? object->find(key) : std::nullopt;
  if (node && !works) no_effect(loading, *node, why, help);
}

// ---- prices ----------------------------------------------------------------------------------

void check_spot_prices(Loading& loading) {
  for (const auto& [name, type] : loading.input.prices.instances) {
    idle(loading, type.written, "savings_pct", !type.spot_price,
         "spot_usd_per_hour is the price of Spot", "leave one of the two out");
    if (!type.spot_price || *type.spot_price <= type.price || !type.written) continue;
    loading.warning(*type.written->find("spot_usd_per_hour"), "W0479",
                    fmt::format("{} costs more on Spot than on demand", in_quotes(name)),
                    "used as it stands", "Spot is cheaper: are the two exchanged?");
  }
}

// ---- after the end of the clock --------------------------------------------------------------

/// Reports what begins when the run is over; `node` is where it is written.
void check_begin(Loading& loading, const Node& node, Duration from, std::string_view what) {
  const models::World& world = loading.world();
  if (world.end == policy::never || from < world.end - world.start) return;
  loading.warning(node, "W0476", fmt::format("{} has no effect here", what),
                  fmt::format("the clock ends after {}", show(world.end - world.start)));
}

/// The part of a list that begins too late: all that follow do so as well.
template <class List, class Begin>
void check_list(Loading& loading, const std::optional<Node>& list, const List& entries,
                std::string_view what, const Begin& begin) {
  if (!list || list->size() != entries.size()) return;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    check_begin(loading, (*list)[i], begin(entries[i]), what);
  }
}

std::optional<Node> under(const std::optional<Node>& object, std::string_view key) {
  return object ? object->find(key) : std::nullopt;
}

void check_times(Loading& loading) {
  const ScenarioInput& input = loading.input;
  const auto first = [](const auto& interval) { return interval.first; };
  const auto from = [](const auto& entry) { return entry.from; };
  for (const PoolInput& fleet : input.fleet) {
    const MarketInput& market = fleet.of_market;
    check_list(loading, under(fleet.written, "windows"), market.windows, "a window", first);
    if (const auto& offers = market.availability) {
      check_list(loading, under(offers->written, "steps"), offers->steps, "a step",
                 [](const models::Offer& step) { return step.at; });
    }
    if (const auto& faults = market.node_faults) {
      check_list(loading, under(under(fleet.written, "node_faults"), "down"), faults->stated,
                 "a fault", [](const StatedFaultInput& fault) { return fault.at; });
    }
  }
  const auto& root = input.written;
  const auto& platform = input.platform.written;
  check_list(loading, under(root, "outages"), input.outages, "an outage", from);
  check_list(loading, under(under(platform, "api"), "brownouts"), input.platform.api.brownouts,
             "a brown-out", [](const BrownOutInput& trouble) { return trouble.trouble.from; });
  check_list(loading, under(under(platform, "alarm_link"), "down"), input.platform.alarm_link.down,
             "an interval", first);
  check_list(loading, under(under(root, "kill_switch"), "engaged"), input.kill_switch.engaged,
             "an interval", first);
  for (const HumanInput& human : input.humans) {
    check_list(loading, under(human.written, "away"), human.human.away, "an absence", first);
  }
}

// ---- platform --------------------------------------------------------------------------------

bool any_spot(const models::World& world) {
  return std::any_of(world.pools.begin(), world.pools.end(),
                     [](const models::Pool& pool) { return pool.market == Market::spot; });
}

void check_platform(Loading& loading) {
  const models::World& world = loading.world();
  const auto& written = loading.input.platform.written;
  const bool managed = world.platform.model == PlatformModel::sagemaker_training;
  const bool spot = any_spot(world);
  for (const std::string_view key :
       {"notice", "notice_probability", "imds_poll", "rebalance", "spot_request", "spot_billing"}) {
    // What a platform lacks altogether has a finding of its own.
    const bool known = key != "spot_billing" || managed;
    // It also says whether requests on demand wait, where "on_insufficient" does not.
    if (key == "spot_request" && !under(written, "on_insufficient")) continue;
    idle(loading, written, key, spot || !known, "no fleet is on Spot");
  }
  const bool told = world.platform.notice.lead > Duration{0};
  for (const std::string_view key : {"notice_probability", "imds_poll"}) {
    idle(loading, written, key, !spot || told, "Spot gives no notice here: \"notice\" is 0s");
  }
  const auto notice = under(written, "notice");
  if (managed && spot && notice && told) {
    loading.findings.add(
        at_key(*notice, "W0477", "managed Spot of SageMaker gives jobs no notice",
               fmt::format("{} is assumed all the same", show(world.platform.notice.lead)),
               Severity::warning)
            .with_help("leave it out, or \"model\": \"ec2\" for machines of one's own"));
  }
  if (models::is_unmanaged(world.platform.model)) {
    idle(loading, written, "rendezvous", largest_job(loading) > 1, "no job has several instances");
  }
  if (!managed) return;  // they have findings of their own
  const auto any_profile = [&](const auto& has) {
    return std::any_of(world.profiles.begin(), world.profiles.end(), has);
  };
  const bool waits = any_profile(
      [](const models::JobProfile& profile) { return profile.max_pending != Duration::max(); });
  idle(loading, written, "pending_timeout_status", waits, "no job has a \"max_pending\"");
  const bool warm = any_profile(
      [](const models::JobProfile& profile) { return profile.keep_alive > Duration{0}; });
  idle(loading, written, "warm_startup", warm, "no job has a \"keep_alive\"");
}

void check_racks(Loading& loading) {
  for (const PoolInput& fleet : loading.input.fleet) {
    const auto& faults = fleet.of_market.node_faults;
    if (!faults || !faults->racks || faults->racks->machines <= fleet.capacity) continue;
    const auto racks = under(under(fleet.written, "node_faults"), "racks");
    loading.warning(racks->find("machines").value_or(*racks), "W0476",
                    fmt::format("racks of {} have no effect beyond the fleet's {}",
                                faults->racks->machines, fleet.capacity),
                    "the fleet is one rack");
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
void check_capacity_waits(Loading& loading) {
  const models::World& world = loading.world();
  if (world.end == policy::never || world.pools.size() != loading.input.fleet.size()) return;
  for (std::size_t i = 0; i < world.pools.size(); ++i) {
    const Duration wait = least_wait(world.pools[i]);
    if (wait == Duration{0} || wait < world.end - world.start) continue;
    const Node fleet = *loading.input.fleet[i].written;
    loading.warning(fleet.find("capacity_wait").value_or(fleet), "W0510",
                    fmt::format("nobody has machines: to find them takes {} in {}", show(wait),
                                in_quotes(world.pools[i].name)),
                    fmt::format("the clock ends after {}", show(world.end - world.start)),
                    "a longer \"horizon\", or a shorter \"capacity_wait\"");
  }
}

/// What is said of faults that never come.
void check_faults_off(Loading& loading) {
  for (const PoolInput& fleet : loading.input.fleet) {
    const auto& faults = fleet.of_market.node_faults;
    if (!faults || faults->rate > 0) continue;
    const auto written = under(fleet.written, "node_faults");
    for (const std::string_view key : {"lemons", "racks", "hangs"}) {
      idle(loading, written, key, false, "\"per_1000_node_days\" is 0: none is drawn");
    }
  }
}

// ---- jobs ------------------------------------------------------------------------------------

bool states(const SeatInput& seat, std::string_view key, std::string_view word) {
  return std::any_of(seat.options.begin(), seat.options.end(), [&](const Node& option) {
    return option.key() == key && option.is_text() && option.as_text() == word;
  });
}

/// Whether a rule that is stated accuses of what only reports show.
bool is_judged_by_reports(const SeatInput& seat) {
  return states(seat, "accuses", "learning_nothing");
}

/// Reports are simulated for rules that ask for them, or are judged by them.
void check_reports(Loading& loading, const ProfileInput& input, const Place& place) {
  if (!input.training.reports) return;
  for (const auto& [name, seats] : loading.input.policies) {
    for (const SeatInput& seat : seats) {
      const policy::PolicyKind* kind = policies::find_kind(seat.rule);
      const bool reads =
          kind != nullptr &&
          (kind->reads_reports || has_option(*kind, "min_progress") || is_judged_by_reports(seat));
      if (reads && seat.mode != host::Mode::off) return;
    }
  }
  loading.warning(place.of("reports"), "W0466", "\"reports\" that no rule of this scenario reads",
                  "nothing is simulated for it");
}

/// A request to save is a rule's; a save when stopped has the grace for it.
void check_saves(Loading& loading, const models::JobProfile& profile, const Place& place) {
  const Node checkpoint = place.of("checkpoint");
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.on_request) {
    bool asked = false;
    for (const auto& [name, seats] : loading.input.policies) {
      for (const SeatInput& seat : seats) {
        const policy::PolicyKind* kind = policies::find_kind(seat.rule);
        const bool asks =
            kind != nullptr && (has_option(*kind, "block_end") || states(seat, "do", "save"));
        asked = asked || (asks && seat.mode != host::Mode::off);
      }
    }
    idle(loading, checkpoint, "on_request", asked, "no rule of this scenario asks for it");
  }
  if (!plan.on_stop) return;
  const models::Platform& platform = loading.world().platform;
  const Duration grace = std::max(platform.stop_grace, platform.max_runtime_grace);
  if (*plan.on_stop <= grace) return;
  loading.warning(checkpoint.find("on_stop").value_or(checkpoint), "W0469",
                  fmt::format("a save of {} is never over in time: a stopped job ends {} after its "
                              "SIGTERM",
                              show(*plan.on_stop), show(grace)),
                  "what was not saved before is lost");
}

/// A hook runs when Spot warns.  Common defaults are no mistake of a job on demand.
void check_hook(Loading& loading, const models::JobProfile& profile, const Place& place) {
  const models::World& world = loading.world();
  if (!profile.checkpoint.on_notice) return;
  if (world.pools[profile.pool.index].market == Market::spot) return;
  const Node checkpoint = place.of("checkpoint");
  const bool own = place.here.find("checkpoint").has_value();
  if (any_spot(world) && (!own || rules_move(loading))) return;
  const bool block = world.pools[profile.pool.index].market == Market::capacity_block;
  idle(loading, checkpoint, "on_notice", false,
       block ? "rules are told that the block ends, jobs are not"
             : "only Spot takes machines away with notice");
}

/// Whoever waits for less than it takes never has machines, unless a warm pool matches.
void check_waits(Loading& loading, const models::JobProfile& profile, const Place& place) {
  const models::Pool& pool = loading.world().pools[profile.pool.index];
  const Duration wait = least_wait(pool);
  if (wait == Duration{0} || profile.keep_alive > Duration{0} || rules_move(loading)) return;
  const auto warn = [&](std::string_view key, Duration limit) {
    loading.warning(place.of(key), "W0510",
                    fmt::format("no attempt has machines: to find them takes {} in {}", show(wait),
                                in_quotes(pool.name)),
                    fmt::format("it waits for {} only", show(limit)),
                    fmt::format("a longer \"{}\", or a shorter \"capacity_wait\"", key));
  };
  if (profile.max_pending < wait) {
    warn("max_pending", profile.max_pending);
  } else if (pool.market == Market::spot && profile.max_wait <= wait) {
    warn("max_wait", profile.max_wait);
  }
}

/// What is kept only when the job ends in order is lost whenever it does not (F71, F86).
void check_sync(Loading& loading, const models::JobProfile& profile, const Place& place) {
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.sync != models::Sync::at_end || has_ticks(loading)) return;
  const Node checkpoint = place.of("checkpoint");
  const Node sync = checkpoint.find("sync").value_or(checkpoint);
  const bool spot = loading.world().pools[profile.pool.index].market == Market::spot;
  if (spot && plan.on_notice) return;  // it is kept when Spot warns
  loading.warning(sync, "W0486",
                  spot ? "nothing is kept before the end: each interruption starts again"
                       : "nothing is kept before the end: a fault loses all of the work",
                  "checkpoints count when the attempt ends in order",
                  "\"during\" keeps each checkpoint");
}

}  // namespace

void no_effect(Loading& loading, const Node& node, std::string_view why, std::string_view help) {
  loading.findings.add(at_key(node, "W0476",
                              fmt::format("{} has no effect here", in_quotes(node.key())),
                              std::string{why}, Severity::warning)
                           .with_help(std::string{help}));
}

void check_effects(Loading& loading) {
  if (loading.findings.errors() > 0) return;  // what is wrong may be why nothing uses it
  check_spot_prices(loading);
  check_times(loading);
  check_racks(loading);
  check_capacity_waits(loading);
  check_faults_off(loading);
  if (has_ticks(loading)) return;
  check_platform(loading);
  check_calm_spot(loading);
}

void check_job_effects(Loading& loading, const ProfileInput& input,
                       const models::JobProfile& profile, const Place& place) {
  check_hook(loading, profile, place);
  check_saves(loading, profile, place);
  check_reports(loading, input, place);
  check_sync(loading, profile, place);
  check_waits(loading, profile, place);
  if (profile.placement == models::Placement::single_zone && !rules_move(loading)) {
    idle(loading, place.here, "placement", !loading.world().pools[profile.pool.index].zones.empty(),
         "its fleet stands in one zone: \"zones\" are not stated");
  }
  const auto util = place.of("gpu_util");
  const GpuUtilInput& read = input.gpu_util;
  const bool waits = models::is_unmanaged(loading.world().platform.model) && !read.waiting;
  const std::string_view says = read.trace ? "the trace says what is read" : "the cdf says it";
  if ((read.trace || read.cdf) && !waits) idle(loading, util, "running", false, says);
}

namespace {

/// A gang that takes what is free although a zone alone has room for it, and is slower for it.
void check_spread(Loading& loading, const models::JobProfile& profile, std::uint32_t instances,
                  const Place& place) {
  const models::Pool& pool = loading.world().pools[profile.pool.index];
  const bool matters = pool.zones.size() > 1 && pool.spread_ppm < models::full_speed;
  if (!matters || instances < 2 || profile.placement != models::Placement::any) return;
  const bool fits = std::any_of(pool.zones.begin(), pool.zones.end(),
                                [&](const auto& zone) { return zone.instances >= instances; });
  if (!fits) return;
  loading.warning(
      place.of("placement"), "W0499",
      fmt::format("a gang of {} may be spread over {} zones", instances, pool.zones.size()),
      fmt::format("it works at {} of its speed there", pool.spread_ppm / 1e6),
      "\"placement\": \"single_zone\"");
}

}  // namespace

void check_work_effects(Loading& loading, const ProfileInput& input,
                        const models::JobProfile& profile, std::uint32_t instances,
                        std::optional<Duration> work, const Place& place) {
  if (const auto& slow = input.training.stragglers) {
    const auto hosts = under(place.of("stragglers"), "hosts");
    for (std::size_t i = 0; hosts && i < slow->hosts.size(); ++i) {
      if (slow->hosts[i] <= instances || hosts->size() != slow->hosts.size()) continue;
      loading.warning(
          (*hosts)[i], "W0405",
          fmt::format("host {} of a job with {}", slow->hosts[i], counted(instances, "instance")),
          "no such host: nobody is slow for it");
    }
  }
  check_elastic(loading, profile, instances, place);
  check_spread(loading, profile, instances, place);
  check_kept(loading, profile, work, place);
  if (!work) return;
  const Duration training = training_time(loading.world(), profile, *work);
  const models::World& world = loading.world();
  const Duration least =
      models::time_to_finish(profile.checkpoint, *work, fastest(loading, profile));
  if (world.end != policy::never && least > world.end - world.start && !has_ticks(loading)) {
    loading.warning(place.of("work"), "W0484",
                    fmt::format("no job can do {} of work: the clock ends after {}", show(*work),
                                show(world.end - world.start)),
                    "there will be no result", "a longer \"horizon\"");
  }
  const bool whole = profile.faults.empty() && profile.drawn_faults.empty();
  if (!whole) return;  // trouble makes training longer
  for (const GpuPhaseInput& phase : input.gpu_phases) {
    if (phase.phase.at < training || !phase.written->find("at")) continue;
    loading.warning(*phase.written->find("at"), "W0476",
                    fmt::format("the phase {} has no effect here", in_quotes(phase.phase.name)),
                    fmt::format("training is over after {}", show(training)));
  }
}

void check_trace_unit(Loading& loading, const Node& trace, const models::UtilTrace& read,
                      const models::JobProfile& profile, Duration work) {
  constexpr int most_trainings = 100;
  const Duration training = training_time(loading.world(), profile, work);
  if (read.length / most_trainings <= training) return;
  if (!loading.long_traces.insert(trace.offset()).second) return;
  loading.warning(trace, "W0493",
                  fmt::format("the trace of GPUs lasts {}, the job trains for {}",
                              show(read.length), show(training)),
                  "taken as it stands", "t_s is in seconds: are these milliseconds?");
}

void check_trace_length(Loading& loading, const Node& trace, const models::Utilization& read,
                        const models::JobProfile& profile, Duration work) {
  const auto stated = trace.parent();
  if (read.beyond_end != models::BeyondEnd::hold || (stated && stated->find("beyond_end"))) return;
  const Duration training = training_time(loading.world(), profile, work);
  // The last sample stands for the time until the next, which is not in the file.
  const Duration missing = training - read.trace->length;
  if (missing <= std::max(Duration{std::chrono::minutes{1}}, training / 100)) return;
  if (!loading.short_traces.insert(trace.offset()).second) return;
  loading.warning(trace, "W0478",
                  fmt::format("the trace of GPUs ends after {}, the job trains for {}",
                              show(read.trace->length), show(training)),
                  "its last value is assumed from then on",
                  "\"beyond_end\": \"hold\", \"repeat\" or \"missing\" says what is read then");
}

}  // namespace reeve::scenarios
