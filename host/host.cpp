#include "host/host.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "host/check.hpp"
#include "host/interventions.hpp"

namespace reeve::host {

using policy::ActionId;
using policy::ActionSettled;
using policy::Decision;
using policy::Duration;
using policy::Instant;
using policy::JobId;
using policy::later;
using policy::never;
using policy::Observation;
using policy::Outcome;
using policy::Refusal;
using policy::SeatId;
using policy::Verb;
using policy::VerbKind;

namespace {

/// Verbs whose effect shows in a job's status; the others are over when the API says so.
bool awaits_effect(const Verb& verb) {
  const VerbKind kind = kind_of(verb);
  return kind == VerbKind::start_job || kind == VerbKind::stop_job || kind == VerbKind::clone_job ||
         kind == VerbKind::place_job || kind == VerbKind::preempt_job;
}

/// The job that it is about, if it is about one, and by which attempt it is judged whether that
/// concerns a seat with a scope.
std::optional<UnjudgedObservations::About> about(const Observation& seen) {
  if (const auto* settled = std::get_if<ActionSettled>(&seen.fact)) {
    return UnjudgedObservations::About{settled->job,
                                       judged_attempt(settled->verb, settled->attempt)};
  }
  return std::visit(
      [](const auto& fact) -> std::optional<UnjudgedObservations::About> {
        if constexpr (requires { fact.job; }) {
          return UnjudgedObservations::About{fact.job, fact.attempt};
        } else if constexpr (requires { fact.alarm; }) {
          return UnjudgedObservations::About{fact.alarm.job, fact.attempt};
        } else {
          return std::nullopt;
        }
      },
      seen.fact);
}

bool is_report(const Observation& seen) {
  return std::holds_alternative<policy::TrainingReported>(seen.fact) ||
         std::holds_alternative<policy::SignsSeen>(seen.fact);
}

/// The seat whose alarm changed, or that made the settled call about an alarm.
std::optional<SeatId> alarm_of(const Observation& seen) {
  if (const auto* settled = std::get_if<ActionSettled>(&seen.fact)) {
    const bool of_alarm =
        settled->verb == VerbKind::put_alarm || settled->verb == VerbKind::delete_alarm;
    return of_alarm ? std::optional{settled->seat} : std::nullopt;
  }
  const auto* changed = std::get_if<policy::AlarmChanged>(&seen.fact);
  return changed != nullptr ? std::optional{SeatId{changed->alarm.seat}} : std::nullopt;
}

bool counts_incidents(VerbKind kind) {
  return kind == VerbKind::notify || kind == VerbKind::stop_job;
}

/// What a message tells of, or would if its seat only warns of `verb`; never 0.  A rule counts what
/// it tells of and what it stops for together; anything else that it does to an attempt is an
/// incident of its own, and so are the alarms of each seat.
std::uint64_t incident_of(const Verb& verb) {
  const Target of = target(verb);
  const VerbKind kind = kind_of(verb);
  const std::uint64_t what = counts_incidents(kind) ? 0 : static_cast<std::uint64_t>(kind) + 1;
  return std::uint64_t{1} << 63 | std::uint64_t{of.attempt} << 40 | what << 32 |
         std::uint64_t{of.alarm_seat} << 16 | of.incident;
}

/// Why a verb can be no policy's wish; empty if it can.
std::string_view nonsense(const Verb& verb, const policy::Directory& directory, std::size_t seats) {
  const VerbKind kind = kind_of(verb);
  if (kind == VerbKind::start_job || kind == VerbKind::stop_job) return {};  // most are
  const auto is_pool = [&](policy::PoolId pool) { return pool.index < directory.pools.size(); };
  if (const auto* clone = std::get_if<policy::CloneJob>(&verb)) {
    if (clone->pool && !is_pool(*clone->pool))
      return "proposed a clone in a fleet that does not exist";
    if (clone->max_runtime < Duration{0}) return "proposed a clone with a negative runtime";
  } else if (const auto* place = std::get_if<policy::PlaceJob>(&verb)) {
    if (!is_pool(place->pool)) return "proposed to place a job in a fleet that does not exist";
  } else if (const auto* move = std::get_if<policy::MoveJob>(&verb)) {
    if (move->hold && !is_pool(move->pool))
      return "proposed to move a job to a fleet that does not exist";
  } else if (const auto* limit = std::get_if<policy::LimitRuntime>(&verb)) {
    if (limit->limit <= Duration{0}) return "proposed a runtime limit that is not positive";
  } else if (const auto* put = std::get_if<policy::PutAlarm>(&verb)) {
    const policy::AlarmRule& rule = put->rule;
    const bool looks = rule.period > Duration{0} && rule.evaluation_periods > 0;
    const bool fits =
        rule.datapoints_to_alarm > 0 && rule.datapoints_to_alarm <= rule.evaluation_periods;
    if (!looks || !fits || !std::isfinite(rule.threshold))
      return "proposed an alarm without valid settings";
  } else if (const auto* gone = std::get_if<policy::DeleteAlarm>(&verb)) {
    if (gone->of_others && gone->alarm.seat >= seats)
      return "proposed to delete the alarm of a rule that does not exist";
  }
  return {};
}

bool wants_nothing(const policy::Decisions& wishes) {
  return wishes.proposed().empty() && wishes.timers().empty();
}

/// The finalizer of SplitMix64.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// 16 bits that depend on what is done, when it was decided, and the try.  Not on the action's id,
/// which counts what seats in shadow wished for as well: those change nothing.
std::uint64_t scattered(const Action& action) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;
  const Target of = target(action.verb);
  std::uint64_t bits = static_cast<std::uint64_t>(action.decided.time_since_epoch().count());
  for (const std::uint64_t part :
       {std::uint64_t{of.job.index}, std::uint64_t{of.attempt}, std::uint64_t{of.host},
        std::uint64_t{of.incident}, static_cast<std::uint64_t>(kind_of(action.verb)),
        std::uint64_t{action.attempts}}) {
    bits = mixed(bits + step) ^ part;
  }
  return mixed(bits + step) >> 48;
}

}  // namespace

