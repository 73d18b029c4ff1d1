// Lints for keys of jobs that change nothing, or not what they seem to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "models/utilization.hpp"
#include "policies/registry.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/load/resolved/losses.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

bool states(const SeatInput& seat, std::string_view key, std::string_view word) {
  return std::any_of(seat.options.begin(), seat.options.end(), [&](const Node& option) {
    return option.key() == key && option.is_text() && option.as_text() == word;
  });
}

/// Whether a rule that is stated accuses of what only reports show.
bool is_judged_by_reports(const SeatInput& seat) {
  return states(seat, known::accuses, "learning_nothing");
}

/// Reports are simulated for rules that ask for them, or are judged by them.
void check_reports(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const Place& place = job.place;
  if (resolved.profile_of(job).reports == nullptr) return;
  for (const auto& [name, seats] : resolved.input.policies) {
    for (const SeatInput& seat : seats) {
      const policy::PolicyKind* kind = policies::find_kind(seat.rule);
      const bool reads =
          kind != nullptr && (kind->reads_reports || has_option(*kind, known::min_progress) ||
                              is_judged_by_reports(seat));
      if (reads && seat.mode != host::Mode::off) return;
    }
  }
  findings.warning(place.of("reports"), "W0466", "no rule of this scenario reads \"reports\"",
                   "no reports are simulated");
}

/// A request to save is a rule's; a save when stopped has the grace for it.
void check_saves(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const Place& place = job.place;
  const Node checkpoint = place.of("checkpoint");
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.on_request) {
    bool asked = false;
    for (const auto& [name, seats] : resolved.input.policies) {
      for (const SeatInput& seat : seats) {
        const policy::PolicyKind* kind = policies::find_kind(seat.rule);
        const bool asks = kind != nullptr && (has_option(*kind, known::block_end) ||
                                              states(seat, known::does, "save"));
        asked = asked || (asks && seat.mode != host::Mode::off);
      }
    }
    no_effect_unless(asked, checkpoint, "on_request", "no rule of this scenario requests it",
                     findings);
  }
  if (!plan.on_stop) return;
  const models::Platform& platform = resolved.world().platform;
  const Duration grace = std::max(platform.stop_grace, platform.max_runtime_grace);
  if (*plan.on_stop <= grace) return;
  findings.warning(checkpoint.find("on_stop").value_or(checkpoint), "W0469",
                   fmt::format("a save of {} is too long: jobs end {} after SIGTERM",
                               show(*plan.on_stop), show(grace)),
                   "unsaved work is lost");
}

/// A hook runs when Spot warns.  Common defaults are no mistake of a job on demand.
void check_hook(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const Place& place = job.place;
  const models::World& world = resolved.world();
  if (!profile.checkpoint.on_notice) return;
  if (world.pools[profile.pool.index].market == policy::Market::spot) return;
  const Node checkpoint = place.of("checkpoint");
  const bool own = place.here.find("checkpoint").has_value();
  if (any_spot(world) && (!own || rules_move(resolved.input))) return;
  const bool block = world.pools[profile.pool.index].market == policy::Market::capacity_block;
  no_effect_unless(false, checkpoint, "on_notice",
                   block ? "only rules are notified that the block ends"
                         : "only Spot reclaims instances with notice",
                   findings);
}

/// What is kept only when the job ends in order is lost whenever it does not (F71, F86).
void check_sync(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const Place& place = job.place;
  const models::Checkpoint& plan = profile.checkpoint;
  if (plan.sync != models::Sync::at_end || has_ticks(resolved.world())) return;
  const Node checkpoint = place.of("checkpoint");
  const Node sync = checkpoint.find("sync").value_or(checkpoint);
  const bool spot = resolved.world().pools[profile.pool.index].market == policy::Market::spot;
  if (spot && plan.on_notice) return;  // it is kept when Spot warns
  findings.warning(sync, "W0486",
                   spot ? "nothing is saved before the end: each interruption loses all work"
                        : "nothing is saved before the end: a fault loses all work",
                   "checkpoints count only after an orderly end",
                   "use \"during\" to keep each checkpoint");
}

void check_placement(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  if (profile.placement != models::Placement::single_zone || rules_move(resolved.input)) return;
  const bool zones = !resolved.world().pools[profile.pool.index].zones.empty();
  no_effect_unless(zones, job.place.here, "placement",
                   "its fleet has one zone: \"zones\" is not set", findings);
}

/// A level of use beside what says more.
void check_running(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const bool waiting = job.place.find("gpu_util", "waiting").has_value();
  if (models::is_unmanaged(resolved.world().platform.model) && !waiting) return;
  const bool trace = job.place.find("gpu_util", "trace").has_value();
  if (!trace && !job.place.find("gpu_util", "cdf")) return;
  no_effect_unless(false, job.place.of("gpu_util"), "running",
                   trace ? "the trace sets the utilization" : "the cdf sets the utilization",
                   findings);
}

