#include "app/job_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "models/batch_state.hpp"
#include "models/failure_reason.hpp"
#include "models/launch_error.hpp"
#include "policies/governance/phase_hints.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using experiments::RunResult;
using models::AlarmChange;
using models::AlarmRow;
using policy::Duration;
using policy::Instant;

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string_view sign(policy::Compare compare) {
  switch (compare) {
    case policy::Compare::less:
      return "<";
    case policy::Compare::less_or_equal:
      return "≤";
    case policy::Compare::greater:
      return ">";
    case policy::Compare::greater_or_equal:
      return "≥";
  }
  return "";
}

/// What causes what among moments of one instant and attempt.
enum class Rank { trouble, request, start, status, watch, answer, stop, ending, reaction };

/// Statuses that a stop, or a limit, of the same instant leads to; others are what it was decided
/// upon.
bool is_ending(policy::Secondary status) {
  using policy::Secondary;
  return status == Secondary::stopping || status == Secondary::stopped ||
         status == Secondary::max_runtime_exceeded;
}

/// What a start or a move of the same instant is the answer to, others are what it leads to.
Rank rank_of(policy::Secondary status) {
  using policy::Secondary;
  if (is_ending(status)) return Rank::ending;
  const bool waits = status == Secondary::pending || status == Secondary::interrupted;
  return waits ? Rank::start : Rank::status;
}

/// The alarm that the verb is about; null: none.
const policy::AlarmId* alarm_of(const policy::Verb& verb) {
  if (const auto* put = std::get_if<policy::PutAlarm>(&verb)) return &put->alarm;
  if (const auto* gone = std::get_if<policy::DeleteAlarm>(&verb)) return &gone->alarm;
  return nullptr;
}

/// What AWS Batch calls the state of a job of its queues, where that changes.
class BatchStates {
 public:
  BatchStates(const models::World& world, const policy::JobTerms& terms,
              const std::map<policy::AttemptNumber, const models::AttemptRow*>& attempts)
      : attempts_{attempts},
        is_there_{terms.queue &&
                  world.platform.model == models::PlatformModel::sagemaker_training} {}

  /// " (AWS Batch: RUNNING)" if that is new.
  std::string after(const models::EventRow& event) {
    if (!is_there_) return {};
    bool& began = began_[event.attempt];
    began = began || event.secondary == policy::Secondary::downloading;
    const std::string_view state = stands_in_line_again(event)
                                       ? models::batch_state(policy::Secondary::queued, began)
                                       : models::batch_state(event.secondary, began);
    if (state == state_) return {};
    state_ = state;
    return fmt::format(" (AWS Batch: {})", state);
  }

 private:
  /// A preempted job is RUNNABLE again.
  bool stands_in_line_again(const models::EventRow& event) const {
    const auto next = attempts_.find(static_cast<policy::AttemptNumber>(event.attempt + 1));
    return policy::is_terminal(event.primary) && next != attempts_.end() &&
           next->second->origin == policy::Origin::queue;
  }

  const std::map<policy::AttemptNumber, const models::AttemptRow*>& attempts_;
  bool is_there_;
  std::map<policy::AttemptNumber, bool> began_ = {};
  std::string_view state_ = "RUNNABLE";
};

class Teller {
 public:
  Teller(const scenarios::Scenario& scenario, const RunResult& result, policy::JobId job)
      : scenario_{scenario},
        result_{result},
        record_{result.record},
        batch_{scenario.world, terms_of(job), attempts_} {
    story_.outcome = experiments::job_outcome(scenario, result, job);
    for (const models::AttemptRow& row : record_.attempts) {
      if (row.job == job) attempts_[row.number] = &row;
    }
    for (const models::EventRow& event : record_.events) {
      if (event.job == job && !event.duplicate) events_[event.attempt].push_back(&event);
    }
    for (const AlarmRow& alarm : record_.alarms) {
      if (alarm.id.job == job) alarms_[alarm.attempt].push_back(&alarm);
    }
  }

