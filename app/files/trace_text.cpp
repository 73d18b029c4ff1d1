#include "app/files/trace_text.hpp"

#include <sstream>

#include "report/csv.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using scenarios::ImportedJob;
using scenarios::ImportedJobs;

void optional_count(report::CsvWriter& csv, const std::optional<std::int64_t>& count) {
  count ? csv.integer(*count) : csv.empty();
}

void optional_seconds(report::CsvWriter& csv, const std::optional<Duration>& length) {
  length ? csv.seconds(*length) : csv.empty();
}

/// Columns that few logs have; they are written only if a job has a value.
struct RareColumns {
  bool weight = false;
  bool estimate = false;
  bool time_limit = false;

  bool has(std::string_view column) const {
    if (column == "weight") return weight;
    if (column == "estimate_s") return estimate;
    return column != "time_limit_s" || time_limit;
  }
};

RareColumns rare_columns(const ImportedJobs& imported) {
  RareColumns rare;
  for (const ImportedJob& job : imported.jobs) {
    rare.weight |= job.weight.has_value();
    rare.estimate |= job.estimate.has_value();
    rare.time_limit |= job.time_limit.has_value();
  }
  return rare;
}

/// One row, in the order of scenarios::trace_columns().
void write_job(report::CsvWriter& csv, const ImportedJob& job, const RareColumns& rare) {
  csv.verbatim(job.job_id);
  csv.seconds(job.submit);
  csv.verbatim(job.user);
  csv.verbatim(job.queue);
  optional_count(csv, job.nodes);
  optional_count(csv, job.gpus_per_node);
  optional_count(csv, job.gpus_total);
  optional_count(csv, job.gpu_milli);
  csv.verbatim(job.gpu_type);
  optional_seconds(csv, job.duration);
  csv.verbatim(name_of(job.end_status));
  csv.verbatim(job.failure_reason);
  job.gpu_util_mean ? csv.number(*job.gpu_util_mean) : csv.empty();
  optional_count(csv, job.priority);
  job.preemptible ? csv.integer(*job.preemptible ? 1 : 0) : csv.empty();
  optional_seconds(csv, job.observed_wait);
  optional_count(csv, job.attempts);
  if (rare.weight) optional_count(csv, job.weight);
  if (rare.estimate) optional_seconds(csv, job.estimate);
  if (rare.time_limit) optional_seconds(csv, job.time_limit);
  csv.end_row();
}

}  // namespace

std::string canonical_text(const ImportedJobs& imported) {
  std::ostringstream out;
  report::CsvWriter csv{out, "the trace"};
  const RareColumns rare = rare_columns(imported);
  for (const auto& column : scenarios::trace_columns()) {
    if (rare.has(column.name)) csv.verbatim(column.name);
  }
  csv.end_row();
  for (const ImportedJob& job : imported.jobs) write_job(csv, job, rare);
  csv.flush();
  return out.str();
}

}  // namespace reeve::app
