#include "job_queues.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "job_events.hpp"

namespace reeve::policies {

using namespace policy;

namespace {

constexpr std::string_view start_reason = "its turn, and it fits";
constexpr std::string_view place_reason = "its turn on these machines";

// Keys of timers: below `limit_keys` of held jobs, then of limits, then of jobs that could not be
// preempted, then of pools that are to be looked at, for each section.
constexpr std::uint64_t limit_keys = std::uint64_t{1} << 32U;
constexpr std::uint64_t preempt_keys = std::uint64_t{1} << 33U;
constexpr std::uint64_t pool_keys = std::uint64_t{1} << 34U;
constexpr std::uint64_t section_keys = std::uint64_t{1} << 32U;

std::string_view preempt_reason(PreemptCause cause) {
  switch (cause) {
    case PreemptCause::reclaim:
      return "its share has borrowed what another wants back";
    case PreemptCause::in_share:
      return "one that goes before it needs machines";
    case PreemptCause::lowered_quota:
      return "its share has less quota than before";
  }
  return {};
}

}  // namespace

void JobQueues::decide(const Step& step, Decisions& out) {
  const Turn turn{step.fleet, step.now, 0, out, usage_, *this};
  if (retried_.at != step.now) retried_ = {.at = step.now, .jobs = {}};
  if (!sections_.are_divided()) sections_.divide(step.fleet.directory(), make_algorithm_);
  see_pools(turn);
  for (std::size_t i = 0; i < sections_.count(); ++i) sections_.algorithm(i).step_begins(step.now);
  for (const Observation& seen : step.observed) note(seen, step.seat, turn);
  choose(turn);
  for (const std::size_t limit : refused_.take_stirred()) {
    while (!turn.is_closed()) {
      const std::optional<JobId> next = refused_.next(limit);
      if (!next) break;
      release(*next, turn);
      choose(turn);
    }
  }
}

/// An algorithm may ask for any of them.
void JobQueues::see_pools(const Turn& turn) {
  const std::size_t known = turn.fleet.directory().pools.size();
  if (pools_.size() < known) pool_of({static_cast<std::uint32_t>(known - 1)}, turn);
}

// Events

void JobQueues::note(const Observation& seen, SeatId seat, const Turn& turn) {
  if (const auto* job = std::get_if<JobChanged>(&seen.fact)) {
    changed(*job, seen.happened_at, turn);
  } else if (const auto* submission = std::get_if<JobSubmitted>(&seen.fact)) {
    submitted(*submission, seen.happened_at, turn);
  } else if (const auto* place = std::get_if<JobPlaced>(&seen.fact)) {
    placed(*place, turn);
  } else if (const auto* action = std::get_if<ActionSettled>(&seen.fact)) {
    settled(*action, seen, seat, turn);
  } else if (const auto* capacity = std::get_if<CapacityChanged>(&seen.fact)) {
    resize(capacity->pool, turn);
  } else if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
    timer_fired(timer->key, turn);
  } else if (std::holds_alternative<KillSwitchChanged>(seen.fact)) {
    reconsider_all();
  } else if (const auto* quota = std::get_if<QuotaChanged>(&seen.fact)) {
    terms_changed(quota->pool, turn);
  } else if (const auto* priority = std::get_if<PriorityChanged>(&seen.fact)) {
    reprioritized(*priority, turn);
  }
}

void JobQueues::submitted(const JobSubmitted& event, Instant at, const Turn& turn) {
  const JobId id = event.job;
  Job& job = row(id);
  if (event.attempt > job.attempt) {
    leave(id, turn);  // an attempt only follows another one that has ended
    job.attempt = event.attempt;
    job.refusals = 0;
    job.has_preempted = false;
    job.revision = 0;
    // To its queue it is the same job: it keeps its position.
    const bool again = event.origin == Origin::queue && job.instances > 0;
    describe(job, id, again ? job.requested_at : at, turn);
    if (again && retried_.jobs.contains(id)) return pause(id, turn);
    enqueue(id, turn);
  } else if (event.attempt == job.attempt && job.instances == 0) {
    describe(job, id, at, turn);
    if (job.uses_instances()) {
      count(id, true, turn);
      report_instances(id, turn);
    }
    if (job.phase == Phase::queued) enqueue(id, turn);
  }
}

