#include "app/study_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "app/modelled.hpp"
#include "app/stop_table.hpp"
#include "app/usage_error.hpp"
#include "experiments/explain/alternatives.hpp"
#include "experiments/explain/queue_snapshot.hpp"
#include "experiments/measures.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "models/platform_presets.hpp"
#include "reeve/version.hpp"
#include "report/csv.hpp"
#include "report/hash_chain.hpp"
#include "report/run_rows.hpp"
#include "report/schema.hpp"
#include "report/words.hpp"
#include "scenarios/load/metric_names.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view manifest_file = "manifest.json";

std::string json_text(const ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream{path, std::ios::binary | std::ios::trunc};
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error{"cannot write " + path.string()};
}

std::string sha256_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  return report::sha256(bytes);
}

/// In the host's order of seats: by priority, ties as written.
std::vector<std::string> seat_labels(const scenarios::PolicySpec& policy) {
  std::vector<const scenarios::SeatSpec*> seats;
  seats.reserve(policy.seats.size());
  for (const scenarios::SeatSpec& seat : policy.seats) seats.push_back(&seat);
  std::stable_sort(seats.begin(), seats.end(),
                   [](const auto* a, const auto* b) { return a->priority > b->priority; });
  std::vector<std::string> labels;
  labels.reserve(seats.size());
  for (const scenarios::SeatSpec* seat : seats) labels.push_back(seat->label);
  return labels;
}

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

