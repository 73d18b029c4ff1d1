#include "scenarios/exchange/job_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "scenarios/exchange/import_readers.hpp"
#include "scenarios/load/resolved/loading.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/foreign_file.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::string_view eight_gpus = "the fewest nodes of 8 GPUs that hold them";

void warn_of_epoch(std::string_view name, ImportedJobs& imported) {
  const auto first =
      std::min_element(imported.jobs.begin(), imported.jobs.end(),
                       [](const auto& a, const auto& b) { return a.submit < b.submit; });
  if (first == imported.jobs.end() || first->submit <= doubtful_start) return;
  imported.warnings.push_back(
      about_trace(name, "W0483",
                  fmt::format("the first job is submitted {} after the start", show(first->submit)),
                  "used as written; submit_s counts from clock.start, not from 1970; \"--since\" "
                  "that time makes it 0",
                  Severity::warning));
}

/// The canonical record itself: checked, and put in order.
ImportedJobs read_named(std::string name, std::unique_ptr<std::istream> input,
                        const ColumnNames& columns) {
  const std::string file = name;
  TraceReader trace{std::move(name), std::move(input), {}, columns};
  ImportedJobs imported;
  std::vector<std::pair<policy::Instant, ImportedJob>> dated;
  TraceRow row;
  while (trace.next(row)) {
    imported.jobs.push_back({.job_id = std::string{row.job_id},
                             .submit = row.submit,
                             .line = row.line,
                             .user = std::string{row.user},
                             .queue = std::string{row.queue},
                             .nodes = row.nodes,
                             .gpus_per_node = row.gpus_per_node,
                             .gpus_total = row.gpus_total,
                             .gpu_milli = row.gpu_milli,
                             .gpu_type = std::string{row.gpu_type},
                             .duration = row.duration,
                             .end_status = row.end_status,
                             .failure_reason = std::string{row.failure_reason},
                             .gpu_util_mean = row.gpu_util_mean,
                             .priority = row.priority,
                             .preemptible = row.preemptible,
                             .observed_wait = row.observed_wait,
                             .attempts = row.attempts,
                             .weight = row.weight,
                             .estimate = row.estimate,
                             .time_limit = row.time_limit,
                             .instance_type = std::string{row.instance_type},
                             .market = row.market,
                             .censored = row.censored,
                             .max_wait = row.max_wait,
                             .startup = row.startup,
                             .interruptions = row.interruptions,
                             .restarts = row.restarts,
                             .lost = row.lost,
                             .stalled = row.stalled,
                             .billed = row.billed,
                             .billed_usd = row.billed_usd,
                             .list_usd = row.list_usd,
                             .end_cause = row.end_cause,
                             .sweep = std::string{row.sweep},
                             .tags = {row.tags.begin(), row.tags.end()}});
    if (!row.date) continue;
    dated.emplace_back(*row.date, std::move(imported.jobs.back()));
    imported.jobs.pop_back();
  }
  if (!dated.empty()) imported = from_dates(std::move(dated));
  imported.warnings = trace.warnings();
  warn_of_epoch(file, imported);
  return imported;
}

ImportedJobs read_canonical(std::string name, std::unique_ptr<std::istream> input) {
  return read_named(std::move(name), std::move(input), {});
}

constexpr std::array importers{
    JobImporter{"csv",
                "a canonical trace (docs/how-to/replay-trace.md): checked, sorted, all columns",
                "job_id,submit_s,duration_s", "", read_canonical, read_named},
    JobImporter{"ms-itp", "Microsoft ITP: a raw cluster file of the ElasticFlow traces",
                "job_id,submission_time,duration,num_gpu", eight_gpus, read_ms_itp},
    JobImporter{"philly", "Microsoft Philly: cluster_job_log, the JSON of the published log",
                "jobid,submitted_time,attempts", "", read_philly_log},
    JobImporter{"philly-jobs", "Microsoft Philly: the job table of the Sia simulator",
                "timestamp,duration,num_gpus,cluster", eight_gpus, read_philly_jobs},
    JobImporter{"philly-attempts", "Microsoft Philly: a table with one row per attempt",
                "job_id,submitted_time,num_gpus,start_time,end_time", eight_gpus,
                read_philly_attempts},
    JobImporter{"helios", "SenseTime Helios: cluster_log.csv of a cluster",
                "job_id,submit_time,gpu_num,node_num,duration", "", read_helios},
    JobImporter{"acme", "Shanghai AI Lab Acme: the job trace of Seren or Kalos",
                "job_id,submit_time,gpu_num,node_num,duration", "", read_acme},
    JobImporter{"openb", "Alibaba openb 2023: a list of pods",
                "name,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time,qos,pod_phase",
                "priority by QoS class: LS and Guaranteed 2, Burstable 1, BE 0 and preemptible",
                read_openb},
    JobImporter{"swf", "Parallel Workloads Archive: Standard Workload Format",
                "18 fields, ; before comments", "one processor is one node", read_swf},
};

