#include "models/fleet/event_delivery.hpp"

#include <algorithm>
#include <utility>

#include "sim/draws.hpp"

namespace reeve::models {

EventDelivery::EventDelivery(FleetCore& core, FailureText failure_text)
    : core_{core}, failure_text_{std::move(failure_text)} {}

namespace {

policy::JobId job_on_bus(const policy::Fact& fact) {
  if (const auto* change = std::get_if<policy::JobChanged>(&fact)) return change->job;
  if (const auto* lost = std::get_if<policy::NodesLost>(&fact)) return lost->job;
  if (const auto* blocked = std::get_if<policy::QueueBlocked>(&fact)) return blocked->job;
  return std::get<policy::JobSubmitted>(fact).job;
}

}  // namespace

void EventDelivery::tell(const policy::Observation& seen) {
  const EventBus& bus = core_.world.platform.events;
  const auto* change = std::get_if<policy::JobChanged>(&seen.fact);
  const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact);
  const bool is_event = submitted == nullptr;
  if (submitted != nullptr && core_.keep.events) {
    core_.record.submissions.push_back({core_.now, *submitted});
  }
  const std::uint32_t entity = job_on_bus(seen.fact).index;
  const std::uint32_t nth_event = core_.truth[entity].events++;
  const auto draw = [&](sim::Cause cause, std::uint32_t nth) {
    return core_.uniform(cause, entity, nth);
  };
  if (is_event && bus.lost > 0 && draw(sim::Cause::event_lost, nth_event) <= bus.lost) {
    const Instant look = next_poll();
    note(seen, look, false);
    if (look == policy::never && change != nullptr) untold_.insert_or_assign(change->job, seen);
    return tell_at(seen, look);
  }
  Instant at = policy::later(core_.now, bus.delay);
  if (bus.jitter.count() > 0) {
    at = policy::later(at, sim::uniform_between(Duration{0}, bus.jitter,
                                                draw(sim::Cause::event_delay, 2 * nth_event)));
  }
  if (submitted != nullptr) at = looked_up(*submitted, at);
  send(seen, at, false);
  if (is_event && bus.duplicates > 0 &&
      draw(sim::Cause::event_duplicate, 2 * nth_event) <= bus.duplicates) {
    const bool ends = change != nullptr && policy::is_terminal(change->primary);
    if (ends) repeated_ends_[change->job] = change->attempt;
    const double later = draw(sim::Cause::event_duplicate, 2 * nth_event + 1);
    send(seen, policy::later(at, sim::uniform_between(Duration{0}, bus.duplicate_within, later)),
         true);
  }
}

/// Keeps it as a row, if it is a change of a job.
void EventDelivery::note(const policy::Observation& seen, Instant at, bool duplicate) {
  const auto* change = std::get_if<policy::JobChanged>(&seen.fact);
  if (!core_.keep.events || change == nullptr) return;
  const bool failed = change->failure != policy::FailureClass::none;
  core_.record.events.push_back({seen.happened_at, at, change->job, change->attempt,
                                 change->primary, change->secondary, change->failure, duplicate,
                                 failed ? failure_text_(*change) : std::string{},
                                 change->lacks_capacity});
}

void EventDelivery::send(const policy::Observation& seen, Instant at, bool duplicate) {
  note(seen, at, duplicate);
  if (const auto* change = std::get_if<policy::JobChanged>(&seen.fact)) {
    ++core_.record.deliveries;
    if (change->attempt == 1) ++core_.record.first_attempt_deliveries;
  }
  at == core_.now ? tell_now(seen) : tell_at(seen, at);
}