std::vector<report::DecisionRow> decision_rows(const models::World& world,
                                               const experiments::RunResult& result,
                                               const std::vector<std::string>& seats) {
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
      const auto seat = std::find(seats.begin(), seats.end(), from.rule) - seats.begin();
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

/// The path of the scenario as seen from `directory`, so that the two can move together.
std::string path_from(const std::filesystem::path& directory, const std::filesystem::path& file) {
  std::error_code error;
  const auto relative = std::filesystem::relative(file, directory, error);
  return (error || relative.empty() ? std::filesystem::absolute(file) : relative).generic_string();
}

ordered_json read_package(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "datapackage.json";
  std::ifstream in{path, std::ios::binary};
  ordered_json package = ordered_json::parse(in, nullptr, false);
  if (!package.is_object()) throw std::runtime_error{"cannot read " + path.string()};
  return package;
}

void write_package(const std::filesystem::path& directory, const ordered_json& package) {
  write_file(directory / "datapackage.json", json_text(package, 2) + '\n');
}

/// Adds a table of comparisons to the description of the directory.
void describe_study(const std::filesystem::path& directory, const report::TableSchema& table,
                    std::uint64_t bytes) {
  ordered_json package = read_package(directory);
  const std::string name{table.name};
  ordered_json fields = ordered_json::array();
  for (const report::Field& field : table.fields) {
    fields.push_back({{"name", field.name},
                      {"type", report::name(field.type)},
                      {"description", field.description}});
  }
  ordered_json key = ordered_json::array();
  for (std::size_t i = 0; i < table.key; ++i) key.push_back(table.fields[i].name);
  package["resources"].push_back(
      {{"name", name},
       {"path", name + ".csv"},
       {"title", table.title},
       {"profile", "tabular-data-resource"},
       {"format", "csv"},
       {"mediatype", "text/csv"},
       {"encoding", "utf-8"},
       {"bytes", bytes},
       {"schema", {{"fields", fields}, {"primaryKey", std::move(key)}}}});
  write_package(directory, package);
}

std::string_view unit_of(const experiments::Measure& measure) {
  using enum scenarios::MetricUnit;
  const auto known = scenarios::find_metric(measure.name);
  if (!known) return "count";
  switch (known->spec->unit) {
    case usd:
      return "usd";
    case duration:
    case seconds:
      return "s";
    case count:
      return "count";
    case percent:
      return "pct";
    case hours:
      return "instance_hours";
    case per_hour:
      return "per_hour";
    case ratio:
      return "ratio";
  }
  return "";
}

/// Writes `rows` below the header of that table, and describes the file.
void write_table(const std::filesystem::path& directory, const report::TableSchema& table,
                 const std::function<void(report::CsvWriter&)>& rows) {
  const std::filesystem::path path = directory / (std::string{table.name} + ".csv");
  std::ofstream stream{path, std::ios::binary | std::ios::trunc};
  report::CsvWriter csv{stream, path.string()};
  for (const report::Field& field : table.fields) csv.text(field.name);
  csv.end_row();
  rows(csv);
  csv.flush();
  const std::uint64_t bytes = csv.bytes();
  stream.close();
  if (!stream) throw std::runtime_error{"cannot write " + path.string()};
  describe_study(directory, table, bytes);
}

void comparison_rows(report::CsvWriter& csv, const Study& study, std::size_t baseline) {
  const PolicyNumbers& base = study.policies[baseline];
  const auto number = [&](const experiments::Estimate& of, double value) {
    of.samples > 0 ? csv.number(value) : csv.empty();
  };
  for (const PolicyNumbers& policy : study.policies) {
    if (&policy == &base) continue;
    for (std::size_t measure = 0; measure < study.measures.size(); ++measure) {
      const auto a = study.number(policy, study.measures[measure]).estimate;
      const auto b = study.number(base, study.measures[measure]).estimate;
      const auto diff = study.difference(policy, base, measure);
      csv.text(policy.policy->name);
      csv.text(base.policy->name);
      csv.text(study.measures[measure]);
      number(a, a.mean);
      number(b, b.mean);
      number(diff, diff.mean);
      for (const double end : {diff.low, diff.high}) {
        study.has_interval(diff.samples) ? number(diff, end) : csv.empty();
      }
      csv.count(diff.samples);
      csv.boolean(true);
      csv.end_row();
    }
  }
}

void speed_rows(report::CsvWriter& csv, const OtherSpeed& other) {
  const auto number = [&](const std::optional<double>& value) {
    value ? csv.number(*value) : csv.empty();
  };
  for (const SpeedNumber& of : other.numbers) {
    csv.text(of.policy);
    csv.text(of.metric);
    csv.number(other.factor);
    number(of.now);
    number(of.then);
    number(of.diff);
    csv.count(of.runs);
    csv.end_row();
  }
}

/// Who waits at the start of the clock and after each `every`, to the end of the run.
std::vector<report::QueueRow> queue_rows(const models::World& world,
                                         const scenarios::PolicySpec& policy,
                                         const models::Record& record, policy::Duration every) {
  std::vector<report::QueueRow> rows;
  const experiments::Holdings holdings = experiments::holdings_of(record);
  const policy::Directory& directory = world.directory;
  for (policy::Instant at = record.start; at < record.end; at = policy::later(at, every)) {
    const experiments::QueueSnapshot snapshot{world, policy, record, holdings, at};
    std::uint64_t position = 0;
    policy::PoolId pool = {};
    for (const experiments::Waiter& waiter : snapshot.waiters()) {
      position = position > 0 && waiter.pool == pool ? position + 1 : 1;
      pool = waiter.pool;
      const models::JobSpec& spec = record.jobs.specs[waiter.job.index];
      const policy::JobTerms& terms = directory.terms[world.profiles[spec.profile].terms];
      report::QueueRow& row = rows.emplace_back();
      row.at = at;
      row.pool = waiter.pool;
      row.position = position;
      if (terms.queue) row.queue = directory.queues[terms.queue->index].name;
      row.job = waiter.job;
      row.attempt = waiter.attempt;
      if (terms.share) row.share = directory.shares[terms.share->index].name;
      row.priority = waiter.priority;
      row.instances = waiter.instances;
      row.reason = experiments::name(waiter.reason);
      row.since = waiter.since;
      row.starts = waiter.starts;
    }
  }
  return rows;
}

}  // namespace

StudyExport::StudyExport(std::filesystem::path directory, const scenarios::Scenario& scenario,
                         std::optional<policy::Duration> queue_every)
    : directory_{std::move(directory)},
      scenario_{scenario},
      queue_every_{queue_every},
      tables_{directory_, {.keep = kept(), .decisions = true, .queue = queue_every.has_value()}} {}

models::Keep StudyExport::kept() {
  return {
      .attempts = true, .ledger = true, .utilization = true, .events = true, .alarm_changes = true};
}

