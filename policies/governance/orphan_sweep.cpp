#include "orphan_sweep.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <reeve/policy/policy.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "held_back.hpp"
#include "job_news.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kEnd = "was left running by an attempt that is over";
constexpr std::string_view kDelete = "watches an attempt that is over";
constexpr std::string_view kStop = "has lost machines and waits for them";

/// What is left over is ended at the sweeps, which are `every` apart and count from the rule's
/// first step; gangs as soon as they have waited for so long.  What is due is kept by its time, and
/// the rule's one timer is set for the first of it: while nothing is left there is none.
class OrphanSweep final : public Policy {
 public:
  explicit OrphanSweep(const Options& options)
      : every_{options.duration("every")},
        idle_{options.duration("idle")},
        gang_after_{options.duration("gang_after")},
        ends_instances_{options.flag("instances")},
        deletes_alarms_{options.flag("alarms")},
        stops_gangs_{options.flag("gangs")} {}

  void decide(const Step& step, Decisions& out) override {
    if (first_ == never) first_ = step.now;
    for (const Observation& seen : step.observed) {
      const auto* settled = std::get_if<ActionSettled>(&seen.fact);
      if (settled != nullptr) settle(*settled, step, out);
    }
    for (const Observation& seen : step.observed) hear(seen, step);
    for (const Target& held : held_.released(step, out)) reconsider(held, step.now);
    while (!due_.empty() && due_.begin()->at <= step.now) {
      const Due due = *due_.begin();
      due_.erase(due_.begin());
      act(due, step, out);
    }
    if (due_.empty() || due_.begin()->at == armed_) return;
    armed_ = due_.begin()->at;
    constexpr JobId nobody{std::numeric_limits<std::uint32_t>::max()};  // HeldBack's is another key
    out.wake_at(TimerKey{.job = nobody, .purpose = 1}.packed(), armed_);
  }

 private:
  using Target = HeldBack::Target;
  enum class Kind : std::uint8_t { machines, alarms, gang };

  struct Due {
    Instant at;
    Kind kind = Kind::machines;
    Target of;
    friend constexpr auto operator<=>(const Due&, const Due&) = default;
  };

  /// Machines of an attempt that is over, or a gang that waits for some of its own.
  struct Left {
    Instant since;
    Instant told;                 ///< the newest news of it
    std::uint32_t instances = 0;  ///< 0: they are gone
    bool asked = false;           ///< that they be ended, each incident once
  };

  /// Alarms of one attempt, by seat and host.
  struct Alarms {
    Instant over = never;  ///< since when there is nothing to watch
    std::map<std::pair<std::uint16_t, std::uint32_t>, bool> asked;  ///< that it be deleted
  };

  Instant sweep_from(Instant at) const {
    const std::int64_t gone = (at - first_).count();
    const std::int64_t sweeps = gone / every_.count() + (gone % every_.count() > 0 ? 1 : 0);
    const bool ever = sweeps <= (never - first_).count() / every_.count();
    return ever ? first_ + sweeps * every_ : never;
  }

  /// At the first sweep that finds it left over for long enough.
  void await_sweep(Kind kind, const Target& of, Instant since, Instant now) {
    const Instant at = later(since, idle_);
    if (at != never) await(kind, of, sweep_from(std::max(at, now)));
  }

  void await(Kind kind, const Target& of, Instant at) {
    if (at != never) due_.insert({at, kind, of});
  }

  void hear(const Observation& seen, const Step& step) {
    if (const auto* left = std::get_if<MachinesLeft>(&seen.fact)) {
      if (ends_instances_) hear_of_machines(*left, seen.happened_at, step.now);
    } else if (const auto* lost = std::get_if<NodesLost>(&seen.fact)) {
      if (!stops_gangs_) return;
      const Target of{lost->job, lost->attempt};
      const auto [gang, is_new] =
          gangs_.try_emplace(of, Left{.since = seen.happened_at, .told = seen.happened_at});
      if (is_new) await(Kind::gang, of, later(gang->second.since, gang_after_));
    } else if (const auto* news = std::get_if<JobChanged>(&seen.fact)) {
      // Whoever has entered another status since goes on without them, or is over.
      const auto gang = gangs_.find({news->job, news->attempt});
      if (gang != gangs_.end() && seen.happened_at >= gang->second.since) gangs_.erase(gang);
      look_at_alarms(news->job, step);
    } else if (const auto* submitted = std::get_if<JobSubmitted>(&seen.fact)) {
      look_at_alarms(submitted->job, step);
    }
    if (parked_.empty()) return;
    if (const auto job = job_with_news(seen, step.seat)) unpark(*job, step.now);
  }