  JobStory tell() {
    submission();
    faults();
    events();
    quota_refusals();
    blockages();
    alarms();
    decisions();
    last_attempt();
    leftovers();
    std::stable_sort(story_.moments.begin(), story_.moments.end(),
                     [](const Moment& a, const Moment& b) {
                       return std::tie(a.at, a.attempt, a.rank) < std::tie(b.at, b.attempt, b.rank);
                     });
    return std::move(story_);
  }

 private:
  std::string clock(Instant at) const { return clock_text(at - record_.start); }
  const policy::JobTerms& terms_of(policy::JobId job) const {
    const models::World& world = scenario_.world;
    return world.directory.terms[world.profiles[record_.jobs.specs[job.index].profile].terms];
  }
  /// That the attempt ran in, or waited for.
  policy::PoolId pool_of(policy::AttemptNumber number) const {
    const auto found = attempts_.find(number);
    if (found != attempts_.end()) return found->second->pool;
    return scenario_.world.profiles[record_.jobs.specs[story_.outcome.job.index].profile].pool;
  }
  /// Of each machine of that pool.
  std::uint32_t gpus_of(policy::AttemptNumber number) const {
    const models::World& world = scenario_.world;
    return world.directory.types[world.pools[pool_of(number).index].type.index].gpus;
  }
  Moment& add(Instant at, policy::AttemptNumber attempt, Rank rank, std::string text) {
    return story_.moments.emplace_back(
        Moment{at, attempt, static_cast<int>(rank), std::move(text), {}});
  }
  std::string attempt_mark(policy::AttemptNumber number) const {
    const bool several = record_.job_rows[story_.outcome.job.index].attempts > 1;
    return several ? fmt::format(" (attempt {})", number) : std::string{};
  }

  void submission();
  std::string moved_text(const models::AttemptRow& attempt) const;
  void faults();
  std::string noticed(const models::StallRow& stall) const;
  std::string ignored(const models::StallRow& stall) const;
  void events();
  std::string refusal(const models::EventRow& event) const;
  void tell_limit(const models::EventRow& event, std::optional<Instant>& limit,
                  Moment& moment) const;
  std::string cause_of(const models::EventRow& event) const;
  void quota_refusals();
  void blockages();
  void alarms();
  void alarm_change(const AlarmRow& alarm, const AlarmChange& change, policy::AlarmState before);
  std::string kept_quiet(const AlarmRow& alarm, Instant at) const;
  bool heeds_hints(std::string_view label) const;
  std::string inaction(const AlarmRow& alarm) const;
  void decisions();
  std::string decided(const experiments::DecisionRow& row) const;
  std::string refused_by(const experiments::DecisionRow& row) const;
  const std::string& label_of(policy::SeatId seat) const { return result_.seats[seat.index].label; }
  std::string took_effect(const experiments::JobDecision& stop) const;
  std::string older_alarm(const experiments::DecisionRow& stop) const;
  void last_attempt();
  void leftovers();

  const std::vector<const models::EventRow*>& events_of(policy::AttemptNumber number) const {
    static const std::vector<const models::EventRow*> none;
    const auto found = events_.find(number);
    return found == events_.end() ? none : found->second;
  }

  const scenarios::Scenario& scenario_;
  const RunResult& result_;
  const models::Record& record_;
  // Of this job, by attempt: there may be very many.
  std::map<policy::AttemptNumber, const models::AttemptRow*> attempts_;
  BatchStates batch_;
  std::map<policy::AttemptNumber, std::vector<const models::EventRow*>> events_;
  std::map<policy::AttemptNumber, std::vector<const AlarmRow*>> alarms_;
  JobStory story_;
};

/// Where a further attempt runs if that is not where the one before did.
std::string Teller::moved_text(const models::AttemptRow& attempt) const {
  const auto before = attempts_.find(static_cast<policy::AttemptNumber>(attempt.number - 1));
  if (before == attempts_.end() || before->second->pool == attempt.pool) return {};
  const models::World& world = scenario_.world;
  const models::Pool& was = world.pools[before->second->pool.index];
  const models::Pool& is = world.pools[attempt.pool.index];
  const auto place = [&](const models::Pool& pool) {
    std::string market{report::word(pool.market)};
    std::replace(market.begin(), market.end(), '_', ' ');
    return fmt::format("{} ({}, {})", pool.name, world.directory.types[pool.type.index].name,
                       market);
  };
  return fmt::format(", in {} instead of {}", place(is), place(was));
}