void check_names(const ImportedJobs& imported, std::string_view file) {
  std::map<std::string_view, std::uint64_t> lines;
  for (const ImportedJob& job : imported.jobs) {
    const auto [first, is_new] = lines.try_emplace(job.job_id, job.line);
    if (is_new) continue;
    Diagnostic found =
        about_trace(file, "E0318", fmt::format("duplicate job {}", in_quotes(job.job_id)),
                    "keep one of the two rows; split a file of several logs");
    found.position = {job.line, 1, 1};
    found.notes.push_back(fmt::format("lines {} and {}", first->second, job.line));
    throw InputError{std::move(found)};
  }
}

}  // namespace

std::span<const JobImporter> job_importers() {
  return importers;
}

ImportedJobs import_jobs(const JobImporter& importer, const std::filesystem::path& path,
                         std::vector<ColumnName> columns) {
  const ColumnNames names{.by = ColumnNames::By::option, .stated = std::move(columns)};
  const auto read = [&] {
    return importer.read_named != nullptr
               ? importer.read_named(path.string(), open_file(path), names)
               : importer.read(path.string(), open_file(path));
  };
  ImportedJobs imported = read_own(path, FileUse::jobs, read, importer.name);
  if (imported.jobs.empty()) {
    throw InputError{about_trace(path.string(), "E0320", "the log has no jobs")};
  }
  check_names(imported, path.string());
  std::sort(imported.jobs.begin(), imported.jobs.end(), [](const auto& a, const auto& b) {
    return std::tuple{a.submit, a.job_id.size(), std::string_view{a.job_id}} <
           std::tuple{b.submit, b.job_id.size(), std::string_view{b.job_id}};
  });
  return imported;
}

ImportedJobs from_dates(std::vector<std::pair<policy::Instant, ImportedJob>> dated) {
  ImportedJobs imported;
  if (dated.empty()) return imported;
  const auto earlier = [](const auto& a, const auto& b) { return a.first < b.first; };
  imported.zero = std::min_element(dated.begin(), dated.end(), earlier)->first;
  for (auto& [submitted, job] : dated) {
    job.submit = submitted - *imported.zero;
    imported.jobs.push_back(std::move(job));
  }
  return imported;
}

void drop_before(ImportedJobs& imported, policy::Duration since) {
  std::erase_if(imported.jobs, [since](const ImportedJob& job) { return job.submit < since; });
  for (ImportedJob& job : imported.jobs) job.submit -= since;
  if (imported.zero) *imported.zero += since;
}

bool counts_nodes(const ImportedJobs& imported) {
  const auto has = [&](auto size) {
    return std::any_of(imported.jobs.begin(), imported.jobs.end(),
                       [&](const ImportedJob& job) { return (job.*size).value_or(0) > 0; });
  };
  return !has(&ImportedJob::gpus_total) && has(&ImportedJob::nodes);
}

std::optional<Unrunnable> unrunnable(const ImportedJob& job, bool by_nodes) {
  if ((by_nodes ? job.nodes : job.gpus_total).value_or(0) <= 0) return Unrunnable::no_size;
  if (job.end_status == EndStatus::never_started || job.end_status == EndStatus::pending)
    return Unrunnable::never_started;
  return job.duration ? std::nullopt : std::optional{Unrunnable::no_duration};
}

void anonymize(ImportedJobs& imported) {
  const auto number = [](std::map<std::string, std::string>& known, std::string& name,
                         std::string_view kind) {
    if (name.empty()) return;
    const auto [entry, is_new] = known.try_emplace(name);
    if (is_new) entry->second = fmt::format("{}-{}", kind, known.size());
    name = entry->second;
  };
  std::map<std::string, std::string> users, queues, jobs, sweeps;
  std::map<std::string, std::map<std::string, std::string>> values;  // by the key of the tag
  for (ImportedJob& job : imported.jobs) {
    number(jobs, job.job_id, "job");
    number(users, job.user, "user");
    number(queues, job.queue, "queue");
    number(sweeps, job.sweep, "sweep");
    for (auto& [key, value] : job.tags) number(values[key], value, key);
    job.failure_reason.clear();  // free text may name anybody
  }
}

}  // namespace reeve::scenarios
