#include "app/explain/story_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "app/text/clock_text.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/format.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using experiments::Moment;
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

/// The alarm that the verb is about; null: none.
const policy::AlarmId* alarm_of(const policy::Verb& verb) {
  if (const auto* put = std::get_if<policy::PutAlarm>(&verb)) return &put->alarm;
  if (const auto* gone = std::get_if<policy::DeleteAlarm>(&verb)) return &gone->alarm;
  return nullptr;
}

/// "stop job"
std::string verb_text(const policy::Verb& verb) {
  std::string text{host::name_of(host::kind_of(verb))};
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// Says what a moment of one job is about.
class Words {
 public:
  Words(const scenarios::Scenario& scenario, const experiments::RunResult& result,
        policy::JobId job)
      : world_{scenario.world}, record_{result.record}, job_{job} {}

  StoryLine line(const Moment& moment) {
    line_ = {moment.at, moment.attempt, {}, {}};
    std::visit([&](const auto& what) { line_.text = say(what); }, moment.what);
    return std::move(line_);
  }

 private:
  std::string say(const experiments::Submitted& submitted) const;
  std::string say(const experiments::StallBegan& began) const;
  std::string say(const experiments::StatusChanged& changed);
  std::string say(const experiments::CallRefused& refused) const {
    return "call refused: " + refused.answer.substr(0, refused.answer.find(" Please contact"));
  }
  std::string say(const experiments::QueueBlocked& blocked) const;
  std::string say(const experiments::AlarmChanged& changed);
  std::string say(const experiments::AlarmUnheard& unheard) const;
  std::string say(const experiments::AlarmLeft&) const { return "an alarm is orphaned"; }
  std::string say(const experiments::Decided& decided);
  std::string say(const experiments::NoFurtherAttempt&) const {
    return fmt::format("no further attempt: {} is the last that a job may have", line_.attempt);
  }
  std::string say(const experiments::LeftRunning& left) const;

  std::string unnoticed(const experiments::StallBegan::Unnoticed& stall) const;
  std::string datapoints(const experiments::AlarmChanged& changed) const;
  std::string decision_text(const experiments::DecisionRow& row,
                            const experiments::DecisionRow* winner) const;
  std::string clock(Instant at) const { return clock_text(at - record_.start); }
  const std::string& pool_name(policy::PoolId pool) const { return world_.pools[pool.index].name; }
  /// "spot (ml.demo.1gpu, spot)"
  std::string place(policy::PoolId pool) const;
  /// " (attempt 2)" if the job has several.
  std::string attempt_mark() const {
    const bool several = record_.job_rows[job_.index].attempts > 1;
    return several ? fmt::format(" (attempt {})", line_.attempt) : std::string{};
  }

  const models::World& world_;
  const models::Record& record_;
  policy::JobId job_;
  StoryLine line_;  ///< that is being said
};

std::string Words::place(policy::PoolId pool) const {
  const models::Pool& there = world_.pools[pool.index];
  std::string market{report::word(there.market)};
  std::replace(market.begin(), market.end(), '_', ' ');
  return fmt::format("{} ({}, {})", there.name, world_.directory.types[there.type.index].name,
                     market);
}

std::string Words::say(const experiments::Submitted& submitted) const {
  const models::AttemptRow& attempt = *submitted.attempt;
  if (attempt.number == 1) return "submitted";
  const std::string who = attempt.origin == policy::Origin::person  ? "a person"
                          : attempt.origin == policy::Origin::queue ? "its queue"
                                                                    : "a rule";
  std::string text = fmt::format(
      "attempt {} submitted by {}, {}", attempt.number, who,
      attempt.resumed_from > Duration{0}
          ? "from the checkpoint at " + report::short_duration(attempt.resumed_from) + " of work"
          : "from the beginning");
  if (submitted.before == nullptr) return text;
  return fmt::format("{}, in {} instead of {}", text, place(attempt.pool),
                     place(submitted.before->pool));
}

std::string Words::unnoticed(const experiments::StallBegan::Unnoticed& stall) const {
  if (stall.stop != nullptr) {
    const experiments::DecisionRow& row = *stall.stop;
    const std::string by = fmt::format("; {} detected it at {}", row.rule, clock(row.at));
    if (row.verdict == "refused") return fmt::format("{}, its stop was refused: {}", by, row.why);
    if (row.verdict != "accepted") return fmt::format("{}, and is in {}", by, row.verdict);
    return fmt::format("{}, its stop did not take effect", by);
  }
  const std::string ignored = stall.told == nullptr
                                  ? "; nothing detected it"
                                  : fmt::format("; {} sent a notification at {}, without effect",
                                                stall.told->rule, clock(stall.told->at));
  if (stall.stopped_by.empty()) return ignored;
  return fmt::format("{}, {} stopped it for another reason", ignored, stall.stopped_by);
}

std::string Words::say(const experiments::StallBegan& began) const {
  const models::StallRow& stall = *began.stall;
  const bool spins = stall.kind == models::FaultKind::spin_hang;
  const bool lost = stall.kind == models::FaultKind::node_lost;
  std::string text = spins ? "fault: spin_hang" : lost ? "fault: node_lost" : "fault: stall";
  if (!stall.cause.empty()) text += stall.cause == "drawn" ? ", drawn" : ", cause " + stall.cause;
  text += attempt_mark();
  return began.unnoticed ? text + unnoticed(*began.unnoticed) : text;
}

std::string Words::say(const experiments::StatusChanged& changed) {
  const models::EventRow& event = *changed.event;
  std::string text = fmt::format("status {}", report::word(event.secondary));
  if (event.failure != policy::FailureClass::none) {
    text += fmt::format(", {}", report::word(event.failure));
  }
  if (!changed.answer.empty()) text += ": " + changed.answer;
  if (event.lacks_capacity) text += fmt::format(": {}", models::waits_for_capacity_message);
  if (!changed.batch_state.empty()) text += fmt::format(" (AWS Batch: {})", changed.batch_state);
  std::vector<std::string>& details = line_.details;
  if (changed.pending_until) {
    const Duration longest = *changed.pending_until - event.at;
    details.push_back(fmt::format("stopped at {} if it still waits (max_pending {})",
                                  clock(*changed.pending_until), report::short_duration(longest)));
  }
  if (changed.pending_is_over) details.emplace_back("max_pending has passed");
  if (!event.reason.empty() && changed.answer.empty()) {
    details.push_back("failure reason: " + event.reason.substr(0, event.reason.find('\n')));
  }
  if (!changed.cause.empty()) {
    details.push_back("cause in the scenario: " + changed.cause);
  }
  return text + attempt_mark();
}

std::string Words::say(const experiments::QueueBlocked& blocked) const {
  const models::BlockageRow& row = *blocked.blockage;
  const bool is_passed = row.by == policy::Blockage::environment;
  return fmt::format("queue {} is blocked by it: {}{}",
                     world_.directory.queues[row.queue.index].name,
                     policy::blockage_reasons[static_cast<std::size_t>(row.by)],
                     is_passed ? "; other jobs run ahead of it" : "");
}

std::string Words::datapoints(const experiments::AlarmChanged& changed) const {
  const std::vector<models::AlarmDatapoint>& all = changed.change->datapoints;
  const auto without_seconds = [&](Instant at) {
    const std::string text = clock(at);
    return text.substr(0, text.rfind(':'));
  };
  std::string points;
  for (std::size_t i = all.size() - changed.judged; i < all.size(); ++i) {
    const models::AlarmDatapoint& point = all[i];
    points += fmt::format("{}[{},{}) {}", points.empty() ? "" : "   ", without_seconds(point.from),
                          without_seconds(point.from + changed.alarm->rule.period),
                          point.present ? fmt::format("{:.1f}", point.value) : "missing");
  }
  return fmt::format("{}   (published {} late)", points,
                     report::short_duration(world_.platform.metrics.publish_delay));
}

std::string Words::say(const experiments::AlarmChanged& changed) {
  const policy::AlarmRule& rule = changed.alarm->rule;
  if (!changed.change->datapoints.empty()) line_.details.push_back(datapoints(changed));
  if (changed.quiet) {
    line_.details.push_back(fmt::format("kept quiet until {} by the job's {}",
                                        clock(changed.quiet->until), changed.quiet->hints));
  }
  const std::uint32_t gpus = changed.gpus;
  return fmt::format("alarm {} → {}   GPUUtilization {}, {}, {}, {} {} for {} of {} × {}",
                     report::word(changed.before), report::word(changed.change->state),
                     host::name_of(rule.statistic), report::host_name(changed.alarm->id.host),
                     world_.platform.metrics.gpu_sum
                         ? fmt::format("sum of {} GPU{}", gpus, gpus == 1 ? "" : "s")
                         : std::string{"mean of its GPUs"},
                     sign(rule.compare), number(rule.threshold), rule.datapoints_to_alarm,
                     rule.evaluation_periods, report::short_duration(rule.period));
}

std::string Words::say(const experiments::AlarmUnheard& unheard) const {
  const std::string why = unheard.refused == nullptr
                              ? "no rule or user acts on it"
                              : fmt::format("the stop of {} was refused: {}", unheard.refused->rule,
                                            unheard.refused->why);
  return fmt::format("ALARM but running: {} since {}, and {}",
                     record_.jobs.name(unheard.alarm->id.job), clock(unheard.alarm->unheard), why);
}

std::string Words::decision_text(const experiments::DecisionRow& row,
                                 const experiments::DecisionRow* winner) const {
  std::string text = fmt::format("{}: {}{}", row.rule, verb_text(row.verb), attempt_mark());
  if (record_.jobs.specs[row.job.index].instances > 1) {
    const policy::AlarmId* alarm = alarm_of(row.verb);
    if (alarm != nullptr) text += ", " + report::host_name(alarm->host);
  }
  if (const auto* to = std::get_if<policy::PlaceJob>(&row.verb)) {
    text += fmt::format(", to {}", pool_name(to->pool));
  }
  if (const auto* move = std::get_if<policy::MoveJob>(&row.verb)) {
    text += move->hold ? fmt::format(", to {}", pool_name(move->pool)) : ", off its instances";
  }
  if (row.verdict != "accepted") text += fmt::format(", {}", row.verdict);
  if (winner != nullptr) {
    text += fmt::format(": conflict with {} of {}", verb_text(winner->verb), winner->rule);
  } else if (!row.why.empty()) {
    text += ": " + row.why;
  }
  if (row.tries > 1) text += fmt::format(", {} tries", row.tries);
  if (row.outcome == host::name_of(policy::Outcome::expired)) {
    text += ", given up";
  } else if (!row.outcome.empty() && row.outcome != "done") {
    text += fmt::format(", {}", row.outcome);
  }
  return text;
}

std::string Words::say(const experiments::Decided& decided) {
  const experiments::JobDecision& decision = *decided.decision;
  const experiments::DecisionRow& row = decision.row;
  std::vector<std::string>& details = line_.details;
  details.push_back(
      fmt::format("because {}{}", row.reason, row.basis.empty() ? "" : ": " + row.basis));
  const auto* preempt = std::get_if<policy::PreemptJob>(&row.verb);
  if (preempt != nullptr && preempt->to != row.job) {
    details.push_back("for " + record_.jobs.name(preempt->to));
  }
  if (decision.meant) {
    details.push_back(fmt::format("{} was the target: the name of its alarm parses as that of {}",
                                  record_.jobs.name(*decision.meant), record_.jobs.name(job_)));
  }
  if (decided.by_alarm) {
    details.push_back(
        fmt::format("triggered by the alarm at {}, {} before, with the datapoints of that time",
                    clock(*decided.by_alarm), report::short_duration(row.at - *decided.by_alarm)));
  }
  std::string text = decision_text(row, decided.winner);
  if (row.verdict != "accepted") return text;
  const bool stops = std::holds_alternative<policy::StopJob>(row.verb);
  if (stops && !decision.ended_attempt && row.outcome == "done") text += "; it stopped nothing";
  if (decided.in_effect) text += fmt::format("; in effect at {}", clock(*decided.in_effect));
  if (decided.grace_until) {
    text += fmt::format("; stop grace until {}", clock(*decided.grace_until));
  }
  return text;
}

std::string Words::say(const experiments::LeftRunning& left) const {
  return fmt::format("{} instance{} left running until {}: {}{}", left.instances,
                     left.instances == 1 ? " is" : "s are",
                     left.until ? clock(*left.until) : std::string{"the end"},
                     report::money(left.billed), attempt_mark());
}

}  // namespace

std::vector<StoryLine> story_lines(const scenarios::Scenario& scenario,
                                   const experiments::RunResult& result,
                                   const experiments::JobOutcome& outcome) {
  Words words{scenario, result, outcome.job};
  std::vector<StoryLine> lines;
  for (const Moment& moment : experiments::job_story(scenario, result, outcome)) {
    lines.push_back(words.line(moment));
  }
  return lines;
}

}  // namespace reeve::app
