#include "alarm_watch.hpp"

#include <utility>

#include "job_alarms.hpp"
#include "job_news.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

// 1 and 2 are those of JobAlarms.
constexpr std::uint16_t kStopTimer = 0;
constexpr std::uint16_t kTellTimer = 3;

class AlarmWatch final : public Policy {
 public:
  AlarmWatch(const Options& options, const Accusation& accusation)
      : alarms_{read_alarm(options, AlarmOptions::top)},
        accusation_{accusation},
        latency_{options.duration("action.latency")},
        stops_{options.flag("action.stop")},
        notifies_{!options.texts("action.notify").empty()} {}

  void decide(const Step& step, Decisions& out) override {
    alarms_.begin(step, out);
    for (const Observation& seen : step.observed) {
      const auto* settled = std::get_if<ActionSettled>(&seen.fact);
      if (settled != nullptr && settled->seat == step.seat) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) resume(held, step, out);
    for (const Observation& seen : step.observed) {
      const auto alarm = alarms_.hear(seen, step, out);
      if (const auto job = job_with_news(seen, step.seat)) stop_if_due(*job, step, out);
      if (alarm) note_alarm(*alarm, step, out);
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const JobId job = TimerKey::unpacked(timer->key).job;
        if (!watches_.knows(job)) continue;
        tell_if_due(job, step, out);
        stop_if_due(job, step, out);
      }
    }
  }

 private:
  /// What the rule has going for one job.
  struct Watch {
    Instant stop_at = never;      ///< when the stop is due
    Instant tell_at = never;      ///< when a failed message is due again
    AttemptNumber stop_for = 0;   ///< newest attempt an alarm asked to stop
    AttemptNumber stop_held = 0;  ///< attempt for which it was kept back; so below
    AttemptNumber message_held = 0;
    AttemptNumber tell_for = 0;  ///< attempt that the failed message is about
    Lacked stop_lacked = {};
    Lacked message_lacked = {};
    bool asks_again = false;  ///< the stop that is due came to nothing before
  };

  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    if (!watches_.knows(settled.job) || is_of_alarm(settled)) return;
    if (again(settled) == Again::when_released) held_.add(settled, out);
    Watch& of = watches_[settled.job];
    const bool is_message = settled.verb == VerbKind::notify;
    Lacked& lacked = is_message ? of.message_lacked : of.stop_lacked;
    if (worked(settled) && lacked.attempt == settled.attempt) lacked = {};
    if (settled.verb == VerbKind::stop_job) settle_stop(settled, step, out);
    if (is_message) settle_message(settled, step, out);
  }

  void settle_stop(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    if (settled.attempt != watch.stop_for || worked(settled)) return;
    watch.asks_again = true;
    switch (again(settled)) {
      case Again::with_news:
        watch.stop_at = step.now;
        return;
      case Again::later:
      case Again::when_room:  // no stop needs any
        return stop_later(settled, kAskAgainAfter, step, out);
      case Again::when_released:
        watch.stop_held = settled.attempt;
        return;
      case Again::never:
        if (was_rejected(settled) && accusation_.found_by == FoundBy::job_name) {
          return stop_later(settled, watch.stop_lacked.pause_before(settled.attempt), step, out);
        }
        --watch.stop_for;  // the next time an alarm goes off it may ask again
        return;
    }
  }

  void settle_message(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    const Again when = again(settled);
    if (when == Again::when_released) watch.message_held = settled.attempt;
    const bool rejected = was_rejected(settled);
    if (when != Again::later && !rejected) return;
    const Duration pause =
        rejected ? watch.message_lacked.pause_before(settled.attempt) : kAskAgainAfter;
    watch.tell_for = settled.attempt;
    watch.tell_at = later(step.now, pause);
    wake(settled, kTellTimer, watch.tell_at, out);
  }

  void stop_later(const ActionSettled& settled, Duration pause, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    watch.stop_at = later(step.now, pause);
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
    const bool newest = held.attempt == step.fleet.status(held.job).attempt;
    const bool stops = newest && std::exchange(watch.stop_held, 0) == held.attempt &&
                       watch.stop_for == held.attempt;
    const bool tells = watch.message_held == held.attempt;
    if (tells) watch.message_held = 0;
    if (tells && (notifies_ || !stops)) {
      watch.tell_for = held.attempt;
      watch.tell_at = step.now;
      tell_if_due(held.job, step, out);
    }
    if (stops) {
      watch.stop_at = step.now;
      stop_if_due(held.job, step, out);
    }
  }

  /// One message per incident.
  void tell(JobId job, AttemptNumber attempt, Decisions& out) const {
    const std::uint16_t incident = alarms_.incidents(job, attempt);
    out.propose(Notify{.job = job, .attempt = attempt, .incident = incident}, accusation_.reason);
  }

  /// The message of an incident that lasts, or ended with its attempt, did not get out.  Who sends
  /// none itself was to stop the job, and only warned: it decides that anew.
  void tell_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.tell_at > step.now) return;
    watch.tell_at = never;
    if (!notifies_) return stop_again(job, watch.tell_for, step, out);
    if (alarms_.in_incident(job, watch.tell_for)) tell(job, watch.tell_for, out);
  }

  /// Unless the stop is to be decided in a while anyway.
  void stop_again(JobId job, AttemptNumber attempt, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (attempt != step.fleet.status(job).attempt) return;
    if (watch.stop_for == attempt && watch.stop_at != never) return;
    watch.stop_for = attempt;
    watch.asks_again = true;
    watch.stop_at = step.now;
    stop_if_due(job, step, out);
  }

  void note_alarm(const JobAlarms::News& news, const Step& step, Decisions& out) {
    const AttemptNumber attempt = step.fleet.status(news.job).attempt;
    Watch& watch = watches_[news.job];
    if (!alarms_.stand(news.job, attempt)) drop_stop(watch, attempt);
    if (news.begins && notifies_) tell(news.job, attempt, out);
    // A stop that waits to be asked for again need not wait any longer: this is another incident.
    const bool waits = news.begins && watch.asks_again && watch.stop_at != never;
    if (news.fires && stops_ && (watch.stop_for < attempt || waits)) {
      watch.stop_for = attempt;
      watch.asks_again = false;
      watch.stop_at = later(step.now, latency_);
      if (watch.stop_at > step.now && watch.stop_at != never) {
        const TimerKey key{.job = news.job, .attempt = attempt, .purpose = kStopTimer};
        out.wake_at(key.packed(), watch.stop_at);
      }
    }
    stop_if_due(news.job, step, out);
  }

  /// The article's function stops the job even if the alarm is over by the time it runs.  A rule
  /// that gives time to mend what is wrong does not, and nobody asks again for what is over.
  void stop_if_due(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    if (watch.stop_at > step.now) return;
    watch.stop_at = never;
    const JobStatus& status = step.fleet.status(job);
    if (watch.stop_for != status.attempt || status.primary != Primary::in_progress) return;
    const bool must_stand = accusation_.if_over == IfOver::leave || watch.asks_again;
    if (must_stand && !alarms_.stand(job, status.attempt)) {
      --watch.stop_for;  // the next time the alarm goes off it may ask again
      return;
    }
    const std::uint16_t incident = alarms_.incidents(job, status.attempt);
    out.propose(StopJob{job, status.attempt, accusation_.cause, incident, accusation_.found_by},
                accusation_.reason);
  }

  /// Who mended it in time has all the time again at the next alarm.
  void drop_stop(Watch& watch, AttemptNumber attempt) const {
    const bool pending = watch.stop_for == attempt && watch.stop_at != never;
    if (accusation_.if_over != IfOver::leave || !pending) return;
    watch.stop_at = never;
    --watch.stop_for;
  }

  JobAlarms alarms_;
  Accusation accusation_;
  Duration latency_;
  bool stops_;
  bool notifies_;
  JobTable<Watch> watches_;
  HeldBack held_;
};

}  // namespace

std::unique_ptr<Policy> watch_by_alarm(const Options& options, const Accusation& accusation) {
  return std::make_unique<AlarmWatch>(options, accusation);
}

}  // namespace reeve::policies
