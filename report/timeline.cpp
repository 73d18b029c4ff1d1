#include "report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "report/pool_use.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using policy::Duration;
using policy::Instant;
using policy::JobId;

/// Jobs that become pending, less those that end to be.
using PendingChanges = std::map<Instant, std::int64_t>;

struct TimelineProcess {
  std::uint64_t id = 0;
  PendingChanges pending = {};
};

bool is_pending(const JobSlice& slice) {
  return !slice.billed;
}

/// Interruptions, and ends of attempts that did not complete.
bool is_shown(const models::EventRow& event) {
  const bool is_trouble = event.secondary == policy::Secondary::interrupted ||
                          event.primary == policy::Primary::failed ||
                          event.primary == policy::Primary::stopped;
  return !event.duplicate && is_trouble;
}

std::vector<std::uint32_t> by_submission(const std::vector<models::JobSpec>& specs) {
  std::vector<std::uint32_t> jobs(specs.size());
  std::iota(jobs.begin(), jobs.end(), 0U);
  std::ranges::stable_sort(jobs, {}, [&](std::uint32_t job) { return specs[job].submit; });
  return jobs;
}

}  // namespace

models::Keep kept_for_timeline() {
  return {.attempts = true, .ledger = true, .utilization = true, .events = true};
}

/// Writes one run.
class Timeline::Run {
 public:
  Run(Timeline& timeline, const RunRows& run)
      : timeline_{timeline},
        out_{timeline.events_},
        names_{run},
        times_{names_},
        events_{run.record.job_rows.size(), run.record.events, is_shown},
        decisions_{run.record.job_rows.size(), run.decisions},
        preemptions_{run.record.job_rows.size(), run.record.preemptions} {}

  void write() {
    begin_processes();
    write_jobs();
    write_idle_pools();
    write_pool_use();
    write_share_use();
    write_pending(whole_);
    for (const TimelineProcess& share : shares_) write_pending(share);
  }

 private:
  const RunRows& run() const { return names_.rows(); }
  Duration since_start(Instant at) const {
    return std::chrono::floor<std::chrono::microseconds>(at) -
           std::chrono::floor<std::chrono::microseconds>(names_.start());
  }
  std::uint64_t new_id() { return ++timeline_.last_id_; }

  void begin_processes();
  void name_process(std::uint64_t id, std::string_view name);
  void label_process();
  std::uint64_t new_thread(std::uint64_t process, std::string_view name, std::uint64_t place);
  TimelineProcess& process_of(JobId job);

  void write_jobs();
  void write_job(JobId job, std::uint64_t place);
  void write_slice(const JobSlice& slice, std::uint64_t process, std::uint64_t thread);
  void write_marks(JobId job, std::uint64_t process, std::uint64_t thread);
  void write_mark(const models::EventRow& event, TraceEvent mark);
  void write_mark(const DecisionRow& decision, TraceEvent mark);
  void write_mark(const models::PreemptionRow& preemption, TraceEvent mark);
  void write_idle_pools();

  void write_pool_use();
  void write_share_use();
  void write_pending(const TimelineProcess& process);
  void begin_counter(std::uint64_t process, std::string_view name, Instant at) {
    out_.begin({.name = name, .phase = 'C', .process = process, .at = since_start(at)});
  }

  Timeline& timeline_;
  TraceEvents& out_;
  RunNames names_;
  JobTimes times_;
  ByJob events_;
  ByJob decisions_;
  ByJob preemptions_;
  TimelineProcess whole_;
  std::vector<TimelineProcess> shares_;  ///< by ShareId
};

void Timeline::Run::begin_processes() {
  whole_.id = new_id();
  label_process();
  name_process(whole_.id, run().info.policy);
  for (const auto& share : run().world.directory.shares) {
    shares_.push_back({.id = new_id()});
    name_process(shares_.back().id, fmt::format("{} / {}", run().info.policy, share.name));
  }
}