/// When the description of an attempt is known whose submission event comes at `from`.  Where its
/// events lack it (those of AWS Batch have neither tags nor payload) it is asked for until a call
/// is answered: after waits as of any call, then each minute.  What rules submit they need not ask
/// for.
Instant EventDelivery::looked_up(const policy::JobSubmitted& submitted, Instant from) const {
  const EventBus& bus = core_.world.platform.events;
  if (bus.lack_tags <= 0 || submitted.origin == policy::Origin::rule) return from;
  const std::uint32_t job = submitted.job.index;
  const auto draw = [&](sim::Cause cause, std::uint32_t nth) {
    return core_.uniform(cause, job, nth);
  };
  if (draw(sim::Cause::event_lacks_tags, submitted.attempt) > bus.lack_tags) return from;
  const Api& api = core_.world.platform.api;
  constexpr std::uint32_t per_attempt = 1 << 14;  // numbers of draws
  constexpr Duration each_minute = std::chrono::minutes{1};
  Instant call = from;
  for (std::uint32_t nth = 0; call < core_.world.end; ++nth) {
    double fails = api.throttled + api.rejected + api.lost_reply;
    if (fails >= 1) return policy::never;
    const Duration since = call - core_.world.start;
    Duration in_vain{0};  // no call works for so long
    for (const BrownOut& trouble : api.brownouts) {
      if (since < trouble.from || trouble.until <= since) continue;
      const double here = trouble.throttled + trouble.lost_reply;
      fails = std::max(fails, here);
      if (here >= 1) in_vain = std::max(in_vain, trouble.until - since);
    }
    const Instant answer = policy::later(call, bus.look_up);
    const bool certain = fails <= 0 || fails >= 1;
    const double fate =
        certain ? 0.5 : draw(sim::Cause::look_up, submitted.attempt * per_attempt + nth);
    if (fate > fails) return answer;
    const Duration wait{nth < 4 ? std::chrono::seconds{1 << nth} : each_minute};
    call = policy::later(answer, wait);
    const Duration step = bus.look_up + each_minute;
    if (nth < 4 || in_vain <= step) continue;
    const auto more = in_vain / step - 1;  // equal calls without effect
    call = policy::later(call, more * step);
    nth += static_cast<std::uint32_t>(more);
  }
  return policy::never;
}

/// When the next poll of all jobs is due; `never` without polls.
Instant EventDelivery::next_poll() const {
  const Duration poll = core_.world.platform.events.poll;
  if (poll == Duration{0}) return policy::never;
  return policy::later(core_.now, poll - (core_.now - core_.world.start) % poll);
}

void EventDelivery::tell_late(const policy::Observation& seen) {
  const Instant at = policy::later(core_.now, core_.world.platform.events.delay);
  at == core_.now ? tell_now(seen) : tell_at(seen, at);
}

void EventDelivery::tell_at(const policy::Observation& seen, Instant at) {
  if (at == policy::never) return;
  core_.push(at, sim::Phase::telemetry, EventKind::message_due, messages_.put(seen), 0);
}

void EventDelivery::answer(const host::Attempt& attempt, host::ReplyKind kind) {
  reply({attempt.action, attempt.number, kind});
  if (untold_.empty()) [[likely]]
    return;
  if (const auto* stop = std::get_if<policy::StopJob>(&attempt.verb)) tell_end(*stop);
}

/// The caller that stops an ended attempt receives its status (ValidationException), and so learns
/// of an end whose event was lost.
void EventDelivery::tell_end(const policy::StopJob& stop) {
  const auto untold = untold_.find(stop.job);
  if (untold == untold_.end()) return;
  const auto& lost = std::get<policy::JobChanged>(untold->second.fact);
  if (lost.attempt != stop.attempt || !policy::is_terminal(lost.primary)) return;
  tell_now(untold->second);
  untold_.erase(untold);
}

void EventDelivery::hand_over(host::Intake& out) {
  std::swap(inbox_, out);
  inbox_.clear();
}

bool EventDelivery::repeated_end(policy::JobId job, std::uint32_t attempt) const {
  const auto repeated = repeated_ends_.find(job);
  return repeated != repeated_ends_.end() && repeated->second == attempt;
}

}  // namespace reeve::models
