#include "app/live/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "app/exit_code.hpp"
#include "app/live/observed_fleet.hpp"
#include "app/live/recording.hpp"
#include "app/live/shadow_record.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "experiments/run.hpp"
#include "experiments/statistics.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using policy::Instant;
using policy::Secondary;

double seconds_of(Duration length) {
  return std::chrono::duration<double>(length).count();
}

/// Sums over replications, by job.
struct PredictedJob {
  std::map<Secondary, double> spent_s;
  double billed_s = 0;
  std::uint32_t ended = 0;  ///< replications in which it ended
};

/// The first proposal of a rule about a job: its action, and how long after the job's submission.
struct ProposalKey {
  std::string rule;
  policy::VerbKind action = policy::VerbKind::stop_job;
  std::string job;
  friend auto operator<=>(const ProposalKey&, const ProposalKey&) = default;
};

struct Prediction {
  std::map<std::string, PredictedJob> jobs;
  std::map<ProposalKey, std::vector<double>> proposals;  ///< seconds, of each replication with one
  std::uint32_t replications = 0;
};

void add_times(const experiments::RunResult& result, Prediction& prediction) {
  const models::Record& record = result.record;
  std::map<policy::JobId, const models::EventRow*> before;
  for (const models::EventRow& row : record.events) {
    if (row.duplicate || row.attempt != 1) continue;
    const models::EventRow*& last = before[row.job];
    if (last != nullptr) {
      prediction.jobs[record.jobs.name(row.job)].spent_s[last->secondary] +=
          seconds_of(row.at - last->at);
    }
    last = &row;
  }
  for (const auto& [job, last] : before) {
    if (policy::is_terminal(last->primary)) ++prediction.jobs[record.jobs.name(job)].ended;
  }
  for (const models::AttemptRow& row : record.attempts) {
    if (row.number == 1)
      prediction.jobs[record.jobs.name(row.job)].billed_s += seconds_of(row.billed);
  }
}

void add_proposals(const experiments::RunResult& result, const ObservedFleet& fleet,
                   Prediction& prediction) {
  const models::Record& record = result.record;
  std::map<std::string, Instant> created;
  for (const ObservedJob& job : fleet.jobs) created[job.name] = job.created;
  std::map<ProposalKey, double> first;
  for (const experiments::DecisionRow& row : result.decisions) {
    if (row.verdict != "shadow" || host::is_own_alarm(row.verb) || row.at > fleet.to) continue;
    const std::string job = record.jobs.name(row.job);
    first.try_emplace({std::string{row.rule}, host::kind_of(row.verb), job},
                      seconds_of(row.at - created[job]));
  }
  for (const auto& [key, delay] : first) prediction.proposals[key].push_back(delay);
}

Prediction predict(const ObservedFleet& fleet, const scenarios::PolicySpec& policy,
                   std::uint32_t replications) {
  Prediction prediction;
  const std::atomic<bool>& interrupted = interruption();
  experiments::RunOptions options;
  options.keep = {.attempts = true, .events = true};
  options.decisions = true;
  options.interrupted = &interrupted;
  for (std::uint32_t nth = 0; nth < replications && !interrupted; ++nth) {
    const auto result = experiments::run(fleet.scenario, policy, nth, options);
    if (interrupted) break;
    add_times(result, prediction);
    add_proposals(result, fleet, prediction);
    ++prediction.replications;
  }
  note_interruption();
  return prediction;
}

/// Pairs of predicted and observed values, by job.
struct Pairs {
  std::vector<double> predicted;
  std::vector<double> observed;

  void add(double a, double b) {
    predicted.push_back(a);
    observed.push_back(b);
  }
};

