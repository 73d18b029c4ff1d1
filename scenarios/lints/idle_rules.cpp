// Lints for rules that can never act, or that act at once, whatever comes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/failure_reason.hpp"
#include "models/ledger.hpp"
#include "policies/weekly_options.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/load/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// Why a rule never does anything.
struct Idle {
  std::string_view option;
  std::string_view message;
  std::string_view help;
};

constexpr std::string_view off = "use \"mode\": \"off\"";

/// No job is interrupted so often, and no other test is on.
bool never_leaves(const policy::Options& options) {
  constexpr std::int64_t never = 65535;
  return options.integer("interruptions_above") >= never && options.number("rate_above") <= 0 &&
         options.number("pooled_above") <= 0 && options.number("min_progress") <= 0 &&
         options.integer("timeouts") == 0 && !options.flag("after_max_wait");
}

/// Each end that it waits for is a class of failure that is never as sure as it asks for: what
/// only logs tell is as sure as they are, what nobody knows is not sure at all.
bool is_never_sure(const models::World& world, const policy::Options& options) {
  constexpr std::string_view failed = "failed:";
  const double least = options.number("min_confidence");
  const auto too_unsure = [&](const std::string& end) {
    if (!end.starts_with(failed)) return false;
    const auto failure = policy::failure_class_named(end.substr(failed.size()));
    if (!failure) return false;
    if (*failure == policy::FailureClass::unknown) return least > 0;
    if (models::is_said(world.platform.model, *failure)) return false;
    return (100 - world.platform.log_doubt_pct) / 100.0 < least;
  };
  const std::vector<std::string>& ends = options.texts("when");
  return !ends.empty() && std::all_of(ends.begin(), ends.end(), too_unsure);
}

/// By its numbers: there is nothing below or beyond them.
const Idle* idle_by_number(const SeatSpec& seat) {
  static constexpr Idle capacity{"below_pct", "no capacity has a utilization below 0 %", off};
  static constexpr Idle use{"min_pct", "no GPU has a utilization below 0 %", off};
  static constexpr Idle alarm{"threshold", "no GPU utilization is below 0", "\"compare\": \"<=\""};
  static constexpr Idle resumes{"max_resumes", "the rule may not resume any job", off};
  static constexpr Idle neither{"action.stop", "the rule neither stops nor notifies",
                                "\"notify\": [\"job_owner\"], or \"mode\": \"off\""};
  static constexpr Idle leaves{"interruptions_above", "no job has more than 65535 interruptions",
                               "use a lower number or another test"};
  const std::string_view kind = seat.kind->name;
  const policy::Options& options = seat.options;
  if (kind == "spot_fallback" && never_leaves(options)) return &leaves;
  if (kind == "idle_capacity" && options.number("below_pct") <= 0) return &capacity;
  if (kind == "min_gpu" && options.number("min_pct") <= 0) return &use;
  if (kind == "resume" && options.integer("max_resumes") == 0) return &resumes;
  if (kind != "stalled_gpu") return nullptr;
  if (!options.flag("action.stop") && options.texts("action.notify").empty()) return &neither;
  const bool below = options.text("compare") == "<" && options.text("missing") != "breaching";
  return below && options.number("threshold") <= 0 ? &alarm : nullptr;
}

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

/// Whether nothing of what people are to be told of ever happens here.
bool has_no_news(const models::World& world, const policy::Options& options) {
  const std::vector<std::string>& events = options.texts("events");
  return std::all_of(events.begin(), events.end(), [&](const std::string& event) {
    return (event == "spot_notice" && !warns_of_losses(world)) ||
           (event == "nodes_lost" && !loses_some(world));
  });
}

bool is_always_open(const SeatSpec& seat, const std::string& prefix, policy::Instant at) {
  const policy::WeeklyHours hours = policies::weekly_hours(seat.options, prefix);
  const policy::Instant opens = hours.opens(at);
  return opens != policy::never && hours.open_until(opens) == policy::never;
}

/// By the world that it is in, or by what it was told to do.
const Idle* idle_here(const models::World& world, const SeatSpec& seat) {
  static constexpr Idle quiet{"quiet_hours.from",
                              "quiet hours cover the whole week: no notification is sent",
                              "shorten the quiet hours"};
  static constexpr Idle open{"from", "the hours cover the whole week: no job is outside them", off};
  static constexpr Idle loss{"rule", "no job reports a loss",
                             "add \"loss\" to \"reports\" of the jobs"};
  static constexpr Idle machines{"instances", "a managed platform leaves no orphaned instances",
                                 "\"alarms\": true sweeps orphaned alarms"};
  static constexpr Idle unsure{
      "min_confidence", "no such failure ever reaches this confidence",
      "use at most \"log_confidence\"; the confidence of an unknown failure is 0"};
  static constexpr Idle no_news{"events", "none of these events occurs in this scenario",
                                "\"spot_notice\" needs Spot with notices (\"model\": \"ec2\"); "
                                "\"nodes_lost\" needs gangs that lose single instances"};
  const std::string_view kind = seat.kind->name;
  const policy::Options& options = seat.options;
  if (kind == "notify" && has_no_news(world, options)) return &no_news;
  if (kind == "resume" && is_never_sure(world, options)) return &unsure;
  if (kind == "notify" && is_always_open(seat, "quiet_hours.", world.start)) return &quiet;
  if (kind == "office_hours" && is_always_open(seat, "", world.start)) return &open;
  const auto reports_loss = [](const models::JobProfile& profile) {
    return profile.reports != nullptr && profile.reports->loss.has_value();
  };
  const auto& profiles = world.profiles;
  if (kind == "early_stop" && !profiles.empty() &&
      std::none_of(profiles.begin(), profiles.end(), reports_loss)) {
    return &loss;
  }
  const bool managed = !models::is_unmanaged(world.platform.model);
  const bool only_machines =
      kind == "orphan_sweep" && !options.flag("alarms") && !options.flag("gangs");
  return only_machines && managed ? &machines : nullptr;
}

