#include "job_alarms.hpp"

#include <algorithm>

#include "job_events.hpp"
#include "phase_hints.hpp"
#include "status_names.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kArm = "watch GPU use while the job trains";
constexpr std::string_view kDisarm = "nothing left to watch";

/// After this many refusals in a row a deletion is left to a rule that sweeps orphans.
constexpr std::uint8_t removals_max = 10;

constexpr std::uint16_t kArmTimer = 1;
constexpr std::uint16_t kRemoveTimer = 2;
constexpr std::uint16_t kQuietTimer = 4;  // 3 is AlarmWatch's

void wake(const ActionSettled& settled, std::uint16_t purpose, Instant at, Decisions& out) {
  const TimerKey key{.job = settled.job, .attempt = settled.attempt, .purpose = purpose};
  out.wake_at(key.packed(), at);
}

/// Of how many GPUs a datapoint is the sum: a mean is of one, as it is.
std::uint32_t gpus_summed(JobId job, const FleetView& fleet) {
  const PoolFacts& pool = fleet.directory().pools[fleet.description(job).pool.index];
  return pool.gpu_sum ? std::max(1U, fleet.gpus(job)) : 1U;
}

}  // namespace

void JobAlarms::begin(const Step& step, Decisions& out) {
  for (const Observation& seen : step.observed) {
    const auto* settled = std::get_if<ActionSettled>(&seen.fact);
    if (settled == nullptr || settled->seat != step.seat || !is_of_alarm(*settled)) continue;
    if (!watches_.knows(settled->job)) continue;
    if (again(*settled) == Again::when_released) held_.add(*settled, out);
    if (settled->verb == VerbKind::put_alarm) {
      settle_put(*settled, step, out);
    } else {
      settle_removal(*settled, step, out);
    }
  }
  for (const HeldBack::Target& held : held_.released(step, out)) resume(held, step, out);
}

std::optional<JobAlarms::Change> JobAlarms::hear(const Observation& seen, const Step& step,
                                                 Decisions& out) {
  if (const auto* event = std::get_if<JobChanged>(&seen.fact)) note_end(*event, step, out);
  if (const auto job = job_to_review(seen, step.seat)) look_at(*job, step, out);
  if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
    const JobId job = TimerKey::unpacked(timer->key).job;
    if (!watches_.knows(job)) return std::nullopt;
    remove_if_due(job, step, out);
    put_if_due(job, step, out);
    return end_quiet(job, step, out);
  }
  const auto* event = std::get_if<AlarmChanged>(&seen.fact);
  if (event == nullptr) return std::nullopt;
  return note_alarm(*event, seen.happened_at, step, out);
}

/// Asks again for what was kept back, as things stand now.
void JobAlarms::resume(const HeldBack::Target& held, const Step& step, Decisions& out) {
  Watch& watch = watches_[held.job];
  remove_unwanted(held.job, out);
  if (held.attempt != step.fleet.status(held.job).attempt) return;
  if (std::exchange(watch.put_held, 0) != held.attempt) return;
  watch.put_at = step.now;
  put_if_due(held.job, step, out);
}

void JobAlarms::settle_put(const ActionSettled& settled, const Step& step, Decisions& out) {
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
  } else if (again(settled) == Again::when_room || was_rejected(settled)) {
    if (newest) put_ever_later(settled, step, out);
  } else if (settled.outcome == Outcome::refused) {
    watch.seen_attempt = 0;  // put when the job is next heard of
  } else if (!worked(settled) && newest) {
    watch.put_at = later(step.now, kAskAgainAfter);
    wake(settled, kArmTimer, watch.put_at, out);
  }
}

/// The wait grows with each try, whatever number of the attempt's alarms was refused at once.
void JobAlarms::put_ever_later(const ActionSettled& settled, const Step& step, Decisions& out) {
  Watch& watch = watches_[settled.job];
  if (std::exchange(watch.lacked_for, settled.attempt) != settled.attempt) watch.lacked = 0;
  if (watch.put_at != never && watch.put_at > step.now) return;
  watch.put_at = later(step.now, ask_again_after(watch.lacked));
  if (watch.lacked < 7) ++watch.lacked;  // longer it never waits
  wake(settled, kArmTimer, watch.put_at, out);
}