Host::Host(std::vector<Seat> seats, Belief belief, Retry retry, Guards guards, Journal& journal)
    : seats_{std::move(seats)},
      belief_{std::move(belief)},
      retry_{retry},
      guards_{std::move(guards)},
      journal_{journal},
      wishes_(seats_.size()),
      is_muted_(seats_.size()),
      wakes_at_once_(seats_.size()),
      asks_at_once_(seats_.size()),
      told_at_once_(seats_.size()),
      told_(seats_.size()),
      held_(seats_.size()),
      unjudged_(seats_.size()) {
  REEVE_CHECK(retry_.attempts_max > 0, "an action is tried at least once");
  REEVE_CHECK(retry_.backoff_first >= Duration::zero() && retry_.reply_timeout > Duration::zero() &&
                  retry_.confirm_timeout >= Duration::zero(),
              "waits are not negative, the one for a reply is positive");
  REEVE_CHECK(retry_.backoff_max >= retry_.backoff_first, "the longest wait is not the shortest");
  std::stable_sort(seats_.begin(), seats_.end(),
                   [](const Seat& a, const Seat& b) { return a.priority > b.priority; });
  std::vector<std::string> rules;
  std::vector<std::string> names;
  for (std::uint32_t index = 0; index < seats_.size(); ++index) {
    const Seat& seat = seats_[index];
    watched_.emplace_back(seat.name);
    REEVE_CHECK(seat.policy != nullptr || seat.mode == Mode::off, "a seat without policy",
                seat.name);
    rules.push_back(seat.rule);
    names.push_back(seat.name);
    journal_.write(SeatListed{{index}, seat.name, seat.rule, seat.priority, seat.mode});
  }
  belief_.set_rules(std::move(rules), std::move(names));
}