void JobQueues::describe(Job& job, JobId id, Instant at, const Turn& turn) {
  const JobDescription& description = turn.fleet.description(id);
  job.requested_at = at;
  job.instances = description.instances;
  job.pool = description.pool;
  job.awaits_placement = description.awaits_placement;
  pool_of(job.pool, turn);
}

/// The attempt is to run in another pool than it asked for: it enters the queue there.
void JobQueues::placed(const JobPlaced& event, const Turn& turn) {
  const JobId id = event.job;
  Job& job = row(id);
  // An event that overtook the submission is part of what the submission will say.
  if (event.attempt != job.attempt || job.instances == 0 || job.phase == Phase::ended) return;
  if (job.pool == event.pool && !job.awaits_placement) return;
  leave(id, turn);
  job.pool = event.pool;
  job.awaits_placement = false;
  pool_of(event.pool, turn);
  if (!job.uses_instances()) return enqueue(id, turn);
  use(id, turn);
  report_instances(id, turn);
  touch(event.pool);
}

void JobQueues::changed(const JobChanged& event, Instant at, const Turn& turn) {
  Job& job = row(event.job);
  if (event.attempt < job.attempt) return;
  if (event.attempt > job.attempt) {  // it overtook its own submission
    leave(event.job, turn);
    job.attempt = event.attempt;
    job.refusals = 0;
    job.has_preempted = false;
    job.phase = Phase::unknown;
  } else if (event.revision < job.revision) {
    return;
  }
  const bool fresh = event.revision > job.revision;
  job.revision = event.revision;
  if (is_terminal(event.primary)) {
    ended(event.job, turn);
  } else if (event.primary != Primary::queued) {
    runs(job, event.job, turn);
  } else if (job.phase == Phase::unknown) {
    // Its submission was not observed yet; later attempts are like the first one.
    job.requested_at = at;
    enqueue(event.job, turn);
  } else if (job.phase == Phase::running && fresh) {
    leave(event.job, turn);
    enqueue(event.job, turn);
  }
}

void JobQueues::ended(JobId id, const Turn& turn) {
  Job& job = jobs_[id.index];
  const bool used_instances = job.uses_instances();
  leave(id, turn);
  job.phase = Phase::ended;
  if (!used_instances || job.instances == 0) return;
  if (was_preempted_without_effect(id)) return;
  const bool preempted = preempted_for_.contains(id);
  const RefusedStarts::Limits limits = pools_[job.pool.index].limits;
  refused_.reopen(limits.instances, preempted);
  refused_.reopen(limits.quota, preempted);
}

/// The attempt runs, whatever started it.
void JobQueues::runs(Job& job, JobId id, const Turn& turn) {
  if (job.phase == Phase::ended) return;
  if (!job.uses_instances()) {
    leave(id, turn);
    count(id, true, turn);
  }
  if (job.phase == Phase::granted) {
    const RefusedStarts::Limits limits = pools_[job.pool.index].limits;
    refused_.answered(limits);
    touch(job.pool);
    if (!was_preempted_without_effect(id)) refused_.worked(limits, start_of(job));
  }
  const bool fresh = job.phase != Phase::running;
  if (fresh) preempted_for_.erase(id);  // not while it ends: that changes what it runs, too
  job.phase = Phase::running;
  job.refusals = 0;
  job.has_preempted = false;
  if (!fresh || job.instances == 0) return;
  report_instances(id, turn);
  touch(job.pool);
}