void check_idle(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                Findings& findings) {
  const Idle* idle = idle_by_number(seat);
  if (idle == nullptr) idle = idle_here(resolved.world(), seat);
  if (idle == nullptr) return;
  const Node rule = places.seat.find("rule").value_or(places.seat);
  findings.warning(places.find(idle->option).value_or(rule), "W0565", std::string{idle->message},
                   "the rule never does anything", std::string{idle->help});
}

/// A job that spends the whole budget within the time by which the rule is ahead of it.
void check_ahead(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                 Findings& findings) {
  if (seat.kind->name != "budget" || !seat.scope.is_all()) return;
  if (seat.options.text("action") == "notify" || seat.mode == host::Mode::warn) return;
  const bool by_tag = seat.options.text("per") == "tag";
  const std::string& key = seat.options.text("tag");
  const models::World& world = resolved.world();
  const policy::Duration ahead = seat.options.duration("ahead");
  const policy::Usd limit =
      policy::Usd::from_micros(static_cast<std::int64_t>(seat.options.number("limit_usd") * 1e6));
  for (std::size_t job = 0; job < world.jobs.specs.size(); ++job) {
    const models::JobSpec& spec = world.jobs.specs[job];
    const models::Pool& pool = world.pools[world.profiles[spec.profile].pool.index];
    if (policy::is_reserved(pool.market) || !pool.prices.empty()) continue;
    const policy::TagSetId tags = world.profiles[spec.profile].tags;
    if (by_tag && !world.directory.tag(tags, key)) continue;  // it has no budget
    const policy::Usd soon = models::to_usd(models::charge(pool.price, spec.instances, ahead));
    if (soon < limit) continue;
    return findings.warning(places.find("ahead").value_or(places.seat), "W0566",
                            fmt::format("{} alone spends the whole budget in this time",
                                        in_quotes(world.jobs.names[job])),
                            "it is stopped as soon as it starts",
                            "use the duration of a stop: the stop grace of the platform");
  }
}

/// An option that only means something beside another, as that one is.
struct Unread {
  std::string_view option;
  std::string_view beside;
  std::string_view help;
  std::string_view word =
      {};  ///< of a choice, with which it means nothing; empty: with all but one
};

constexpr std::array unread{
    Unread{"warn_for", "action", R"("action": "warn_then_stop")"},
    Unread{"rate_window", "rate_above", R"("rate_above": 0.5)"},
    Unread{"pooled_window", "pooled_above", R"("pooled_above": 0.5)"},
    Unread{"timeouts_window", "timeouts", R"("timeouts": 3)"},
    Unread{"ahead", "action", R"("action": "stop")", "notify"},
    Unread{"pooled_min_hours", "pooled_above", R"("pooled_above": 0.5)"},
    Unread{"reminders", "remind_every", R"("remind_every": "4h")"},
    Unread{"improvement_pct", "plateau", R"("plateau": "6h")"},
    Unread{"quiet_hours.from", "quiet_hours.days", R"("days": ["sat", "sun"])"},
    Unread{"quiet_hours.to", "quiet_hours.days", R"("days": ["sat", "sun"])"},
    Unread{"quiet_hours.utc_offset_h", "quiet_hours.days", R"("days": ["sat", "sun"])"},
};

/// Whether the option beside it is as it is where that one is not looked at.
bool says_nothing(const policy::OptionValue& value, std::string_view word) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return word.empty() ? *text != "warn_then_stop" : *text == word;
  }
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count <= 0;
  if (const auto* length = std::get_if<Duration>(&value)) return *length <= Duration{0};
  if (const auto* number = std::get_if<double>(&value)) return *number <= 0;
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  return texts != nullptr && texts->empty();
}

/// What the rule itself writes and nothing looks at; a preset may have more than one rule needs.
void check_unread(const Resolved& /*resolved*/, const SeatSpec& seat, const OptionPlaces& places,
                  Findings& findings) {
  const OptionPlaces own{places.seat, places.own, std::nullopt};
  for (const Unread& option : unread) {
    if (!has_option(*seat.kind, option.option) || !has_option(*seat.kind, option.beside)) continue;
    const auto written = own.find(option.option);
    if (!written || !says_nothing(seat.options.value(option.beside), option.word)) {
      continue;
    }
    findings.warning(*written, "W0569", fmt::format("{} is ignored", in_quotes(option.option)),
                     fmt::format("because of the value of {}", in_quotes(option.beside)),
                     std::string{option.help});
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
        "It applies only together with another option, which is unset or turned off here. "
        "Examples: a warning time without a warning, quiet hours without days.",
        "{ \"rule\": \"max_instances\", \"limit\": 3, \"warn_for\": \"2h\" }",
        "the same with \"action\": \"warn_then_stop\", or without \"warn_for\""},
       check_unread},
  });
  return rows;
}

}  // namespace reeve::scenarios
