#include "experiments/explain/job_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "experiments/explain/batch_states.hpp"
#include "models/failure_reason.hpp"
#include "models/launch_error.hpp"
#include "policies/governance/phase_hints.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::experiments {
namespace {

using models::AlarmChange;
using models::AlarmRow;
using policy::Duration;
using policy::Instant;

/// What causes what among moments of one instant and attempt.
enum class Rank { trouble, request, start, status, watch, answer, stop, ending, reaction };

/// Statuses that follow from a stop or a limit at the same instant.  Other statuses are causes of
/// decisions.
bool is_ending(policy::Secondary status) {
  using policy::Secondary;
  return status == Secondary::stopping || status == Secondary::stopped ||
         status == Secondary::max_runtime_exceeded || status == Secondary::max_wait_time_exceeded;
}

/// A waiting status precedes a start or a move of the same instant, other statuses follow it.
Rank rank_of(const models::EventRow& event) {
  using policy::Secondary;
  if (is_ending(event.secondary)) return Rank::ending;
  const bool waits = event.secondary == Secondary::pending || event.lacks_capacity ||
                     event.secondary == Secondary::interrupted;
  return waits ? Rank::start : Rank::status;
}

Rank rank_of(policy::VerbKind kind) {
  switch (kind) {
    case policy::VerbKind::clone_job:
      return Rank::trouble;
    case policy::VerbKind::place_job:  // a waiting job is placed, then it starts
      return Rank::request;
    case policy::VerbKind::start_job:
    case policy::VerbKind::move_job:
      return Rank::start;
    case policy::VerbKind::put_alarm:  // its first state follows at once, then a reaction
      return Rank::watch;
    case policy::VerbKind::stop_job:
    case policy::VerbKind::preempt_job:
    case policy::VerbKind::limit_runtime:
      return Rank::stop;
    default:
      return Rank::reaction;
  }
}

class Teller {
 public:
  Teller(const scenarios::Scenario& scenario, const RunResult& result, const JobOutcome& outcome)
      : scenario_{scenario},
        result_{result},
        record_{result.record},
        outcome_{outcome},
        batch_{scenario.world, terms_of(outcome.job), attempts_} {
    for (const models::AttemptRow& row : record_.attempts) {
      if (row.job == job()) attempts_[row.number] = &row;
    }
    for (const models::EventRow& event : record_.events) {
      if (event.job == job() && !event.duplicate) events_[event.attempt].push_back(&event);
    }
    for (const AlarmRow& alarm : record_.alarms) {
      if (alarm.id.job == job()) alarms_[alarm.attempt].push_back(&alarm);
    }
  }

  std::vector<Moment> tell() {
    submissions();
    stalls();
    events();
    quota_refusals();
    blockages();
    alarms();
    decisions();
    last_attempt();
    leftovers();
    std::ranges::stable_sort(moments_, [](const Moment& a, const Moment& b) {
      return std::tie(a.at, a.attempt, a.rank) < std::tie(b.at, b.attempt, b.rank);
    });
    return std::move(moments_);
  }

 private:
  policy::JobId job() const { return outcome_.job; }
  const policy::JobTerms& terms_of(policy::JobId job) const {
    const models::World& world = scenario_.world;
    return world.directory.terms[world.profiles[record_.jobs.specs[job.index].profile].terms];
  }
  /// That the attempt ran in, or waited for.
  policy::PoolId pool_of(policy::AttemptNumber number) const {
    const auto found = attempts_.find(number);
    if (found != attempts_.end()) return found->second->pool;
    return scenario_.world.profiles[record_.jobs.specs[job().index].profile].pool;
  }
  /// Of each instance of that pool.
  std::uint32_t gpus_of(policy::AttemptNumber number) const {
    const models::World& world = scenario_.world;
    return world.directory.types[world.pools[pool_of(number).index].type.index].gpus;
  }
  template <class What>
  void add(Instant at, policy::AttemptNumber attempt, Rank rank, What what) {
    moments_.push_back({at, attempt, static_cast<int>(rank), std::move(what)});
  }

