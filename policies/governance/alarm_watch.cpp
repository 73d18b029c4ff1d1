#include "alarm_watch.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "held_back.hpp"
#include "job_news.hpp"
#include "job_table.hpp"
#include "status_names.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kArm = "watch GPU use while the job trains";
constexpr std::string_view kDisarm = "nothing left to watch";

constexpr std::uint16_t kStopTimer = 0;
constexpr std::uint16_t kArmTimer = 1;
constexpr std::uint16_t kRemoveTimer = 2;
constexpr std::uint16_t kTellTimer = 3;

constexpr std::uint32_t kNoHost = 0;
constexpr std::uint32_t kMostHosts = 1'000'000;
constexpr std::string_view kHostPrefix = "algo-";

/// The number in `algo-5`, or kNoHost if it is no host's name.
std::uint32_t host_number(std::string_view name) {
  if (!name.starts_with(kHostPrefix)) return kNoHost;
  const char* const first = name.data() + kHostPrefix.size();
  const char* const last = name.data() + name.size();
  std::uint32_t number = kNoHost;
  const auto [end, error] = std::from_chars(first, last, number);
  const bool is_number = error == std::errc{} && end == last && *first != '0';
  return is_number && number <= kMostHosts ? number : kNoHost;
}

Statistic statistic_named(std::string_view name) {
  if (name == "minimum") return Statistic::minimum;
  return name == "maximum" ? Statistic::maximum : Statistic::average;
}

Compare compare_named(std::string_view name) {
  if (name == "<") return Compare::less;
  if (name == ">") return Compare::greater;
  return name == ">=" ? Compare::greater_or_equal : Compare::less_or_equal;
}

MissingData missing_named(std::string_view name) {
  if (name == "missing") return MissingData::missing;
  if (name == "ignore") return MissingData::ignore;
  return name == "breaching" ? MissingData::breaching : MissingData::not_breaching;
}

AlarmRule alarm_rule(const Options& options) {
  const std::vector<std::int64_t>& datapoints = options.integers("datapoints");
  return {
      .metric = Metric::gpu_utilization,
      .statistic = statistic_named(options.text("statistic")),
      .period = options.duration("period"),
      .evaluation_periods = static_cast<std::uint16_t>(datapoints.at(1)),
      .datapoints_to_alarm = static_cast<std::uint16_t>(datapoints.at(0)),
      .threshold = options.number("threshold"),
      .compare = compare_named(options.text("compare")),
      .missing = missing_named(options.text("missing")),
      .window = options.text("window") == "wall_clock" ? Window::wall_clock : Window::sliding,
  };
}