std::span<const Attempt> Host::step(Instant now, const Intake& intake) {
  check_place().step = ++steps_;
  REEVE_CHECK(now >= now_, "a feed ran backwards", now.time_since_epoch().count(),
              now_.time_since_epoch().count());
  if (now > now_) {
    std::fill(wakes_at_once_.begin(), wakes_at_once_.end(), 0);
    std::fill(asks_at_once_.begin(), asks_at_once_.end(), 0);
    std::fill(told_at_once_.begin(), told_at_once_.end(), 0);
  }
  now_ = now;
  out_.clear();
  shared_.clear();
  shared_.swap(deferred_);
  tell_by_ = policy::never;
  take_in(intake);
  take_replies(intake);
  for (const Observation& seen : intake.observations) {
    if (const auto* changed = std::get_if<policy::JobChanged>(&seen.fact)) {
      confirm_effect(changed->job);
    } else if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
      confirm_effect(submitted->job);
    } else if (const auto* placed = std::get_if<policy::JobPlaced>(&seen.fact)) {
      confirm_effect(placed->job);
    }
  }
  fired_.clear();
  timers_.fire(now_, fired_);
  retry_overdue();
  consult();
  for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
    if (wants_nothing(wishes_[seat])) continue;
    for (const Decision& wish : wishes_[seat].proposed()) arbitrate({seat}, wish);
    for (const auto& timer : wishes_[seat].timers()) timers_.arm({seat}, timer.key, timer.at);
    drop_wishes({seat});
  }
  journal_.end_step();
  next_deadline_ = std::max(now_, std::min({actions_.next_due(), timers_.next(), tell_by_}));
  return out_;
}

/// The whole intake is journaled before any of it is believed.
void Host::take_in(const Intake& intake) {
  journal_.write(StepBegun{now_, static_cast<std::uint32_t>(intake.observations.size()),
                           static_cast<std::uint32_t>(intake.replies.size())});
  for (const Observation& seen : intake.observations) journal_.write(seen);
  for (const Reply& reply : intake.replies) journal_.write(reply);
  for (const Observation& seen : intake.observations) {
    belief_.fold(seen);
    for (const auto& guard : guards_) guard->learnt(seen, belief_);
  }
  shared_.insert(shared_.end(), intake.observations.begin(), intake.observations.end());
}

void Host::take_replies(const Intake& intake) {
  for (const Reply& reply : intake.replies) {
    Action* action = actions_.find(reply.action);
    if (action == nullptr) continue;                // a repeated or late reply: settled already
    if (reply.number > action->attempts) continue;  // to a try that was never made
    take_reply(reply, *action);
  }
}

void Host::take_reply(const Reply& reply, Action& action) {
  const bool is_newest = reply.number == action.attempts;
  switch (reply.kind) {
    case ReplyKind::done:
    case ReplyKind::partly_done:
      if (!awaits_effect(action.verb)) {
        settle(action, reply.kind == ReplyKind::done ? Outcome::done : Outcome::partly_done);
      } else if (belief_.shows_effect(action.verb)) {
        settle(action, Outcome::done);
      } else if (action.stage != Stage::acknowledged) {
        actions_.enter(action, Stage::acknowledged, later(now_, retry_.confirm_timeout));
      }
      return;
    case ReplyKind::rejected:
    case ReplyKind::no_room:
      // A newer try, or a try that was taken on, has the say.
      if (!is_newest || action.stage == Stage::acknowledged) return;
      if (belief_.shows_effect(action.verb)) return settle(action, Outcome::done);
      if (action.may_have_worked) return doubt(action);
      settle(action, Outcome::refused,
             reply.kind == ReplyKind::no_room ? Refusal::no_room : Refusal::platform);
      return;
    case ReplyKind::throttled:
    case ReplyKind::unknown:
      action.may_have_worked |= reply.kind == ReplyKind::unknown;
      if (!is_newest || action.stage != Stage::issued) return;
      if (action.attempts < retry_.attempts_max) {
        actions_.enter(action, Stage::backing_off, later(now_, backoff(action)));
      } else if (reply.kind == ReplyKind::throttled) {
        if (action.may_have_worked) return doubt(action);
        settle(action, Outcome::expired);
      }  // an unknown last try may have worked: its effect may show until the reply would be due
      return;
  }
}

/// A refusal after a try with an unknown result: the platform often refuses to repeat what is done
/// (SageMaker: ResourceInUse, ValidationException).  The effect of the first try may still show.
void Host::doubt(Action& action) {
  if (!awaits_effect(action.verb)) return settle(action, Outcome::expired);
  action.is_last_wait = true;
  actions_.enter(action, Stage::acknowledged, later(now_, retry_.confirm_timeout));
}