void Teller::submission() {
  for (const auto& [number, row] : attempts_) {
    const models::AttemptRow& attempt = *row;
    const std::string who = attempt.origin == policy::Origin::person  ? "a person"
                            : attempt.origin == policy::Origin::queue ? "its queue"
                                                                      : "a rule";
    std::string text =
        attempt.number == 1
            ? "submitted"
            : fmt::format("attempt {} submitted by {}, {}", attempt.number, who,
                          attempt.resumed_from > Duration{0}
                              ? "from the checkpoint at " +
                                    report::short_duration(attempt.resumed_from) + " of work"
                              : "from the beginning");
    if (attempt.number > 1) text += moved_text(attempt);
    add(attempt.requested, attempt.number, Rank::request, std::move(text));
  }
}

/// Of a stall that nothing noticed: whether a rule wanted to stop it, and what kept it from that,
/// or told people, who did nothing; or which stopped it without knowing.
std::string Teller::noticed(const models::StallRow& stall) const {
  for (const experiments::DecisionRow& row : result_.decisions) {
    const auto* stop = std::get_if<policy::StopJob>(&row.verb);
    if (row.job != stall.job || row.attempt != stall.attempt || stop == nullptr) continue;
    const bool accuses = stop->cause == policy::StopCause::standing_still ||
                         stop->cause == policy::StopCause::using_little;
    if (row.at < stall.onset || row.at >= stall.ended || !accuses) continue;
    const std::string by = fmt::format("; {} noticed it at {}", row.rule, clock(row.at));
    if (row.verdict == "refused") return fmt::format("{}, its stop was refused: {}", by, row.why);
    if (row.verdict != "accepted") return fmt::format("{}, and is in {}", by, row.verdict);
    return fmt::format("{}, its stop did not take effect", by);
  }
  for (const models::StopRow& stop : record_.stops) {
    if (stop.job != stall.job || stop.attempt != stall.attempt) continue;
    if (stop.decided < stall.onset || stop.decided > stall.ended) continue;
    return fmt::format("; {}, {} stopped it for another reason", ignored(stall),
                       label_of(stop.seat));
  }
  return "; " + ignored(stall);
}

/// Which rule told people of the stall; nobody acted on that.
std::string Teller::ignored(const models::StallRow& stall) const {
  for (const experiments::DecisionRow& row : result_.decisions) {
    const bool told = std::holds_alternative<policy::Notify>(row.verb) && row.job == stall.job &&
                      row.attempt == stall.attempt && row.verdict == "accepted";
    if (!told || row.at < stall.onset || row.at >= stall.ended) continue;
    const bool finds = std::ranges::any_of(result_.seats, [&](const experiments::SeatedRule& seat) {
      return seat.label == row.rule && seat.kind->finds_stalls;
    });
    if (finds)
      return fmt::format("{} told people at {}, nobody acted on it", row.rule, clock(row.at));
  }
  return "nothing noticed it";
}

/// Stalls from the record; other scripted trouble shows in the events.
void Teller::faults() {
  for (const models::StallRow& stall : record_.stalls) {
    if (stall.job != story_.outcome.job) continue;
    const bool spins = stall.kind == models::FaultKind::spin_hang;
    const bool lost = stall.kind == models::FaultKind::node_lost;
    std::string text = spins ? "fault: spin_hang" : lost ? "fault: node_lost" : "fault: stall";
    if (!stall.cause.empty()) text += stall.cause == "drawn" ? ", drawn" : ", cause " + stall.cause;
    text += attempt_mark(stall.attempt);
    if (stall.detected == policy::never) text += noticed(stall);
    add(stall.onset, stall.attempt, Rank::trouble, std::move(text));
  }
}

