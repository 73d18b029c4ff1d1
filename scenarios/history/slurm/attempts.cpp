#include "scenarios/history/slurm/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/history/slurm/values.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using Record = SlurmAttempts::Record;

Duration slurm_run(const Record& record) {
  return std::max(Duration{0}, record.elapsed);
}

/// Of stretches that all have an end.
Duration length_of(const std::vector<Stretch>& work) {
  Duration sum{0};
  for (const Stretch& each : work) sum += *each.until - each.from;
  return sum;
}

struct SlurmEnd {
  EndStatus status;
  std::optional<EndCause> cause;
};

SlurmEnd slurm_end(SlurmState state, bool ran, bool by_person) {
  switch (state) {
    case SlurmState::completed:
      return {EndStatus::completed, {}};
    case SlurmState::failed:
      return {EndStatus::failed, EndCause::code};
    case SlurmState::cancelled:
      return {ran ? EndStatus::killed : EndStatus::never_started,
              by_person ? std::optional{EndCause::person} : std::nullopt};
    case SlurmState::timeout:
      return {EndStatus::timeout, EndCause::limit};
    case SlurmState::deadline:
      return {ran ? EndStatus::timeout : EndStatus::never_started, EndCause::limit};
    case SlurmState::out_of_memory:
      return {EndStatus::out_of_memory, EndCause::out_of_memory};
    case SlurmState::node_fail:
      return {ran ? EndStatus::node_failure : EndStatus::never_started, EndCause::hardware};
    case SlurmState::preempted:
      return {EndStatus::preempted, EndCause::preempted};
    case SlurmState::requeued:
      return {ran ? EndStatus::preempted : EndStatus::pending, {}};
    case SlurmState::resizing:
    case SlurmState::running:
      return {EndStatus::running, {}};
    case SlurmState::pending:
      return {EndStatus::pending, {}};
  }
  return {EndStatus::unknown, {}};
}

}  // namespace

void SlurmAttempts::read_shape(const Record& record, HistoryJob& to) const {
  ImportedJob& job = to.record;
  job.line = record.line;
  job.user = names_.text(record.user);
  job.queue = names_.text(record.partition);
  job.gpu_type = names_.text(record.gpu_type);
  if (record.account != 0) job.tags.emplace_back("account", names_.text(record.account));
  if (record.task >= 0) job.sweep = fmt::format_int(record.job).str();
  if (record.nodes >= 0) job.nodes = record.nodes;
  if (record.gpus >= 0) job.gpus_total = record.gpus;
  if (record.nodes > 0 && record.gpus >= 0 && record.gpus % record.nodes == 0) {
    job.gpus_per_node = record.gpus / record.nodes;
  }
  if (record.limit > Duration{0}) job.time_limit = record.limit;
  if (record.gpu_util >= 0) job.gpu_util_mean = record.gpu_util;
  to.sliced = record.has_slices;
}

void SlurmAttempts::read_end(std::span<const Record> records, const Record& main,
                             HistoryJob& to) const {
  const Record& last = records.back();
  // What waits again after its nodes were taken ended, as far as its work is known.
  const bool waits = &last != &main && last.state != SlurmState::cancelled;
  const Record& final = waits ? main : last;
  const SlurmEnd end = slurm_end(final.state, main.ran, final.by_person);
  to.record.end_status = end.status;
  to.record.end_cause = end.cause;
  to.record.censored = &last != &main || end.status == EndStatus::running ||
                       end.status == EndStatus::timeout || end.status == EndStatus::killed ||
                       end.status == EndStatus::preempted || end.status == EndStatus::node_failure;
  if (last.stopped_by != 0) to.stopped_by = names_.text(last.stopped_by);
  if (end.status != EndStatus::failed) return;
  if (final.signal > 0) to.record.failure_reason = fmt::format("signal {}", final.signal);
  if (final.signal == 0 && final.exit_code > 0) {
    to.record.failure_reason = fmt::format("exit code {}", final.exit_code);
  }
}

