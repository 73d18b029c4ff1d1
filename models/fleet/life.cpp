// The life of an attempt: submitted, granted machines, trained, troubled, ended, billed.
#include <algorithm>
#include <limits>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "models/fault_plan.hpp"
#include "models/fleet/fleet.hpp"

namespace reeve::models {

using policy::Instant;
using policy::Primary;
using policy::Secondary;

namespace {
/// Up to the most that can be counted: a row of a job should not grow for what nobody counts.
void count(std::uint16_t& times) {
  if (times < std::numeric_limits<std::uint16_t>::max()) ++times;
}
}  // namespace

void Fleet::submit_job(policy::JobId job, policy::Origin origin, const Changes& changes) {
  JobTruth& truth = truth_[job.index];
  const JobProfile& kind = profile(job);
  const policy::PoolId pool = changes.pool;
  const bool changed = changes.max_runtime > Duration{0};
  const Duration max_runtime = changed ? changes.max_runtime : kind.max_runtime;
  ++truth.attempts;
  ++record_.attempts_made;
  truth.revision = 0;
  truth.waiting = true;
  // What one clone left out the next one cannot copy; a person starts anew.
  const bool copied = origin != policy::Origin::person;
  truth.keeps_tags = changes.keep_tags && (!copied || truth.keeps_tags);
  if (!truth.keeps_tags && kind.tags != policy::TagSetId{}) {
    record_.untagged[job].attempts.push_back(truth.attempts);
  }
  truth.loses = copied ? truth.loses | changes.loses : 0;
  if (origin != policy::Origin::queue) tries_.erase(job);
  truth.interruptions = 0;
  truth.pool = pool;
  truth.unplaced = awaits_placement(origin);
  JobRow& row = record_.job_rows[job.index];
  row.status = Primary::queued;
  row.ended_as = Secondary::queued;
  row.failure = policy::FailureClass::none;
  row.end = policy::never;
  row.attempts = truth.attempts;
  last_work_ = now_;
  first_submission_ = std::min(first_submission_, now_);
  if (truth.attempts == 1) last_progress_ = now_;  // further ones might follow for ever
  ++alive_;
  if (truth.attempts > 1) {
    await_again(job);
    requests_[job] = {job, truth.attempts, origin, now_, max_runtime, now_};
  }
  if (!truth.unplaced) pools_[pool.index].runnable += spec(job).instances;
  expect_wait_over(job, now_);
  expect_runnable_over(job, now_);
  tell({now_, policy::JobSubmitted{job,
                                   truth.attempts,
                                   origin,
                                   {.submitted_at = spec(job).submit,
                                    .expected_work = spec(job).expected,
                                    .max_runtime = max_runtime,
                                    .deadline = kind.deadline,
                                    .instances = spec(job).instances,
                                    .pool = pool,
                                    .type = world_.pools[pool.index].type,
                                    .tags = truth.keeps_tags ? kind.tags : policy::TagSetId{},
                                    .priority = priority(job),
                                    .awaits_placement = truth.unplaced,
                                    .placement = kind.placement,
                                    .terms = kind.terms}}});
  if (truth.unplaced) return;
  if (!holds()) return line_up(job);
  compare_with_environment(job);
  if (keep_.utilization) note_utilization(pool);
}

/// The job takes its place in the line of its pool, or its machines at once.
void Fleet::line_up(policy::JobId job) {
  const policy::PoolId pool = truth_[job.index].pool;
  if (over_quota(job, pool)) {
    ++record_.quota_refusals;
    return end_request(job, Primary::failed, Secondary::failed, policy::FailureClass::quota);
  }
  count_in_quota(job);
  if (take_warm(job)) return grant(job, true);
  pools_[pool.index].waiting.push_back(job);
  join_line(job);
  serve_waiting(pool);
  if (!truth_[job.index].waiting) return;
  const bool waits = world_.platform.unmanaged.waits_for_capacity || was_promised(job);
  if (unmanaged() && !waits) {
    return fail_request(job, policy::FailureClass::capacity);
  }
  enter(job, Primary::in_progress, Secondary::pending);
  expect_pending_over(job, now_);
  if (keep_.utilization) note_utilization(pool);
}

void Fleet::cancel_request(policy::JobId job) {
  truth_[job.index].waiting = false;
  leave_line(job);
  leave_quota(job);
  drop_promise(job);
  requests_.erase(job);
  if (truth_[job.index].unplaced) return;
  const policy::PoolId id = truth_[job.index].pool;
  PoolTruth& pool = pools_[id.index];
  pool.runnable -= spec(job).instances;
  std::erase(pool.waiting, job);
  if (keep_.utilization) note_utilization(id);
}

/// The attempt ends before it ever had machines; `cause`: why, where that is not the failure.
void Fleet::end_request(policy::JobId job, Primary primary, Secondary ends_as,
                        policy::FailureClass failure, std::optional<policy::FailureClass> cause) {
  const Request request = request_of(job);
  cancel_request(job);
  end_waiting_again(job);
  --alive_;
  enter(job, primary, ends_as, failure);
  record_.job_rows[job.index].end = span_until_ = now_;
  // MaxPendingTime may be told as MaxWaitTime.
  const bool waited = wait_limit(job, request.requested) <= now_;
  const bool of_queue = over_limit_.contains({job, request.number});
  note_end(request,
           of_queue                     ? EndReason::runnable_limit
           : primary == Primary::failed ? EndReason::failed
           : waited                     ? reason_of(ends_as)
                                        : EndReason::stopped,
           failure);
  serve_waiting(truth_[job.index].pool);  // it may have been in the way of smaller ones
  after_end(job, {cause.value_or(failure), now_ - request.requested});
}

/// An attempt that never had machines.
void Fleet::note_end(const Request& request, EndReason reason, policy::FailureClass failure) {
  if (!keep_.attempts) return;
  const policy::JobId job = request.job;
  record_.attempts.push_back({job, request.number, request.origin, truth_[job.index].pool,
                              request.requested, policy::never, now_, durable(job), reason,
                              failure});
}

/// MaxWaitTime is of managed Spot: elsewhere an attempt waits and runs as long as it takes.
Instant Fleet::wait_limit(policy::JobId job, Instant requested) const {
  if (world_.pools[truth_[job.index].pool.index].market != Market::spot) return policy::never;
  return policy::later(requested, profile(job).max_wait);
}

/// How long its queue lets it wait for machines.
Instant Fleet::runnable_limit(policy::JobId job, Instant requested) const {
  const auto queue = world_.directory.terms[profile(job).terms].queue;
  if (!queue) return policy::never;
  const auto known = tries_.find(job);
  const Duration waited = known != tries_.end() ? known->second.waited : Duration{0};
  const Duration left = world_.directory.queues[queue->index].runnable_limit - waited;
  return policy::later(requested, std::max(left, Duration{0}));
}

void Fleet::expect_runnable_over(policy::JobId job, Instant requested) {
  push(std::max(now_, runnable_limit(job, requested)), sim::Phase::world, wait_is_over, job.index,
       truth_[job.index].attempts);
}

void Fleet::expect_wait_over(policy::JobId job, Instant requested) {
  push(std::max(now_, wait_limit(job, requested)), sim::Phase::world, wait_is_over, job.index,
       truth_[job.index].attempts);
}

/// MaxWaitTime, MaxPendingTime or its queue's limit of an attempt that never got machines; of one
/// that did, the attempt knows itself.  One that was placed elsewhere meanwhile has none, or one
/// that is not over yet.
void Fleet::wait_over(policy::JobId job) {
  if (!truth_[job.index].waiting) return;
  const Request request = request_of(job);
  if (wait_limit(job, request.requested) <= now_) {
    return end_request(job, Primary::stopped, Secondary::max_wait_time_exceeded);
  }
  if (runnable_limit(job, request.requested) <= now_) {
    over_limit_.insert({job, request.number});
    return end_request(job, Primary::failed, Secondary::failed, policy::FailureClass::capacity);
  }
  const bool pending = (!holds() || was_promised(job)) && !truth_[job.index].unplaced;
  if (pending && pending_limit(job, request.lined_up) <= now_) {
    end_request(job, Primary::stopped, world_.platform.pending_ends_as, policy::FailureClass::none,
                policy::FailureClass::capacity);
  }
}

/// A first submission's request is what its specification says, and is not stored.
Fleet::Request Fleet::request_of(policy::JobId job) const {
  const auto stored = requests_.find(job);
  if (stored != requests_.end()) return stored->second;
  return {
      job, 1, policy::Origin::person, spec(job).submit, profile(job).max_runtime, spec(job).submit};
}

/// A restart from scratch makes lost work of everything the job had saved and not delivered.
void Fleet::forget_progress(policy::JobId job) {
  const auto known = saved_.find(job);
  durable(job) = Duration{0};
  if (known == saved_.end()) return;
  lose(job, known->second);
  saved_.erase(known);
}

void Fleet::lose(policy::JobId job, const Saved& saved) {
  record_.ledger.attribute(Use::productive, -saved.first_attempt, true);
  record_.ledger.attribute(Use::lost_work, saved.first_attempt, true);
  record_.ledger.attribute(Use::productive, -saved.later, false);
  record_.ledger.attribute(Use::lost_work, saved.later, false);
  record_.job_rows[job.index].wasted += saved.first_attempt + saved.later;
  const auto untagged = record_.untagged.find(job);
  if (untagged != record_.untagged.end()) {
    untagged->second.wasted += std::exchange(untagged->second.undelivered, 0);
  }
  record_.use_time[static_cast<std::size_t>(Use::productive)] -= saved.machine_time;
  record_.use_time[static_cast<std::size_t>(Use::lost_work)] += saved.machine_time;
  lose_in_share(job, saved.machine_time);
  for (const std::size_t line : saved.lines) record_.ledger_lines[line].use = Use::lost_work;
}

/// Gives a waiting attempt its machines.
void Fleet::grant(policy::JobId job, bool warm) {
  const JobProfile& kind = profile(job);
  const Request request = request_of(job);
  if (!requests_.empty()) requests_.erase(job);
  JobTruth& truth = truth_[job.index];
  Slot slot = static_cast<Slot>(running_.size());
  if (free_slots_.empty()) {
    running_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  Running& run = running_[slot];
  const std::uint32_t stamp = run.stamp + 1;  // events of the slot's last tenant stay stale
  const std::uint32_t launch_stamp = run.launch_stamp + 1;
  run = Running{};
  run.stamp = stamp;
  run.launch_stamp = launch_stamp;
  run.job = job;
  run.number = request.number;
  run.origin = request.origin;
  run.requested = request.requested;
  run.max_runtime = request.max_runtime;
  run.resumed_from = durable(job);
  run.billed_from = run.first_billed = policy::never;
  if (!kind.faults.empty() || !kind.drawn_faults.empty()) {
    run.faults = FaultCursor{fault_plan(world_, replication_, job, kind, run.number)};
  }
  truth.running = slot;
  truth.waiting = false;
  leave_line(job);
  if (holds() && !truth.in_quota) count_in_quota(job);
  run.pool = truth.pool;
  run.warm = warm;
  run.wait_limit = wait_limit(job, run.requested);
  pools_[run.pool.index].runnable -= spec(job).instances;
  hold_machines(run);
  const bool at_once = run.provisioning == Duration{0} && run.startup == Duration{0};
  if (world_.platform.model == PlatformModel::ideal && at_once) return begin_startup(run);
  enter(job, Primary::in_progress, Secondary::starting);
  if (policy::is_reserved(world_.pools[run.pool.index].market)) {
    run.billed_from = run.first_billed = now_;
  }
  if (run.provisioning.count() == 0) return begin_startup(run);
  schedule(run);
}

void Fleet::enter(policy::JobId job, Primary primary, Secondary secondary,
                  policy::FailureClass failure, std::uint8_t doubt_pct) {
  JobTruth& truth = truth_[job.index];
  ++truth.revision;
  last_work_ = now_;
  JobRow& row = record_.job_rows[job.index];
  row.status = primary;
  row.ended_as = secondary;
  row.failure = failure;
  tell({now_, policy::JobChanged{job, truth.attempts, truth.revision, primary, secondary, failure,
                                 truth.interruptions, doubt_pct}});
}

void Fleet::begin_startup(Running& run) {
  if (run.stage == Stage::provisioning && run.billed_from != policy::never) {
    spend(run, Use::startup, run.stage_since, now_);  // reserved machines are paid while they wait
  }
  if (run.billed_from == policy::never) run.billed_from = now_;
  if (run.first_billed == policy::never) run.first_billed = now_;
  JobRow& row = record_.job_rows[run.job.index];
  if (row.first_start == policy::never) row.first_start = now_;
  end_waiting_again(run.job);
  if (world_.platform.runtime_includes_startup) start_runtime_clock(run);
  run.stage = Stage::startup;
  run.stage_since = now_;
  if (world_.platform.model != PlatformModel::ideal) {
    enter(run.job, Primary::in_progress, Secondary::downloading);
  }
  if (run.startup == Duration::max()) record_.endless.push_back({run.job, run.number, now_});
  if (run.startup.count() == 0 && run.limit > now_) return begin_training(run);
  schedule(run);
}

/// MaxRuntime bounds the time that the attempt runs: the clock stands while it is interrupted.
void Fleet::start_runtime_clock(Running& run) const {
  if (run.limit_from == policy::never) {
    run.limit_from = now_;
  } else if (run.limit_paused != policy::never) {
    run.limit_from += now_ - run.limit_paused;
  } else {
    return;
  }
  run.limit_paused = policy::never;
  set_limit(run);
}

/// Not in the past: a limit that was lowered below what has run ends the attempt now.
void Fleet::set_limit(Running& run) const {
  run.limit = std::max(now_, policy::later(run.limit_from, run.max_runtime));
}

void Fleet::begin_training(Running& run) {
  if (const auto failure = missing_at_start(run)) return fail(run, *failure);
  if (profile(run.job).elastic) [[unlikely]] {
    if (run.launch->in_memory > Duration{0}) save_memory(run);
    if (run.instances < spec(run.job).instances && may_grow(run)) return grow(run);
    run.launch->resizing = false;
  }
  start_runtime_clock(run);
  spend_start(run);
  run.stage = Stage::training;
  run.stage_since = run.run_since = now_;
  run.active = Duration{0};
  if (profile(run.job).elastic) [[unlikely]]
    note_size(run);
  std::erase_if(run.troubles,  // over while nothing ran
                [&](const Trouble& trouble) { return trouble.until <= now_; });
  run.faults.train(now_, std::exchange(run.retried, false));
  read_level(run, true);
  if (!keep_.gpu_minima.empty() && profile(run.job).throughput)
    record_.held_up.push_back({run.job, run.number, now_, held_up(run)});
  make_progress(run, true);
  if (reports(run)) [[unlikely]]
    await_report(run);
  enter(run.job, Primary::in_progress, Secondary::training);
  schedule(run);
}

/// From the start of the run to the end of the work, if nothing intervenes.
Duration Fleet::time_to_train(const Running& run) const {
  const Checkpoint& plan = profile(run.job).checkpoint;
  const Duration left = spec(run.job).work - durable(run.job);
  if (run.speed_ppm == full_speed) [[likely]]
    return time_to_finish(plan, left);
  return time_to_finish(plan, left, run.speed_ppm);
}

/// When something happens to the attempt next, if nobody intervenes.
Instant Fleet::next_change(const Running& run) const {
  Instant at = policy::never;
  switch (run.stage) {
    case Stage::provisioning:
      at = policy::later(run.stage_since, run.provisioning);
      break;
    case Stage::startup:
      at = policy::later(run.stage_since, run.startup);
      break;
    case Stage::training:
      at = policy::later(run.stage_since, time_to_train(run) - run.active);
      if (run.launch) at = std::min(at, run.launch->save_due);
      break;
    case Stage::away:
      if (run.fault < 0) break;  // until the pool has machines again
      at = policy::later(run.stage_since, run.faults[static_cast<std::size_t>(run.fault)].lasts);
      break;
    case Stage::stalled:  // until its troubles are over
      at = run.watchdog;
      break;
    case Stage::uploading:
      return policy::later(run.stage_since, run.upload);
    case Stage::draining:
      return run.due;
  }
  if (run.stage == Stage::training || run.stage == Stage::stalled) {
    at = std::min(at, std::max(now_, run.faults.next_at()));
    for (const Trouble& trouble : run.troubles) at = std::min(at, trouble.until);
  }
  return std::min({at, run.limit, run.wait_limit, reclaim_of(run)});
}

void Fleet::schedule(Running& run) {
  run.due = next_change(run);
  push(run.due, sim::Phase::world, attempt_due, slot_of(run), ++run.stamp);
}

/// Of several things due at one instant the work's end comes first, then faults, then the limit:
/// a job that is done is not stopped, and a fault at the limit still happened.
void Fleet::attempt_is_due(Slot slot) {
  last_work_ = now_;
  Running& run = running_[slot];
  const Platform& platform = world_.platform;
  switch (run.stage) {
    case Stage::uploading:
    case Stage::draining:
      return finish_stop(run);
    case Stage::training: {
      const Duration active = run.active + (now_ - run.stage_since);
      if (active >= time_to_train(run)) return complete(run);
      if (run.launch && run.launch->save_due <= now_) return finish_save(run);
      break;
    }
    default:
      break;
  }
  if (reclaim_of(run) <= now_) return reclaim(run);
  if ((run.stage == Stage::training || run.stage == Stage::stalled)) {
    const auto back = std::erase_if(run.troubles, [&](const Trouble& trouble) {
      return trouble.until <= now_ && !stands_still_by(run, trouble);
    });
    if (back > 0) read_level(run, true);
    if (run.faults.next_at() <= now_) return meet_fault(run);
    if (run.stage == Stage::stalled && run.watchdog <= now_ && still_stands(run, now_)) {
      return fail(run, profile(run.job).watchdog->failure);
    }
  }
  if (run.limit <= now_)
    return stop(run, Secondary::max_runtime_exceeded, platform.max_runtime_grace);
  if (run.wait_limit <= now_) {
    return stop(run, Secondary::max_wait_time_exceeded, platform.stop_grace);
  }
  if (next_change(run) > now_) return schedule(run);
  switch (run.stage) {
    case Stage::provisioning:
      return begin_startup(run);
    case Stage::startup:
      return begin_training(run);
    case Stage::stalled:
      return recover(run);
    case Stage::away:
      return come_back(run);
    default:
      return schedule(run);
  }
}

/// What the time from a stop, or from the end of the work, to the end of billing is for.
Use Fleet::use_of_ending(const Running& run) const {
  // Work that is done is uploaded, whether or not somebody stops the attempt meanwhile.
  if (durable(run.job) == spec(run.job).work) return Use::checkpoint;
  return run.wrongly_stopped ? Use::false_stop : Use::drain;
}

/// The grace is over, or the upload is done.
void Fleet::finish_stop(Running& run) {
  spend(run, use_of_ending(run), run.stage_since, now_);
  if (run.stage == Stage::draining) end_last_save(run);
  if (run.stage == Stage::draining && run.upload.count() > 0) {
    run.stage = Stage::uploading;
    run.stage_since = now_;
    enter(run.job, Primary::stopping, Secondary::uploading);
    return schedule(run);
  }
  finish_ending(run);
}

void Fleet::finish_ending(Running& run) {
  if (run.ends_as == Secondary::completed) {
    return end_attempt(run, Primary::completed, Secondary::completed, policy::FailureClass::none,
                       EndReason::completed);
  }
  end_attempt(run, Primary::stopped, run.ends_as, policy::FailureClass::none,
              reason_of(run.ends_as));
}

EndReason Fleet::reason_of(Secondary ends_as) {
  if (ends_as == Secondary::max_runtime_exceeded) return EndReason::max_runtime;
  return ends_as == Secondary::max_wait_time_exceeded ? EndReason::max_wait : EndReason::stopped;
}

/// The platform returns the machines of a scripted interruption: they were kept for the attempt,
/// unless the market has gone down meanwhile.
void Fleet::come_back(Running& run) {
  take_away(run.pool, -std::int64_t{run.instances});
  const bool fit = fits(run.pool, run.job);
  if (fit && !must_wait(run.job, launch_of(run))) return relaunch(run);
  run.fault = -1;
  if (!fit) pools_[run.pool.index].returning.push_back(run.job);
  schedule(run);
  serve_waiting(run.pool);  // too few for this one may be enough for who was first
}

/// An interrupted attempt gets machines again, and starts like a new one.
void Fleet::relaunch(Running& run) {
  run.stage = Stage::provisioning;
  run.fault = -1;
  run.warm = false;
  hold_machines(run);
  if (policy::is_reserved(world_.pools[run.pool.index].market)) run.billed_from = now_;
  enter(run.job, Primary::in_progress, Secondary::starting);
  run.provisioning.count() == 0 ? begin_startup(run) : schedule(run);
}

void Fleet::meet_fault(Running& run) {
  const std::uint32_t index = run.faults.meet();
  const Fault& fault = run.faults[index];
  switch (fault.kind) {
    case FaultKind::failure:
      return fail(run, fault.failure, fault.diagnosis);
    case FaultKind::hardware:
      return repair(run, &fault);
    case FaultKind::interruption:
      take_away(run.pool, run.instances);  // kept for the attempt
      interrupt(run, static_cast<std::int32_t>(index));
      return;
    case FaultKind::node_lost:
      return lose_nodes(run, index);
    case FaultKind::metrics_lost:
    case FaultKind::stall:
    case FaultKind::spin_hang:
      return begin_trouble(run, index);
  }
}

/// A stall, or a loss of metrics.
void Fleet::begin_trouble(Running& run, std::uint32_t index) {
  const Fault& fault = run.faults[index];
  run.troubles.push_back({index, policy::later(now_, fault.lasts)});
  if (fault.kind != FaultKind::metrics_lost && run.stage != Stage::stalled) {
    pause_training(run, now_);
    make_progress(run, false);
    stand_still(run, index);
  }
  read_level(run, true);
  schedule(run);
}

void Fleet::stand_still(Running& run, std::uint32_t fault) {
  run.stage = Stage::stalled;
  run.stage_since = now_;
  if (run.launch) run.launch->save_due = policy::never;
  set_watchdog(run, fault);
  if (profile(run.job).elastic) note_size(run);
  run.open_stall = static_cast<std::uint32_t>(record_.stalls.size());
  if (may_be_free(run.pool)) run.launch->stalls.push_back(run.open_stall);
  const bool has_tags = truth_[run.job.index].keeps_tags;
  record_.stalls.push_back({run.job, run.number, now_, policy::never, policy::never,
                            run.faults[fault].kind, run.faults[fault].cause, run.pool,
                            has_tags ? profile(run.job).tags : policy::TagSetId{}});
}

bool Fleet::stands_still_by(const Running& run, const Trouble& trouble) {
  return run.faults[trouble.fault].kind != FaultKind::metrics_lost;
}

/// A standstill lasts until the last of the stalls that overlap is over.
void Fleet::recover(Running& run) {
  std::erase_if(run.troubles, [&](const Trouble& trouble) { return trouble.until <= now_; });
  if (std::any_of(run.troubles.begin(), run.troubles.end(),
                  [&](const Trouble& trouble) { return stands_still_by(run, trouble); })) {
    read_level(run, true);
    return schedule(run);
  }
  spend(run, Use::stalled, run.stage_since, now_);
  note_upload(run);
  record_.stalls[run.open_stall].cost = cost_of(run.holding(), run.stage_since, now_);
  record_.stalls[run.open_stall].ended = now_;
  run.open_stall = no_row;
  run.stage = Stage::training;
  run.stage_since = now_;
  make_progress(run, true);
  if (reports(run)) await_report(run);
  read_level(run, true);
  schedule(run);
  if (!profile(run.job).elastic) return;
  note_size(run);
  grow_gangs(run.pool);
}

/// `fault`: the plan index of what took the machines; -1: their pool did.  Whether the attempt
/// waits for others.
bool Fleet::interrupt(Running& run, std::int32_t fault) {
  close_run(run, false, saved_in_time(run), false);
  if (run.limit_paused == policy::never) run.limit_paused = now_;  // or it stands already
  run.limit = policy::never;
  count(run.interruptions);
  count(truth_[run.job.index].interruptions);
  count(record_.job_rows[run.job.index].interruptions);
  ++record_.interruptions;
  ++record_.pool_rows[run.pool.index].interruptions;
  settle_billing(run, Ending::reclaimed);
  run.stage = Stage::away;
  run.stage_since = now_;
  run.fault = fault;
  std::erase_if(run.troubles,  // other machines do not stand still
                [&](const Trouble& trouble) { return stands_still_by(run, trouble); });
  read_level(run, false);
  if (ends_on_loss(run)) {
    release_machines(run);
    const bool of_market = world_.pools[run.pool.index].market == Market::spot;
    end_attempt(run, Primary::failed, Secondary::failed,
                of_market ? policy::FailureClass::capacity : policy::FailureClass::infrastructure,
                EndReason::capacity);
    return false;
  }
  await_again(run.job);
  enter(run.job, Primary::in_progress, Secondary::interrupted);
  release_machines(run);
  schedule(run);
  return true;
}

void Fleet::complete(Running& run) {
  close_run(run, true, true, false);
  if (world_.platform.model == PlatformModel::ideal) return finish_ending(run);
  read_level(run, false);
  run.stage = Stage::uploading;
  run.ends_as = Secondary::completed;
  run.stage_since = now_;
  run.upload = world_.platform.upload;
  enter(run.job, Primary::in_progress, Secondary::uploading);
  if (!uploads()) return finish_ending(run);
  schedule(run);
}

/// SIGTERM now, the end after `grace`.  An attempt whose container does not run yet
/// ends at once.
void Fleet::stop(Running& run, Secondary ends_as, Duration grace) {
  if (run.stage == Stage::draining || run.stage == Stage::uploading) return;
  const bool has_container = run.stage == Stage::training || run.stage == Stage::stalled;
  const bool saves = saves_when_stopped(run, grace);
  if (saves) run.launch->keeps = true;
  close_run(run, true, false, false);
  if (saves) run.launch->keeps = false;
  read_level(run, false);
  run.ends_as = ends_as;
  run.upload = upload_after_stop(run);
  if (!has_container || (grace.count() == 0 && run.upload.count() == 0)) {
    if (saves) save_memory(run);
    if (ends_as == Secondary::stopped) enter(run.job, Primary::stopping, Secondary::stopping);
    return end_attempt(run, Primary::stopped, ends_as, policy::FailureClass::none,
                       reason_of(ends_as));
  }
  run.stage = Stage::draining;
  run.stage_since = now_;
  run.due = policy::later(now_, grace);
  enter(run.job, Primary::stopping, Secondary::stopping);
  schedule(run);
}

void Fleet::fail(Running& run, policy::FailureClass failure, Diagnosis read) {
  if (retry(run, failure)) return;
  close_run(run, false, false, false);
  end_attempt(run, Primary::failed, Secondary::failed, failure, EndReason::failed, read);
}

void Fleet::end_attempt(Running& run, Primary primary, Secondary secondary,
                        policy::FailureClass failure, EndReason reason, Diagnosis read) {
  const policy::JobId job = run.job;
  const policy::PoolId pool = run.pool;
  if (reason == EndReason::stopped && truth_[job.index].preempted) reason = EndReason::preempted;
  const bool horizon = reason == EndReason::horizon;
  const bool held_machines = run.stage != Stage::away;
  if (run.stage == Stage::draining) end_last_save(run);
  if (horizon) {
    if (run.stage == Stage::draining || run.stage == Stage::uploading) {
      spend(run, use_of_ending(run), run.stage_since, now_);
    }
    close_run(run, false, false, true);
  }
  const auto spare = horizon ? std::nullopt : outlives(run, primary, reason, failure);
  const Instant launched = run.billed_from;
  const Duration waited = std::min(run.first_billed, now_) - run.requested;
  settle_billing(run, horizon || spare ? Ending::horizon : Ending::by_user);
  const Diagnosis told = diagnosed(spare, failure, read);
  if (reason == EndReason::completed) {  // what was delivered cannot be lost
    saved_.erase(job);
    if (!record_.untagged.empty() && record_.untagged.contains(job)) {
      record_.untagged[job].undelivered = 0;
    }
  }
  end_waiting_again(job);
  JobRow& row = record_.job_rows[job.index];
  row.end = horizon ? policy::never : now_;
  span_until_ = now_;
  if (keep_.attempts) {
    record_.attempts.push_back({job, run.number, run.origin, pool, run.requested, run.first_billed,
                                now_, run.resumed_from, reason, failure, run.billed,
                                run.interruptions, billable(run)});
  }
  if (!horizon) {
    read_level(run, false);
    leave_alarms(run);
    leave_quota(job);
  }
  if (keep_.utilization) note_readings(run);
  if (!keep_.gpu_minima.empty()) note_gaps(run);
  truth_[job.index].running = no_slot;
  if (spare) {
    const Duration kept = *spare == Spare::Kind::held   ? world_.platform.unmanaged.debug_hold
                          : *spare == Spare::Kind::warm ? profile(job).keep_alive
                                                        : Duration::max();
    keep_spare(run, *spare, launched, policy::later(now_, kept));
  } else {
    leave_pool(run, held_machines);
  }
  ++run.stamp;
  ++run.launch_stamp;
  run.job.index = no_slot;
  free_slots_.push_back(slot_of(run));
  if (horizon) return;
  --alive_;
  if (primary == Primary::completed || run.number == 1) last_progress_ = now_;
  enter(job, primary, secondary, told.read_as, told.doubt_pct);
  row.failure = failure;
  if (spare == Spare::Kind::warm) offer_warm(pool, run.instances, owner_of(job));
  serve_waiting(pool);
  after_end(job, {told.read_as, waited});
}

}  // namespace reeve::models