/// What EC2 said when there were no machines for the attempt.  Spot may take those that it was
/// given before they are billed.
std::string Teller::refusal(const models::EventRow& event) const {
  const models::World& world = scenario_.world;
  if (event.failure != policy::FailureClass::capacity) return {};
  if (!models::is_unmanaged(world.platform.model)) return {};
  const bool was_given_some =
      std::ranges::any_of(events_of(event.attempt), [](const models::EventRow* before) {
        return before->secondary == policy::Secondary::starting;
      });
  if (was_given_some) return {};
  const models::Pool& pool = world.pools[pool_of(event.attempt).index];
  const std::string& type = world.directory.types[pool.type.index].name;
  return ": " + models::insufficient_capacity(pool.market, type, pool.zone, {});
}

/// Which quota refused calls of rules, and how much of it was used.  An attempt that a quota let
/// fail says so itself.
void Teller::quota_refusals() {
  const models::World& world = scenario_.world;
  for (const models::QuotaRefusalRow& row : record_.quota_rows) {
    if (row.job != story_.outcome.job) continue;
    const models::Pool& pool = world.pools[row.pool.index];
    const std::string answer =
        models::quota_message(world.directory.types[pool.type.index].name, row.family, row.limit,
                              row.used, record_.jobs.specs[row.job.index].instances);
    add(row.at, row.attempt, Rank::reaction,
        "call refused: " + answer.substr(0, answer.find(" Please contact")));
  }
}

/// What AWS Batch would have said of its queue.
void Teller::blockages() {
  for (const models::BlockageRow& row : record_.blockages) {
    if (row.job != story_.outcome.job) continue;
    const bool is_passed = row.by == policy::Blockage::environment;
    add(row.at, row.attempt, Rank::request,
        fmt::format("queue {} is blocked by it: {}{}",
                    scenario_.world.directory.queues[row.queue.index].name,
                    policy::blockage_reasons[static_cast<std::size_t>(row.by)],
                    is_passed ? "; here others pass it" : ""));
  }
}

/// When the platform stops an attempt that still waits in line, and that it did.  `limit` is the
/// attempt's, from its first Pending on; `never`: it does not wait there, or only windows count.
void Teller::tell_limit(const models::EventRow& event, std::optional<Instant>& limit,
                        Moment& moment) const {
  if (event.secondary == policy::Secondary::pending && !limit) {
    const models::World& world = scenario_.world;
    const models::JobSpec& spec = record_.jobs.specs[event.job.index];
    const Duration longest = world.profiles[spec.profile].max_pending;
    const bool has_windows = !world.pools[pool_of(event.attempt).index].windows.empty();
    limit = has_windows ? policy::never : policy::later(event.at, longest);
    if (*limit == policy::never) return;
    moment.details.push_back(fmt::format("stopped at {} if it still waits (max_pending {})",
                                         clock(*limit), report::short_duration(longest)));
  } else if (event.secondary == policy::Secondary::starting) {
    limit = policy::never;
  } else if (event.primary == policy::Primary::stopped && limit == event.at) {
    moment.details.push_back("max_pending is over");
  }
}

/// A person's word for the stated failure that an event tells of.
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
    if (event.job != story_.outcome.job || event.duplicate) continue;
    if (!seen.insert({event.attempt, event.at, event.secondary}).second) continue;
    std::string text = fmt::format("status {}", report::word(event.secondary));
    if (event.failure != policy::FailureClass::none) {
      text += fmt::format(", {}", report::word(event.failure));
    }
    const std::string answer = refusal(event);
    text += answer + batch_.after(event);
    Moment& moment =
        add(event.at, event.attempt, rank_of(event.secondary), text + attempt_mark(event.attempt));
    tell_limit(event, limits[event.attempt], moment);
    if (event.reason.empty() || !answer.empty()) continue;
    moment.details.push_back("failure reason: " + event.reason.substr(0, event.reason.find('\n')));
    const std::string cause = cause_of(event);
    if (!cause.empty()) moment.details.push_back("cause, as the scenario has it: " + cause);
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