void JobAlarms::settle_removal(const ActionSettled& settled, const Step& step, Decisions& out) {
  Watch& watch = watches_[settled.job];
  const auto known = watch.alarms.find({settled.attempt, settled.host});
  if (known == watch.alarms.end()) return;
  known->second.on_its_way = HostAlarm::Call::none;
  const bool refused = was_rejected(settled) && watch.kept < removals_max;
  if (!refused) watch.kept = 0;
  if (refused || again(settled) == Again::later) {
    watch.remove_at = later(step.now, ask_again_after(watch.kept));
    if (refused) ++watch.kept;
    wake(settled, kRemoveTimer, watch.remove_at, out);
  } else if (again(settled) == Again::not_needed) {
    forget(watch, known);
    put_if_due(settled.job, step, out);
  }
}

/// The end of an attempt that is not the newest any more: its alarms still have to go.
void JobAlarms::note_end(const JobChanged& event, const Step& step, Decisions& out) {
  if (event.attempt >= step.fleet.status(event.job).attempt) return;
  if (set_.disarm_on.contains(event.secondary)) {
    discard(event.job, event.attempt, event.attempt);
    remove_unwanted(event.job, out);
  }
}

/// A newer attempt shows that an attempt has ended, even if the event of its end was lost.  It does
/// not show how it ended.
void JobAlarms::discard_earlier(JobId job, AttemptNumber newest, Decisions& out) {
  const Alarms& alarms = watches_[job].alarms;
  if (alarms.empty() || alarms.begin()->first.first >= newest) return;
  const bool any_end = std::ranges::all_of(kStatusNames, [&](const auto& known) {
    return known.second < Secondary::completed || set_.disarm_on.contains(known.second);
  });
  if (!any_end) return;
  discard(job, 0, static_cast<AttemptNumber>(newest - 1));
  remove_unwanted(job, out);
}

void JobAlarms::look_at(JobId job, const Step& step, Decisions& out) {
  const JobStatus& status = step.fleet.status(job);
  Watch& watch = watches_[job];
  if (watch.seen_attempt < status.attempt) discard_earlier(job, status.attempt, out);
  const bool repeated = watch.seen_attempt == status.attempt &&
                        watch.seen_revision == status.revision && watch.seen == status.secondary;
  // Before its submission event the number of its hosts and GPUs is unknown.
  const bool arms = set_.arm_on.contains(status.secondary);
  if (arms && !step.fleet.is_described(job)) return;
  if (!repeated) {
    watch.seen_attempt = status.attempt;
    watch.seen_revision = status.revision;
    watch.seen = status.secondary;
    if (arms) {
      arm(job, step, out);
    } else if (set_.disarm_on.contains(status.secondary)) {
      watch.put_at = never;
      discard(job, status.attempt, status.attempt);
      remove_unwanted(job, out);
    }
  }
}

void JobAlarms::arm(JobId job, const Step& step, Decisions& out) {
  Watch& watch = watches_[job];
  const JobStatus& status = step.fleet.status(job);
  if (set_.resets) {
    discard(job, 0, status.attempt);
    remove_unwanted(job, out);
  }
  for (auto& [key, alarm] : watch.alarms) {
    if (key.first == status.attempt) alarm.up_to_date = false;
  }
  watch.put_at = later(status.since, set_.arm_delay);
  if (watch.put_at > step.now && watch.put_at != never) {
    const TimerKey key{.job = job, .attempt = status.attempt, .purpose = kArmTimer};
    out.wake_at(key.packed(), watch.put_at);
  }
  put_if_due(job, step, out);
}

/// Waits for deletions under way: an alarm put meanwhile would be the one that is deleted.
void JobAlarms::put_if_due(JobId job, const Step& step, Decisions& out) {
  Watch& watch = watches_[job];
  const JobStatus& status = step.fleet.status(job);
  if (watch.put_at > step.now) return;
  const auto first = watch.alarms.lower_bound(Key{status.attempt, 0});
  const bool any_unwanted = std::any_of(first, watch.alarms.end(), [&](const auto& alarm) {
    return alarm.first.first == status.attempt && alarm.second.unwanted;
  });
  if (any_unwanted) return;
  watch.put_at = never;
  if (!set_.arm_on.contains(status.secondary)) return;
  AlarmRule rule = set_.rule;
  if (set_.per_gpu) rule.threshold *= gpus_summed(job, step.fleet);
  const std::uint32_t instances = step.fleet.description(job).instances;
  if (set_.lowest) return put(job, status.attempt, lowest_of_hosts, rule, step.now, out);
  if (set_.every_host) {
    for (std::uint32_t host = 1; host <= instances; ++host) {
      put(job, status.attempt, host, rule, step.now, out);
    }
    return;
  }
  for (const std::uint32_t host : set_.hosts) {
    if (host <= instances) put(job, status.attempt, host, rule, step.now, out);
  }
}

