#include "orphan_sweep.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <limits>
#include <map>
#include <reeve/policy/policy.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "held_back.hpp"
#include "job_events.hpp"
#include "timer_key.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kEnd = "was left running by an attempt that is over";
constexpr std::string_view kDelete = "watches an attempt that is over";
constexpr std::string_view kStop = "has lost machines and waits for them";

/// How late status events arrive: the longest delay of the newest hundred to two hundred.
class EventLateness {
 public:
  void add(Duration late) {
    newest_ = std::max(newest_, late);
    if (++count_ < 100) return;
    before_ = std::exchange(newest_, Duration{0});
    count_ = 0;
  }
  Duration longest() const { return std::max(newest_, before_); }

 private:
  Duration newest_{0};
  Duration before_{0};
  unsigned count_ = 0;
};

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
    constexpr JobId no_job{std::numeric_limits<std::uint32_t>::max()};  // HeldBack's is another key
    out.wake_at(TimerKey{.job = no_job, .purpose = 1}.packed(), armed_);
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
    Instant told;                 ///< the time of its newest event
    std::uint32_t instances = 0;  ///< 0: they are gone
    bool asked = false;           ///< that they be ended, once unless it came to nothing
    Instant done = never;         ///< when that is said to have been done
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

  /// What the platform refused may be let by the next sweep; what it refuses again and again it is
  /// asked for less and less often, yet each day or so.
  Instant sweep_after_refusal(Instant since, Instant now) const {
    constexpr Duration most = std::chrono::hours{24};
    const Duration left = since < now ? std::min((now - since) / 2, most) : Duration{0};
    return sweep_from(later(now, left + Duration{1}));
  }

  /// The event that it continues may arrive later than the event that it lost instances: it waits
  /// twice as long as such events take.
  Instant gang_due(const Left& gang) const {
    const Duration late = late_.longest();
    return later(later(later(gang.since, gang_after_), late), late);
  }

  Duration delay_of(const Observation& seen, Instant now) const {
    return std::max(Duration{0}, now - std::max(seen.happened_at, first_));
  }

  void hear(const Observation& seen, const Step& step) {
    if (const auto* left = std::get_if<MachinesLeft>(&seen.fact)) {
      if (ends_instances_) hear_of_machines(*left, seen.happened_at, step.now);
    } else if (const auto* lost = std::get_if<NodesLost>(&seen.fact)) {
      if (!stops_gangs_) return;
      late_.add(delay_of(seen, step.now));
      const Target of{lost->job, lost->attempt};
      const auto [gang, is_new] =
          gangs_.try_emplace(of, Left{.since = seen.happened_at, .told = seen.happened_at});
      // Of the newest loss: that it went on after one before says nothing.
      if (!is_new && seen.happened_at <= gang->second.since) return;
      gang->second.since = seen.happened_at;
      await(Kind::gang, of, gang_due(gang->second));
    } else if (const auto* event = std::get_if<JobChanged>(&seen.fact)) {
      late_.add(delay_of(seen, step.now));
      // An attempt that has entered another status since then continues without them, or has ended.
      const auto gang = gangs_.find({event->job, event->attempt});
      if (gang != gangs_.end() && seen.happened_at >= gang->second.since) {
        gangs_.erase(gang);
      } else if (gang != gangs_.end() && !gang->second.asked) {
        await(Kind::gang, gang->first, std::max(step.now, gang_due(gang->second)));
      }
      look_at_alarms(event->job, step);
    } else if (const auto* submitted = std::get_if<JobSubmitted>(&seen.fact)) {
      late_.add(delay_of(seen, step.now));
      look_at_alarms(submitted->job, step);
    }
    if (parked_.empty()) return;
    if (const auto job = job_to_review(seen, step.seat)) unpark(*job, step.now);
  }

  void hear_of_machines(const MachinesLeft& event, Instant at, Instant now) {
    const Target of{event.job, event.attempt};
    const auto [known, is_new] = machines_.try_emplace(of, Left{.since = at, .told = at});
    Left& left = known->second;
    if (at < left.told) return;
    left.told = at;
    left.instances = event.instances;
    // Not all of them were ended: the next sweep asks again.
    const bool some_stay =
        event.instances > 0 && at > left.done && std::exchange(left.asked, false);
    if (is_new || some_stay) await_sweep(Kind::machines, of, left.since, now);
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

  /// Alarms exist from a put that may have worked to a deletion that did, whichever rule made them.
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
    const auto ended = machines_.find({settled.job, settled.attempt});
    if (ended != machines_.end() && settled.verb == VerbKind::terminate_instances) {
      ended->second.done = worked(settled) ? step.now : never;
    }
    const Again when = again(settled);
    const bool by_platform = settled.refusal == Refusal::platform;
    const Target of{settled.job, settled.attempt};
    if (when != Again::after_other_action)
      unpark(settled.job, step.now);  // its own way is free again
    if (when == Again::not_needed && !by_platform) return;
    bool any = false;
    for (const Kind kind : {Kind::machines, Kind::alarms, Kind::gang}) {
      const Instant since = take_back(kind, settled);
      if (since == never) continue;
      any = true;
      if (by_platform) {
        await(kind, of, sweep_after_refusal(since, step.now));
      } else if (when == Again::later || when == Again::when_room) {
        await(kind, of, later(step.now, kAskAgainAfter));
      }
    }
    if (any && when == Again::when_released) held_.add(settled, out);
    if (any && when == Again::after_other_action) parked_.insert(of);
  }

  /// It was not asked for after all; since when it is left over, never if nothing was asked for.  A
  /// message stands for all that was found of the attempt: people are told of that once.
  Instant take_back(Kind kind, const ActionSettled& settled) {
    constexpr std::array verbs{VerbKind::terminate_instances, VerbKind::delete_alarm,
                               VerbKind::stop_job};  // in the order of Kind
    const bool of_all = settled.verb == VerbKind::notify;
    if (!of_all && settled.verb != verbs[static_cast<std::size_t>(kind)]) return never;
    const Target of{settled.job, settled.attempt};
    if (kind != Kind::alarms) {
      auto& lefts = kind == Kind::gang ? gangs_ : machines_;
      const auto known = lefts.find(of);
      const bool was = known != lefts.end() && std::exchange(known->second.asked, false);
      return was ? known->second.since : never;
    }
    const auto known = alarms_.find(of);
    if (known == alarms_.end()) return never;
    bool any = false;
    for (auto& [alarm, asked] : known->second.asked) {
      if (of_all || alarm == std::pair{settled.alarm_seat, settled.host}) {
        any = std::exchange(asked, false) || any;
      }
    }
    return any ? known->second.over : never;
  }

  void unpark(JobId job, Instant now) {
    for (auto parked = parked_.lower_bound({job, 0});
         parked != parked_.end() && parked->job == job;) {
      reconsider(*parked, now);
      parked = parked_.erase(parked);
    }
  }

  /// Actions on it that had no effect are due again; what is not due yet stays as it is.
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
      const std::string machines = std::to_string(left->second.instances) + " left";
      out.propose(TerminateInstances{job, attempt}, kEnd,
                  machines + " for " + length_text(step.now - left->second.since));
    } else if (due.kind == Kind::gang) {
      const auto gang = gangs_.find(due.of);
      if (gang == gangs_.end() || gang->second.asked) return;
      const Instant at = gang_due(gang->second);
      if (at > step.now) return await(Kind::gang, due.of, at);
      const JobStatus& status = step.fleet.status(job);
      // That it goes on may have been told before the loss was.
      const bool went_on = status.attempt == attempt && status.since >= gang->second.since;
      if (went_on) {
        gangs_.erase(gang);
        return;
      }
      // Those that trained on wait for what is gone; a gang that starts anew does not.
      if (status.attempt != attempt || status.secondary != Secondary::training) return;
      gang->second.asked = true;
      out.propose(StopJob{job, attempt, StopCause::standing_still}, kStop,
                  "lost " + length_text(step.now - gang->second.since) + " ago");
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
      out.propose(DeleteAlarm{.alarm = id, .attempt = of.attempt, .of_others = true}, kDelete,
                  "over for " + length_text(step.now - known->second.over));
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
  EventLateness late_;
  HeldBack held_;
};