void Teller::alarm_change(const AlarmRow& alarm, const AlarmChange& change,
                          policy::AlarmState before) {
  const policy::AlarmRule& rule = alarm.rule;
  const models::Metrics& metrics = scenario_.world.platform.metrics;
  const std::uint32_t gpus = gpus_of(alarm.attempt);
  Moment& moment =
      add(change.at, alarm.attempt, change.at == alarm.created ? Rank::answer : Rank::trouble,
          fmt::format("alarm {} → {}   GPUUtilization {}, {}, {}, {} {} for "
                      "{} of {} × {}",
                      report::word(before), report::word(change.state),
                      host::name_of(rule.statistic), report::host_name(alarm.id.host),
                      metrics.gpu_sum ? fmt::format("sum of {} GPU{}", gpus, gpus == 1 ? "" : "s")
                                      : std::string{"mean of its GPUs"},
                      sign(rule.compare), number(rule.threshold), rule.datapoints_to_alarm,
                      rule.evaluation_periods, report::short_duration(rule.period)));
  if (change.datapoints.empty()) return;
  std::string points;
  for (std::size_t i = change.datapoints.size() - judged(change, rule);
       i < change.datapoints.size(); ++i) {
    const models::AlarmDatapoint& point = change.datapoints[i];
    const std::string from = clock(point.from).substr(0, clock(point.from).rfind(':'));
    const std::string until = clock(point.from + rule.period);
    points += fmt::format("{}[{},{}) {}", points.empty() ? "" : "   ", from,
                          until.substr(0, until.rfind(':')),
                          point.present ? fmt::format("{:.1f}", point.value) : "missing");
  }
  points += fmt::format("   (published {} late)", report::short_duration(metrics.publish_delay));
  moment.details.push_back(std::move(points));
  if (change.state != policy::AlarmState::alarm) return;
  std::string quiet = kept_quiet(alarm, change.at);
  if (!quiet.empty()) moment.details.push_back(std::move(quiet));
}

/// That the alarm's rule heeds what the job says of phases in which it uses little, and it was in
/// one; empty: no.
std::string Teller::kept_quiet(const AlarmRow& alarm, Instant at) const {
  const bool known = alarm.id.seat < result_.seats.size();
  if (!known || !heeds_hints(result_.seats[alarm.id.seat].label)) return {};
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
  if (!hints || since == policy::never) return {};
  const Duration tail = alarm.rule.period * (alarm.rule.evaluation_periods + std::int64_t{1});
  const auto until = policies::quiet_until(*hints, heard - since, tail);
  if (!until) return {};
  return fmt::format("kept quiet until {} by the job's {}: {}", clock(policy::later(since, *until)),
                     policies::kHintsTag, *said);
}

/// Whether the rule so labelled looks at hints of phases.
bool Teller::heeds_hints(std::string_view label) const {
  for (const scenarios::PolicySpec& policy : scenario_.policies) {
    if (policy.name != result_.policy) continue;
    for (const scenarios::SeatSpec& seat : policy.seats) {
      const bool has = std::ranges::any_of(
          seat.kind->options, [](const auto& option) { return option.name == "phase_hints"; });
      if (seat.label == label && has) return seat.options.flag("phase_hints");
    }
  }
  return false;
}

/// Why nothing comes of an alarm: a stop that was refused, or there was none.
std::string Teller::inaction(const AlarmRow& alarm) const {
  for (const experiments::DecisionRow& row : result_.decisions) {
    const bool stops = std::holds_alternative<policy::StopJob>(row.verb);
    if (!stops || row.job != story_.outcome.job || row.attempt != alarm.attempt) continue;
    if (row.verdict == "refused" && row.at <= alarm.unheard) {
      return fmt::format("the stop of {} was refused: {}", row.rule, row.why);
    }
  }
  return "nobody acts on it";
}

