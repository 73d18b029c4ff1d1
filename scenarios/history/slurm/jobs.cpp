#include "scenarios/history/slurm/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using Kept = KeptRecord;

constexpr std::size_t most_pending_tasks = 100'000;  ///< of one file
constexpr std::size_t least_cut_starts = 5;

std::int32_t slurm_count(std::optional<std::int64_t> number) {
  constexpr std::int64_t most = 999'999'999;
  return number ? static_cast<std::int32_t>(std::clamp<std::int64_t>(*number, -1, most)) : -1;
}

}  // namespace

SlurmJobs::SlurmJobs(HistoryInput& input, const HistoryOptions& options, History& into)
    : input_{input}, into_{into}, records_{into.slurm}, begin_{into.slurm.size()} {
  if (!options.timezone.empty()) zone_ = TimeZone::named(options.timezone);
}

void SlurmJobs::refuse(std::uint64_t line, std::string message) {
  input_.findings.warn("W0632", line, std::move(message));
}

void SlurmJobs::tell_clock(const SlurmRecord& record) {
  const bool is_local = !zone_ && record.start.kind == SlurmTime::Kind::local;
  input_.findings.warn(
      "W0643", record.line,
      fmt::format("job {}: Start and End contradict the elapsed time", record.id.job),
      is_local ? "--timezone names the zone of the cluster; better export with TZ=UTC" : "");
}

/// Instants of the record.  False if it has no submission.
bool SlurmJobs::settle_times(const SlurmRecord& record, Kept& kept) {
  const auto shown = [&](const SlurmTime& time) {
    if (time.kind != SlurmTime::Kind::local || !zone_) return TimeZone::Shown{time.at, time.at};
    return zone_->when(time.at);
  };
  if (record.submit.kind == SlurmTime::Kind::none) return false;
  const auto submit = shown(record.submit), start = shown(record.start), end = shown(record.end);
  kept.submit = submit.first;
  kept.start = start.first;
  kept.end = end.first;
  kept.has_start = record.start.kind != SlurmTime::Kind::none;
  kept.has_end = record.end.kind != SlurmTime::Kind::none && is_slurm_end(record.state);
  if (record.elapsed) kept.elapsed = *record.elapsed;
  if (!kept.has_start || !kept.has_end) return true;
  if (!record.elapsed) {
    if (end.first < start.first && end.second >= start.first) kept.end = end.second;
    if (kept.end < kept.start) tell_clock(record);
    if (kept.end >= kept.start && kept.end - kept.start <= longest_run) {
      kept.elapsed = kept.end - kept.start;
    }
    return true;
  }
  for (const Instant from : {start.first, start.second}) {
    for (const Instant until : {end.first, end.second}) {
      if (until - from != *record.elapsed) continue;
      kept.start = from;
      kept.end = until;
      return true;
    }
  }
  const Duration apart = kept.end - kept.start - *record.elapsed;
  const bool by_an_hour = !zone_ && record.start.kind == SlurmTime::Kind::local &&
                          (apart == std::chrono::hours{1} || apart == -std::chrono::hours{1});
  if (kept.end < kept.start || by_an_hour) tell_clock(record);
  if (kept.end < kept.start + *record.elapsed) kept.end = kept.start + *record.elapsed;
  return true;
}

void SlurmJobs::keep(const SlurmRecord& record, Kept kept) {
  if (record.id.tasks.empty()) return records_.add(kept);
  const auto tasks = slurm_tasks(record.id.tasks, most_pending_tasks - pending_tasks_);
  if (!tasks) {
    refuse(record.line, fmt::format("{} is no list of array tasks", in_quotes(record.id.tasks)));
    return;
  }
  if (tasks->is_cut) {
    input_.findings.warn(
        "W0632", record.line,
        fmt::format("the list of pending tasks of job {} is cut", record.id.job),
        "export with SLURM_BITSTR_LEN=0; reeve reads at most 100,000 pending tasks of a file");
  }
  pending_tasks_ += tasks->numbers.size();
  for (const std::int32_t number : tasks->numbers) {
    kept.task = number;
    records_.add(kept);
  }
}

