// Lints for rules that can never act, or that act at once, whatever comes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <variant>
#include <vector>

#include "models/failure_reason.hpp"
#include "models/ledger.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// Whether Spot ever warns of a loss.
bool warns_of_losses(const models::World& world) {
  const models::Notice& notice = world.platform.notice;
  return notice.lead > Duration{0} && notice.probability > 0 &&
         std::any_of(world.pools.begin(), world.pools.end(),
                     [](const models::Pool& pool) { return pool.market == policy::Market::spot; });
}

/// Whether a job may ever lose some of its machines, and keep the others.
bool loses_some(const models::World& world) {
  const auto is_loss = [](const auto& fault) { return fault.kind == models::FaultKind::node_lost; };
  const bool machines_break =
      world.platform.model != models::PlatformModel::sagemaker_training &&
      std::any_of(world.pools.begin(), world.pools.end(),
                  [](const models::Pool& pool) { return pool.node_faults.has_value(); });
  return machines_break ||
         std::any_of(world.profiles.begin(), world.profiles.end(), [&](const auto& profile) {
           return profile.elastic != nullptr ||
                  std::any_of(profile.faults.begin(), profile.faults.end(), is_loss) ||
                  std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), is_loss);
         });
}

bool reports_loss(const models::World& world) {
  const auto& profiles = world.profiles;
  return profiles.empty() || std::any_of(profiles.begin(), profiles.end(), [](const auto& profile) {
           return profile.reports != nullptr && profile.reports->loss.has_value();
         });
}

/// What the platform reports itself is certain; what only logs tell is as certain as they are.
double confidence(const models::Platform& platform, policy::FailureClass failure) {
  if (failure == policy::FailureClass::unknown) return 0;
  return models::is_said(platform.model, failure) ? 1 : (100 - platform.log_doubt_pct) / 100.0;
}

policy::ScenarioFacts facts_of(const models::World& world) {
  policy::ScenarioFacts facts{
      .start = world.start,
      .spot_warns = warns_of_losses(world),
      .loses_nodes = loses_some(world),
      .reports_loss = reports_loss(world),
      .self_managed = models::is_unmanaged(world.platform.model),
  };
  for (std::size_t failure = 0; failure < facts.confidence.size(); ++failure) {
    facts.confidence[failure] =
        confidence(world.platform, static_cast<policy::FailureClass>(failure));
  }
  return facts;
}

void check_idle(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                Findings& findings) {
  if (seat.kind->idle == nullptr) return;
  const policy::OptionProblem idle = seat.kind->idle(seat.options, facts_of(resolved.world()));
  if (idle.message.empty()) return;
  const Node rule = places.seat.find("rule").value_or(places.seat);
  findings.warning(places.find(idle.option).value_or(rule), "W0565", idle.message,
                   "the rule never does anything", idle.help);
}

/// A job that spends the whole budget within the time by which the rule is ahead of it.
void check_ahead(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  if (!has(seat, known::limit_usd) || !has(seat, known::ahead) || !seat.scope.is_all()) return;
  if (seat.options.text(known::action) == "notify" || seat.mode == host::Mode::warn) return;
  const bool by_tag = seat.options.text(known::per) == "tag";
  const std::string& key = seat.options.text(known::tag);
  const models::World& world = resolved.world();
  const policy::Duration ahead = seat.options.duration(known::ahead);
  const policy::Usd limit = policy::Usd::from_micros(
      static_cast<std::int64_t>(seat.options.number(known::limit_usd) * 1e6));
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::Pool& pool = world.pools[world.profiles[spec.profile].pool.index];
    if (policy::is_reserved(pool.market) || !pool.prices.empty()) continue;
    const policy::TagSetId tags = world.profiles[spec.profile].tags;
    if (by_tag && !world.directory.tag(tags, key)) continue;  // it has no budget
    const policy::Usd soon = models::to_usd(models::charge(pool.price, spec.instances, ahead));
    if (soon < limit) continue;
    return findings.warning(places.find(known::ahead).value_or(places.seat), "W0566",
                            fmt::format("{} alone spends the whole budget in this time",
                                        in_quotes(world.jobs.names[job])),
                            "it is stopped as soon as it starts",
                            "use the duration of a stop: the stop grace of the platform");
  }
}

