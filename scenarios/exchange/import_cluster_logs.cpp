// The logs of ITP, Philly, Helios, Acme and openb: one CSV record per job, each in its own columns.
#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "scenarios/exchange/import_readers.hpp"
#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
/// The file's name without folder and endings: what logs of several clusters are told apart by.
std::string stem_of(const std::string& name) {
  std::string stem = std::filesystem::path{name}.filename().string();
  return stem.substr(0, stem.find('.'));
}

using Dated = std::vector<std::pair<Instant, ImportedJob>>;

/// The end of a pod: each is deleted some time, and the list does not tell whether a Running one
/// was killed then.
EndStatus end_of_phase(EndStatus phase) {
  if (phase == EndStatus::running) return EndStatus::killed_or_running;
  return phase == EndStatus::pending ? EndStatus::never_started : phase;
}

constexpr std::size_t slurm_required = 5;

/// Slurm's records, as Helios and Acme give them: the same columns first, whatever they are called.
ImportedJobs read_slurm(JobColumns& log) {
  enum : std::size_t { job_id, submit_time, gpu_num, node_num, duration, state, user, group, wait };
  Dated dated;
  while (log.next()) {
    ImportedJob job;
    job.job_id = log.needed_text(job_id);
    job.line = log.line();
    job.user = log.text(user);
    job.queue = log.text(group);
    job.nodes = log.count(node_num);
    job.gpus_total = log.count(gpu_num);
    job.duration = log.seconds(duration);
    job.end_status = log.status(state);
    job.observed_wait = log.seconds(wait);
    dated.emplace_back(log.needed_stamp(submit_time), std::move(job));
  }
  ImportedJobs imported = from_dates(std::move(dated));
  imported.warnings = log.warnings();
  return imported;
}

}  // namespace

ImportedJobs read_ms_itp(std::string name, std::unique_ptr<std::istream> input) {
  enum : std::size_t { job_id, submission_time, duration, num_gpu };
  static constexpr std::array<std::string_view, 4> columns{"job_id", "submission_time", "duration",
                                                           "num_gpu"};
  const std::string cluster = stem_of(name);
  JobColumns log{std::move(name), std::move(input), columns, columns.size()};
  ImportedJobs imported;
  while (log.next()) {
    ImportedJob job;
    job.job_id = log.needed_text(job_id);
    job.line = log.line();
    job.submit = log.needed_seconds(submission_time);
    job.queue = cluster;
    if (const auto gpus = log.count(num_gpu)) infer_nodes(job, *gpus);
    job.duration = log.seconds(duration);
    imported.jobs.push_back(std::move(job));
  }
  imported.warnings = log.warnings();
  return imported;
}

ImportedJobs read_philly_jobs(std::string name, std::unique_ptr<std::istream> input) {
  enum : std::size_t { timestamp, duration, num_gpus, cluster, gpu_time };
  static constexpr std::array<std::string_view, 5> columns{"timestamp", "duration", "num_gpus",
                                                           "cluster", "gpu_time"};
  JobColumns log{std::move(name), std::move(input), columns, 4};
  Dated dated;
  while (log.next()) {
    ImportedJob job;
    job.job_id = std::to_string(log.row());
    job.line = log.line();
    job.queue = log.text(cluster);
    if (const auto gpus = log.count(num_gpus)) infer_nodes(job, *gpus);
    job.duration = log.seconds(duration);
    dated.emplace_back(log.needed_stamp(timestamp), std::move(job));
  }
  ImportedJobs imported = from_dates(std::move(dated));
  imported.warnings = log.warnings();
  return imported;
}

ImportedJobs read_philly_attempts(std::string name, std::unique_ptr<std::istream> input) {
  enum : std::size_t { job_id, submitted_time, num_gpus, start_time, end_time, attempt, runtime };
  static constexpr std::array<std::string_view, 7> columns{
      "job_id", "submitted_time", "num_gpus", "start_time", "end_time", "attempt", "runtime_min"};
  JobColumns log{std::move(name), std::move(input), columns, 5};
  struct Life {
    Instant submitted;
    Instant first_start = policy::never;
    Duration ran{};
    std::optional<Duration> wait;
    std::int64_t gpus = 0, attempts = 0;
  };
  std::map<std::string, Life> lives;
  while (log.next()) {
    Life& life = lives[log.needed_text(job_id)];
    life.submitted = log.needed_stamp(submitted_time);
    life.gpus = log.count(num_gpus).value_or(0);
    ++life.attempts;
    const auto began = log.stamp(start_time), ended = log.stamp(end_time);
    if (!began) continue;
    if (*began < life.first_start) {
      life.first_start = *began;
      life.wait = log.wait(life.submitted, *began, start_time);
    }
    if (ended) life.ran = ran_longer(life.ran, log.between(*began, *ended, end_time));
  }
  Dated dated;
  for (const auto& [id, life] : lives) {
    ImportedJob job;
    job.job_id = id;
    infer_nodes(job, life.gpus);
    job.duration = life.ran;
    job.attempts = life.attempts;
    job.observed_wait = life.wait;
    dated.emplace_back(life.submitted, std::move(job));
  }
  ImportedJobs imported = from_dates(std::move(dated));
  imported.warnings = log.warnings();
  return imported;
}

