#include "scenarios/history/slurm_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/history/slurm_attempts.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/utf8.hpp"

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

bool is_slurm_end(SlurmState state) {
  return state != SlurmState::running && state != SlurmState::pending;
}

/// Whether two records tell of one run of a job.
bool is_same_run(const Kept& a, const Kept& b) {
  return std::tie(a.cluster, a.job, a.task, a.part, a.submit) ==
             std::tie(b.cluster, b.job, b.task, b.part, b.submit) &&
         (!a.has_start || a.start == b.start) && a.state != SlurmState::resizing;
}

}  // namespace

std::optional<std::uint32_t> SlurmNames::of_plain(std::string_view text) {
  if (const auto known = find(text)) return known;
  const bool is_plain =
      std::all_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; }) &&
      find_invalid_utf8(text) == text.npos;
  return is_plain ? std::optional{of(text)} : std::nullopt;
}

SlurmJobs::SlurmJobs(HistoryInput& input, const HistoryOptions& options) : input_{input} {
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
  if (record.id.tasks.empty()) return kept_.add(kept);
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
    kept_.add(kept);
  }
}

void SlurmJobs::add(const SlurmRecord& record, bool has_starts) {
  Kept kept;
  if (!settle_times(record, kept)) {
    refuse(record.line, fmt::format("job {} has no time of submission", record.id.job));
    return;
  }
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
  kept_.keep_if([&](const Kept& record) {
    if (!is_runaway(record)) return true;
    --input_.report.used;
    input_.findings.warn("W0640", record.line,
                         fmt::format("job {} runs for {} times its limit; left out", record.job,
                                     record.elapsed / record.limit),
                         "sacctmgr show runawayjobs repairs such records");
    return false;
  });
}

/// Of two records about the same submission and start, the later in the file is the newer.
void SlurmJobs::drop_repeats() {
  kept_.sort();
  std::vector<std::size_t> repeats;
  Kept known;
  std::size_t place = 0, next = 0;  // of `known`, and of the record at hand
  std::uint64_t last_line = 0;      // of a row that stands for many tasks
  kept_.for_each([&](const Kept& record) {
    const std::size_t here = next++;
    if (here == 0 || !is_same_run(known, record)) {
      known = record;
      place = here;
      return;
    }
    input_.findings.warn("W0620", record.line,
                         fmt::format("job {} stands on line {} too; the one that ended counts",
                                     record.job, known.line));
    const bool is_newer = is_slurm_end(record.state) || !is_slurm_end(known.state);
    repeats.push_back(is_newer ? std::exchange(place, here) : here);
    if (is_newer) known = record;
    if (std::exchange(last_line, record.line) != record.line) --input_.report.used;
  });
  if (repeats.empty()) return;
  std::sort(repeats.begin(), repeats.end());
  auto repeat = repeats.begin();
  next = 0;
  kept_.keep_if([&](const Kept&) {
    const bool is_repeat = repeat != repeats.end() && *repeat == next++;
    if (is_repeat) ++repeat;
    return !is_repeat;
  });
}

/// Where sacct -T cuts the times of a window, if it does: many jobs that were submitted at several
/// times before start then, and none before.
std::optional<Instant> SlurmJobs::cut_start() {
  std::optional<Instant> first;
  std::set<Instant> submissions;  // of the jobs that start then
  kept_.for_each([&](const Kept& record) {
    if (!record.ran || !record.has_start || (first && record.start > *first)) return;
    if (!first || record.start < *first) submissions.clear();
    first = record.start;
    if (record.submit < *first) submissions.insert(record.submit);
  });
  if (submissions.size() < least_cut_starts) return {};
  input_.findings.warn("W0641", 0,
                       fmt::format("{} jobs start at {}, the earliest start: their times are cut",
                                   submissions.size(), show(*first)),
                       "export without -T (--truncate)");
  return first;
}

void SlurmJobs::finish(History& into) {
  drop_runaways();
  drop_repeats();
  SlurmAttempts attempts{input_, names_, cut_start()};
  attempts.read(kept_, into);
}

}  // namespace reeve::scenarios