class AlarmWatch final : public Policy {
 public:
  AlarmWatch(const Options& options, const Accusation& accusation)
      : rule_{alarm_rule(options)},
        accusation_{accusation},
        arm_on_{options.texts("arm_on")},
        disarm_on_{options.texts("disarm_on")},
        latency_{options.duration("action.latency")},
        arm_delay_{options.duration("arm_delay")},
        per_gpu_{options.text("scale") == "per_gpu"},
        match_all_{options.text("match") == "all"},
        stops_{options.flag("action.stop")},
        notifies_{!options.texts("action.notify").empty()},
        resets_{options.flag("reset_on_new_attempt")} {
    for (const std::string& host : options.texts("hosts")) {
      if (host == "all") {
        every_host_ = true;
      } else {
        hosts_.push_back(host_number(host));
      }
    }
    std::sort(hosts_.begin(), hosts_.end());
    hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
  }

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = std::get_if<ActionSettled>(&seen.fact);
      if (settled != nullptr && settled->seat == step.seat) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) resume(held, step, out);
    for (const Observation& seen : step.observed) {
      if (const auto* news = std::get_if<JobChanged>(&seen.fact)) note_end(*news, step, out);
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* news = std::get_if<AlarmChanged>(&seen.fact)) {
        note_alarm(*news, seen.happened_at, step, out);
      }
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const JobId job = TimerKey::unpacked(timer->key).job;
        if (!watches_.knows(job)) continue;
        remove_if_due(job, step, out);
        put_if_due(job, step, out);
        tell_if_due(job, step, out);
        stop_if_due(job, step, out);
      }
    }
  }

 private:
  /// An alarm that was asked for, until its deletion is over.  Each attempt has alarms of its own.
  struct HostAlarm {
    enum class Call : std::uint8_t { none, put, remove };

    Instant changed_at = Instant::min();  ///< orders the news of the alarm
    AlarmState state = AlarmState::insufficient_data;
    Call on_its_way = Call::none;
    bool up_to_date = false;  ///< the newest put worked
    bool may_exist = false;   ///< some put worked, or nobody knows
    bool unwanted = false;    ///< to be deleted once nothing is on its way
  };

  using Key = std::pair<AttemptNumber, std::uint32_t>;  ///< of an alarm: the attempt and the host
  using Alarms = std::map<Key, HostAlarm>;

  /// Of the alarms of one attempt.
  struct Tally {
    std::uint32_t alarms = 0;
    std::uint32_t in_alarm = 0;
  };

  /// What the rule has going for one job.
  struct Watch {
    Alarms alarms;
    std::map<AttemptNumber, Tally> tallies;  ///< of the attempts that have alarms
    Instant put_at = never;                  ///< when the alarms are due to be put
    Instant remove_at = never;               ///< when failed deletions are due again
    Instant stop_at = never;                 ///< when the stop is due
    Instant tell_at = never;                 ///< when a failed message is due again
    AttemptNumber stop_for = 0;              ///< newest attempt an alarm asked to stop
    AttemptNumber incidents_of = 0;          ///< attempt that `incidents` counts for
    std::uint16_t incidents = 0;             ///< of that attempt so far
    AttemptNumber put_held = 0;              ///< attempt for which it was kept back; so below
    AttemptNumber stop_held = 0;
    AttemptNumber message_held = 0;
    std::uint8_t lacked = 0;   ///< how often there was no room for its alarm
    bool in_incident = false;  ///< the newest of them lasts: the alarm still stands
    AttemptNumber seen_attempt = 0;
    std::uint32_t seen_revision = 0;
    Secondary seen = Secondary::queued;
  };

  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    if (!watches_.knows(settled.job)) return;
    if (again(settled) == Again::when_released) held_.add(settled, out);
    switch (settled.verb) {
      case VerbKind::put_alarm:
        return settle_put(settled, step, out);
      case VerbKind::delete_alarm:
        return settle_removal(settled, step, out);
      case VerbKind::stop_job:
        return settle_stop(settled, step, out);
      case VerbKind::notify:
        return settle_message(settled, step, out);
      default:
        return;
    }
  }

  void settle_put(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    const auto known = watch.alarms.find({settled.attempt, settled.host});
    if (known == watch.alarms.end()) return;
    HostAlarm& alarm = known->second;
    alarm.on_its_way = HostAlarm::Call::none;
    alarm.up_to_date = worked(settled);
    alarm.may_exist |= settled.outcome != Outcome::refused;
    if (alarm.up_to_date) watch.lacked = 0;
    if (alarm.unwanted) {
      if (alarm.may_exist) return remove(*known, settled.job, out);
      forget(watch, known);
      return put_if_due(settled.job, step, out);
    }
    if (!alarm.may_exist) forget(watch, known);
    const bool newest = settled.attempt == step.fleet.status(settled.job).attempt;
    if (again(settled) == Again::when_released) {
      watch.put_held = settled.attempt;
    } else if (again(settled) == Again::when_room) {
      if (!newest) return;
      watch.put_at = later(step.now, ask_again_after(watch.lacked));
      if (watch.lacked < 7) ++watch.lacked;  // longer it never waits
      wake(settled, kArmTimer, watch.put_at, out);
    } else if (settled.outcome == Outcome::refused) {
      watch.seen_attempt = 0;  // put when the job is next heard of
    } else if (!worked(settled) && newest) {
      watch.put_at = later(step.now, kAskAgainAfter);
      wake(settled, kArmTimer, watch.put_at, out);
    }
  }

  void settle_removal(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    const auto known = watch.alarms.find({settled.attempt, settled.host});
    if (known == watch.alarms.end()) return;
    known->second.on_its_way = HostAlarm::Call::none;
    if (again(settled) == Again::later) {
      watch.remove_at = later(step.now, kAskAgainAfter);
      wake(settled, kRemoveTimer, watch.remove_at, out);
    } else if (again(settled) == Again::never) {
      forget(watch, known);
      put_if_due(settled.job, step, out);
    }
  }

  void settle_stop(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    if (settled.attempt != watch.stop_for || worked(settled)) return;
    switch (again(settled)) {
      case Again::with_news:
        watch.stop_at = step.now;
        return;
      case Again::later:
      case Again::when_room:  // no stop needs any
        return stop_later(settled, step, out);
      case Again::when_released:
        watch.stop_held = settled.attempt;
        return;
      case Again::never:
        --watch.stop_for;  // the next time the alarm goes off it may ask again
        return;
    }
  }

  void settle_message(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    const Again when = again(settled);
    if (when == Again::when_released) watch.message_held = settled.attempt;
    if (when != Again::later) return;
    if (notifies_) {
      watch.tell_at = later(step.now, kAskAgainAfter);
      wake(settled, kTellTimer, watch.tell_at, out);
    } else {  // it was the warning in the place of a stop
      watch.stop_for = settled.attempt;
      stop_later(settled, step, out);
    }
  }

  void stop_later(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    watch.stop_at = later(step.now, kAskAgainAfter);
    wake(settled, kStopTimer, watch.stop_at, out);
  }

  static void wake(const ActionSettled& settled, std::uint16_t purpose, Instant at,
                   Decisions& out) {
    const TimerKey key{.job = settled.job, .attempt = settled.attempt, .purpose = purpose};
    out.wake_at(key.packed(), at);
  }

  /// Decides again what was kept back, as things stand now.
  void resume(const HeldBack::Target& held, const Step& step, Decisions& out) {
    Watch& watch = watches_[held.job];
    remove_unwanted(held.job, out);
    if (held.attempt != step.fleet.status(held.job).attempt) return;
    if (std::exchange(watch.put_held, 0) == held.attempt) {
      watch.put_at = step.now;
      put_if_due(held.job, step, out);
    }
    if (std::exchange(watch.message_held, 0) == held.attempt) {
      watch.tell_at = step.now;
      tell_if_due(held.job, step, out);
    }
    if (std::exchange(watch.stop_held, 0) == watch.stop_for && watch.stop_for == held.attempt) {
      if (alarm_stands(watch, held.attempt)) {
        watch.stop_at = step.now;
        stop_if_due(held.job, step, out);
      } else {
        --watch.stop_for;
      }
    }
  }

  /// The end of an attempt that is not the newest any more: its alarms still have to go.
  void note_end(const JobChanged& news, const Step& step, Decisions& out) {
    if (news.attempt >= step.fleet.status(news.job).attempt) return;
    if (disarm_on_.contains(news.secondary)) {
      discard(news.job, news.attempt, news.attempt);
      remove_unwanted(news.job, out);
    }
  }

  void look_at(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Watch& watch = watches_[job];
    const bool repeated = watch.seen_attempt == status.attempt &&
                          watch.seen_revision == status.revision && watch.seen == status.secondary;
    if (!repeated) {
      watch.seen_attempt = status.attempt;
      watch.seen_revision = status.revision;
      watch.seen = status.secondary;
      if (arm_on_.contains(status.secondary)) {
        arm(job, step, out);
      } else if (disarm_on_.contains(status.secondary)) {
        watch.put_at = never;
        discard(job, status.attempt, status.attempt);
        remove_unwanted(job, out);
      }
    }
    stop_if_due(job, step, out);
  }

  void arm(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    const JobStatus& status = step.fleet.status(job);
    if (resets_) {
      discard(job, 0, status.attempt);
      remove_unwanted(job, out);
    }
    for (auto& [key, alarm] : watch.alarms) {
      if (key.first == status.attempt) alarm.up_to_date = false;
    }
    watch.put_at = later(status.since, arm_delay_);
    if (watch.put_at > step.now && watch.put_at != never) {
      const TimerKey key{.job = job, .attempt = status.attempt, .purpose = kArmTimer};
      out.wake_at(key.packed(), watch.put_at);
    }
    put_if_due(job, step, out);
  }

  /// Waits for deletions under way: an alarm put meanwhile would be the one that is deleted.
  void put_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    const JobStatus& status = step.fleet.status(job);
    if (watch.put_at > step.now) return;
    const auto first = watch.alarms.lower_bound({status.attempt, kNoHost});
    const bool any_unwanted = std::any_of(first, watch.alarms.end(), [&](const auto& alarm) {
      return alarm.first.first == status.attempt && alarm.second.unwanted;
    });
    if (any_unwanted) return;
    watch.put_at = never;
    if (!arm_on_.contains(status.secondary)) return;
    AlarmRule rule = rule_;
    if (per_gpu_) rule.threshold *= std::max(1U, step.fleet.gpus(job));
    const std::uint32_t instances = step.fleet.description(job).instances;
    if (every_host_) {
      for (std::uint32_t host = 1; host <= instances; ++host) {
        put(job, status.attempt, host, rule, out);
      }
      return;
    }
    for (const std::uint32_t host : hosts_) {
      if (host <= instances) put(job, status.attempt, host, rule, out);
    }
  }

  void put(JobId job, AttemptNumber attempt, std::uint32_t host, const AlarmRule& rule,
           Decisions& out) {
    Watch& watch = watches_[job];
    const auto [known, is_new] = watch.alarms.try_emplace({attempt, host});
    if (is_new) ++watch.tallies[attempt].alarms;
    HostAlarm& alarm = known->second;
    if (alarm.up_to_date || alarm.on_its_way != HostAlarm::Call::none) return;
    alarm.on_its_way = HostAlarm::Call::put;
    const AlarmId id{.job = job, .host = host, .seat = 0};
    out.propose(PutAlarm{.alarm = id, .attempt = attempt, .rule = rule}, kArm);
  }

  /// The alarms of these attempts have to go.
  void discard(JobId job, AttemptNumber first, AttemptNumber last) {
    for (auto& [key, alarm] : watches_[job].alarms) {
      alarm.unwanted |= first <= key.first && key.first <= last;
    }
  }

  /// A deletion that overtook a put on its way would leave the alarm behind for ever.
  void remove_unwanted(JobId job, Decisions& out) {
    for (Alarms::value_type& known : watches_[job].alarms) {
      const bool idle = known.second.on_its_way == HostAlarm::Call::none;
      if (known.second.unwanted && idle) remove(known, job, out);
    }
  }

  void remove_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.remove_at > step.now) return;
    watch.remove_at = never;
    remove_unwanted(job, out);
  }

  static void remove(Alarms::value_type& known, JobId job, Decisions& out) {
    const auto [attempt, host] = known.first;
    known.second.on_its_way = HostAlarm::Call::remove;
    const AlarmId id{.job = job, .host = host, .seat = 0};
    out.propose(DeleteAlarm{.alarm = id, .attempt = attempt}, kDisarm);
  }

  static void forget(Watch& watch, Alarms::iterator known) {
    set_state(watch, *known, AlarmState::insufficient_data);
    const auto tally = watch.tallies.find(known->first.first);
    if (--tally->second.alarms == 0) watch.tallies.erase(tally);
    watch.alarms.erase(known);
  }

  static void set_state(Watch& watch, Alarms::value_type& known, AlarmState state) {
    std::uint32_t& in_alarm = watch.tallies[known.first.first].in_alarm;
    if (known.second.state == AlarmState::alarm) --in_alarm;
    if (state == AlarmState::alarm) ++in_alarm;
    known.second.state = state;
  }

  /// One message per incident: from the alarm until no host is in ALARM any more.
  void begin_incident(JobId job, AttemptNumber attempt, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.incidents_of != attempt) {
      watch.incidents_of = attempt;
      watch.incidents = 0;
      watch.in_incident = false;
    }
    if (watch.in_incident) return;
    watch.in_incident = true;
    ++watch.incidents;
    if (!notifies_) return;
    out.propose(Notify{.job = job, .attempt = attempt, .incident = watch.incidents},
                accusation_.reason);
  }

  /// The message of an incident that lasts, or ended with the job, did not get out.
  void tell_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.tell_at > step.now) return;
    watch.tell_at = never;
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    if (!watch.in_incident || watch.incidents_of != attempt) return;
    out.propose(Notify{.job = job, .attempt = attempt, .incident = watch.incidents},
                accusation_.reason);
  }

  void note_alarm(const AlarmChanged& news, Instant at, const Step& step, Decisions& out) {
    if (news.alarm.seat != step.seat.index || !watches_.knows(news.alarm.job)) return;
    Watch& watch = watches_[news.alarm.job];
    const auto known = watch.alarms.find({news.attempt, news.alarm.host});
    if (known == watch.alarms.end() || known->second.unwanted) return;
    if (at <= known->second.changed_at) return;  // repeated or overtaken
    const JobStatus& status = step.fleet.status(news.alarm.job);
    const bool newest = news.attempt == status.attempt;
    // Alarms that were put afresh took their states with them.
    if (newest && tally(watch, news.attempt).in_alarm == 0) watch.in_incident = false;
    known->second.changed_at = at;
    set_state(watch, *known, news.state);
    if (!newest) return;
    if (tally(watch, news.attempt).in_alarm == 0) watch.in_incident = false;
    const bool stands = alarm_stands(watch, news.attempt);
    if (!stands) drop_stop(watch, news.attempt);
    if (news.state != AlarmState::alarm || !stands) return;
    if (status.primary != Primary::in_progress) return;
    begin_incident(news.alarm.job, status.attempt, out);
    if (!stops_ || watch.stop_for >= status.attempt) return;
    watch.stop_for = status.attempt;
    watch.stop_at = later(step.now, latency_);
    if (watch.stop_at > step.now && watch.stop_at != never) {
      const TimerKey key{.job = news.alarm.job, .attempt = status.attempt, .purpose = kStopTimer};
      out.wake_at(key.packed(), watch.stop_at);
    }
    stop_if_due(news.alarm.job, step, out);
  }

  /// The article's function stops the job even if the alarm is over by the time it runs.  A rule
  /// that gives time to mend what is wrong does not.
  void stop_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.stop_at > step.now) return;
    watch.stop_at = never;
    const JobStatus& status = step.fleet.status(job);
    if (watch.stop_for != status.attempt || status.primary != Primary::in_progress) return;
    if (accusation_.if_over == IfOver::leave && !alarm_stands(watch, status.attempt)) {
      --watch.stop_for;  // the next time the alarm goes off it may ask again
      return;
    }
    out.propose(
        StopJob{job, status.attempt, accusation_.cause, watch.incidents, accusation_.found_by},
        accusation_.reason);
  }

  /// Who mended it in time has all the time again at the next alarm.
  void drop_stop(Watch& watch, AttemptNumber attempt) const {
    const bool pending = watch.stop_for == attempt && watch.stop_at != never;
    if (accusation_.if_over != IfOver::leave || !pending) return;
    watch.stop_at = never;
    --watch.stop_for;
  }

  static Tally tally(const Watch& watch, AttemptNumber attempt) {
    const auto known = watch.tallies.find(attempt);
    return known == watch.tallies.end() ? Tally{} : known->second;
  }

  /// Enough of the attempt's hosts are in ALARM.
  bool alarm_stands(const Watch& watch, AttemptNumber attempt) const {
    const auto [alarms, in_alarm] = tally(watch, attempt);
    return in_alarm >= (match_all_ ? std::max(alarms, 1U) : 1U);
  }

  AlarmRule rule_;
  Accusation accusation_;
  StatusSet arm_on_;
  StatusSet disarm_on_;
  Duration latency_;
  Duration arm_delay_;
  std::vector<std::uint32_t> hosts_;  ///< ascending
  bool every_host_ = false;
  bool per_gpu_;
  bool match_all_;
  bool stops_;
  bool notifies_;
  bool resets_;
  JobTable<Watch> watches_;
  HeldBack held_;
};

}  // namespace

bool is_host(std::string_view name) {
  return name == "all" || host_number(name) != kNoHost;
}

std::unique_ptr<Policy> watch_by_alarm(const Options& options, const Accusation& accusation) {
  return std::make_unique<AlarmWatch>(options, accusation);
}

}  // namespace reeve::policies