report::Cell length_cell(double of) {
  return report::cell(Duration{std::chrono::milliseconds{std::llround(of * 1'000)}});
}

std::string signed_text(double of) {
  return (of < 0 ? "-" : "+") + length_cell(std::abs(of)).text;
}

/// Jobs, both means, and the mean difference with its interval.
std::vector<report::Cell> cells_of(const Pairs& pairs) {
  if (pairs.predicted.empty()) {
    return {report::cell(std::uint64_t{0}),
            report::no_cell(),
            report::no_cell(),
            report::no_cell(),
            report::no_cell(),
            report::no_cell()};
  }
  std::vector<double> differences;
  for (std::size_t at = 0; at < pairs.predicted.size(); ++at) {
    differences.push_back(pairs.observed[at] - pairs.predicted[at]);
  }
  const experiments::Estimate error = experiments::estimate(differences);
  return {report::cell(std::uint64_t{pairs.predicted.size()}),
          length_cell(experiments::estimate(pairs.predicted).mean),
          length_cell(experiments::estimate(pairs.observed).mean),
          report::cell(error.mean, signed_text(error.mean)),
          report::cell(error.low, signed_text(error.low)),
          report::cell(error.high, signed_text(error.high))};
}

std::vector<report::TableColumn> value_columns() {
  return {{"jobs", "jobs"},
          {"predicted_s", "predicted"},
          {"observed_s", "observed"},
          {"difference_s", "difference"},
          {"difference_low_s", "from"},
          {"difference_high_s", "to"}};
}

/// Of a status, or of what comes after a stop or a failure, which no simulator can know.
bool is_compared(const ObservedJob& job, Secondary status) {
  return job.completed || (status != Secondary::uploading && status != Secondary::stopping);
}

/// A status that only one side has counts as no time on the other.
void compare(const ObservedJob& job, const PredictedJob& predicted, double runs,
             std::map<Secondary, Pairs>& by_status, Pairs& billed) {
  std::map<Secondary, std::pair<double, double>> both;
  for (const auto& [status, sum] : predicted.spent_s) both[status].first = sum / runs;
  for (const auto& [status, spent] : job.spent) both[status].second = seconds_of(spent);
  for (const auto& [status, pair] : both) {
    if (is_compared(job, status)) by_status[status].add(pair.first, pair.second);
  }
  if (job.completed && job.billed) billed.add(predicted.billed_s / runs, seconds_of(*job.billed));
}

std::uint64_t jobs_before(const ObservedFleet& fleet) {
  return static_cast<std::uint64_t>(
      std::count_if(fleet.jobs.begin(), fleet.jobs.end(),
                    [&](const ObservedJob& job) { return job.created < fleet.from; }));
}

report::Table times_table(const ObservedFleet& fleet, const Prediction& prediction) {
  std::map<Secondary, Pairs> by_status;
  Pairs billed;
  std::uint64_t unfinished = 0;
  for (const ObservedJob& job : fleet.jobs) {
    if (!job.is_over) continue;
    const auto found = prediction.jobs.find(job.name);
    if (found == prediction.jobs.end() || found->second.ended < prediction.replications) {
      ++unfinished;
      continue;
    }
    compare(job, found->second, prediction.replications, by_status, billed);
  }
  report::Table table;
  const auto stopped = static_cast<std::uint64_t>(
      std::count_if(fleet.jobs.begin(), fleet.jobs.end(),
                    [](const ObservedJob& job) { return job.is_over && !job.completed; }));
  if (stopped > 0) {
    table.notes.push_back("without what was billed of " +
                          scenarios::counted(stopped, "training job") +
                          " that ended otherwise than completed");
  }
  if (unfinished > 0) {
    table.notes.push_back(scenarios::counted(unfinished, "training job") +
                          " ended, and the simulator predicts a later end than it looks at");
  }
  table.columns = {{"time", "mean time per job", report::Align::left}};
  for (report::TableColumn& column : value_columns()) table.columns.push_back(std::move(column));
  const auto add = [&](std::string_view name, const Pairs& pairs) {
    std::vector<report::Cell> cells{report::cell(name)};
    for (report::Cell& cell : cells_of(pairs)) cells.push_back(std::move(cell));
    table.rows.push_back({.cells = std::move(cells)});
  };
  for (const auto& [status, pairs] : by_status) add(host::name_of(status), pairs);
  add("billed", billed);
  return table;
}

/// Of the jobs that were submitted while the rules observed them.
report::Table proposals_drift(const ObservedFleet& fleet, const RecordedShadow& record,
                              const Prediction& prediction) {
  std::map<std::string, Instant> created;
  for (const ObservedJob& job : fleet.jobs) {
    if (job.created >= fleet.from) created[job.name] = job.created;
  }
  struct Row {
    Pairs both;
    std::uint64_t only_predicted = 0;
    std::uint64_t only_observed = 0;
  };
  std::map<std::pair<std::string, policy::VerbKind>, Row> rows;
  std::map<ProposalKey, double> observed;
  for (const Proposal& row : record.proposals) {
    const auto job = created.find(row.name);
    if (job == created.end() || !row.refused_by.empty()) continue;
    observed.try_emplace({row.rule, row.action, row.name}, seconds_of(row.at - job->second));
  }
  for (const auto& [key, delays] : prediction.proposals) {
    // Predicted is what at least half of the replications propose.
    if (!created.contains(key.job) || 2 * delays.size() < prediction.replications) continue;
    Row& row = rows[{key.rule, key.action}];
    const auto found = observed.find(key);
    if (found == observed.end()) {
      ++row.only_predicted;
      continue;
    }
    row.both.add(experiments::estimate(delays).mean, found->second);
    observed.erase(found);
  }
  for (const auto& [key, delay] : observed) ++rows[{key.rule, key.action}].only_observed;
  report::Table table;
  table.columns = {{"rule", "rule", report::Align::left},
                   {"action", "would", report::Align::left},
                   {"only_predicted", "only predicted"},
                   {"only_observed", "only observed"}};
  for (report::TableColumn& column : value_columns()) table.columns.push_back(std::move(column));
  table.columns[4].title = "both";
  table.names = 2;
  for (const auto& [of, row] : rows) {
    std::vector<report::Cell> cells{report::cell(of.first), report::cell(host::name_of(of.second)),
                                    report::cell(row.only_predicted),
                                    report::cell(row.only_observed)};
    for (report::Cell& cell : cells_of(row.both)) cells.push_back(std::move(cell));
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

}  // namespace

int live_drift(const DriftArguments& arguments, const Console& console) {
  const RecordedShadow record = read_shadow_record(arguments.directory);
  const ObservedFleet fleet = read_observed_fleet(arguments.directory, record);
  const std::string name = status_text(record, "policy");
  const scenarios::PolicySpec policy = shadowed(only_policy(fleet.scenario, {name}));
  const Prediction prediction = predict(fleet, policy, arguments.replications);
  const bool interrupted = prediction.replications < arguments.replications;
  if (prediction.replications == 0) return ExitCode::interrupted;
  report::Table times = times_table(fleet, prediction);
  times.name = fleet.scenario.name + '/' + name + "/drift";
  times.facts = {{fleet.scenario.name, name, "drift: observed minus predicted"},
                 {scenarios::counted(fleet.jobs.size(), "training job"),
                  scenarios::counted(prediction.replications, "replication")}};
  for (const auto& [why, count] : fleet.left_out) {
    times.notes.push_back("left out: " + scenarios::counted(count, "training job") + ' ' + why);
  }
  std::string lacks;
  if (fleet.unreadable > 0) {
    lacks = scenarios::counted(fleet.unreadable, "line") + " of the record could not be read";
  }
  if (interrupted) lacks = "interrupted";
  if (!lacks.empty()) times.closing.push_back({"partial: " + lacks, report::Tone::bad});
  if (const auto before = jobs_before(fleet); before > 0) {
    times.notes.push_back(scenarios::counted(before, "training job") +
                          " began before the record: proposals about them are not compared");
  }
  report::Table proposals = proposals_drift(fleet, record, prediction);
  proposals.name = fleet.scenario.name + '/' + name + "/proposals";
  if (console.json) {
    console.print("[" + report::json(times) + "," + report::json(proposals) + "]\n");
  } else {
    console.print(times);
    if (!proposals.rows.empty()) {
      console.print("\nfirst proposal of a rule about a job, after its submission\n");
      console.print(proposals);
    }
  }
  if (interrupted) return ExitCode::interrupted;
  return lacks.empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace reeve::app
