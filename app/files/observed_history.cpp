#include "app/files/observed_history.hpp"

#include <algorithm>
#include <utility>

namespace reeve::app {
namespace {

std::uint32_t small(const std::optional<std::int64_t>& count) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count.value_or(0), 0, 1'000'000));
}

experiments::ObservedJob observed(const scenarios::TraceRow& row, policy::Instant clock) {
  experiments::ObservedJob job;
  job.submit = row.date.value_or(clock + row.submit);
  job.wait = row.observed_wait;
  job.startup = row.startup;
  job.duration = row.duration;
  job.censored = row.censored.value_or(false);
  job.user = row.user;
  job.nodes = row.nodes.value_or(1);
  job.gpus = static_cast<double>(row.gpus_total.value_or(0)) *
             static_cast<double>(row.gpu_milli.value_or(1000)) / 1000;
  job.instance_type = row.instance_type.empty() ? row.gpu_type : row.instance_type;
  job.market = row.market;
  job.end_status = row.end_status;
  job.end_cause = row.end_cause.value_or(experiments::EndCause::unknown);
  job.interruptions = small(row.interruptions);
  job.restarts = small(row.restarts);
  const std::uint32_t told = 1 + job.interruptions + job.restarts;
  const std::uint32_t attempts = small(row.attempts);
  if (row.restarts && attempts > told) job.failed_attempts = attempts - told;
  if (row.stalled) job.stalls = *row.stalled > policy::Duration{0} ? 1U : 0U;
  job.time_limit = row.time_limit;
  job.billed_usd = row.billed_usd;
  job.list_usd = row.list_usd;
  return job;
}

}  // namespace

TraceHistory read_history(const std::string& file, policy::Instant clock,
                          scenarios::ColumnNames columns) {
  TraceHistory history;
  scenarios::TraceReader reader{std::filesystem::path{file}, {}, std::move(columns)};
  scenarios::TraceRow row;
  history.start = policy::Instant::max();
  history.end = policy::Instant::min();
  while (reader.next(row)) {
    const experiments::ObservedJob job = observed(row, clock);
    history.dated |= row.date.has_value();
    history.start = std::min(history.start, job.submit);
    history.end = std::max(history.end, job.submit);
    const auto weight = static_cast<std::size_t>(row.weight.value_or(1));
    for (std::size_t copy = 0; copy < weight; ++copy) {
      if (job.end_status != scenarios::EndStatus::running) break;
      history.running.emplace(history.jobs.size() + copy, row.job_id);
    }
    history.jobs.insert(history.jobs.end(), weight, job);
  }
  history.warnings = reader.warnings();
  if (history.end > history.start) {
    history.end += std::chrono::seconds{1};  // the last job is within the window
    return history;
  }
  throw scenarios::InputError{
      scenarios::Diagnostic{.code = "E0385",
                            .file = file,
                            .position = {},
                            .pointer = {},
                            .message = "all jobs are submitted at one instant",
                            .label = {},
                            .notes = {},
                            .help = "fit a trace of some weeks",
                            .again = {},
                            .excerpt = {}}};
}

}  // namespace reeve::app