/// The job that it was preempted for was refused and is still pending.  Its instances were too few,
/// so that it leaves once more, or has them again, is no sign of room.
bool JobQueues::was_preempted_without_effect(JobId victim) const {
  const auto preempted = preempted_for_.find(victim);
  if (preempted == preempted_for_.end()) return false;
  const Job& by = jobs_[preempted->second.index];
  return by.refusals > 0 && by.phase != Phase::ended;
}

void JobQueues::settled(const ActionSettled& settled, const Observation& seen, SeatId seat,
                        const Turn& turn) {
  Job& job = row(settled.job);
  const bool own = settled.seat == seat;
  if (own && settled.verb == VerbKind::preempt_job) return preempt_settled(settled, turn);
  if (own && settled.verb == VerbKind::place_job) return place_settled(settled, turn);
  if (!own || settled.verb != VerbKind::start_job) {
    // Another policy's action that conflicted with the start has ended.
    if (job_to_review(seen, seat)) release(settled.job, turn);
    return;
  }
  if (worked(settled) || settled.attempt != job.attempt || job.phase != Phase::granted) return;
  leave(settled.job, turn);
  // While the switch is engaged no start is proposed, and at its release all are.
  if (settled.refusal == Refusal::kill_switch) return enqueue(settled.job, turn);
  hold(settled, turn);
}

/// If it worked, the events of the attempt say when its instances are free.
void JobQueues::preempt_settled(const ActionSettled& settled, const Turn& turn) {
  const Job& job = jobs_[settled.job.index];
  if (worked(settled) || settled.attempt != job.attempt || job.phase != Phase::running) return;
  preempted_for_.erase(settled.job);
  Algorithm& algorithm = algorithm_of(settled.job, turn);
  algorithm.kept(settled.job);
  touch(job.pool);
  if (settled.refusal == Refusal::kill_switch) return algorithm.may_lose(settled.job);
  turn.out.wake_at(preempt_keys + settled.job.index, later(turn.now, refused_.retry_after()));
}

/// If it worked, an event says when the job is in its new queue.
void JobQueues::place_settled(const ActionSettled& settled, const Turn& turn) {
  const Job& job = jobs_[settled.job.index];
  if (worked(settled) || settled.attempt != job.attempt) return;
  algorithm_of(settled.job, turn).not_placed(settled.job, was_rejected(settled));
  touch(job.pool);
}

void JobQueues::reprioritized(const PriorityChanged& event, const Turn& turn) {
  const Job& job = row(event.job);
  if (job.instances == 0 || job.phase == Phase::unknown) return;
  if (job.phase == Phase::queued && job.awaits_placement) return;  // it enters when it has a place
  algorithm_of(event.job, turn).reprioritized(candidate(event.job), turn.fleet);
  touch(job.pool);
}

void JobQueues::resize(PoolId id, const Turn& turn) {
  Pool& pool = pool_of(id, turn);
  const bool grown = usage_.resize(id, turn.fleet.capacity(id));
  terms_changed(id, turn);
  if (!grown) return;
  refused_.reopen(pool.limits.instances);
  const std::vector<JobId> again = std::exchange(pool.too_large, {});
  for (const JobId job : again) {
    if (jobs_[job.index].phase == Phase::queued) enqueue(job, turn);
  }
}

/// How many instances the pool has, or whose quota they are.
void JobQueues::terms_changed(PoolId pool, const Turn& turn) {
  pool_of(pool, turn);
  terms_changed(pool);
  touch(pool);
}

void JobQueues::timer_fired(std::uint64_t key, const Turn& turn) {
  if (key >= pool_keys) return touch({static_cast<std::uint32_t>(key % section_keys)});
  if (key >= preempt_keys) {
    const JobId id{static_cast<std::uint32_t>(key - preempt_keys)};
    if (row(id).phase != Phase::running) return;
    algorithm_of(id, turn).may_lose(id);
    return touch(row(id).pool);
  }
  if (key >= limit_keys) {
    if (const auto job = refused_.look(key - limit_keys, turn.now)) release(*job, turn);
    return;
  }
  const JobId held{static_cast<std::uint32_t>(key)};
  if (refused_.is_due(held, turn.now)) release(held, turn);
}