Duration Host::backoff(const Action& action) const {
  Duration wait = retry_.backoff_first;
  for (std::uint32_t doubled = 1; doubled < action.attempts; ++doubled) {
    wait = wait > retry_.backoff_max / 2 ? retry_.backoff_max : 2 * wait;
  }
  if (actions_.backing_off() == 0) return wait;  // alone: no other call to avoid
  const auto share = static_cast<std::int64_t>(scattered(action));
  const Duration more = wait / 65536 * share;
  return wait > Duration::max() - more ? Duration::max() : wait + more;
}

/// The effect settles an action whether or not its reply ever came.
void Host::confirm_effect(JobId job) {
  if (!belief_.knows(job)) return;
  const std::uint32_t handle = belief_.in_flight(job);
  if (handle == Belief::no_action) return;
  Action& action = actions_.at(handle);
  if (belief_.shows_effect(action.verb)) settle(action, Outcome::done);
}

bool Host::holds_attempts() const {
  return std::any_of(guards_.begin(), guards_.end(),
                     [](const auto& guard) { return guard->holds_attempts(); });
}

void Host::retry_overdue() {
  // What is held is given up, not kept: by the release the world has moved on, and it is for the
  // rule to say whether the action is still right.
  while (Action* action = actions_.overdue(now_)) {
    action->may_have_worked |= action->stage != Stage::backing_off;
    if (holds_attempts()) {
      settle(*action, Outcome::expired, Refusal::kill_switch);
    } else if (action->attempts >= retry_.attempts_max || action->is_last_wait) {
      settle(*action, Outcome::expired);
    } else {
      send(*action);
    }
  }
}

/// The same id each time: a repeat is harmless.
void Host::send(Action& action) {
  ++action.attempts;
  actions_.enter(action, Stage::issued, later(now_, retry_.reply_timeout));
  journal_.write(Attempted{action.id, action.attempts});
  out_.push_back(
      {action.id, action.attempts, action.verb, action.seat, action.decided, action.incident});
}

void Host::settle(Action& action, Outcome outcome, Refusal refusal) {
  const JobId job = target(action.verb).job;
  if (changes_job(action.verb)) {
    belief_.set_in_flight(job, Belief::no_action);
    const bool is_stop = kind_of(action.verb) == VerbKind::stop_job;
    if (is_stop && outcome == Outcome::refused) belief_.expect_no_stop(job);
  }
  const bool failed = outcome == Outcome::refused || outcome == Outcome::expired;
  if (failed && action.incident != 0) note_told(action.seat, job, action.incident, false);
  for (const auto& guard : guards_) guard->settled(action.id, action.verb, outcome);
  journal_.write(Settled{action.id, outcome});
  answer(action.id, action.seat, action.verb, outcome, refusal, shared_);
  actions_.remove(action);
}

void Host::answer(ActionId id, SeatId seat, const Verb& verb, Outcome outcome, Refusal refusal,
                  std::vector<Observation>& to, Instant room_at) const {
  const Target about = target(verb);
  const VerbKind kind = kind_of(verb);
  const std::uint16_t incident = counts_incidents(kind) ? about.incident : std::uint16_t{0};
  to.push_back({now_, ActionSettled{id, kind, outcome, seat, about.job, about.attempt, about.host,
                                    refusal, room_at, about.alarm_seat, incident}});
}

/// Who has nothing to be told is not asked, but for the first step: a rule may set its clock there.
void Host::consult() {
  sort_observations();
  const auto common = static_cast<std::ptrdiff_t>(shared_.size());
  const auto plain = static_cast<std::ptrdiff_t>(plain_.size());
  for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
    if (seats_[seat].mode == Mode::off || is_muted_[seat]) continue;
    const std::span<const Observation> observations = tell({seat});
    if (!observations.empty() || steps_ == 1) ask({seat}, observations);
    shared_.erase(shared_.begin() + common, shared_.end());
    plain_.erase(plain_.begin() + plain, plain_.end());
  }
}