void check_stragglers(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const auto& speeds = resolved.profile_of(job).throughput;
  if (job.instances == 0 || speeds == nullptr || !speeds->stragglers) return;
  const std::vector<std::uint32_t>& slow = speeds->stragglers->hosts;
  const auto hosts = under(job.place.of("stragglers"), "hosts");
  if (!hosts || hosts->size() != slow.size()) return;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    if (slow[i] <= job.instances) continue;
    findings.warning(
        (*hosts)[i], "W0405",
        fmt::format("host {} of a job with {}", slow[i], counted(job.instances, "instance")),
        "no such host: no host is slowed");
  }
}

/// A gang that takes what is free although a zone alone has room for it, and is slower for it.
void check_spread(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const Place& place = job.place;
  const models::Pool& pool = resolved.world().pools[profile.pool.index];
  const bool matters = pool.zones.size() > 1 && pool.spread_ppm < models::full_speed;
  if (!matters || job.instances < 2 || profile.placement != models::Placement::any) return;
  const bool fits = std::any_of(pool.zones.begin(), pool.zones.end(),
                                [&](const auto& zone) { return zone.instances >= job.instances; });
  if (!fits) return;
  findings.warning(
      place.of("placement"), "W0499",
      fmt::format("a gang of {} may be spread over {} zones", job.instances, pool.zones.size()),
      fmt::format("it then trains at {} of its speed", pool.spread_ppm / 1e6),
      "\"placement\": \"single_zone\"");
}

void check_phases(const Resolved& resolved, const WrittenJob& job, Findings& findings) {
  const models::JobProfile& profile = resolved.profile_of(job);
  const bool whole = profile.faults.empty() && profile.drawn_faults.empty();
  if (!job.work || !whole || profile.utilization == nullptr) return;  // trouble takes longer
  const Duration training = training_time(resolved.world(), profile, *job.work);
  const std::vector<models::UtilPhase>& phases = profile.utilization->phases;
  const Node list = job.place.of("gpu_phases");
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto begins = list[i].find("at");
    if (phases[i].at < training || !begins) continue;
    findings.warning(*begins, "W0476",
                     fmt::format("the phase {} has no effect here", in_quotes(phases[i].name)),
                     fmt::format("training ends after {}", show(training)));
  }
}

/// `job_defaults` are for the list `jobs`; a workload has the same keys itself.
void check_defaults(const Resolved& resolved, Findings& findings) {
  const auto defaults = resolved.input.written->find("job_defaults");
  const auto jobs = resolved.input.written->find("jobs");
  if (!defaults || (jobs && jobs->size() > 0) || !resolved.input.workload) return;
  findings.add(at_key(*defaults, "W0607", "\"job_defaults\" has no effect here",
                      "it is for the list \"jobs\", which is empty or missing", Severity::warning)
                   .with_help("write its keys in \"workload\""));
}

}  // namespace

std::span<const Lint> job_key_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0607", "defaults of no job",
        "`job_defaults` has the default values of the list `jobs`. Jobs of a workload do not use "
        "them: `workload` has the same keys.",
        "\"job_defaults\": { \"max_runtime\": \"2h\" }, \"workload\": { ... }",
        "\"workload\": { \"max_runtime\": \"2h\", ... }"},
       check_defaults,
       RunIf::always},
      {{"W0466", "reports that no rule reads",
        "Only `heartbeat`, `early_stop` and `spot_fallback` read the training reports of a script. "
        "If no policy has one of them, reeve does not simulate reports.",
        "\"reports\": { \"every\": \"1m\" } and no such rule", "{ \"rule\": \"heartbeat\" }"},
       check_reports},
      {{"W0469", "a final save that does not finish in time",
        "The save must finish within `stop_grace` after SIGTERM: 120 s for a training job, 0 s on "
        "self-managed instances.",
        "\"on_stop\": { \"save\": \"150s\" }", "\"on_stop\": { \"save\": \"90s\" }"},
       check_saves},
      {also("W0476"), check_saves},
      {also("W0476"), check_hook},
      {{"W0486", "work that is saved only at the end",
        "With `at_end` nothing is durable before the job ends normally. Ten hours of work on Spot "
        "with interruptions every 90 minutes never end. A crash after 9h50m at $30 loses $295.00, "
        "with a checkpoint each 15 minutes $2.50.",
        "\"checkpoint\": { \"every\": \"15m\", \"sync\": \"at_end\" }",
        "\"checkpoint\": { \"every\": \"15m\" }"},
       check_sync},
      {also("W0476"), check_placement},
      {also("W0476"), check_running},
      {also("W0405"), check_stragglers},
      {{"W0499", "a gang that may be spread over zones",
        "The fleet has several zones, and a spread gang is slower. A job with \"placement\": "
        "\"any\" takes any free instances, and is billed for the slower work.",
        "\"zones\" and \"spread_speed\": 0.8, and a job of several instances with \"placement\": "
        "\"any\"",
        "\"placement\": \"single_zone\""},
       check_spread},
      {also("W0476"), check_phases},
  });
  return rows;
}

}  // namespace reeve::scenarios