void JobQueues::reconsider_all() {
  for (std::size_t i = 0; i < pools_.size(); ++i) touch({static_cast<std::uint32_t>(i)});
  refused_.reopen_all();
}

// Jobs

void JobQueues::hold(const ActionSettled& settled, const Turn& turn) {
  const JobId id = settled.job;
  Job& job = jobs_[id.index];
  const RefusedStarts::Limits limits = pools_[job.pool.index].limits;
  const std::optional<std::size_t> limit = RefusedStarts::limit_of(settled, limits);
  if (limit) refused_.refused_by(*limit, start_of(job));
  const bool has_timer = limit != limits.quota || job.has_preempted;
  const Duration wait = refused_.wait_of(job.refusals, job.has_preempted);
  const Instant until = has_timer ? later(turn.now, wait) : never;
  if (!hold_until(until, limit, id, turn)) return enqueue(id, turn);
  if (job.refusals < RefusedStarts::doublings_max) ++job.refusals;
  if (!limit) return;
  refused_.wait_at_limit(id);
  if (has_timer) return;
  const Instant look = refused_.look_later(*limit, turn.now);
  if (look != never) turn.out.wake_at(limit_keys + *limit, look);
}

/// False: its algorithm already holds a job that is ahead of it.
bool JobQueues::hold_until(Instant until, std::optional<std::size_t> limit, JobId id,
                           const Turn& turn) {
  Job& job = jobs_[id.index];
  Turn its = turn.of_section(sections_.of(id, turn.fleet));
  Algorithm& algorithm = sections_.algorithm(its.section);
  if (!algorithm.hold(candidate(id), its)) return false;
  job.phase = Phase::held;
  const Waiting place = algorithm.place(candidate(id), turn.fleet);
  refused_.hold(id, {.place = place, .until = until, .limit = limit, .start = start_of(job)});
  if (until != never) turn.out.wake_at(id.index, until);
  return true;
}

/// A start that failed at the instant of its retry would do so for ever, and no time would pass.
void JobQueues::pause(JobId id, const Turn& turn) {
  const Instant until = later(turn.now, refused_.retry_after());
  if (!hold_until(until, std::nullopt, id, turn)) enqueue(id, turn);
}

void JobQueues::release(JobId id, const Turn& turn) {
  if (row(id).phase != Phase::held) return;
  leave(id, turn);
  enqueue(id, turn);
}

/// Takes the attempt out of where it is; its entry in the queue is found stale later.
void JobQueues::leave(JobId id, const Turn& turn) {
  Job& job = jobs_[id.index];
  if (job.phase == Phase::unknown || job.instances == 0) return;
  const std::size_t own = sections_.of(id, turn.fleet);
  const bool used = job.uses_instances();
  if (used) count(id, false, turn);
  if (job.phase == Phase::granted) {
    refused_.answered(pools_[job.pool.index].limits);
    touch(job.pool);
  }
  if (job.phase == Phase::held) {
    sections_.algorithm(own).let_go(candidate(id), turn.fleet);
    refused_.let_go(id);
  }
  if (job.phase == Phase::queued) note_pending(id, false, turn);
  sections_.algorithm(own).left(id);
  for (std::size_t i = 0; used && i < sections_.count(); ++i) {
    if (i != own) sections_.algorithm(i).others_left(id);
  }
  touch(job.pool);
}

void JobQueues::enqueue(JobId id, const Turn& turn) {
  Job& job = jobs_[id.index];
  job.phase = Phase::queued;
  // It enters when its submission, or its placement, is observed.
  if (job.instances == 0 || job.awaits_placement) return;
  note_pending(id, true, turn);
  algorithm_of(id, turn).entered(candidate(id), turn.fleet);
  touch(job.pool);
}

