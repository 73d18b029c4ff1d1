#include "host/guards.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "host/interventions.hpp"
#include "host/target.hpp"

namespace reeve::host {

using policy::Instant;
using policy::Verb;

namespace {

constexpr policy::Duration kHour = std::chrono::hours{1};

/// A limit that is used up already ends an attempt as a stop does.  Not every platform leaves the
/// start-up out of what it counts, and none says when it began: what might stop counts as a stop.
bool is_stop(const Wish& wish) {
  if (std::holds_alternative<policy::StopJob>(wish.verb)) return true;
  const auto* lowered = std::get_if<policy::LimitRuntime>(&wish.verb);
  if (lowered == nullptr) return false;
  if (!wish.belief.knows(lowered->job)) return false;
  const Instant since = wish.belief.machines_since(lowered->job);
  return wish.belief.status(lowered->job).attempt == lowered->attempt && since != policy::never &&
         policy::later(since, lowered->limit) <= wish.now;
}

bool intervenes(const Wish& wish) {
  return host::intervenes(wish.verb, wish.belief);
}

bool is_stop_verb(policy::VerbKind verb) {
  return verb == policy::VerbKind::stop_job;
}

/// Of what an earlier run sent: stops and further attempts.
bool changes_job_verb(policy::VerbKind verb) {
  return is_stop_verb(verb) || verb == policy::VerbKind::clone_job;
}

Veto until(std::string_view guard, Instant room_at) {
  return {guard, policy::Refusal::rate_limit, room_at};
}

}  // namespace

Veto not_yet(std::string_view guard) {
  return {guard, policy::Refusal::conflict};
}

bool Guard::counts_what_is_sent() const {
  return false;
}
void Guard::passed(const Wish&) {}
void Guard::recall(std::optional<policy::SeatId>, policy::VerbKind, Instant) {}
void Guard::settled(policy::ActionId, const Verb&, policy::Outcome) {}
void Guard::left_out(const Wish&) {}
void Guard::learnt(const policy::Observation&, const Belief&) {}
bool Guard::holds_attempts() const {
  return false;
}

RateLimit::RateLimit(const Rate& rate) : rate_{rate} {}

RateLimit::Ring& RateLimit::ring_of(policy::SeatId seat) {
  const std::size_t index = rate_.each_seat ? seat.index : 0;
  if (index >= rings_.size()) rings_.resize(index + 1);
  return rings_[index];
}

std::optional<Veto> RateLimit::refuses(const Wish& wish) {
  if (!rate_.counts(wish)) return {};
  if (rate_.limit == 0) return Veto{.guard = rate_.guard};
  const Ring& ring = ring_of(wish.seat);
  if (ring.accepted.size() < rate_.limit) return {};
  const Instant room_at = policy::later(ring.accepted[ring.oldest], rate_.within);
  if (room_at <= wish.now) return {};
  return until(rate_.guard, room_at);
}

bool RateLimit::counts_what_is_sent() const {
  return true;
}

void RateLimit::passed(const Wish& wish) {
  if (rate_.counts(wish)) count(wish.seat, wish.now);
}

void RateLimit::recall(std::optional<policy::SeatId> seat, policy::VerbKind verb, Instant at) {
  if (!rate_.counts_verb(verb) || (rate_.each_seat && !seat)) return;
  count(seat.value_or(policy::SeatId{0}), at);
}

void RateLimit::count(policy::SeatId seat, Instant at) {
  Ring& ring = ring_of(seat);
  if (ring.accepted.size() < rate_.limit) {
    ring.accepted.push_back(at);
  } else if (rate_.limit > 0) {
    ring.accepted[ring.oldest] = at;
    ring.oldest = (ring.oldest + 1) % rate_.limit;
  }
}

std::unique_ptr<Guard> stops_per_hour(std::uint32_t limit) {
  return std::make_unique<RateLimit>(
      RateLimit::Rate{"stops_per_hour", is_stop, is_stop_verb, limit, kHour, false});
}

std::unique_ptr<Guard> actions_per_hour(std::uint32_t limit) {
  return std::make_unique<RateLimit>(
      RateLimit::Rate{"actions_per_hour", intervenes, changes_job_verb, limit, kHour, false});
}

std::unique_ptr<Guard> actions_per_rule_per_day(std::uint32_t limit) {
  return std::make_unique<RateLimit>(RateLimit::Rate{"actions_per_rule_per_day", intervenes,
                                                     changes_job_verb, limit, 24 * kHour, true});
}

StopsPctPerHour::StopsPctPerHour(std::uint32_t percent) : percent_{percent} {}

std::optional<Veto> StopsPctPerHour::refuses(const Wish& wish) {
  if (!is_stop(wish)) return {};
  if (percent_ == 0) return Veto{.guard = "stops_pct_per_hour"};
  forget_until(wish.now);
  const auto allowed = [this](std::uint64_t fleet) { return (fleet * percent_ + 99) / 100; };
  if (stops_.size() < allowed(wish.belief.running() + not_running_)) return {};
  if (stops_.empty()) return {};  // what is to be stopped was not told of yet: it is a fleet of one
  return until("stops_pct_per_hour", policy::later(stops_.front().at, kHour));
}

void StopsPctPerHour::forget_until(Instant now) {
  while (!stops_.empty() && policy::later(stops_.front().at, kHour) <= now) {
    const auto of = jobs_.find(stops_.front().job);
    if (!of->second.runs) --not_running_;
    if (--of->second.stops == 0) jobs_.erase(of);
    stops_.pop_front();
  }
}

void StopsPctPerHour::learnt(const policy::Observation& seen, const Belief& belief) {
  if (jobs_.empty()) return;
  const auto* changed = std::get_if<policy::JobChanged>(&seen.fact);
  const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact);
  if (changed == nullptr && submitted == nullptr) return;
  const auto of = jobs_.find(changed != nullptr ? changed->job : submitted->job);
  if (of == jobs_.end()) return;
  const bool runs = belief.runs(of->first);
  if (runs == of->second.runs) return;
  of->second.runs = runs;
  runs ? not_running_ -= of->second.stops : not_running_ += of->second.stops;
}

