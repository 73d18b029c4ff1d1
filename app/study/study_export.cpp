#include "app/study/study_export.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/stop_table.hpp"
#include "app/compare/summary.hpp"
#include "app/docs/modelled.hpp"
#include "app/explain/decision_rows.hpp"
#include "app/study/interruption.hpp"
#include "app/study/metric_unit.hpp"
#include "app/study/run_info.hpp"
#include "app/usage_error.hpp"
#include "experiments/explain/queue_snapshot.hpp"
#include "experiments/measures.hpp"
#include "models/platform_presets.hpp"
#include "reeve/version.hpp"
#include "report/comparison_tables.hpp"
#include "report/csv.hpp"
#include "report/hash_chain.hpp"
#include "report/history_tables.hpp"
#include "report/json_text.hpp"
#include "report/run_rows.hpp"
#include "report/schema.hpp"
#include "report/tables.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;
using report::json_text;

constexpr std::string_view manifest_file = "manifest.json";

std::string sha256_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  return report::sha256(bytes);
}

/// The path of the scenario as seen from `directory`, so that the two can move together.
std::string path_from(const std::filesystem::path& directory, const std::filesystem::path& file) {
  std::error_code error;
  const auto relative = std::filesystem::relative(file, directory, error);
  return (error || relative.empty() ? std::filesystem::absolute(file) : relative).generic_string();
}

void comparison_rows(report::CsvWriter& csv, const Study& study, std::size_t baseline) {
  const PolicyNumbers& base = study.policies[baseline];
  const auto known = [](bool is_known, double value) {
    return is_known ? std::optional{value} : std::nullopt;
  };
  for (const PolicyNumbers& policy : study.policies) {
    if (&policy == &base) continue;
    for (std::size_t measure = 0; measure < study.measures.size(); ++measure) {
      const auto a = study.number(policy, study.measures[measure]).estimate;
      const auto b = study.number(base, study.measures[measure]).estimate;
      const auto diff = study.difference(policy, base, measure);
      const bool has_interval = diff.samples > 0 && study.has_interval(diff.samples);
      write_row(csv, report::ComparisonRow{.policy_a = policy.policy->name,
                                           .policy_b = base.policy->name,
                                           .metric = study.measures[measure],
                                           .mean_a = known(a.samples > 0, a.mean),
                                           .mean_b = known(b.samples > 0, b.mean),
                                           .diff = known(diff.samples > 0, diff.mean),
                                           .low = known(has_interval, diff.low),
                                           .high = known(has_interval, diff.high),
                                           .runs = diff.samples});
    }
    const auto add_derived = [&](std::string_view key, const experiments::Estimate& of) {
      const bool has_interval = of.samples > 0 && study.has_interval(of.samples);
      write_row(csv, report::ComparisonRow{.policy_a = policy.policy->name,
                                           .policy_b = base.policy->name,
                                           .metric = key,
                                           .mean_a = std::nullopt,
                                           .mean_b = std::nullopt,
                                           .diff = known(of.samples > 0, of.mean),
                                           .low = known(has_interval, of.low),
                                           .high = known(has_interval, of.high),
                                           .runs = of.samples});
    };
    add_derived(recovered_key, study.recovered(policy, base, "gpu_hours"));
    add_derived(captured_key, study.captured(policy, base));
  }
}

void speed_rows(report::CsvWriter& csv, const OtherSpeed& other) {
  for (const SpeedNumber& of : other.numbers) {
    write_row(csv, report::SpeedRow{.policy = of.policy,
                                    .metric = of.metric,
                                    .factor = other.factor,
                                    .mean = of.now,
                                    .mean_then = of.then,
                                    .diff = of.diff,
                                    .low = of.low,
                                    .high = of.high,
                                    .runs = of.runs});
  }
}