void SlurmJobs::add(const SlurmRecord& record, bool has_starts) {
  Kept kept;
  if (!settle_times(record, kept)) {
    refuse(record.line, fmt::format("job {} has no time of submission", record.id.job));
    return;
  }
  kept.file = static_cast<std::uint32_t>(into_.files.size());
  kept.line = record.line;
  kept.job = record.id.job;
  kept.raw_id = record.raw_id;
  kept.task = record.id.task;
  kept.part = record.id.part;
  kept.state = record.state;
  if (record.limit) kept.limit = *record.limit;
  kept.nodes = slurm_count(record.nodes);
  kept.gpus = slurm_count(record.gpus);
  kept.restarts = slurm_count(record.restarts);
  kept.exit_code = record.exit_code;
  kept.signal = record.signal;
  kept.cluster = record.cluster;
  kept.user = record.user;
  kept.partition = record.partition;
  kept.account = record.account;
  kept.gpu_type = record.gpu_type;
  kept.stopped_by = record.stopped_by;
  kept.by_person = record.by_person;
  kept.has_slices = record.has_slices;
  kept.gpu_util = record.gpu_util ? static_cast<float>(*record.gpu_util) : -1.0F;
  const bool may_wait =
      record.state == SlurmState::cancelled || record.state == SlurmState::requeued;
  kept.ran = record.state != SlurmState::pending && (kept.has_start || !has_starts) &&
             !(may_wait && kept.elapsed <= Duration{0});
  if (kept.has_end) first_end_ = std::min(first_end_.value_or(kept.end), kept.end);
  has_running_ = has_running_ || kept.state == SlurmState::running;
  keep(record, kept);
  ++input_.report.used;
}

/// Jobs that the accounting has as running although they ended long ago.
void SlurmJobs::drop_runaways() {
  if (!has_running_) return;
  const auto is_runaway = [&](const Kept& record) {
    if (record.state != SlurmState::running || record.limit <= Duration{0}) return false;
    if (!record.has_start || (first_end_ && record.start >= *first_end_)) return false;
    return record.elapsed > record.limit + record.limit / 2 + std::chrono::hours{24};
  };
  records_.keep_if(begin_, [&](const Kept& record) {
    if (!is_runaway(record)) return true;
    --input_.report.used;
    input_.findings.warn("W0640", record.line,
                         fmt::format("job {} runs for {} times its limit; left out", record.job,
                                     record.elapsed / record.limit),
                         "sacctmgr show runawayjobs repairs such records");
    return false;
  });
}

void SlurmJobs::see_times(const Kept& record) {
  into_.see(record.submit);
  if (record.has_end) into_.see(record.end);
  if (!record.ran || !record.has_start) return;
  into_.see(record.start);
  if (!record.has_end) into_.see(record.start + std::max(Duration{0}, record.elapsed));
}

/// Where sacct -T cuts the times of a window, if it does: many jobs that were submitted at several
/// times before start then, and none before.
void SlurmJobs::find_cut_starts() {
  std::optional<Instant> first;
  std::set<Instant> submissions;  // of the jobs that start then
  records_.for_each(begin_, [&](const Kept& record) {
    see_times(record);
    if (!record.ran || !record.has_start || (first && record.start > *first)) return;
    if (!first || record.start < *first) submissions.clear();
    first = record.start;
    if (record.submit < *first) submissions.insert(record.submit);
  });
  if (submissions.size() < least_cut_starts) return;
  input_.findings.warn("W0641", 0,
                       fmt::format("{} jobs start at {}, the earliest start: their times are cut",
                                   submissions.size(), show(*first)),
                       "export without -T (--truncate)");
  records_.cut_starts(static_cast<std::uint32_t>(into_.files.size()), *first);
}

void SlurmJobs::finish() {
  drop_runaways();
  find_cut_starts();
}

}  // namespace reeve::scenarios