/// What the file is of: its first event, by which reeve recognizes it.
void Timeline::Run::label_process() {
  const RunInfo& info = run().info;
  out_.begin({.name = "process_labels", .phase = 'M', .process = whole_.id});
  out_.text("labels", fmt::format("reeve {}, {}, replication {}, seed {}{}", info.engine_version,
                                  info.scenario, info.replication, info.seed,
                                  run().record.partial ? ", partial: interrupted" : ""));
  out_.end();
}

void Timeline::Run::name_process(std::uint64_t id, std::string_view name) {
  out_.begin({.name = "process_name", .phase = 'M', .process = id});
  out_.text("name", name);
  out_.end();
  out_.begin({.name = "process_sort_index", .phase = 'M', .process = id});
  out_.count("sort_index", ++timeline_.processes_);
  out_.end();
}

std::uint64_t Timeline::Run::new_thread(std::uint64_t process, std::string_view name,
                                        std::uint64_t place) {
  const std::uint64_t id = new_id();
  out_.begin({.name = "thread_name", .phase = 'M', .process = process, .thread = id});
  out_.text("name", name);
  out_.end();
  out_.begin({.name = "thread_sort_index", .phase = 'M', .process = process, .thread = id});
  out_.count("sort_index", place);
  out_.end();
  return id;
}

TimelineProcess& Timeline::Run::process_of(JobId job) {
  const auto share = names_.terms(names_.profile(job)).share;
  return share ? shares_[share->index] : whole_;
}

void Timeline::Run::write_jobs() {
  std::uint64_t place = 0;
  for (const std::uint32_t job : by_submission(run().record.jobs.specs)) {
    write_job({job}, ++place);
  }
}

void Timeline::Run::write_job(JobId job, std::uint64_t place) {
  TimelineProcess& process = process_of(job);
  const std::vector<JobSlice> slices = times_.of(job);
  // A job that the run ended before has no thread.
  if (slices.empty() && events_.of(job).empty() && decisions_.of(job).empty()) return;
  std::uint32_t lanes = 1;
  for (const JobSlice& slice : slices) lanes = std::max(lanes, slice.lane + 1);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::string name = names_.job(job);
    const std::uint64_t thread =
        new_thread(process.id, lane == 0 ? name : fmt::format("{} ({})", name, lane + 1), place);
    for (const JobSlice& slice : slices) {
      if (slice.lane == lane) write_slice(slice, process.id, thread);
    }
    if (lane == 0) write_marks(job, process.id, thread);
  }
  for (const JobSlice& slice : slices) {
    if (!is_pending(slice)) continue;
    for (PendingChanges* changes : {&whole_.pending, &process.pending}) {
      if (&process == &whole_ && changes == &process.pending) continue;
      ++(*changes)[slice.from];
      --(*changes)[slice.until];
    }
  }
}

void Timeline::Run::write_slice(const JobSlice& slice, std::uint64_t process,
                                std::uint64_t thread) {
  const models::Pool& pool = names_.pool(slice.pool);
  out_.begin({.name = slice.name,
              .category = slice.billed ? "billed" : "pending",
              .process = process,
              .thread = thread,
              .at = since_start(slice.from),
              .length = slice.until - slice.from});
  if (slice.attempt > 0) out_.count("attempt", slice.attempt);
  out_.count("instances", slice.instances);
  out_.text("pool", pool.name);
  out_.text("instance_type", names_.type(pool));
  out_.text("market", word(pool.market));
  if (slice.billed) out_.usd("usd", slice.usd);
  out_.end();
}

/// Instant events of a job, by time.
void Timeline::Run::write_marks(JobId job, std::uint64_t process, std::uint64_t thread) {
  enum class Table : std::uint8_t { events, preemptions, decisions };
  std::vector<std::tuple<Instant, Table, std::uint32_t>> marks;
  for (const std::uint32_t row : events_.of(job)) {
    marks.emplace_back(run().record.events[row].at, Table::events, row);
  }
  for (const std::uint32_t row : preemptions_.of(job)) {
    marks.emplace_back(run().record.preemptions[row].at, Table::preemptions, row);
  }
  for (const std::uint32_t row : decisions_.of(job)) {
    marks.emplace_back(run().decisions[row].at, Table::decisions, row);
  }
  std::ranges::sort(marks);
  for (const auto& [at, table, row] : marks) {
    const TraceEvent mark{
        .name = {}, .phase = 'i', .process = process, .thread = thread, .at = since_start(at)};
    switch (table) {
      case Table::events:
        write_mark(run().record.events[row], mark);
        break;
      case Table::preemptions:
        write_mark(run().record.preemptions[row], mark);
        break;
      case Table::decisions:
        write_mark(run().decisions[row], mark);
        break;
    }
  }
}