/// What to write so that the option has an effect.
std::string help_of(const policy::Companion& companion) {
  if (!companion.help.empty()) return std::string{companion.help};
  std::string words;
  for (const std::string_view word : companion.words) {
    const bool is_last = word == companion.words.back();
    words += (words.empty() ? "" : is_last ? " or " : ", ") + in_quotes(word);
  }
  return fmt::format("\"{}\": {}", companion.option, words);
}

/// An option of the rule itself that has no effect; a preset may have more than one rule needs.
void check_companions(const Resolved& /*resolved*/, const SeatSpec& seat,
                      const OptionPlaces& places, Findings& findings) {
  const OptionPlaces own{places.seat, places.own, std::nullopt};
  for (const policy::OptionSpec& option : seat.kind->options) {
    const policy::Companion& companion = option.companion;
    if (companion.option.empty() || !has(seat, companion.option)) continue;
    const auto written = own.find(option.name);
    if (!written || !companion.turns_off(seat.options.value(companion.option))) continue;
    findings.warning(*written, "W0569", fmt::format("{} is ignored", in_quotes(option.name)),
                     fmt::format("because of the value of {}", in_quotes(companion.option)),
                     help_of(companion));
  }
}

/// Jobs wait to be started, or placed, only where a rule in enforce is there to do it.
void check_admission(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places, Findings& findings) {
  if (!seat.kind->schedules && !seat.kind->places) return;
  if (seat.mode == host::Mode::enforce || has_ticks(resolved.world())) return;
  const auto holds_jobs = [](const SeatSpec& other) {
    const bool holds = other.kind->schedules || other.kind->places;
    return holds && other.mode == host::Mode::enforce;
  };
  if (std::any_of(policy.seats.begin(), policy.seats.end(), holds_jobs)) return;
  const bool warns = seat.mode == host::Mode::warn;
  findings.warning(places.seat.find("mode").value_or(places.seat), "W0568",
                   fmt::format("{} has no effect in {}: no job waits for it", in_quotes(seat.label),
                               warns ? "warn" : "shadow"),
                   "jobs are submitted at once, as without it",
                   seat.kind->places ? "use enforce, or add { \"rule\": \"schedule\" } in enforce"
                                     : "compare it in enforce with another policy");
}

}  // namespace

std::span<const Lint> idle_rule_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0565", "a rule without effect",
        "Each option is valid, but the rule can never act in this scenario, or its action changes "
        "nothing. To turn the rule off, write \"mode\": \"off\".",
        "{ \"rule\": \"min_gpu\", \"min_pct\": 0 }", "{ \"rule\": \"min_gpu\", \"min_pct\": 5 }"},
       check_idle},
      {{"W0566", "a budget that is spent before its jobs begin",
        "The rule acts `ahead` of the time when the budget is spent. If one job alone spends all "
        "of it in that time, the rule stops the job as it begins.",
        "\"limit_usd\": 5040, \"ahead\": \"7d\" and an instance at $30/h", "\"ahead\": \"2m\""},
       check_ahead},
      {{"W0568", "a rule that no job waits for",
        "Jobs wait to be started or placed only for a rule in enforce. In shadow or warn, alone, "
        "such a rule finds no job in the queue and decides nothing.",
        "[{ \"rule\": \"schedule\", \"mode\": \"shadow\" }]",
        "[{ \"rule\": \"schedule\" }], compared with a policy without it"},
       check_admission},
      {{"W0569", "an option without effect",
        "It applies only together with another option, which is unset or turned off here, or to "
        "another algorithm. Examples: a warning time without a warning, quiet hours without days, "
        "a lease without \"algorithm\": \"themis\".",
        "{ \"rule\": \"max_instances\", \"limit\": 3, \"warn_for\": \"2h\" }",
        "the same with \"action\": \"warn_then_stop\", or without \"warn_for\""},
       check_companions},
  });
  return rows;
}

}  // namespace reeve::scenarios
