#include "models/fleet/api_calls.hpp"

#include <algorithm>

#include "host/target.hpp"

namespace reeve::models {

using host::ReplyKind;

ApiCalls::ApiCalls(FleetCore& core, EventDelivery& events) : core_{core}, events_{events} {
  for (const ScriptedApiFault& fault : core.world.platform.api.scripted) {
    scripted_left_.push_back(fault.times);
  }
}

ApiCalls::Fate ApiCalls::fate_of(const host::Attempt& attempt) {
  const Api& api = core_.world.platform.api;
  const policy::JobId job = host::target(attempt.verb).job;
  Fate fate;
  if (scripted(attempt, job, fate)) return fate;
  // One draw for the nth call on the job: the probabilities are those of exclusive outcomes.
  const std::uint32_t nth = core_.truth[job.index].calls++;
  const bool certain =
      api.throttled <= 0 && api.rejected <= 0 && api.lost_reply <= 0 && api.brownouts.empty();
  const double drawn = certain ? 1 : core_.uniform(sim::Cause::api_throttle, job.index, nth);
  double throttled = api.throttled;
  double lost_reply = api.lost_reply;
  const Duration since = core_.now - core_.world.start;
  for (const BrownOut& trouble : api.brownouts) {
    if (since < trouble.from || trouble.until <= since) continue;
    throttled = std::max(throttled, trouble.throttled);  // of several the worst of each
    lost_reply = std::max(lost_reply, trouble.lost_reply);
  }
  if (over_rate(host::kind_of(attempt.verb)) || drawn <= throttled) {
    fate.kind = ReplyKind::throttled;
  } else if (drawn <= throttled + api.rejected) {
    fate.kind = ReplyKind::rejected;
  } else {
    fate.loses_reply = drawn <= throttled + api.rejected + lost_reply;
  }
  return fate;
}

void ApiCalls::send(const host::Attempt& attempt, Fate fate) {
  const Instant then = policy::later(core_.now, core_.world.platform.api.latency);
  if (fate.kind == ReplyKind::done) {
    const std::uint32_t call = calls_.put({attempt, fate.loses_reply});
    core_.push(then, sim::Phase::world, EventKind::call_due, call, 0);
  } else {
    const std::uint32_t refusal = refusals_.put({attempt.action, attempt.number, fate.kind});
    core_.push(then, sim::Phase::reply, EventKind::reply_due, refusal, 0);
  }
}

/// A token bucket per verb that holds one second's worth of calls, or a burst.
bool ApiCalls::over_rate(policy::VerbKind verb) {
  const Api& api = core_.world.platform.api;
  double rate = api.calls_per_s;
  if (!api.rates.empty()) {
    if (verb == policy::VerbKind::start_job) verb = policy::VerbKind::clone_job;
    const auto known = api.rates.find(verb);
    rate = known == api.rates.end() ? 0 : known->second;
  }
  if (rate <= 0) return false;
  const double burst = std::max(api.burst > 0 ? api.burst : rate, 1.0);
  auto& [since, tokens] = buckets_.try_emplace(verb, core_.now, burst).first->second;
  const double left =
      std::min(burst, tokens + rate * std::chrono::duration<double>(core_.now - since).count());
  if (left < 1.0) return true;  // and nothing is booked: small sums would add up to less than one
  since = core_.now;
  tokens = left - 1.0;
  return false;
}

/// Takes the first scripted fault that fits the call, if there is one left.
bool ApiCalls::scripted(const host::Attempt& attempt, policy::JobId job, Fate& fate) {
  const auto& faults = core_.world.platform.api.scripted;
  for (std::size_t index = 0; index < faults.size(); ++index) {
    const ScriptedApiFault& fault = faults[index];
    if (scripted_left_[index] == 0 || fault.verb != host::kind_of(attempt.verb)) continue;
    if (fault.job && *fault.job != job) continue;
    --scripted_left_[index];
    using Wrong = ScriptedApiFault::Kind;
    fate.loses_reply = fault.kind == Wrong::lost_reply;
    fate.kind = fault.kind == Wrong::throttled  ? ReplyKind::throttled
                : fault.kind == Wrong::rejected ? ReplyKind::rejected
                                                : ReplyKind::done;
    return true;
  }
  return false;
}

}  // namespace reeve::models
