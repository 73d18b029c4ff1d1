#include "scenarios/history/slurm_attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using Record = SlurmAttempts::Record;

constexpr Duration reuse_gap = std::chrono::hours{24};  ///< ids are used again much later

/// Whether Slurm may queue the job again after such a record.
bool may_go_on(SlurmState state) {
  return state == SlurmState::requeued || state == SlurmState::preempted ||
         state == SlurmState::node_fail || state == SlurmState::resizing ||
         state == SlurmState::running || state == SlurmState::pending;
}

bool has_same_id(const Record& a, const Record& b) {
  return a.job == b.job && a.cluster == b.cluster && a.task == b.task && a.part == b.part;
}

/// Slurm uses job ids again, months later.
bool is_another_job(const Record& before, const Record& after) {
  const Instant last = before.has_end ? std::max(before.end, before.submit) : before.submit;
  return !may_go_on(before.state) && after.submit > last + reuse_gap;
}

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
  const bool is_cut = begun.ran && cut_start_ && begun.start == *cut_start_;
  if (begun.has_start && begun.start < to.submitted) {
    input_.findings.warn("W0303", begun.line, "the job began before it was submitted",
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
    input_.findings.warn(
        "W0641", main.line,
        fmt::format("job {} has {}, the file shows {}", main.job,
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
  to.file = input_.name;
  const std::string raw = fmt::format_int(main.raw_id != 0 ? main.raw_id : main.job).str();
  const std::string& cluster = names_.text(main.cluster);
  to.resource = cluster.empty() ? raw : cluster + '/' + raw;
  read_shape(main, to);
  read_end(records, main, to);
  read_times(records, main, to);
  read_attempts(records, main, to);
  return to;
}

/// Adds what a further part of a heterogeneous job holds to the job.
bool SlurmAttempts::join_part(const std::string& id, const HistoryJob& part, History& into) const {
  HistoryJob whole;
  std::size_t place = into.jobs.size();
  for (bool is_found = false; !is_found;) {
    if (place-- == begin_) return false;
    const std::string_view name = into.jobs.name(place);
    if (name.substr(0, name.find('@')) != id) return false;
    into.jobs.unpack(place, whole);
    is_found = whole.submitted - part.submitted < reuse_gap &&
               part.submitted - whole.submitted < reuse_gap;
  }
  const auto add = [](std::optional<std::int64_t>& to, std::optional<std::int64_t> more) {
    if (more) to = to.value_or(0) + *more;
  };
  ImportedJob& job = whole.record;
  add(job.nodes, part.record.nodes);
  add(job.gpus_total, part.record.gpus_total);
  job.gpus_per_node.reset();
  if (job.gpu_type.empty()) job.gpu_type = part.record.gpu_type;
  if (part.record.duration > job.duration) {
    job.duration = part.record.duration;
    if (job.end_status != EndStatus::running) whole.work = part.work;
  }
  whole.sliced = whole.sliced || part.sliced;
  into.jobs.replace(place, whole);
  return true;
}

/// "5030", "5030_7"; "cluster/5030" for a second cluster.
std::string SlurmAttempts::id_of(const Record& record) {
  const std::string id = record.task >= 0 ? fmt::format("{}_{}", record.job, record.task)
                                          : fmt::format_int(record.job).str();
  const std::string& cluster = names_.text(record.cluster);
  if (cluster.empty()) return id;
  if (!home_) home_ = cluster;
  return cluster == *home_ ? id : cluster + '/' + id;
}

/// Whether another file has a job of that id, and it ended long before.
bool SlurmAttempts::is_used(const std::string& id, Instant submitted, const History& into) const {
  const auto known =
      earlier_.find(id, [&](std::size_t place) { return into.jobs.name(place) == id; });
  if (!known) return false;
  const HistoryJob before = into.jobs[*known];
  const EndStatus status = before.record.end_status;
  if (status == EndStatus::running || status == EndStatus::pending ||
      status == EndStatus::preempted || status == EndStatus::node_failure) {
    return false;
  }
  return submitted > before.ended.value_or(before.submitted) + reuse_gap;
}

/// `is_again`: another job has the same id in this file.
void SlurmAttempts::add(std::span<const Record> attempts, bool is_again, History& into) {
  const Record& last = attempts.back();
  HistoryJob job = job_of(attempts);
  into.see(job.submitted);
  if (job.started) into.see(*job.started);
  if (job.ended) into.see(*job.ended);
  if (last.has_start && !last.has_end && last.ran) into.see(last.start + slurm_run(last));
  const std::string id = id_of(last);
  if (last.part >= 0 && join_part(id, job, into)) return;
  job.record.job_id = is_again || is_used(id, job.submitted, into)
                          ? fmt::format("{}@{}", id, show(job.submitted).substr(0, 10))
                          : id;
  into.jobs.add(job);
}

void SlurmAttempts::read(SlurmRecords& records, History& into) {
  begin_ = into.jobs.size();
  std::size_t place = 0;
  for (const HistoryJob& job : into.jobs) {
    const std::size_t at = place++;
    if (job.source != "slurm") continue;
    earlier_.add(job.record.job_id, at);
    const std::size_t slash = job.resource.find('/');
    if (!home_ && slash != job.resource.npos) home_ = job.resource.substr(0, slash);
  }
  std::vector<Record> attempts;  // of one job
  bool is_again = false;
  records.take_each([&](const Record& record) {
    if (!attempts.empty()) {
      const bool is_same = has_same_id(attempts.back(), record);
      if (!is_same || is_another_job(attempts.back(), record)) {
        add(attempts, is_again, into);
        attempts.clear();
        is_again = is_same;
      }
    }
    attempts.push_back(record);
  });
  if (!attempts.empty()) add(attempts, is_again, into);
}

}  // namespace reeve::scenarios
