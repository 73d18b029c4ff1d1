#include "alarm_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "job_alarms.hpp"
#include "job_events.hpp"
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
      if (const auto job = job_to_review(seen, step.seat)) stop_if_due(*job, step, out);
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
  /// One that is on its way, or is to be sent again.
  struct Message {
    AttemptNumber attempt = 0;
    std::uint16_t incident = 0;
    Instant again_at = never;  ///< it failed, and is due again then
    bool held = false;         ///< it was kept back

    bool is_on_its_way() const { return again_at == never && !held; }
  };

  /// What the rule has going for one job.
  struct Watch {
    Instant stop_at = never;          ///< when the stop is due
    AttemptNumber stop_for = 0;       ///< newest attempt an alarm asked to stop
    AttemptNumber stop_held = 0;      ///< attempt for which it was kept back
    AttemptNumber stopping = 0;       ///< attempt whose stop was asked for, and did not fail
    bool asks_again = false;          ///< the stop that is due came to nothing before
    bool stops_after_told = false;    ///< its time begins when people have been told
    std::vector<Message> messages{};  ///< oldest first
    Lacked stop_lacked = {};
    Lacked message_lacked = {};
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
    if (!worked(settled)) watch.stopping = 0;
    if (settled.attempt != watch.stop_for || worked(settled)) return;
    watch.asks_again = true;
    switch (again(settled)) {
      case Again::after_other_action:
        watch.stop_at = step.now;
        return;
      case Again::later:
      case Again::when_room:  // no stop needs any
        return stop_later(settled, kAskAgainAfter, step, out);
      case Again::when_released:
        watch.stop_held = settled.attempt;
        return;
      case Again::not_needed:
        if (was_rejected(settled) && accusation_.found_by == FoundBy::job_name) {
          return stop_later(settled, watch.stop_lacked.pause_before(settled.attempt), step, out);
        }
        --watch.stop_for;  // the next time an alarm goes off it may ask again
        return;
    }
  }

  void settle_message(const ActionSettled& settled, const Step& step, Decisions& out) {
    Watch& watch = watches_[settled.job];
    Message message = take_message(watch, settled);
    const Again when = again(settled);
    const bool rejected = was_rejected(settled);
    message.held = when == Again::when_released;
    if (when == Again::later || rejected) {
      const Duration pause =
          rejected ? watch.message_lacked.pause_before(settled.attempt) : kAskAgainAfter;
      message.again_at = later(step.now, pause);
    }
    if (!message.is_on_its_way()) return keep(watch, message, settled, out);
    const bool newest = settled.attempt == watch.stop_for &&
                        message.incident == alarms_.incidents(settled.job, settled.attempt);
    if (!was_told(settled) || !newest || !watch.stops_after_told) return;
    watch.stops_after_told = false;
    stop_later(settled, latency_, step, out);
  }

  /// Until it may be sent again: each incident once, whatever asked for it.  Who sends none itself
  /// decides its stop anew, whichever they were about.
  void keep(Watch& watch, const Message& message, const ActionSettled& settled,
            Decisions& out) const {
    std::erase_if(watch.messages, [&](const Message& other) {
      const bool same = notifies_ ? other.incident == message.incident : other.held == message.held;
      return other.attempt == message.attempt && same && !other.is_on_its_way();
    });
    watch.messages.push_back(message);
    Instant next = never;
    for (const Message& each : watch.messages) {
      if (each.attempt == message.attempt) next = std::min(next, each.again_at);
    }
    if (next != never) wake(settled, kTellTimer, next, out);
  }

  /// An unknown message is of a seat that only warns of its stop.
  static Message take_message(Watch& watch, const ActionSettled& settled) {
    const auto sent = std::find_if(
        watch.messages.begin(), watch.messages.end(), [&settled](const Message& message) {
          return message.attempt == settled.attempt && message.incident == settled.incident &&
                 message.is_on_its_way();
        });
    if (sent != watch.messages.end()) {
      watch.messages.erase(sent);
    } else {
      watch.stopping = 0;
    }
    return {settled.attempt, settled.incident};
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
    bool tells = false;
    for (Message& message : watch.messages) {
      if (message.attempt != held.attempt || !std::exchange(message.held, false)) continue;
      message.again_at = step.now;
      tells = true;
    }
    if (tells && (notifies_ || !stops)) tell_if_due(held.job, step, out);
    if (stops) {
      watch.stop_at = step.now;
      stop_if_due(held.job, step, out);
    }
  }

  /// One message per incident.
  void tell(JobId job, AttemptNumber attempt, std::uint16_t incident, Decisions& out) {
    watches_[job].messages.push_back({attempt, incident});
    out.propose(Notify{.job = job, .attempt = attempt, .incident = incident}, accusation_.reason);
  }

  /// The message of an incident that lasts, or ended with its attempt, did not get out.  Who sends
  /// none itself was to stop the job, and only warned: it decides that anew.
  void tell_if_due(JobId job, const Step& step, Decisions& out) {
    std::vector<Message>& all = watches_[job].messages;
    const auto first_due = std::stable_partition(
        all.begin(), all.end(), [&](const Message& each) { return each.again_at > step.now; });
    const std::vector<Message> due(first_due, all.end());
    all.erase(first_due, all.end());
    const AttemptNumber newest = step.fleet.status(job).attempt;
    bool stops = false;
    for (const Message& message : due) {
      const AttemptNumber attempt = message.attempt;
      const bool lasts =
          alarms_.in_incident(job, attempt) && alarms_.incidents(job, attempt) == message.incident;
      if (!notifies_) {
        stops |= attempt == newest;
      } else if (lasts || attempt < newest) {
        tell(job, attempt, message.incident, out);
      }
    }
    if (stops) stop_again(job, step, out);
  }

  /// Unless the stop is to be decided in a while anyway.
  void stop_again(JobId job, const Step& step, Decisions& out) {
    Watch& watch = watches_[job];
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    if (watch.stop_for == attempt && watch.stop_at != never) return;
    watch.stop_for = attempt;
    watch.asks_again = true;
    watch.stop_at = step.now;
    stop_if_due(job, step, out);
  }

  void note_alarm(const JobAlarms::Change& event, const Step& step, Decisions& out) {
    const AttemptNumber attempt = step.fleet.status(event.job).attempt;
    Watch& watch = watches_[event.job];
    if (!alarms_.stand(event.job, attempt)) drop_stop(watch, attempt);
    if (event.begins) watch.stop_lacked = watch.message_lacked = {};
    // What stands still while it is being stopped, as far as is known, needs no message any more.
    if (event.begins && notifies_ && watch.stopping != attempt) {
      tell(event.job, attempt, alarms_.incidents(event.job, attempt), out);
    }
    // A stop that waits to be asked for again need not wait any longer: this is another incident.
    const bool waits = event.begins && watch.asks_again && watch.stop_at != never;
    if (event.fires && stops_ && (watch.stop_for < attempt || waits)) {
      watch.stop_for = attempt;
      watch.asks_again = false;
      watch.stops_after_told = accusation_.if_over == IfOver::leave && event.begins && notifies_;
      watch.stop_at = watch.stops_after_told ? never : later(step.now, latency_);
      if (watch.stop_at > step.now && watch.stop_at != never) {
        const TimerKey key{.job = event.job, .attempt = attempt, .purpose = kStopTimer};
        out.wake_at(key.packed(), watch.stop_at);
      }
    }
    stop_if_due(event.job, step, out);
  }

  /// The article's function stops the job even if the alarm has ended when it runs.  A rule that
  /// leaves time for a repair does not, and does not propose a stop again for an ended alarm.
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
    watch.stopping = status.attempt;
    out.propose(StopJob{job, status.attempt, accusation_.cause, incident, accusation_.found_by},
                accusation_.reason);
  }

  /// Who mended it in time has all the time again at the next alarm.
  void drop_stop(Watch& watch, AttemptNumber attempt) const {
    if (accusation_.if_over != IfOver::leave || watch.stop_for != attempt) return;
    const bool is_held = watch.stop_held == attempt;
    const bool waits = std::exchange(watch.stops_after_told, false);
    if (watch.stop_at == never && !is_held && !waits) return;
    watch.stop_at = never;
    watch.stop_held = 0;
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