std::unique_ptr<Policy> make_orphan_sweep(const Options& options) {
  return std::make_unique<OrphanSweep>(options);
}

OptionProblem check_orphan_sweep(const Options& options) {
  if (options.flag("instances") || options.flag("alarms") || options.flag("gangs")) return {};
  return {.option = "instances",
          .message = "is false, and so are alarms and gangs: the rule can never act",
          .help = "set one of instances, alarms and gangs to true",
          .against = "gangs"};
}

std::vector<OptionSpec> orphan_sweep_options() {
  return {
      {.name = "every",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("30m")",
       .min = 1,
       .choices = {},
       .help = "interval between sweeps, counted from the first event that the rule receives",
       .vary = Vary::up},
      {.name = "idle",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("15m")",
       .min = 0,
       .choices = {},
       .help = "minimum age of orphaned instances and alarms that a sweep removes"},
      {.name = "instances",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "terminate instances that outlive their attempt; untagged instances stay"},
      {.name = "alarms",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "delete alarms of any rule whose attempt has ended"},
      {.name = "gangs",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "stop an attempt that lost instances and waits for them"},
      {.name = "gang_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("5m")",
       .min = 0,
       .choices = {},
       .help = "how long a gang may wait, plus twice the delay of status events; checked between "
               "sweeps, too",
       .vary = Vary::up},
  };
}

OptionProblem idle_orphan_sweep(const Options& options, const ScenarioFacts& facts) {
  if (facts.self_managed || options.flag("alarms") || options.flag("gangs")) return {};
  return {.option = "instances",
          .message = "a managed platform leaves no orphaned instances",
          .help = "\"alarms\": true sweeps orphaned alarms"};
}

std::vector<VerbKind> orphan_sweep_verbs(const Options& options) {
  std::vector<VerbKind> all;
  if (options.flag("instances")) all.push_back(VerbKind::terminate_instances);
  if (options.flag("alarms")) all.push_back(VerbKind::delete_alarm);
  if (options.flag("gangs")) all.push_back(VerbKind::stop_job);
  return all;
}

}  // namespace

PolicyKind orphan_sweep_kind() {
  return {
      .name = "orphan_sweep",
      .summary = "removes orphaned instances and alarms, and stops gangs that lost instances",
      .source =
          "Rand, A Simple Solution for Managing Cloud-Based ML-Training (2023): instances that do "
          "not shut down; Rand & Margalit (2023): alarms of jobs that time out",
      .options = orphan_sweep_options(),
      .minds_alarms = true,
      .check = check_orphan_sweep,
      .idle = idle_orphan_sweep,
      .verbs = orphan_sweep_verbs,
      .make = make_orphan_sweep,
  };
}

}  // namespace reeve::policies
