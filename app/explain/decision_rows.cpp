#include "app/explain/decision_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include "experiments/explain/alternatives.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/json_text.hpp"
#include "report/words.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;
using report::json_text;

/// Changes of alarms to ALARM, by job, attempt and the seat whose alarm it is.
using Fired = std::map<std::tuple<policy::JobId, policy::AttemptNumber, std::size_t>,
                       std::vector<std::pair<const models::AlarmRow*, const models::AlarmChange*>>>;

Fired fired_alarms(const models::Record& record) {
  Fired fired;
  for (const models::AlarmRow& alarm : record.alarms) {
    for (const models::AlarmChange& change : alarm.changes) {
      if (change.state != policy::AlarmState::alarm) continue;
      fired[{alarm.id.job, alarm.attempt, alarm.id.seat}].emplace_back(&alarm, &change);
    }
  }
  return fired;
}

/// What a stop saw: the datapoints of the newest alarm of its seat that went off for the attempt,
/// which may be long before the stop.
void add_alarm(report::DecisionRow& row, std::size_t seat, const Fired& fired,
               policy::Instant start) {
  const auto found = fired.find({row.job, row.attempt, seat});
  if (found == fired.end()) return;
  const std::pair<const models::AlarmRow*, const models::AlarmChange*>* newest = nullptr;
  for (const auto& entry : found->second) {
    if (entry.second->at > row.at) continue;
    if (newest == nullptr || entry.second->at >= newest->second->at) newest = &entry;
  }
  if (newest == nullptr) return;
  const auto seconds = [&](policy::Instant at) {
    return std::chrono::duration<double>{at - start}.count();
  };
  auto points = ordered_json::array();
  auto from = ordered_json::array();
  for (const models::AlarmDatapoint& point : newest->second->datapoints) {
    points.push_back(point.present ? ordered_json(point.value) : ordered_json(nullptr));
    from.push_back(seconds(point.from));
  }
  row.alarm_json = json_text({{"datapoints", std::move(points)},
                              {"datapoints_from_s", std::move(from)},
                              {"alarm_at_s", seconds(newest->second->at)}});
  row.threshold = newest->first->rule.threshold;
}

using AtJob = std::pair<policy::Instant, policy::JobId>;

/// What was wanted of a job at an instant and was not done, by both.
std::map<AtJob, std::vector<const experiments::DecisionRow*>> lost_decisions(
    const experiments::RunResult& result) {
  std::map<AtJob, std::vector<const experiments::DecisionRow*>> lost;
  for (const experiments::DecisionRow& row : result.decisions) {
    if (row.verdict != "accepted") lost[{row.at, row.job}].push_back(&row);
  }
  return lost;
}

/// Of a decision that changes its job: what it could have been instead (`reeve explain` prices
/// that), and what others wanted of the job at that instant.  Empty: neither.
std::string alternatives_json(const models::World& world, const experiments::RunResult& result,
                              const experiments::Standings& standings,
                              const experiments::DecisionRow& row,
                              const std::vector<const experiments::DecisionRow*>& lost) {
  ordered_json json;
  const auto stood = standings.of(row);
  if (stood) {
    const models::JobSpec& job = result.record.jobs.specs[row.job.index];
    for (const auto& other : experiments::alternatives(world, job, row, *stood)) {
      json["could"].push_back(other.name);
    }
  }
  for (const experiments::DecisionRow* other : lost) {
    if (other == &row) continue;
    json["lost"].push_back(
        {{"decision_id", other->id},
         {"rule", other->rule},
         {"action", host::name_of(host::kind_of(other->verb))},
         {"by", other->verdict == "refused" ? other->why : std::string{other->verdict}}});
  }
  return json.empty() ? std::string{} : json_text(json);
}

/// Job, attempt, rule and action; and what tells apart what a rule may do to an attempt more than
/// once: the host whose alarm it is, whose alarm, the incident, and of a warning of something else
/// than a stop, what it warns of.
std::string dedupe_key(const std::string& job, const experiments::DecisionRow& row,
                       const experiments::DecisionRow* warned) {
  const host::Target of = host::target(row.verb);
  std::string key = fmt::format("{}/{}/{}/{}", job, row.attempt, row.rule,
                                host::name_of(host::kind_of(row.verb)));
  const bool tells_of_more =
      warned != nullptr && host::kind_of(warned->verb) != policy::VerbKind::stop_job;
  const policy::Verb& meant = tells_of_more ? warned->verb : row.verb;
  if (tells_of_more) key += fmt::format("/{}", host::name_of(host::kind_of(meant)));
  const auto* gone = std::get_if<policy::DeleteAlarm>(&meant);
  if (gone != nullptr && gone->of_others)
    key += fmt::format("/of-{}", host::target(meant).alarm_seat);
  if (of.host > 1) key += '/' + report::host_name(of.host);
  if (of.incident > 1) key += fmt::format("/{}", of.incident);
  return key;
}

/// The decision of a rule in `warn` that the message tells of; null: it is the rule's own.
const experiments::DecisionRow* warned_by(const experiments::DecisionRow& row,
                                          const experiments::DecisionRow* before) {
  const bool tells = host::kind_of(row.verb) == policy::VerbKind::notify;
  const bool follows = before != nullptr && before->verdict == "warn" && before->rule == row.rule &&
                       before->id + 1 == row.id;
  return tells && follows ? before : nullptr;
}

}  // namespace

std::vector<report::DecisionRow> decision_rows(const models::World& world,
                                               const experiments::RunResult& result) {
  const Fired fired = fired_alarms(result.record);
  const experiments::Standings standings{result};
  const auto lost = lost_decisions(result);
  std::vector<report::DecisionRow> rows;
  const experiments::DecisionRow* before = nullptr;
  for (const experiments::DecisionRow& from : result.decisions) {
    report::DecisionRow row;
    row.id = from.id;
    row.at = from.at;
    row.settled_at = from.settled_at;
    row.rule = from.rule;
    row.mode = host::name_of(from.mode);
    row.verdict = from.verdict;
    row.why = from.why;
    const auto kind = static_cast<policy::VerbKind>(from.verb.index());
    row.action = host::name_of(kind);
    row.job = from.job;
    row.attempt = from.attempt;
    row.reason = from.reason;
    row.basis = from.basis;
    row.outcome = from.outcome;
    row.tries = from.tries;
    row.dedupe_key = dedupe_key(result.record.jobs.name(from.job), from, warned_by(from, before));
    before = &from;
    if (kind == policy::VerbKind::stop_job) {
      const auto seat =
          std::ranges::find(result.seats, from.rule, &experiments::SeatedRule::label) -
          result.seats.begin();
      add_alarm(row, static_cast<std::size_t>(seat), fired, result.record.start);
    }
    if (const auto* clone = std::get_if<policy::CloneJob>(&from.verb)) {
      row.appends_to_name = clone->naming == policy::CloneNaming::appended;
    }
    if (from.if_not) row.cost_if_not = from.if_not->more;
    if (host::changes_job(from.verb)) {
      static const std::vector<const experiments::DecisionRow*> none;
      const auto others = lost.find({from.at, from.job});
      row.alternatives_json = alternatives_json(world, result, standings, from,
                                                others == lost.end() ? none : others->second);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace reeve::app