void Timeline::Run::write_mark(const models::EventRow& event, TraceEvent mark) {
  mark.name = word(event.secondary);
  mark.category = "event";
  out_.begin(mark);
  out_.count("attempt", event.attempt);
  if (event.failure != policy::FailureClass::none) {
    out_.text("failure_class", word(event.failure));
  }
  if (!event.reason.empty()) out_.text("failure_reason", event.reason);
  out_.end();
}

void Timeline::Run::write_mark(const models::PreemptionRow& preemption, TraceEvent mark) {
  mark.name = "preemption";
  mark.category = "event";
  out_.begin(mark);
  out_.count("attempt", preemption.attempt);
  out_.count("instances", preemption.instances);
  out_.text("cause", policy::preempt_cause_names[static_cast<std::size_t>(preemption.cause)]);
  if (preemption.to != preemption.job) out_.text("for_job", names_.job(preemption.to));
  out_.end();
}

void Timeline::Run::write_mark(const DecisionRow& decision, TraceEvent mark) {
  mark.name = decision.action;
  mark.category = "decision";
  out_.begin(mark);
  out_.text("rule", decision.rule);
  out_.text("mode", decision.mode);
  out_.text("verdict", decision.verdict);
  out_.count("attempt", decision.attempt);
  if (!decision.reason.empty()) out_.text("reason", decision.reason);
  if (!decision.basis.empty()) out_.text("basis", decision.basis);
  if (!decision.why.empty()) out_.text("refused_by", decision.why);
  if (!decision.outcome.empty()) out_.text("outcome", decision.outcome);
  if (decision.cost_if_not) out_.usd("cost_if_not_usd", *decision.cost_if_not);
  out_.end();
}

/// Reserved instances that no job uses, above the jobs.
void Timeline::Run::write_idle_pools() {
  for (std::uint32_t pool = 0; pool < run().world.pools.size(); ++pool) {
    const std::vector<JobSlice> slices = times_.idle({pool});
    if (slices.empty()) continue;
    const std::uint64_t thread =
        new_thread(whole_.id, fmt::format("{} (idle)", names_.pool({pool}).name), 0);
    for (const JobSlice& slice : slices) write_slice(slice, whole_.id, thread);
  }
}

void Timeline::Run::write_pool_use() {
  const auto& rows = run().record.utilization;
  const std::vector<bool> replaced = replaced_pool_rows(run().record, run().world.pools.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (replaced[row]) continue;
    begin_counter(whole_.id, names_.pool(rows[row].pool).name, rows[row].at);
    out_.count("capacity", rows[row].there);
    out_.count("allocated", rows[row].allocated);
    out_.count("used", rows[row].used);
    out_.end();
  }
}

void Timeline::Run::write_share_use() {
  for (const models::ShareUseRow& row : run().record.share_use) {
    begin_counter(shares_[row.share.index].id, names_.pool(row.pool).name, row.at);
    out_.count("quota", row.quota);
    out_.count("allocated", row.used);
    out_.count("borrowed", row.borrowed);
    out_.count("lent", row.lent);
    out_.end();
  }
}

void Timeline::Run::write_pending(const TimelineProcess& process) {
  std::int64_t jobs = 0;
  for (const auto& [at, change] : process.pending) {
    if (change == 0) continue;
    jobs += change;
    begin_counter(process.id, "pending", at);
    out_.count("jobs", static_cast<std::uint64_t>(jobs));
    out_.end();
  }
}

Timeline::Timeline(std::ostream& out, std::string place) : events_{out, std::move(place)} {}

void Timeline::add(const RunRows& run) {
  Run{*this, run}.write();
}

}  // namespace reeve::report