/// What is for some seats only: most of them read no reports, and mind their own alarms alone.
void Host::sort_observations() {
  has_reports_ = false;
  alarms_of_.clear();
  plain_.clear();
  for (const Observation& seen : shared_) {
    has_reports_ = has_reports_ || is_report(seen);
    if (const auto of = alarm_of(seen)) alarms_of_.push_back(*of);
  }
  if (alarms_of_.empty()) return;
  std::copy_if(shared_.begin(), shared_.end(), std::back_inserter(plain_),
               [](const Observation& seen) { return !alarm_of(seen); });
}

void Host::ask(SeatId seat, std::span<const Observation> observations) {
  try {
    {
      const PolicyCall call{watched_[seat.index], held_[seat.index]};
      seats_[seat.index].policy->decide({now_, seat, observations, belief_}, wishes_[seat.index]);
    }
    check_wishes(seat);
  } catch (const std::exception& problem) {
    mute(seat, problem.what());
  } catch (...) {
    mute(seat, "threw an object that is not a std::exception");
  }
}

/// What all learnt, as far as it is for the seat and its scope reaches, and its own timers.
std::span<const Observation> Host::tell(SeatId seat) {
  std::vector<Observation>& told = news_for(seat);
  for (const Timers::Fired& timer : fired_) {
    if (timer.seat == seat) told.push_back({timer.at, policy::TimerFired{timer.key}});
  }
  return told;
}

std::vector<Observation>& Host::news_for(SeatId seat) {
  const Seat& receiver = seats_[seat.index];
  if (receiver.scope.is_all() && (receiver.reads_reports || !has_reports_)) {
    if (receiver.minds_alarms || alarms_of_.empty()) return shared_;
    if (std::ranges::find(alarms_of_, seat) == alarms_of_.end()) return plain_;
  }
  own_.clear();
  hear_in_scope(seat);
  return own_;
}

/// What could not be judged until now is older, and comes first.
void Host::hear_in_scope(SeatId seat) {
  UnjudgedObservations& unjudged = unjudged_[seat.index];
  if (!unjudged.empty()) {
    for (const Observation& seen : shared_) {
      if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
        unjudged.call({submitted->job, submitted->attempt});
      } else if (const auto* placed = std::get_if<policy::JobPlaced>(&seen.fact)) {
        unjudged.call({placed->job, placed->attempt});
      }
    }
    unjudged.judge_called([&](const Observation& seen) { return may_hear(seat, seen); }, own_);
  }
  for (const Observation& seen : shared_) {
    const std::optional<bool> hears = may_hear(seat, seen);
    if (!hears) {
      unjudged.keep(*about(seen), seen);
    } else if (*hears) {
      own_.push_back(seen);
    }
  }
}

/// What becomes of its own decisions concerns a seat wherever the job belongs by now.  Nothing: it
/// is not known yet.
std::optional<bool> Host::may_hear(SeatId seat, const Observation& seen) const {
  const auto* settled = std::get_if<ActionSettled>(&seen.fact);
  if (settled != nullptr && settled->seat == seat) return true;
  const Seat& receiver = seats_[seat.index];
  if (!receiver.reads_reports && is_report(seen)) return false;
  if (!receiver.minds_alarms && alarm_of(seen).value_or(seat) != seat) return false;
  const auto of = about(seen);
  if (!of) return true;
  return receiver.scope.holds(belief_.whereabouts(of->job, of->attempt), belief_.directory());
}

/// Throws at what no platform could do, and at a policy that keeps time from going on: that it asks
/// to be woken, or asks for something that is refused at once, without end at one instant.
void Host::check_wishes(SeatId seat) {
  constexpr std::uint32_t wakes_at_most = 10'000;
  const std::uint64_t steps_at_most = 10'000 + 16 * std::uint64_t{belief_.job_count()};
  if (wants_nothing(wishes_[seat.index])) {
    wakes_at_once_[seat.index] = 0;
    return;
  }
  for (const Decision& wish : wishes_[seat.index].proposed()) {
    const std::string_view problem = nonsense(wish.verb, belief_.directory(), seats_.size());
    if (!problem.empty()) throw std::invalid_argument{std::string{problem}};
    if (target(wish.verb).job.index >= belief_.job_count()) {
      throw std::invalid_argument{"proposed an action on an unknown job"};
    }
  }
  const auto timers = wishes_[seat.index].timers();
  const bool at_once = std::any_of(timers.begin(), timers.end(),
                                   [&](const auto& timer) { return timer.at <= now_; });
  std::uint32_t& times = wakes_at_once_[seat.index];
  times = at_once ? times + 1 : 0;
  if (times > wakes_at_most)
    throw std::runtime_error{"set a timer for the present too many times in a row"};
  if (wishes_[seat.index].proposed().empty()) return;
  if (++asks_at_once_[seat.index] > steps_at_most) {
    throw std::runtime_error{"made too many proposals at one instant"};
  }
}