void StudyExport::add(const experiments::RunResult& result) {
  const auto policy =
      std::find_if(scenario_.policies.begin(), scenario_.policies.end(),
                   [&](const scenarios::PolicySpec& spec) { return spec.name == result.policy; });
  const report::RunInfo info{.scenario = scenario_.name,
                             .policy = result.policy,
                             .replication = result.replication,
                             .seed = scenario_.world.seed,
                             .digest = result.digest,
                             .engine_version = std::string{kVersion},
                             .price_book = scenario_.price_book,
                             .seats = seat_labels(*policy)};
  const std::vector<report::DecisionRow> decisions =
      decision_rows(scenario_.world, result, info.seats);
  const std::vector<experiments::Measure> measures = experiments::measures(scenario_, result);
  const std::vector<experiments::Measure> named = experiments::named_measures(scenario_, result);
  std::vector<report::MetricRow> metrics;
  metrics.reserve(measures.size() + named.size());
  for (const experiments::Measure& measure : measures) {
    metrics.push_back({measure.name, unit_of(measure), measure.value});
  }
  for (const experiments::Measure& measure : named) {
    metrics.push_back({measure.name, unit_of(measure), measure.value});
  }
  const std::vector<report::StopVerdictRow> stops = stop_rows(scenario_, result);
  const std::vector<report::QueueRow> queue =
      queue_every_ ? queue_rows(scenario_.world, *policy, result.record, *queue_every_)
                   : std::vector<report::QueueRow>{};
  tables_.add({info, scenario_.world, result.record, decisions, metrics, stops, queue});
}

void StudyExport::finish(const Study& study) {
  tables_.finish({scenario_.name, scenario_.title, scenario_.source});
  if (study.partial) {  // every run may be whole and the study still not
    ordered_json package = read_package(directory_);
    package["x_reeve"]["partial"] = true;
    write_package(directory_, package);
  }
  std::error_code ignored;
  for (const auto* table : {&report::comparison_schema(), &report::speed_schema()}) {
    const std::string file = std::string{table->name} + ".csv";
    std::filesystem::remove(directory_ / file, ignored);  // of another study
  }
  ordered_json model = ordered_json::object();
  for (const PolicyNumbers& numbers : study.policies) {
    for (const Modelled& one : modelled(*numbers.policy)) {
      model[numbers.policy->name][one.option] = one.value;
    }
  }
  const ordered_json manifest{{"reeve", kVersion},
                              {"modelled_on", models::modelled_on(scenario_.world.platform.model)},
                              {"model_where_nothing_is_published", model},
                              {"scenario", path_from(directory_, scenario_.file)},
                              {"scenario_sha256", sha256_of(scenario_.file)},
                              {"seed", scenario_.world.seed},
                              {"runs", study.runs},
                              {"partial", study.partial},
                              {"digest", study.digest}};
  write_file(directory_ / manifest_file, json_text(manifest, 2) + '\n');
}

void export_comparison(const std::filesystem::path& directory, const Study& study,
                       std::size_t baseline) {
  write_table(directory, report::comparison_schema(),
              [&](report::CsvWriter& csv) { comparison_rows(csv, study, baseline); });
  if (!study.other_speed) return;
  write_table(directory, report::speed_schema(),
              [&](report::CsvWriter& csv) { speed_rows(csv, *study.other_speed); });
}

std::optional<Manifest> read_manifest(const std::filesystem::path& directory) {
  std::ifstream in{directory / manifest_file, std::ios::binary};
  if (!in) return std::nullopt;
  const auto json = ordered_json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("scenario") || !json["scenario"].is_string()) {
    return std::nullopt;
  }
  Manifest manifest;
  manifest.directory = directory;
  manifest.scenario = (directory / json["scenario"].get<std::string>()).lexically_normal();
  if (json.contains("seed") && json["seed"].is_number_unsigned()) {
    manifest.seed = json["seed"].get<std::uint64_t>();
  }
  if (json.contains("runs") && json["runs"].is_number_unsigned()) {
    manifest.runs = json["runs"].get<std::uint32_t>();
  }
  if (json.contains("scenario_sha256") && json["scenario_sha256"].is_string()) {
    manifest.scenario_sha256 = json["scenario_sha256"].get<std::string>();
  }
  return manifest;
}

void check_scenario_of(const Manifest& manifest) {
  const std::string file = manifest.scenario.generic_string();
  const std::string made = "the results in " + manifest.directory.generic_string();
  if (!std::filesystem::exists(manifest.scenario)) {
    throw UsageError{made + " were made from " + file + ", which does not exist",
                     "restore it, or name a scenario: reeve explain JOB FILE -p POLICY"};
  }
  if (manifest.scenario_sha256.empty() ||
      manifest.scenario_sha256 == sha256_of(manifest.scenario)) {
    return;
  }
  throw UsageError{file + " has changed since " + made + " were made from it",
                   "name the scenario to explain its current state, or create the results again"};
}

}  // namespace reeve::app