void saving_rows(report::CsvWriter& csv, const Study& study, const PolicyNumbers& base,
                 const std::vector<HistorySaving>& savings) {
  for (const HistorySaving& saving : savings) {
    report::SavingRow row;
    row.policy = saving.policy->policy->name;
    row.baseline = base.policy->name;
    row.saved_usd = saving.of_bill.mean;
    const bool has_interval = saving.of_bill.samples > 1;
    if (has_interval) row.low = saving.of_bill.low, row.high = saving.of_bill.high;
    if (saving.at_list) {
      row.list_usd = saving.at_list->mean;
      if (has_interval) row.list_low = saving.at_list->low, row.list_high = saving.at_list->high;
    }
    if (const auto& change = saving.change) {
      row.stopped = change->stopped;
      row.without_result = change->without_result;
      row.later = change->later;
      row.lost = change->lost;
    }
    if (saving.hold_out) {
      row.held_out_weeks = saving.hold_out->weeks;
      const double error_pct = 100 * saving.hold_out->relative_error;
      if (!std::isnan(error_pct)) row.error_pct = error_pct;
      row.coverage90_pct = 100 * saving.hold_out->coverage90;
    }
    row.matched_pct = study.scenario->history->matched_pct;
    write_row(csv, row);
  }
}

void hurt_rows(report::CsvWriter& csv, const models::World& world,
               const std::vector<HistorySaving>& savings) {
  for (const HistorySaving& saving : savings) {
    if (!saving.change) continue;
    for (const experiments::HurtJob& hurt : saving.change->hurt) {
      const auto later = hurt.has_result ? std::optional{hurt.later} : std::nullopt;
      const std::string job = world.jobs.name(hurt.job);
      write_row(csv, report::HurtJobRow{saving.policy->policy->name, job, later, hurt.lost});
    }
  }
}

/// Who waits at the start of the clock and after each `every`, to the end of the run.
void for_each_queue_row(const models::World& world, const scenarios::PolicySpec& policy,
                        const models::Record& record, policy::Duration every,
                        const std::function<void(const report::QueueRow&)>& take) {
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
      report::QueueRow row;
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
      take(row);
    }
  }
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
  const std::vector<report::DecisionRow> decisions = decision_rows(scenario_.world, result);
  const std::vector<experiments::Measure> named = experiments::named_measures(scenario_, result);
  std::vector<report::MetricRow> metrics;
  metrics.reserve(result.measures.size() + named.size());
  for (const experiments::Measure& measure : result.measures) {
    metrics.push_back({measure.name, metric_unit(measure.name), measure.value});
  }
  for (const experiments::Measure& measure : named) {
    metrics.push_back({measure.name, metric_unit(measure.name), measure.value});
  }
  const std::vector<report::StopVerdictRow> stops = stop_rows(scenario_, result);
  report::QueueRows queue;
  if (queue_every_) {
    queue = [&](const std::function<void(const report::QueueRow&)>& take) {
      for_each_queue_row(scenario_.world, *policy, result.record, *queue_every_, take);
    };
  }
  const report::RunInfo info = run_info(scenario_, result);
  tables_.add({info, scenario_.world, result.record, decisions, metrics, stops, queue});
}

void StudyExport::add_journal(std::unique_ptr<report::JournalFile> journal) {
  tables_.add_journal(std::move(journal));
}

std::string StudyExport::manifest_of(const Study& study,
                                     std::optional<std::size_t> baseline) const {
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
                              {"digest", study.digest},
                              {"summary", summary_of(study, baseline)}};
  return json_text(manifest, 2) + '\n';
}

void StudyExport::finish(const Study& study, std::optional<std::size_t> baseline,
                         const std::vector<HistorySaving>& savings) {
  note_interruption();  // files are complete: what is left takes no time
  if (baseline) {
    tables_.add_table(report::comparison_schema(),
                      [&](report::CsvWriter& csv) { comparison_rows(csv, study, *baseline); });
  }
  if (!savings.empty()) {
    tables_.add_table(report::savings_schema(), [&](report::CsvWriter& csv) {
      saving_rows(csv, study, study.policies[*baseline], savings);
    });
    tables_.add_table(report::hurt_jobs_schema(),
                      [&](report::CsvWriter& csv) { hurt_rows(csv, scenario_.world, savings); });
  }
  if (study.other_speed) {
    tables_.add_table(report::speed_schema(),
                      [&](report::CsvWriter& csv) { speed_rows(csv, *study.other_speed); });
  }
  tables_.finish({scenario_.name, scenario_.title, scenario_.source, study.partial},
                 manifest_of(study, baseline));
  if (!study.partial) forget_interruption();
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