/// What a rule has handed over it holds no longer: it is freed on the account it was taken on.
void Host::drop_wishes(SeatId seat) {
  const policy::Metering of_the_seat{&held_[seat.index]};
  wishes_[seat.index].clear();
}

/// It is never asked again, and keeps nothing from now on.
void Host::mute(SeatId seat, std::string_view why) {
  drop_wishes(seat);
  unjudged_[seat.index] = {};
  {
    const policy::Metering of_the_seat{&held_[seat.index]};
    seats_[seat.index].policy.reset();
  }
  is_muted_[seat.index] = true;
  muted_.push_back({seat, now_, steps_, std::string{why}});
  journal_.write(SeatMuted{seat, why});
}

void Host::arbitrate(SeatId seat, Decision decision) {
  const ActionId id{++decisions_};
  Verb& verb = decision.verb;
  if (auto* put = std::get_if<policy::PutAlarm>(&verb)) {
    put->alarm.seat = static_cast<std::uint16_t>(seat.index);
  } else if (auto* gone = std::get_if<policy::DeleteAlarm>(&verb)) {
    if (!gone->of_others) gone->alarm.seat = static_cast<std::uint16_t>(seat.index);
  }
  const JobId job = target(verb).job;
  const std::uint64_t incident = incident_of(verb);
  const bool tells = kind_of(verb) == VerbKind::notify;
  if (belief_.is_moot(verb) || (tells && has_told(seat, job, incident))) {
    return refuse(id, seat, decision, Why::moot);
  }
  const Mode mode = seats_[seat.index].mode;
  const bool warns = mode == Mode::warn && !is_watching(verb);
  const bool sends = mode != Mode::shadow && !warns;
  if (changes_job(verb) && belief_.in_flight(job) != Belief::no_action) {
    const Action& other = actions_.at(belief_.in_flight(job));
    // In enforce the job would not have been started before it was placed.
    const bool started_unplaced = !sends && kind_of(verb) == VerbKind::place_job &&
                                  kind_of(other.verb) == VerbKind::start_job;
    if (!started_unplaced) return refuse(id, seat, decision, Why::conflict, other.id);
  }
  const Scope& scope = seats_[seat.index].scope;
  if (!scope.is_all() && intervenes(verb, belief_)) {
    const auto holds = scope.holds(judged_by(verb, belief_), belief_.directory());
    if (!holds) return refuse(id, seat, decision, Why::guard, {}, not_yet("scope"));
    if (!*holds) return refuse(id, seat, decision, Why::guard, {}, Veto{.guard = "scope"});
  }
  if (const auto veto = veto_of({id, seat, seats_[seat.index].name, verb, belief_, now_}, sends)) {
    return refuse(id, seat, decision, Why::guard, {}, *veto);
  }
  if (mode == Mode::shadow) {
    journal_.write(Shadowed{id, seat, verb, decision.reason, decision.basis});
    if (!is_own_alarm(verb)) return answer_for_mode(id, seat, verb);
    out_.push_back({.action = id, .verb = verb, .seat = seat, .decided = now_, .is_local = true});
    answer_soon(id, seat, verb, Outcome::done, Refusal::none);
  } else if (warns) {
    journal_.write(Warned{id, seat, verb, decision.reason, decision.basis});
    answer_for_mode(id, seat, verb);
    if (has_told(seat, job, incident)) return;
    const Target of = target(verb);
    const policy::Notify warning{job, of.attempt, of.incident};
    accept(ActionId{++decisions_}, seat, {warning, decision.reason, decision.basis}, incident);
  } else {
    accept(id, seat, decision, tells ? incident : 0);
  }
}