void JobAlarms::put(JobId job, AttemptNumber attempt, std::uint32_t host, const AlarmRule& rule,
                    Instant now, Decisions& out) {
  Watch& watch = watches_[job];
  const auto [known, is_new] = watch.alarms.try_emplace({attempt, host});
  if (is_new) {
    Tally& tally = watch.tallies[attempt];
    tally.wanted = std::max(tally.wanted, ++tally.alarms);
    // Earlier events are about a deleted alarm; the first evaluation of this one may be at once.
    known->second.changed_at = now - Duration{1};
  }
  HostAlarm& alarm = known->second;
  if (alarm.up_to_date || alarm.on_its_way != HostAlarm::Call::none) return;
  alarm.on_its_way = HostAlarm::Call::put;
  const AlarmId id{.job = job, .host = host, .seat = 0};
  out.propose(PutAlarm{.alarm = id, .attempt = attempt, .rule = rule}, kArm);
}

/// The alarms of these attempts have to go.
void JobAlarms::discard(JobId job, AttemptNumber first, AttemptNumber last) {
  for (auto& [key, alarm] : watches_[job].alarms) {
    alarm.unwanted |= first <= key.first && key.first <= last;
  }
}

/// A deletion that overtook a put on its way would leave the alarm behind for ever.
void JobAlarms::remove_unwanted(JobId job, Decisions& out) {
  for (Alarms::value_type& known : watches_[job].alarms) {
    const bool idle = known.second.on_its_way == HostAlarm::Call::none;
    if (known.second.unwanted && idle) remove(known, job, out);
  }
}

void JobAlarms::remove_if_due(JobId job, const Step& step, Decisions& out) {
  Watch& watch = watches_[job];
  if (watch.remove_at > step.now) return;
  watch.remove_at = never;
  remove_unwanted(job, out);
}

void JobAlarms::remove(Alarms::value_type& known, JobId job, Decisions& out) {
  const auto [attempt, host] = known.first;
  known.second.on_its_way = HostAlarm::Call::remove;
  const AlarmId id{.job = job, .host = host, .seat = 0};
  out.propose(DeleteAlarm{.alarm = id, .attempt = attempt}, kDisarm);
}

void JobAlarms::forget(Watch& watch, Alarms::iterator known) {
  set_state(watch, *known, AlarmState::insufficient_data);
  const auto tally = watch.tallies.find(known->first.first);
  if (--tally->second.alarms == 0) watch.tallies.erase(tally);
  watch.alarms.erase(known);
}

void JobAlarms::set_state(Watch& watch, Alarms::value_type& known, AlarmState state) {
  Tally& tally = watch.tallies[known.first.first];
  if (known.second.state == AlarmState::alarm) --tally.in_alarm;
  if (known.second.state == AlarmState::ok) --tally.ok;
  if (state == AlarmState::alarm) ++tally.in_alarm;
  if (state == AlarmState::ok) ++tally.ok;
  known.second.state = state;
}

std::optional<JobAlarms::Change> JobAlarms::note_alarm(const AlarmChanged& event, Instant at,
                                                       const Step& step, Decisions& out) {
  const JobId job = event.alarm.job;
  if (event.alarm.seat != step.seat.index || !watches_.knows(job)) return std::nullopt;
  Watch& watch = watches_[job];
  const auto known = watch.alarms.find({event.attempt, event.alarm.host});
  if (known == watch.alarms.end() || known->second.unwanted) return std::nullopt;
  if (at <= known->second.changed_at) return std::nullopt;  // repeated or overtaken
  const JobStatus& status = step.fleet.status(job);
  const bool newest = event.attempt == status.attempt;
  // Alarms that were put afresh took their states with them.
  if (newest) end_incident_if_over(watch, event.attempt);
  known->second.changed_at = at;
  set_state(watch, *known, event.state);
  if (!newest) return std::nullopt;
  end_incident_if_over(watch, event.attempt);
  Change said{.job = job};
  said.fires = event.state == AlarmState::alarm && stand(job, event.attempt) &&
               status.primary == Primary::in_progress && !is_quiet(job, step, out);
  if (said.fires) said.begins = begin_incident(watch, event.attempt);
  return said;
}