bool StopsPctPerHour::counts_what_is_sent() const {
  return true;
}

/// Its job has no id in this run.  It does not run any more.
void StopsPctPerHour::recall(std::optional<policy::SeatId>, policy::VerbKind verb, Instant at) {
  if (!is_stop_verb(verb)) return;
  constexpr policy::JobId of_earlier_run{std::numeric_limits<std::uint32_t>::max()};
  ++jobs_[of_earlier_run].stops;
  ++not_running_;
  stops_.push_back({at, of_earlier_run});
}

void StopsPctPerHour::passed(const Wish& wish) {
  if (!is_stop(wish)) return;
  forget_until(wish.now);
  const policy::JobId job = target(wish.verb).job;
  const bool runs = wish.belief.runs(job);
  Job& of = jobs_[job];
  of.runs = runs;
  ++of.stops;
  if (!runs) ++not_running_;
  stops_.push_back({wish.now, job});
}

ProtectedTags::ProtectedTags(const std::vector<std::string>& tags)
    : patterns_{tags.begin(), tags.end()} {}

/// A start is not what a job is protected from: a scheduler must be able to run it.
std::optional<Veto> ProtectedTags::refuses(const Wish& wish) {
  if (!intervenes(wish)) return {};
  const auto attempt = judged_by(wish.verb, wish.belief);
  if (!attempt) return not_yet("protected_tags");
  const bool is_protected = std::any_of(
      patterns_.begin(), patterns_.end(),
      [&](const TagPattern& tag) { return tag.matches(wish.belief.directory(), attempt->tags); });
  return is_protected ? std::optional{Veto{.guard = "protected_tags"}} : std::nullopt;
}

Exemptions::Exemptions(std::vector<Exemption> exemptions) : exemptions_{std::move(exemptions)} {}

std::optional<Veto> Exemptions::refuses(const Wish& wish) {
  if (!intervenes(wish)) return {};
  const auto attempt = judged_by(wish.verb, wish.belief);
  if (!attempt) return not_yet("exempt");
  Instant ends = wish.now;
  for (const Exemption& exemption : exemptions_) {
    const auto& seats = exemption.seats;
    const bool from =
        seats.empty() || std::find(seats.begin(), seats.end(), wish.seat_name) != seats.end();
    if (from && exemption.until > ends &&
        exemption.tag.matches(wish.belief.directory(), attempt->tags)) {
      ends = exemption.until;
    }
  }
  return ends > wish.now ? std::optional{until("exempt", ends)} : std::nullopt;
}

OfficeHours::OfficeHours(const policy::WeeklyHours& hours) : hours_{hours} {}

std::optional<Veto> OfficeHours::refuses(const Wish& wish) {
  if (!intervenes(wish)) return {};
  const Instant opens = hours_.opens(wish.now);
  if (opens == policy::never) return Veto{.guard = "office_hours"};
  return opens > wish.now ? std::optional{until("office_hours", opens)} : std::nullopt;
}

DryStart::DryStart(Instant until) : until_{until} {}

std::optional<Veto> DryStart::refuses(const Wish& wish) {
  if (!intervenes(wish) || wish.now >= until_) return {};
  return until("dry_start", until_);
}

std::optional<Veto> Undone::refuses(const Wish& wish) {
  if (wish.id == decision_) {
    left_out_ = wish.verb;
    seat_ = wish.seat;
    return Veto{.guard = "undone", .leaves_out = true};
  }
  return makes_up_for_it(wish) ? std::optional{Veto{.guard = "undone"}} : std::nullopt;
}

bool Undone::makes_up_for_it(const Wish& wish) const {
  if (!left_out_ || wish.seat != seat_ || wish.verb.index() != left_out_->index()) return false;
  const Target mine = target(wish.verb);
  const Target theirs = target(*left_out_);
  const bool on = kind_of(wish.verb) == policy::VerbKind::clone_job;
  return mine.job == theirs.job &&
         (mine.attempt == theirs.attempt || (on && mine.attempt > theirs.attempt));
}

std::optional<Veto> StopsLeftOut::refuses(const Wish& wish) {
  if (kind_of(wish.verb) != policy::VerbKind::stop_job || wish.seat_name != seat_) return {};
  return Veto{.guard = "undone", .leaves_out = true};
}

std::optional<Veto> KillSwitch::refuses(const Wish&) {
  return engaged_ ? std::optional{Veto{"kill_switch", policy::Refusal::kill_switch}} : std::nullopt;
}

void KillSwitch::learnt(const policy::Observation& seen, const Belief& belief) {
  if (!std::holds_alternative<policy::KillSwitchChanged>(seen.fact)) return;
  engaged_ = belief.kill_switch_engaged();
}

bool KillSwitch::holds_attempts() const {
  return engaged_;
}

}  // namespace reeve::host