  void submissions();
  void stalls();
  StallBegan::Unnoticed unnoticed(const models::StallRow& stall) const;
  const DecisionRow* notification_of(const models::StallRow& stall) const;
  void events();
  std::string refusal(const models::EventRow& event) const;
  void tell_limit(const models::EventRow& event, std::optional<Instant>& limit,
                  StatusChanged& changed) const;
  std::string cause_of(const models::EventRow& event) const;
  void quota_refusals();
  void blockages();
  void alarms();
  AlarmChanged changed(const AlarmRow& alarm, const AlarmChange& change,
                       policy::AlarmState before) const;
  std::optional<AlarmChanged::Quiet> kept_quiet(const AlarmRow& alarm, Instant at) const;
  bool heeds_hints(std::string_view label) const;
  const DecisionRow* refused_stop(const AlarmRow& alarm) const;
  void decisions();
  const DecisionRow* winner_over(const DecisionRow& row) const;
  void tell_effect(const DecisionRow& stop, Decided& decided) const;
  std::optional<Instant> older_alarm(const DecisionRow& stop) const;
  void last_attempt();
  void leftovers();

  const std::string& label_of(policy::SeatId seat) const { return result_.seats[seat.index].label; }
  const std::vector<const models::EventRow*>& events_of(policy::AttemptNumber number) const {
    static const std::vector<const models::EventRow*> none;
    const auto found = events_.find(number);
    return found == events_.end() ? none : found->second;
  }