ImportedJobs read_helios(std::string name, std::unique_ptr<std::istream> input) {
  static constexpr std::array<std::string_view, 12> columns{
      "job_id", "submit_time", "gpu_num", "node_num", "duration",   "state",
      "user",   "vc",          "queue",   "cpu_num",  "start_time", "end_time"};
  JobColumns log{std::move(name), std::move(input), columns, slurm_required};
  ImportedJobs imported = read_slurm(log);
  for (ImportedJob& job : imported.jobs) {
    if (job.nodes && job.gpus_total && *job.nodes > 0 && *job.gpus_total % *job.nodes == 0) {
      job.gpus_per_node = *job.gpus_total / *job.nodes;
    }
  }
  return imported;
}

ImportedJobs read_acme(std::string name, std::unique_ptr<std::istream> input) {
  static constexpr std::array<std::string_view, 17> columns{
      "job_id",    "submit_time", "gpu_num", "node_num",       "duration",          "state",
      "user",      "type",        "queue",   "start_time",     "end_time",          "fail_time",
      "stop_time", "gpu_time",    "cpu_num", "mem_per_pod_GB", "shared_mem_per_pod"};
  JobColumns log{std::move(name), std::move(input), columns, slurm_required};
  return read_slurm(log);
}

ImportedJobs read_openb(std::string name, std::unique_ptr<std::istream> input) {
  enum : std::size_t {
    pod,
    num_gpu,
    gpu_milli,
    creation_time,
    deletion_time,
    scheduled_time,
    qos,
    phase,
    gpu_spec,
  };
  static constexpr std::array<std::string_view, 11> columns{
      "name", "num_gpu",   "gpu_milli", "creation_time", "deletion_time", "scheduled_time",
      "qos",  "pod_phase", "gpu_spec",  "cpu_milli",     "memory_mib"};
  JobColumns log{std::move(name), std::move(input), columns, 8};
  ImportedJobs imported;
  while (log.next()) {
    ImportedJob job;
    job.job_id = log.needed_text(pod);
    job.line = log.line();
    job.submit = log.needed_seconds(creation_time);
    job.queue = log.text(qos);
    job.nodes = 1;
    job.gpus_per_node = job.gpus_total = log.count(num_gpu);
    job.gpu_milli = log.count(gpu_milli);
    job.gpu_type = log.text(gpu_spec);
    job.end_status = end_of_phase(log.status(phase));
    const auto began = log.seconds(scheduled_time), ended = log.seconds(deletion_time);
    if (began)
      job.observed_wait = log.between(Instant{job.submit}, Instant{*began}, scheduled_time);
    if (began && ended) job.duration = log.between(Instant{*began}, Instant{*ended}, deletion_time);
    if (job.end_status == EndStatus::never_started) job.duration = Duration::zero();
    if (job.queue == "LS" || job.queue == "Guaranteed") job.priority = 2;
    if (job.queue == "Burstable") job.priority = 1;
    if (job.queue == "BE") job.priority = 0;
    if (job.priority) job.preemptible = job.queue == "BE";
    imported.jobs.push_back(std::move(job));
  }
  imported.warnings = log.warnings();
  return imported;
}

std::vector<NodeCount> import_nodes(const std::filesystem::path& path) {
  enum : std::size_t { sn, gpu, model };
  static constexpr std::array<std::string_view, 5> columns{"sn", "gpu", "model", "cpu_milli",
                                                           "memory_mib"};
  JobColumns list{path.string(), open_file(path), columns, 3};
  std::map<std::pair<std::string, std::int64_t>, std::uint64_t> counts;
  while (list.next()) {
    ++counts[{std::string{list.text(model)}, list.count(gpu).value_or(0)}];
  }
  std::vector<NodeCount> nodes;
  for (const auto& [kind, count] : counts) nodes.push_back({kind.first, kind.second, count});
  return nodes;
}

}  // namespace reeve::scenarios