void SlurmAttempts::read_times(std::span<const Record> records, const Record& main,
                               HistoryJob& to) const {
  to.submitted = records.front().submit;
  const auto first =
      std::find_if(records.begin(), records.end(), [](const Record& record) { return record.ran; });
  const Record& begun = first == records.end() ? main : *first;
  const bool is_cut = begun.is_cut;
  if (begun.has_start && begun.start < to.submitted) {
    findings_.of(begun.file)
        .warn("W0303", begun.line, "the job began before it was submitted",
              "its wait is treated as unknown");
  } else if (begun.has_start && !is_cut) {
    to.record.observed_wait = begun.start - to.submitted;
  }
  if (begun.ran && begun.has_start) to.started = begun.start;
  if (is_cut) to.record.censored = true;
  const Record& last = records.back();
  if (last.has_end) to.ended = last.end;
  if (!main.ran && last.has_end) {
    to.waited_at_least = std::max(Duration{0}, last.end - to.submitted);
  }
}

void SlurmAttempts::read_attempts(std::span<const Record> records, const Record& main,
                                  HistoryJob& to) const {
  ImportedJob& job = to.record;
  Duration work{0}, lost{0};
  std::int64_t interruptions = 0, restarts = 0, told = -1;
  bool is_last = false;
  for (const Record& record : records) {
    told = std::max<std::int64_t>(told, record.restarts);
    is_last = is_last || &record == &main;
    if (!record.ran || is_last) continue;
    if (record.state == SlurmState::resizing) {
      work = ran_longer(work, slurm_run(record));
      const bool fits = record.has_start && work <= longest_run;
      if (fits) to.work.push_back({record.start, record.start + slurm_run(record)});
      continue;
    }
    lost = ran_longer(lost, ran_longer(work, slurm_run(record)));
    work = Duration{0};
    to.work.clear();
    const bool taken =
        record.state == SlurmState::preempted || record.state == SlurmState::requeued;
    ++(taken ? interruptions : restarts);
  }
  if (job.end_status == EndStatus::running && main.has_start) {
    to.work.push_back({main.start, {}});
  } else {
    if (main.elapsed >= Duration{0}) job.duration = ran_longer(work, main.elapsed);
    if (job.duration && main.ran && main.has_start) {
      to.work.push_back({main.start, main.start + main.elapsed});
    }
    if (length_of(to.work) != job.duration) to.work.clear();  // a start is not known
  }
  if (told < 0 && interruptions + restarts == 0) return;
  job.attempts = std::max(told, interruptions + restarts) + (main.ran ? 1 : 0);
  job.interruptions = interruptions;
  job.restarts = restarts;
  job.lost = lost;
  if (told > interruptions + restarts) {
    findings_.of(main.file).warn(
        "W0641", main.line,
        fmt::format("job {} has {}, the export shows {}", main.job,
                    counted(static_cast<std::uint64_t>(told), "restart"), interruptions + restarts),
        "export with -D (--duplicates): it shows the attempts before");
    if (lost == Duration{0}) job.lost.reset();
    if (interruptions + restarts == 0) job.restarts.reset();
  }
}

HistoryJob SlurmAttempts::job_of(std::span<const Record> records) const {
  const auto ran = std::find_if(records.rbegin(), records.rend(),
                                [](const Record& record) { return record.ran; });
  const Record& main = ran == records.rend() ? records.back() : *ran;
  HistoryJob to;
  to.source = "slurm";
  const FileReport& file = files_.at(main.file);
  to.file = file.file;
  const std::string raw = fmt::format_int(main.raw_id != 0 ? main.raw_id : main.job).str();
  const std::string& cluster = names_.text(main.cluster);
  to.resource = cluster.empty() ? raw : cluster + '/' + raw;
  read_shape(main, to);
  read_end(records, main, to);
  read_times(records, main, to);
  read_attempts(records, main, to);
  if (!to.work.empty() && !to.work.back().until) to.seen = file.newest;
  return to;
}

}  // namespace reeve::scenarios