  void hear_of_machines(const MachinesLeft& news, Instant at, Instant now) {
    const Target of{news.job, news.attempt};
    const auto [known, is_new] = machines_.try_emplace(of, Left{.since = at, .told = at});
    Left& left = known->second;
    if (at < left.told) return;
    left.told = at;
    left.instances = news.instances;
    if (is_new) await_sweep(Kind::machines, of, at, now);
  }

  /// Those of attempts that have ended meanwhile, or that another has followed.
  void look_at_alarms(JobId job, const Step& step) {
    if (alarms_.empty()) return;
    const JobStatus& status = step.fleet.status(job);
    for (auto known = alarms_.lower_bound({job, 0}); known != alarms_.end(); ++known) {
      const auto& [of, alarms] = *known;
      if (of.job != job || of.attempt > status.attempt) return;
      if (alarms.over != never) continue;
      const bool followed = of.attempt < status.attempt;
      if (!followed && !is_terminal(status.primary)) return;
      known->second.over = followed ? status.requested_at : status.ended_at;
      await_sweep(Kind::alarms, of, alarms.over, step.now);
    }
  }

  /// Alarms exist from a put that may have worked to a deletion that did, whoever asked for them.
  void keep_account(const ActionSettled& settled, const Step& step) {
    const Target of{settled.job, settled.attempt};
    const std::pair alarm{settled.alarm_seat, settled.host};
    if (settled.verb == VerbKind::put_alarm && settled.outcome != Outcome::refused) {
      const auto [known, is_new] = alarms_.try_emplace(of);
      known->second.asked.try_emplace(alarm, false);
      if (is_new) return look_at_alarms(of.job, step);
      if (known->second.over == never) return;
      await_sweep(Kind::alarms, of, known->second.over, step.now);
    } else if (settled.verb == VerbKind::delete_alarm && worked(settled)) {
      const auto known = alarms_.find(of);
      if (known == alarms_.end()) return;
      known->second.asked.erase(alarm);
      if (known->second.asked.empty()) alarms_.erase(known);
    }
  }

  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    if (deletes_alarms_) keep_account(settled, step);
    if (settled.seat != step.seat) return;
    const Again when = again(settled);
    const Target of{settled.job, settled.attempt};
    if (when != Again::with_news) unpark(settled.job, step.now);  // its own way is free again
    if (when == Again::never) return;
    bool* const asked = asked_of(settled);
    if (asked == nullptr) return;
    *asked = false;
    if (when == Again::when_released) return held_.add(settled, out);
    if (when == Again::with_news) {
      parked_.insert(of);
    } else {
      await(kind_of(settled), of, later(step.now, kAskAgainAfter));
    }
  }

  /// A message stands for what it warns of: a gang that waits, or, once it is over, its machines.
  Kind kind_of(const ActionSettled& settled) const {
    if (settled.verb == VerbKind::delete_alarm) return Kind::alarms;
    if (settled.verb == VerbKind::stop_job) return Kind::gang;
    const bool warned_of_gang =
        settled.verb == VerbKind::notify && !machines_.contains({settled.job, settled.attempt});
    return warned_of_gang ? Kind::gang : Kind::machines;
  }

  /// Where it stands that this was asked for; null if nothing of it is left.
  bool* asked_of(const ActionSettled& settled) {
    const Target of{settled.job, settled.attempt};
    if (settled.verb == VerbKind::delete_alarm) {
      const auto known = alarms_.find(of);
      if (known == alarms_.end()) return nullptr;
      const auto alarm = known->second.asked.find({settled.alarm_seat, settled.host});
      return alarm == known->second.asked.end() ? nullptr : &alarm->second;
    }
    auto& lefts = kind_of(settled) == Kind::gang ? gangs_ : machines_;
    const auto known = lefts.find(of);
    return known == lefts.end() ? nullptr : &known->second.asked;
  }

  void unpark(JobId job, Instant now) {
    for (auto parked = parked_.lower_bound({job, 0});
         parked != parked_.end() && parked->job == job;) {
      reconsider(*parked, now);
      parked = parked_.erase(parked);
    }
  }

  /// Whatever of it was asked for in vain; what is not due yet is not ended sooner.
  void reconsider(const Target& of, Instant now) {
    for (const Kind kind : {Kind::machines, Kind::alarms, Kind::gang}) await(kind, of, now);
  }

  void act(const Due& due, const Step& step, Decisions& out) {
    const auto [job, attempt] = due.of;
    if (due.kind == Kind::machines) {
      const auto left = machines_.find(due.of);
      if (left == machines_.end() || left->second.instances == 0 || left->second.asked) return;
      if (later(left->second.since, idle_) > step.now) return;
      left->second.asked = true;
      out.propose(TerminateInstances{job, attempt}, kEnd);
    } else if (due.kind == Kind::gang) {
      const auto gang = gangs_.find(due.of);
      if (gang == gangs_.end() || gang->second.asked) return;
      if (later(gang->second.since, gang_after_) > step.now) return;
      const JobStatus& status = step.fleet.status(job);
      // Those that trained on wait for what is gone; a gang that starts anew does not.
      if (status.attempt != attempt || status.secondary != Secondary::training) return;
      gang->second.asked = true;
      out.propose(StopJob{job, attempt, StopCause::standing_still}, kStop);
    } else {
      delete_alarms(due.of, step, out);
    }
  }

  void delete_alarms(const Target& of, const Step& step, Decisions& out) {
    const auto known = alarms_.find(of);
    if (known == alarms_.end() || known->second.over == never) return;
    if (later(known->second.over, idle_) > step.now) return;
    for (auto& [alarm, asked] : known->second.asked) {
      if (std::exchange(asked, true)) continue;
      const AlarmId id{.job = of.job, .host = alarm.second, .seat = alarm.first};
      out.propose(DeleteAlarm{.alarm = id, .attempt = of.attempt, .of_others = true}, kDelete);
    }
  }

  Duration every_;
  Duration idle_;
  Duration gang_after_;
  bool ends_instances_;
  bool deletes_alarms_;
  bool stops_gangs_;
  Instant first_ = never;  ///< step: sweeps count from there
  Instant armed_ = never;  ///< what the timer is set for
  std::set<Due> due_;
  std::set<Target> parked_;          ///< another action on the job stood in the way
  std::map<Target, Left> machines_;  ///< gone ones too: what is told late of them is old
  std::map<Target, Left> gangs_;
  std::map<Target, Alarms> alarms_;
  HeldBack held_;
};

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<OrphanSweep>(options);
}