void Teller::alarms() {
  for (const AlarmRow& alarm : record_.alarms) {
    if (alarm.id.job != story_.outcome.job) continue;
    policy::AlarmState before = policy::AlarmState::insufficient_data;
    for (const AlarmChange& change : alarm.changes) {
      if (change.state == policy::AlarmState::alarm || before == policy::AlarmState::alarm) {
        alarm_change(alarm, change, before);
      }
      before = change.state;
    }
    if (alarm.unheard != policy::never) {
      add(alarm.unheard, alarm.attempt, Rank::reaction,
          fmt::format("ALARM but running: {} since {}, and {}", record_.jobs.name(alarm.id.job),
                      clock(alarm.unheard), inaction(alarm)));
    }
    if (alarm.orphan) add(record_.end, alarm.attempt, Rank::reaction, "an alarm is left behind");
  }
}

std::string Teller::decided(const experiments::DecisionRow& row) const {
  const auto kind = static_cast<policy::VerbKind>(row.verb.index());
  std::string text{host::name_of(kind)};
  std::replace(text.begin(), text.end(), '_', ' ');
  text = fmt::format("{}: {}{}", row.rule, text, attempt_mark(row.attempt));
  if (record_.jobs.specs[row.job.index].instances > 1) {
    const policy::AlarmId* alarm = alarm_of(row.verb);
    if (alarm != nullptr) text += ", " + report::host_name(alarm->host);
  }
  if (const auto* place = std::get_if<policy::PlaceJob>(&row.verb)) {
    text += fmt::format(", to {}", scenario_.world.pools[place->pool.index].name);
  }
  if (const auto* move = std::get_if<policy::MoveJob>(&row.verb)) {
    text += move->hold ? fmt::format(", to {}", scenario_.world.pools[move->pool.index].name)
                       : ", off its machines";
  }
  if (row.verdict != "accepted") text += fmt::format(", {}", row.verdict);
  if (!row.why.empty()) text += ": " + refused_by(row);
  if (row.tries > 1) text += fmt::format(", {} tries", row.tries);
  if (row.outcome == host::name_of(policy::Outcome::expired)) {
    text += ", given up";
  } else if (!row.outcome.empty() && row.outcome != "done") {
    text += fmt::format(", {}", row.outcome);
  }
  return text;
}

/// What refused it: of a decision that it lost to not its number, but what and whose it was.
std::string Teller::refused_by(const experiments::DecisionRow& row) const {
  constexpr std::string_view conflict = "conflict with ";
  if (!row.why.starts_with(conflict)) return row.why;
  const std::string_view number = std::string_view{row.why}.substr(conflict.size());
  const auto winner = std::ranges::find_if(
      result_.decisions, [&](const auto& other) { return fmt::format("{}", other.id) == number; });
  if (winner == result_.decisions.end()) return row.why;
  std::string verb{host::name_of(host::kind_of(winner->verb))};
  std::replace(verb.begin(), verb.end(), '_', ' ');
  return fmt::format("{}{} of {}", conflict, verb, winner->rule);
}

/// "; in effect at 01:16:05; grace until 01:18:05": calls take time, and may be tried again.
std::string Teller::took_effect(const experiments::JobDecision& decision) const {
  const experiments::DecisionRow& stop = decision.row;
  if (!decision.ended_attempt) return stop.outcome == "done" ? "; it stopped nothing" : "";
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
  if (stopping == nullptr) return {};
  std::string text;
  if (stopping->at > stop.at) text += fmt::format("; in effect at {}", clock(stopping->at));
  const bool over = then != nullptr && then->at == stopping->at;
  const Instant end =
      then != nullptr ? then->at : policy::later(stopping->at, scenario_.world.platform.stop_grace);
  if (!over && end > stopping->at) text += fmt::format("; grace until {}", clock(end));
  return text;
}

/// Which alarm a stop goes by that comes later than it by a period or more, as a guard or a ladder
/// has it; empty: there is none.
std::string Teller::older_alarm(const experiments::DecisionRow& stop) const {
  const auto found = alarms_.find(stop.attempt);
  if (found == alarms_.end()) return {};
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
  if (newest == nullptr || stop.at - newest->at < period) return {};
  return fmt::format("by the alarm of {}, {} before: its datapoints are of that time",
                     clock(newest->at), report::short_duration(stop.at - newest->at));
}

