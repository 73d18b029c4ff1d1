// The fields of every journal entry, listed once. Printing, parsing and digesting walk this list.
#pragma once

#include <concepts>
#include <type_traits>

#include "host/journal.hpp"

namespace reeve::host {

/// T is U, const or not.
template <class T, class U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// walk(visitor, entry) calls visitor(name, member) for each field in text order;
// visitor.verb(entry.verb) for a verb, whose fields are listed among those of the entry; and
// visitor.unless_zero(name, member) for a later field that most entries lack.

void walk(auto& visit, Is<SeatListed> auto& e) {
  visit("seat", e.seat);
  visit("name", e.name);
  visit("rule", e.rule);
  visit("priority", e.priority);
  visit("mode", e.mode);
}
void walk(auto& visit, Is<SeatMuted> auto& e) {
  visit("seat", e.seat);
  visit("why", e.why);
}
void walk(auto& visit, Is<StepBegun> auto& e) {
  visit("now", e.now);
  visit("observations", e.observations);
  visit("replies", e.replies);
}
void walk(auto& visit, Is<Reply> auto& e) {
  visit("action", e.action);
  visit("number", e.number);
  visit("kind", e.kind);
}
template <class T>
requires Is<T, Accepted> || Is<T, Shadowed> || Is<T, Warned>
void walk(auto& visit, T& e) {
  visit("action", e.action);
  visit("seat", e.seat);
  visit.verb(e.verb);
  visit.unless_zero("basis", e.basis, 2);
  visit("reason", e.reason);
}
void walk(auto& visit, Is<Refused> auto& e) {
  visit("action", e.action);
  visit("seat", e.seat);
  visit.verb(e.verb);
  visit.unless_zero("basis", e.basis, 2);
  visit("reason", e.reason);
  visit("why", e.why);
  if (e.why == Why::conflict) visit("winner", e.winner);
  if (e.why == Why::guard) visit("guard", e.guard);
}
void walk(auto& visit, Is<Attempted> auto& e) {
  visit("action", e.action);
  visit("number", e.number);
}
void walk(auto& visit, Is<Settled> auto& e) {
  visit("action", e.action);
  visit("outcome", e.outcome);
}

void walk(auto& visit, Is<policy::JobSubmitted> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("origin", f.origin);
  visit("submitted_at", f.description.submitted_at);
  visit("expected_work", f.description.expected_work);
  visit("max_runtime", f.description.max_runtime);
  visit("instances", f.description.instances);
  visit("pool", f.description.pool);
  visit("type", f.description.type);
  visit("tags", f.description.tags);
  visit("priority", f.description.priority);
  visit("deadline", f.description.deadline);
  visit("awaits_placement", f.description.awaits_placement);
  visit.unless_zero("placement", f.description.placement);
  visit.unless_zero("terms", f.description.terms, 1);
}
void walk(auto& visit, Is<policy::JobChanged> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("revision", f.revision);
  visit("primary", f.primary);
  visit("secondary", f.secondary);
  visit("failure", f.failure);
  visit("interruptions", f.interruptions);
  visit.unless_zero("doubt_pct", f.doubt_pct);
  visit.unless_zero("lacks_capacity", f.lacks_capacity, 1);
}
void walk(auto& visit, Is<policy::AlarmId> auto& a) {
  visit("job", a.job);
  visit.host("host", a.host);
  visit("alarm_seat", a.seat);
}
void walk(auto& visit, Is<policy::AlarmChanged> auto& f) {
  walk(visit, f.alarm);
  visit("attempt", f.attempt);
  visit("state", f.state);
}
void walk(auto& visit, Is<policy::CapacityChanged> auto& f) {
  visit("pool", f.pool);
  visit("instances", f.instances);
}
void walk(auto& visit, Is<policy::KillSwitchChanged> auto& f) {
  visit("engaged", f.engaged);
}
void walk(auto& visit, Is<policy::TimerFired> auto& f) {
  visit("key", f.key);
}
void walk(auto& visit, Is<policy::ActionSettled> auto& f) {
  visit("action", f.action);
  visit("verb", f.verb);
  visit("outcome", f.outcome);
  visit("seat", f.seat);
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit.host("host", f.host);
  visit("refusal", f.refusal);
  visit("room_at", f.room_at);
  visit.unless_zero("alarm_seat", f.alarm_seat);
  visit.unless_zero("incident", f.incident, 1);
}

void walk(auto& visit, Is<policy::JobPlaced> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("pool", f.pool);
}
void walk(auto& visit, Is<policy::ProgressReported> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("done", f.done);
  visit("overhead_left", f.overhead_left);
  visit("holds_machines", f.holds_machines);
  visit("pool", f.pool);
}
void walk(auto& visit, Is<policy::SpotNotice> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("signal", f.signal);
  visit("loss_at", f.at);
  visit("instances", f.instances);
}
void walk(auto& visit, Is<policy::TrainingReported> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("done", f.done);
  visit("has_loss", f.has_loss);
  visit("loss", f.loss);
}
void walk(auto& visit, Is<policy::NodesLost> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("lost", f.lost);
  visit("left", f.left);
}

void walk(auto& visit, Is<policy::MachinesLeft> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("instances", f.instances);
}

void walk(auto& visit, Is<policy::SignsSeen> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("signs", f.signs);
}

void walk(auto& visit, Is<policy::QuotaChanged> auto& f) {
  visit("share", f.share);
  visit("pool", f.pool);
  visit("instances", f.instances);
}
void walk(auto& visit, Is<policy::PriorityChanged> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("priority", f.priority);
}

void walk(auto& visit, Is<policy::QueueBlocked> auto& f) {
  visit("job", f.job);
  visit("attempt", f.attempt);
  visit("queue", f.queue);
  visit("by", f.by);
}

void walk(auto& visit, Is<policy::StartJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
}
void walk(auto& visit, Is<policy::Notify> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("incident", v.incident);
}
void walk(auto& visit, Is<policy::StopJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("cause", v.cause);
  visit("incident", v.incident);
  visit.unless_zero("found_by", v.found_by);
}
void walk(auto& visit, Is<policy::CloneJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("from", v.from);
  visit("keep_tags", v.keep_tags);
  visit("pool", v.pool);
  visit("max_runtime", v.max_runtime);
  visit.unless_zero("loses", v.loses);
  visit.unless_zero("naming", v.naming, 1);
  visit.unless_zero("each_copy", v.each_copy, 3);
}
void walk(auto& visit, Is<policy::PlaceJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("pool", v.pool);
}
void walk(auto& visit, Is<policy::MoveJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("hold", v.hold);
  visit("pool", v.pool);
}
void walk(auto& visit, Is<policy::TerminateInstances> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
}
void walk(auto& visit, Is<policy::SaveCheckpoint> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
}
void walk(auto& visit, Is<policy::PreemptJob> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("cause", v.cause);
  visit("to", v.to);
}
void walk(auto& visit, Is<policy::LimitRuntime> auto& v) {
  visit("job", v.job);
  visit("attempt", v.attempt);
  visit("limit", v.limit);
}
void walk(auto& visit, Is<policy::PutAlarm> auto& v) {
  walk(visit, v.alarm);
  visit("attempt", v.attempt);
  visit("metric", v.rule.metric);
  visit("statistic", v.rule.statistic);
  visit("period", v.rule.period);
  visit("evaluation_periods", v.rule.evaluation_periods);
  visit("datapoints_to_alarm", v.rule.datapoints_to_alarm);
  visit("threshold", v.rule.threshold);
  visit("compare", v.rule.compare);
  visit("missing", v.rule.missing);
  visit("window", v.rule.window);
}
void walk(auto& visit, Is<policy::DeleteAlarm> auto& v) {
  walk(visit, v.alarm);
  visit("attempt", v.attempt);
  visit.unless_zero("of_others", v.of_others);
}

}  // namespace reeve::host