/// That of an earlier attempt ended with it, however it stood then.
void JobAlarms::end_incident_if_over(Watch& watch, AttemptNumber attempt) {
  const auto tally = watch.tallies.find(attempt);
  const bool any = tally != watch.tallies.end() && tally->second.in_alarm > 0;
  if (!any && watch.incidents_of == attempt) watch.in_incident = false;
}

/// Whether the job is in a phase of which it has said that it uses little, or just was: then the
/// alarm's windows still hold some of it.  What it says now is looked at again after that.
bool JobAlarms::is_quiet(JobId job, const Step& step, Decisions& out) {
  if (!set_.heeds_hints) return false;
  const auto said = step.fleet.tag(job, kHintsTag);
  const auto hints = said ? read_phase_hints(*said) : std::nullopt;
  const JobStatus& status = step.fleet.status(job);
  if (!hints || status.secondary != Secondary::training) return false;
  const Duration looked_at = tail_of_phases(set_.rule.period, set_.rule.evaluation_periods);
  const auto until = quiet_until(*hints, step.now - status.since, looked_at);
  if (!until) return false;
  Watch& watch = watches_[job];
  watch.quiet_until = later(status.since, *until);
  const TimerKey key{.job = job, .attempt = status.attempt, .purpose = kQuietTimer};
  if (watch.quiet_until != never) out.wake_at(key.packed(), watch.quiet_until);
  return true;
}

/// An alarm that went off in such a phase, and stands when it is over, is one.
std::optional<JobAlarms::Change> JobAlarms::end_quiet(JobId job, const Step& step, Decisions& out) {
  Watch& watch = watches_[job];
  if (watch.quiet_until > step.now) return std::nullopt;
  watch.quiet_until = never;
  const JobStatus& status = step.fleet.status(job);
  if (!stand(job, status.attempt) || status.primary != Primary::in_progress) return std::nullopt;
  if (is_quiet(job, step, out)) return std::nullopt;
  return Change{.job = job, .fires = true, .begins = begin_incident(watch, status.attempt)};
}

/// False if one lasts: until none of the alarms is in ALARM any more.
bool JobAlarms::begin_incident(Watch& watch, AttemptNumber attempt) {
  if (watch.incidents_of != attempt) {
    watch.incidents_of = attempt;
    watch.incidents = 0;
    watch.in_incident = false;
  }
  if (watch.in_incident) return false;
  watch.in_incident = true;
  ++watch.incidents;
  return true;
}

JobAlarms::Tally JobAlarms::tally(JobId job, AttemptNumber attempt) const {
  const Watch* watch = watches_.find(job);
  if (watch == nullptr) return {};
  const auto known = watch->tallies.find(attempt);
  return known == watch->tallies.end() ? Tally{} : known->second;
}

bool JobAlarms::stand(JobId job, AttemptNumber attempt) const {
  const Tally all = tally(job, attempt);
  return all.in_alarm >= (set_.match_all ? std::max(all.wanted, 1U) : 1U);
}

std::optional<AlarmState> JobAlarms::state(JobId job, AttemptNumber attempt) const {
  if (stand(job, attempt)) return AlarmState::alarm;
  const Tally all = tally(job, attempt);
  if (all.alarms == 0) return std::nullopt;
  return all.ok > 0 ? AlarmState::ok : AlarmState::insufficient_data;
}

std::uint16_t JobAlarms::incidents(JobId job, AttemptNumber attempt) const {
  const Watch* watch = watches_.find(job);
  return watch != nullptr && watch->incidents_of == attempt ? watch->incidents : 0;
}

bool JobAlarms::in_incident(JobId job, AttemptNumber attempt) const {
  const Watch* watch = watches_.find(job);
  return watch != nullptr && watch->incidents_of == attempt && watch->in_incident;
}

}  // namespace reeve::policies