/// A seat that is not in enforce receives the reply at the same instant as if the action were done:
/// else a ladder would never reach its second step.  A policy that repeats the same proposal
/// receives the remaining replies with its next observations.
void Host::answer_for_mode(ActionId id, SeatId seat, const Verb& verb) {
  answer_soon(id, seat, verb, Outcome::refused, Refusal::seat_mode);
}

void Host::answer_soon(ActionId id, SeatId seat, const Verb& verb, Outcome outcome,
                       Refusal refusal) {
  constexpr std::uint32_t times_at_most = 8;
  answer(id, seat, verb, outcome, refusal, deferred_);
  if (tell_by_ <= now_ || told_at_once_[seat.index] == times_at_most) return;
  ++told_at_once_[seat.index];
  tell_by_ = now_;
}

/// What the first guard that refuses says.
std::optional<Veto> Host::veto_of(const Wish& wish, bool sends) {
  for (const auto& guard : guards_) {
    if (!sends && guard->counts_what_is_sent()) continue;
    const std::optional<Veto> veto = guard->refuses(wish);
    if (!veto) continue;
    if (sends && veto->leaves_out) {
      for (const auto& other : guards_) other->left_out(wish);
    }
    return veto;
  }
  return std::nullopt;
}

void Host::refuse(ActionId id, SeatId seat, const Decision& decision, Why why, ActionId winner,
                  const Veto& veto) {
  journal_.write(
      Refused{id, seat, decision.verb, decision.reason, why, winner, veto.guard, decision.basis});
  Refusal refusal = why == Why::moot ? Refusal::moot : Refusal::conflict;
  if (why == Why::guard) refusal = holds_attempts() ? Refusal::kill_switch : veto.refusal;
  const Instant room_at = refusal == Refusal::rate_limit ? veto.room_at : policy::never;
  answer(id, seat, decision.verb, Outcome::refused, refusal, deferred_, room_at);
  tell_by_ = std::min(tell_by_, room_at);
}

void Host::accept(ActionId id, SeatId seat, const Decision& decision, std::uint64_t incident) {
  const Verb& verb = decision.verb;
  journal_.write(Accepted{id, seat, verb, decision.reason, decision.basis});
  for (const auto& guard : guards_)
    guard->passed({id, seat, seats_[seat.index].name, verb, belief_, now_});
  Action& action = actions_.add(id, seat, verb);
  action.decided = now_;
  const Target about = target(verb);
  if (changes_job(verb)) belief_.set_in_flight(about.job, action.handle);
  if (kind_of(verb) == VerbKind::stop_job) belief_.expect_stop(about.job, about.attempt, seat);
  action.incident = incident;
  if (incident != 0) note_told(seat, about.job, incident, true);
  send(action);
}

bool Host::has_told(SeatId seat, JobId job, std::uint64_t incident) const {
  const auto& [newest, earlier] = told_[seat.index];
  const bool is_newest = job.index < newest.size() && newest[job.index] == incident;
  return is_newest || earlier.contains({job, incident});
}

/// A message on its way counts as told until it fails: then it may be sent again.
void Host::note_told(SeatId seat, JobId job, std::uint64_t incident, bool told) {
  auto& [newest, earlier] = told_[seat.index];
  if (!told) {
    if (newest[job.index] == incident) newest[job.index] = 0;
    earlier.erase({job, incident});
    return;
  }
  if (job.index >= newest.size()) newest.resize(std::size_t{job.index} + 1);
  const std::uint64_t before = std::exchange(newest[job.index], incident);
  if (before != 0) earlier.insert({job, before});
}

void run(Host& host, Feed& feed, Actuator& actuator, Instant until,
         const std::function<bool()>& interrupted) {
  Intake intake;
  while (host.now() < until && !(interrupted && interrupted())) {
    intake.clear();
    const Instant now = feed.advance(std::min(host.next_deadline(), until), intake);
    if (now == never && intake.empty()) return;  // nothing left that could ever happen
    for (const Attempt& attempt : host.step(now, intake)) actuator.submit(attempt);
  }
}

}  // namespace reeve::host