OptionProblem check(const Options& options) {
  if (options.flag("instances") || options.flag("alarms") || options.flag("gangs")) return {};
  return {.option = "instances",
          .message = "this rule is told to leave everything alone",
          .help = "set one of instances, alarms and gangs to true",
          .against = "gangs"};
}

std::vector<OptionSpec> option_table() {
  return {
      {.name = "every",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("30m")",
       .min = 1,
       .choices = {},
       .help = "from sweep to sweep, counted from the first step of the rule"},
      {.name = "idle",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("15m")",
       .min = 0,
       .choices = {},
       .help = "how long machines and alarms are left over before a sweep ends them"},
      {.name = "instances",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "give machines back that outlive their attempt; those without a tag that says whose "
               "they are stay"},
      {.name = "alarms",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "delete alarms of any rule that watch an attempt which is over"},
      {.name = "gangs",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "stop an attempt that has lost machines for good and waits for them"},
      {.name = "gang_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("5m")",
       .min = 0,
       .choices = {},
       .help = "how long it may wait; not only at sweeps"},
  };
}

}  // namespace

PolicyKind orphan_sweep_kind() {
  return {
      .name = "orphan_sweep",
      .summary = "ends what attempts leave behind: machines, alarms, gangs that lost machines",
      .source =
          "Rand, A Simple Solution for Managing Cloud-Based ML-Training: machines that do not shut "
          "down; Rand & Margalit (2023): alarms of jobs that time out",
      .options = option_table(),
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