void JobQueues::use(JobId id, const Turn& turn) {
  count(id, true, turn);
  const Job& job = jobs_[id.index];
  if (job.phase == Phase::granted) refused_.asked(pools_[job.pool.index].limits);
}

/// Its instances count as used, or no longer.  A job without a description yet has none.
void JobQueues::count(JobId id, bool uses, const Turn& turn) {
  const Job& job = jobs_[id.index];
  pool_of(job.pool, turn);
  if (job.instances == 0) return;
  const std::int64_t instances = uses ? std::int64_t{job.instances} : -std::int64_t{job.instances};
  const std::size_t own = sections_.of(id, turn.fleet);
  const bool divided = sections_.count() > 1;
  usage_.use(job.pool, own, divided ? turn.fleet.terms(id).share : std::nullopt, instances);
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i != own) sections_.algorithm(i).terms_changed(job.pool);
  }
  if (sections_.spans_pools(own)) changed_elsewhere(job.pool, !uses);
}

void JobQueues::report_instances(JobId id, const Turn& turn) {
  const bool runs = jobs_[id.index].phase == Phase::running;
  algorithm_of(id, turn).has_machines(candidate(id), runs, turn.now, turn.fleet);
  report_to_others(id, turn);
}

void JobQueues::report_to_others(JobId id, const Turn& turn) {
  const std::size_t own = sections_.of(id, turn.fleet);
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i == own) continue;
    const bool one_environment = sections_.have_one_environment(own, i);
    sections_.algorithm(i).others_have(candidate(id), one_environment, turn.now, turn.fleet);
  }
}

Algorithm& JobQueues::algorithm_of(JobId id, const Turn& turn) {
  return sections_.algorithm(sections_.of(id, turn.fleet));
}

Candidate JobQueues::candidate(JobId id) const {
  const Job& job = jobs_[id.index];
  return {.job = id,
          .attempt = job.attempt,
          .pool = job.pool,
          .instances = job.instances,
          .since = job.requested_at};
}

JobQueues::Job& JobQueues::row(JobId job) {
  if (job.index >= jobs_.size()) jobs_.resize(std::size_t{job.index} + 1);
  return jobs_[job.index];
}

// What an algorithm asks and decides in its turn

bool JobQueues::waits(JobId id, AttemptNumber attempt, PoolId pool) const {
  const Job& job = jobs_[id.index];
  return job.phase == Phase::queued && job.attempt == attempt && job.pool == pool;
}

void JobQueues::start(JobId id, const Turn& turn) {
  Job& job = jobs_[id.index];
  turn.out.propose(StartJob{id, job.attempt}, start_reason);
  note_pending(id, false, turn);
  if (job.attempt > 1) retried_.jobs.insert(id);
  job.phase = Phase::granted;
  use(id, turn);
  report_to_others(id, turn);
}

void JobQueues::preempt(JobId id, PreemptCause cause, JobId to, const Turn& turn) {
  if (to != id) {
    jobs_[to.index].has_preempted = true;
    refused_.has_preempted(to);
    preempted_for_.insert_or_assign(id, to);
  }
  turn.out.propose(PreemptJob{id, jobs_[id.index].attempt, cause, to}, preempt_reason(cause));
}

void JobQueues::place(JobId id, PoolId pool, const Turn& turn) {
  turn.out.propose(PlaceJob{id, jobs_[id.index].attempt, pool}, place_reason);
}

void JobQueues::look_after(PoolId pool, Duration wait, const Turn& turn) {
  turn.out.wake_at(pool_keys + turn.section * section_keys + pool.index, later(turn.now, wait));
}

void JobQueues::set_aside(JobId job, const Turn& turn) {
  note_pending(job, false, turn);
  pools_[jobs_[job.index].pool.index].too_large.push_back(job);
}

}  // namespace reeve::policies