  const scenarios::Scenario& scenario_;
  const RunResult& result_;
  const models::Record& record_;
  const JobOutcome& outcome_;
  // Of this job, by attempt: there may be very many.
  std::map<policy::AttemptNumber, const models::AttemptRow*> attempts_;
  BatchStates batch_;
  std::map<policy::AttemptNumber, std::vector<const models::EventRow*>> events_;
  std::map<policy::AttemptNumber, std::vector<const AlarmRow*>> alarms_;
  std::vector<Moment> moments_;
};

void Teller::submissions() {
  for (const auto& [number, attempt] : attempts_) {
    Submitted submitted{attempt};
    const auto before = attempts_.find(static_cast<policy::AttemptNumber>(number - 1));
    if (before != attempts_.end() && before->second->pool != attempt->pool) {
      submitted.before = before->second;
    }
    add(attempt->requested, number, Rank::request, submitted);
  }
}

/// Stalls from the record; other scripted trouble shows in the events.
void Teller::stalls() {
  for (const models::StallRow& stall : record_.stalls) {
    if (stall.job != job()) continue;
    StallBegan began{.stall = &stall};
    if (stall.detected == policy::never) began.unnoticed = unnoticed(stall);
    add(stall.onset, stall.attempt, Rank::trouble, std::move(began));
  }
}

StallBegan::Unnoticed Teller::unnoticed(const models::StallRow& stall) const {
  for (const DecisionRow& row : result_.decisions) {
    const auto* stop = std::get_if<policy::StopJob>(&row.verb);
    if (row.job != stall.job || row.attempt != stall.attempt || stop == nullptr) continue;
    const bool accuses = stop->cause == policy::StopCause::standing_still ||
                         stop->cause == policy::StopCause::using_little;
    if (row.at < stall.onset || row.at >= stall.ended || !accuses) continue;
    return {.stop = &row};
  }
  StallBegan::Unnoticed found{.told = notification_of(stall)};
  for (const models::StopRow& stop : record_.stops) {
    if (stop.job != stall.job || stop.attempt != stall.attempt) continue;
    if (stop.decided < stall.onset || stop.decided > stall.ended) continue;
    found.stopped_by = label_of(stop.seat);
    break;
  }
  return found;
}

/// By a rule that finds stalls; null: there is none.
const DecisionRow* Teller::notification_of(const models::StallRow& stall) const {
  for (const DecisionRow& row : result_.decisions) {
    const bool told = std::holds_alternative<policy::Notify>(row.verb) && row.job == stall.job &&
                      row.attempt == stall.attempt && row.verdict == "accepted";
    if (!told || row.at < stall.onset || row.at >= stall.ended) continue;
    const bool finds = std::ranges::any_of(result_.seats, [&](const SeatedRule& seat) {
      return seat.label == row.rule && seat.kind->finds_stalls;
    });
    if (finds) return &row;
  }
  return nullptr;
}

/// The answer of EC2 if it had no instances for the attempt.  Spot may reclaim instances before
/// they are billed.
std::string Teller::refusal(const models::EventRow& event) const {
  const models::World& world = scenario_.world;
  if (event.failure != policy::FailureClass::capacity) return {};
  if (!models::is_unmanaged(world.platform.model)) return {};
  const bool was_given_some =
      std::ranges::any_of(events_of(event.attempt), [](const models::EventRow* before) {
        return before->secondary == policy::Secondary::starting && !before->lacks_capacity;
      });
  if (was_given_some) return {};
  const models::Pool& pool = world.pools[pool_of(event.attempt).index];
  const std::string& type = world.directory.types[pool.type.index].name;
  return models::insufficient_capacity(pool.market, type, pool.zone, {});
}

/// The quota that refused calls of rules, and its use.  An attempt that fails for a quota has its
/// own reason.
void Teller::quota_refusals() {
  const models::World& world = scenario_.world;
  for (const models::QuotaRefusalRow& row : record_.quota_rows) {
    if (row.job != job()) continue;
    const models::Pool& pool = world.pools[row.pool.index];
    add(row.at, row.attempt, Rank::reaction,
        CallRefused{models::quota_message(world.directory.types[pool.type.index].name, row.family,
                                          row.limit, row.used,
                                          record_.jobs.specs[row.job.index].instances)});
  }
}

/// What AWS Batch would have said of its queue.
void Teller::blockages() {
  for (const models::BlockageRow& row : record_.blockages) {
    if (row.job == job()) add(row.at, row.attempt, Rank::request, QueueBlocked{&row});
  }
}

/// When the platform stops a pending attempt, and whether it did.  `limit` is the
/// attempt's, from its first Pending on; `never`: it does not wait there, or only windows count.
void Teller::tell_limit(const models::EventRow& event, std::optional<Instant>& limit,
                        StatusChanged& changed) const {
  const bool waits = event.secondary == policy::Secondary::pending || event.lacks_capacity;
  if (waits && !limit) {
    const models::World& world = scenario_.world;
    const models::JobSpec& spec = record_.jobs.specs[event.job.index];
    const Duration longest = world.profiles[spec.profile].max_pending;
    const bool has_windows = !world.pools[pool_of(event.attempt).index].windows.empty();
    limit = has_windows ? policy::never : policy::later(event.at, longest);
    if (*limit != policy::never) changed.pending_until = limit;
  } else if (event.secondary == policy::Secondary::starting && !waits) {
    limit = policy::never;
  } else if (event.primary == policy::Primary::stopped && limit == event.at) {
    changed.pending_is_over = true;
  }
}

/// The scenario's name for the stated failure that an event reports.
std::string Teller::cause_of(const models::EventRow& event) const {
  const std::uint32_t profile = record_.jobs.specs[event.job.index].profile;
  for (const models::Fault& fault : scenario_.world.profiles[profile].faults) {
    const bool failure = fault.kind == models::FaultKind::failure && fault.failure == event.failure;
    const bool meets = fault.attempt == event.attempt ||
                       (!fault.recovers_on_restart && fault.attempt < event.attempt);
    if (failure && meets && !fault.cause.empty()) return fault.cause;
  }
  return {};
}

void Teller::events() {
  std::set<std::tuple<policy::AttemptNumber, Instant, policy::Secondary>> seen;
  std::map<policy::AttemptNumber, std::optional<Instant>> limits;
  for (const models::EventRow& event : record_.events) {
    if (event.job != job() || event.duplicate) continue;
    if (!seen.insert({event.attempt, event.at, event.secondary}).second) continue;
    StatusChanged changed{.event = &event, .answer = refusal(event)};
    changed.batch_state = batch_.after(event);
    tell_limit(event, limits[event.attempt], changed);
    if (!event.reason.empty() && changed.answer.empty()) changed.cause = cause_of(event);
    add(event.at, event.attempt, rank_of(event), std::move(changed));
  }
}

/// How many of the newest datapoints to show: back to the oldest that was judged.  Those that are
/// missing are passed over, as far as there are older ones.
std::size_t judged(const AlarmChange& change, const policy::AlarmRule& rule) {
  const std::size_t all = change.datapoints.size();
  std::size_t shown = std::min<std::size_t>(rule.evaluation_periods, all);
  std::size_t real = 0;
  for (std::size_t back = 1; back <= all && real < rule.evaluation_periods; ++back) {
    if (!change.datapoints[all - back].present) continue;
    ++real;
    shown = std::max(shown, back);
  }
  return shown;
}

AlarmChanged Teller::changed(const AlarmRow& alarm, const AlarmChange& change,
                             policy::AlarmState before) const {
  AlarmChanged changed{.alarm = &alarm,
                       .change = &change,
                       .before = before,
                       .gpus = gpus_of(alarm.attempt),
                       .judged = judged(change, alarm.rule)};
  const bool fires = !change.datapoints.empty() && change.state == policy::AlarmState::alarm;
  if (fires) changed.quiet = kept_quiet(alarm, change.at);
  return changed;
}

/// None: the alarm's rule ignores hints, or the job was in no such phase.
std::optional<AlarmChanged::Quiet> Teller::kept_quiet(const AlarmRow& alarm, Instant at) const {
  const bool known = alarm.id.seat < result_.seats.size();
  if (!known || !heeds_hints(result_.seats[alarm.id.seat].label)) return std::nullopt;
  const policy::TagSetId tags =
      scenario_.world.profiles[record_.jobs.specs[alarm.id.job.index].profile].tags;
  const auto said = scenario_.world.directory.tag(tags, policies::kHintsTag);
  const auto hints = said ? policies::read_phase_hints(*said) : std::nullopt;
  const Instant heard = at + scenario_.world.platform.alarm_delivery;
  Instant since = policy::never;
  for (const models::EventRow* event : events_of(alarm.attempt)) {
    if (event->at > heard) break;
    const bool trains = event->secondary == policy::Secondary::training;
    since = trains ? event->at : policy::never;
  }
  if (!hints || since == policy::never) return std::nullopt;
  const Duration tail = alarm.rule.period * (alarm.rule.evaluation_periods + std::int64_t{1});
  const auto until = policies::quiet_until(*hints, heard - since, tail);
  if (!until) return std::nullopt;
  return AlarmChanged::Quiet{fmt::format("{}: {}", policies::kHintsTag, *said),
                             policy::later(since, *until)};
}

/// Whether the rule with that label reads hints of phases.
bool Teller::heeds_hints(std::string_view label) const {
  for (const scenarios::PolicySpec& policy : scenario_.policies) {
    if (policy.name != result_.policy) continue;
    for (const scenarios::SeatSpec& seat : policy.seats) {
      const bool has = scenarios::has_option(*seat.kind, policy::known::phase_hints);
      if (seat.label == label && has) return seat.options.flag(policy::known::phase_hints);
    }
  }
  return false;
}

/// The stop that an alarm led to and that was refused; null: there is none.
const DecisionRow* Teller::refused_stop(const AlarmRow& alarm) const {
  for (const DecisionRow& row : result_.decisions) {
    const bool stops = std::holds_alternative<policy::StopJob>(row.verb);
    if (!stops || row.job != job() || row.attempt != alarm.attempt) continue;
    if (row.verdict == "refused" && row.at <= alarm.unheard) return &row;
  }
  return nullptr;
}

void Teller::alarms() {
  for (const AlarmRow& alarm : record_.alarms) {
    if (alarm.id.job != job()) continue;
    policy::AlarmState before = policy::AlarmState::insufficient_data;
    for (const AlarmChange& change : alarm.changes) {
      if (change.state == policy::AlarmState::alarm || before == policy::AlarmState::alarm) {
        const bool at_once = change.at == alarm.created;
        add(change.at, alarm.attempt, at_once ? Rank::answer : Rank::trouble,
            changed(alarm, change, before));
      }
      before = change.state;
    }
    if (alarm.unheard != policy::never) {
      add(alarm.unheard, alarm.attempt, Rank::reaction, AlarmUnheard{&alarm, refused_stop(alarm)});
    }
    if (alarm.orphan) add(record_.end, alarm.attempt, Rank::reaction, AlarmLeft{});
  }
}

/// The decision that it lost to; null: it was not refused for a conflict.
const DecisionRow* Teller::winner_over(const DecisionRow& row) const {
  constexpr std::string_view conflict = "conflict with ";
  if (!row.why.starts_with(conflict)) return nullptr;
  const std::string_view number = std::string_view{row.why}.substr(conflict.size());
  const auto winner = std::ranges::find_if(result_.decisions, [&](const DecisionRow& other) {
    return fmt::format("{}", other.id) == number;
  });
  return winner == result_.decisions.end() ? nullptr : &*winner;
}

/// When a stop takes effect, and how long the grace then lasts: calls take time, and may be tried
/// again.
void Teller::tell_effect(const DecisionRow& stop, Decided& decided) const {
  const models::EventRow* stopping = nullptr;
  const models::EventRow* then = nullptr;
  for (const models::EventRow* event : events_of(stop.attempt)) {
    if (event->at < stop.at) continue;
    if (stopping == nullptr) {
      if (event->secondary == policy::Secondary::stopping) stopping = event;
    } else if (then == nullptr && event->secondary != policy::Secondary::stopping) {
      then = event;
    }
  }
  if (stopping == nullptr) return;
  if (stopping->at > stop.at) decided.in_effect = stopping->at;
  const bool over = then != nullptr && then->at == stopping->at;
  const Instant end =
      then != nullptr ? then->at : policy::later(stopping->at, scenario_.world.platform.stop_grace);
  if (!over && end > stopping->at) decided.grace_until = end;
}

/// The alarm that a stop is based on, if a guard or a ladder delayed the stop by a period or more;
/// none: it did not.
std::optional<Instant> Teller::older_alarm(const DecisionRow& stop) const {
  const auto found = alarms_.find(stop.attempt);
  if (found == alarms_.end()) return std::nullopt;
  const AlarmChange* newest = nullptr;
  Duration period{0};
  for (const AlarmRow* alarm : found->second) {
    const bool known = alarm->id.seat < result_.seats.size();
    if (!known || result_.seats[alarm->id.seat].label != stop.rule) continue;
    const AlarmChange* last = nullptr;
    for (const AlarmChange& change : alarm->changes) {
      if (change.at <= stop.at) last = &change;
    }
    if (last == nullptr || last->state != policy::AlarmState::alarm) continue;
    if (newest != nullptr && last->at < newest->at) continue;
    newest = last;
    period = alarm->rule.period;
  }
  if (newest == nullptr || stop.at - newest->at < period) return std::nullopt;
  return newest->at;
}

void Teller::decisions() {
  for (const JobDecision& decision : outcome_.decisions) {
    const DecisionRow& row = decision.row;
    Decided decided{.decision = &decision, .winner = winner_over(row)};
    if (std::holds_alternative<policy::StopJob>(row.verb)) decided.by_alarm = older_alarm(row);
    if (decision.ended_attempt) tell_effect(row, decided);
    add(row.at, row.attempt, rank_of(static_cast<policy::VerbKind>(row.verb.index())), decided);
  }
}

void Teller::last_attempt() {
  constexpr auto most = std::numeric_limits<policy::AttemptNumber>::max();
  if (attempts_.empty() || attempts_.rbegin()->first < most) return;
  add(attempts_.rbegin()->second->end, most, Rank::reaction, NoFurtherAttempt{});
}

void Teller::leftovers() {
  struct Left {
    Instant from = policy::never;
    Instant until;
    std::uint32_t instances = 0;
    models::Charge amount = 0;
  };
  std::map<policy::AttemptNumber, Left> by_attempt;
  for (const models::LedgerLine& line : record_.ledger_lines) {
    if (line.job != job() || line.use != models::Use::orphan) continue;
    Left& left = by_attempt[line.attempt];
    if (line.from < left.from) {
      left.from = line.from;
      left.instances = 0;
    }
    if (line.from == left.from) left.instances += line.instances;
    left.until = std::max(left.until, line.until);
    left.amount += line.amount;
  }
  for (const auto& [attempt, left] : by_attempt) {
    const std::optional<Instant> until =
        left.until < record_.end ? std::optional{left.until} : std::nullopt;
    add(left.from, attempt, Rank::reaction,
        LeftRunning{left.instances, until, models::to_usd(left.amount)});
  }
}

}  // namespace

std::vector<Moment> job_story(const scenarios::Scenario& scenario, const RunResult& result,
                              const JobOutcome& outcome) {
  return Teller{scenario, result, outcome}.tell();
}

}  // namespace reeve::experiments