Rank rank_of(policy::VerbKind kind) {
  switch (kind) {
    case policy::VerbKind::clone_job:
      return Rank::trouble;
    case policy::VerbKind::place_job:  // who waits is placed, and then starts
      return Rank::request;
    case policy::VerbKind::start_job:
    case policy::VerbKind::move_job:
      return Rank::start;
    case policy::VerbKind::put_alarm:  // what it finds at once it answers, and is acted upon
      return Rank::watch;
    case policy::VerbKind::stop_job:
    case policy::VerbKind::preempt_job:
    case policy::VerbKind::limit_runtime:
      return Rank::stop;
    default:
      return Rank::reaction;
  }
}

void Teller::decisions() {
  for (const experiments::JobDecision& told : story_.outcome.decisions) {
    const experiments::DecisionRow& row = told.row;
    const auto kind = static_cast<policy::VerbKind>(row.verb.index());
    Moment& moment = add(row.at, row.attempt, rank_of(kind), decided(row));
    const std::string basis = row.basis.empty() ? "" : ": " + row.basis;
    moment.details.push_back(fmt::format("because {}{}", row.reason, basis));
    const auto* preempt = std::get_if<policy::PreemptJob>(&row.verb);
    if (preempt != nullptr && preempt->to != row.job) {
      moment.details.push_back("for " + record_.jobs.name(preempt->to));
    }
    if (told.meant) {
      moment.details.push_back(
          fmt::format("{} was meant: the name of its alarm reads as that of {}",
                      record_.jobs.name(*told.meant), record_.jobs.name(story_.outcome.job)));
    }
    if (kind == policy::VerbKind::stop_job) {
      std::string alarm = older_alarm(row);
      if (!alarm.empty()) moment.details.push_back(std::move(alarm));
    }
    if (row.verdict == "accepted" && kind == policy::VerbKind::stop_job) {
      moment.text += took_effect(told);
    }
  }
}

void Teller::last_attempt() {
  constexpr auto most = std::numeric_limits<policy::AttemptNumber>::max();
  if (attempts_.empty() || attempts_.rbegin()->first < most) return;
  add(attempts_.rbegin()->second->end, most, Rank::reaction,
      fmt::format("no further attempt: {} is the last that a job may have", most));
}

/// Machines that nobody shut down, by attempt: how many, until when, and what they cost.
void Teller::leftovers() {
  struct Left {
    Instant from = policy::never;
    Instant until;
    std::uint32_t instances = 0;
    models::Charge amount = 0;
  };
  std::map<policy::AttemptNumber, Left> by_attempt;
  for (const models::LedgerLine& line : record_.ledger_lines) {
    if (line.job != story_.outcome.job || line.use != models::Use::orphan) continue;
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
    const bool ended = left.until < record_.end;
    add(left.from, attempt, Rank::reaction,
        fmt::format("{} machine{} left running until {}: {}{}", left.instances,
                    left.instances == 1 ? " is" : "s are",
                    ended ? clock(left.until) : std::string{"the end"},
                    report::money(models::to_usd(left.amount)), attempt_mark(attempt)));
  }
}

}  // namespace

std::string clock_text(Duration since_start) {
  using namespace std::chrono;
  const bool before = since_start < Duration{0};
  const auto whole = floor<seconds>(before ? -since_start : since_start);
  const auto rest = (before ? -since_start : since_start) - whole;
  const hh_mm_ss parts{whole};
  std::string text = fmt::format("{}{:02}:{:02}:{:02}", before ? "−" : "", parts.hours().count(),
                                 parts.minutes().count(), parts.seconds().count());
  if (rest > Duration{0}) {
    text += fmt::format(".{:03}", duration_cast<milliseconds>(rest).count());
  }
  return text;
}

JobStory tell(const scenarios::Scenario& scenario, const RunResult& result, policy::JobId job) {
  return Teller{scenario, result, job}.tell();
}

}  // namespace reeve::app
