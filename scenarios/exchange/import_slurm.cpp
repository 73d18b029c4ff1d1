// Slurm's accounting as `sacct -P` prints it: one record per job, and one per step of it.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/exchange/import_readers.hpp"
#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

struct SlurmColumn {
  enum Index : std::size_t {
    job_id,
    submit,
    state,
    elapsed,
    elapsed_raw,
    time_limit,
    nodes,
    allocated,
    requested,
    user,
    partition,
    start,
  };
};

constexpr auto slurm_columns = std::to_array<std::string_view>(
    {"JobID", "Submit", "State", "Elapsed", "ElapsedRaw", "Timelimit", "NNodes", "AllocTRES",
     "ReqTRES", "User", "Partition", "Start",
     // Known, and not used.
     "JobIDRaw", "JobName", "Account", "QOS", "End", "Eligible", "ExitCode", "AllocCPUS",
     "Restarts", "NCPUS", "NodeList", "Priority", "Reason", "Cluster", "Group", "ReqCPUS",
     "ReqMem"});

constexpr std::string_view sacct_call =
    "sacct -P -X -o "
    "JobID,Submit,Start,State,Elapsed,Timelimit,NNodes,AllocTRES,User,Partition > jobs.psv";

/// GPUs in "billing=8,cpu=8,gres/gpu:a100=1,gres/gpu=2,node=1"; nothing if none are listed.
std::optional<std::int64_t> gpus_in(std::string_view resources) {
  std::optional<std::int64_t> typed;
  while (!resources.empty()) {
    const std::size_t end = std::min(resources.find(','), resources.size());
    const std::string_view each = resources.substr(0, end);
    resources.remove_prefix(std::min(end + 1, resources.size()));
    const std::size_t equals = each.find('=');
    if (equals == each.npos || !each.starts_with("gres/gpu")) continue;
    const auto count = few_digits(each.substr(equals + 1));
    if (!count) continue;
    if (each.substr(0, equals) == "gres/gpu") return count;  // of all types
    typed = typed.value_or(0) + *count;
  }
  return typed;
}

/// Slurm writes a word where there is no limit.
std::optional<Duration> limit_of(const JobColumns& log) {
  const std::string_view written = log.text(SlurmColumn::time_limit);
  if (written.empty() || written.find(':') == written.npos) return std::nullopt;
  return log.seconds(SlurmColumn::time_limit);
}

ImportedJob job_of(JobColumns& log, Instant submitted) {
  ImportedJob job;
  job.line = log.line();
  job.job_id = log.needed_text(SlurmColumn::job_id);
  job.user = log.text(SlurmColumn::user);
  job.queue = log.text(SlurmColumn::partition);
  job.nodes = log.count(SlurmColumn::nodes);
  const auto allocated = gpus_in(log.text(SlurmColumn::allocated));
  job.gpus_total = allocated ? allocated : gpus_in(log.text(SlurmColumn::requested));
  if (!job.gpus_total && log.has(SlurmColumn::allocated)) job.gpus_total = 0;
  if (job.nodes.value_or(0) > 0 && job.gpus_total && *job.gpus_total % *job.nodes == 0) {
    job.gpus_per_node = *job.gpus_total / *job.nodes;
  }
  const auto raw = log.seconds(SlurmColumn::elapsed_raw);
  job.duration = raw ? raw : log.seconds(SlurmColumn::elapsed);
  job.time_limit = limit_of(log);
  job.end_status = log.status(SlurmColumn::state);
  const auto began = log.stamp(SlurmColumn::start);
  if (began) job.observed_wait = log.wait(submitted, *began, SlurmColumn::start);
  // Slurm uses one word for jobs that are cancelled in the queue and while they run.
  const bool has_run = job.duration.value_or(Duration{0}) > Duration{0} &&
                       (began.has_value() || !log.has(SlurmColumn::start));
  if (job.end_status == EndStatus::killed && !has_run) job.end_status = EndStatus::never_started;
  return job;
}

}  // namespace

ImportedJobs read_slurm_accounting(std::string name, std::unique_ptr<std::istream> input) {
  JobColumns log{std::move(name), std::move(input), slurm_columns, SlurmColumn::elapsed};
  if (!log.has(SlurmColumn::elapsed) && !log.has(SlurmColumn::elapsed_raw)) {
    throw InputError{log.at(0, "E0321", "the column \"Elapsed\" is missing", "not in the header")
                         .with_help(std::string{sacct_call})};
  }
  std::vector<std::pair<Instant, ImportedJob>> dated;
  while (log.next()) {
    // 9001.batch and 9001.0 are steps of job 9001: their time is part of the job's.
    if (log.text(SlurmColumn::job_id).find('.') != std::string_view::npos) continue;
    const Instant submitted = log.needed_stamp(SlurmColumn::submit);
    dated.emplace_back(submitted, job_of(log, submitted));
  }
  ImportedJobs imported = from_dates(std::move(dated));
  imported.warnings = log.warnings();
  return imported;
}

}  // namespace reeve::scenarios
