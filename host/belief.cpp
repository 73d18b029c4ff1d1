#include "host/belief.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "host/check.hpp"
#include "host/target.hpp"

namespace reeve::host {
namespace {

/// A stop ended the attempt, and no limit of the platform or end of its own did.
bool ended_by_stop(const policy::JobStatus& status) {
  return status.primary == policy::Primary::stopping ||
         (status.primary == policy::Primary::stopped &&
          status.secondary != policy::Secondary::max_runtime_exceeded &&
          status.secondary != policy::Secondary::max_wait_time_exceeded);
}

/// An attempt that waits for instances does not run yet, whatever the platform calls it.
policy::Primary running_as(const policy::JobStatus& status) {
  return policy::awaits_capacity(status) ? policy::Primary::queued : status.primary;
}

bool has_machines(policy::Secondary secondary) {
  return secondary == policy::Secondary::downloading || secondary == policy::Secondary::training;
}

}  // namespace

using policy::Instant;
using policy::JobId;
using policy::JobStatus;
using policy::never;
using policy::Primary;

Belief::Belief(const policy::Directory& directory, std::size_t jobs_expected)
    : FleetView{directory} {
  description_.reserve(jobs_expected);
  status_.reserve(jobs_expected);
  own_.reserve(jobs_expected);
  capacity_.resize(directory.pools.size());
  capacity_at_.resize(directory.pools.size(), Instant::min());
  quota_.resize(directory.shares.size() * directory.pools.size());
  quota_at_.resize(quota_.size(), Instant::min());
  for (std::size_t share = 0; share < directory.shares.size(); ++share) {
    for (const policy::CapacityLimit& own : directory.shares[share].quota) {
      quota_[share * directory.pools.size() + own.pool.index] = own.instances;
    }
  }
}

void Belief::fold(const policy::Observation& seen) {
  // A seat that observes a job may look it up, even if the observation does not update the belief.
  std::visit(
      [this](const auto& fact) {
        if constexpr (requires { fact.job; }) grow(fact.job);
        if constexpr (requires { fact.alarm.job; }) grow(fact.alarm.job);
      },
      seen.fact);
  if (const auto* changed = std::get_if<policy::JobChanged>(&seen.fact)) {
    fold(*changed, seen.happened_at);
  } else if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
    fold(*submitted, seen.happened_at);
  } else if (const auto* capacity = std::get_if<policy::CapacityChanged>(&seen.fact)) {
    fold(*capacity, seen.happened_at);
  } else if (const auto* kill_switch = std::get_if<policy::KillSwitchChanged>(&seen.fact)) {
    fold(*kill_switch, seen.happened_at);
  } else if (const auto* placed = std::get_if<policy::JobPlaced>(&seen.fact)) {
    fold(*placed, seen.happened_at);
  } else if (const auto* progress = std::get_if<policy::ProgressReported>(&seen.fact)) {
    fold(*progress, seen.happened_at);
  } else if (const auto* quota = std::get_if<policy::QuotaChanged>(&seen.fact)) {
    fold(*quota, seen.happened_at);
  } else if (const auto* priority = std::get_if<policy::PriorityChanged>(&seen.fact)) {
    fold(*priority, seen.happened_at);
  }
}

bool Belief::runs(JobId job) const {
  const JobStatus& status = status_[job.index];
  return running_as(status) == Primary::in_progress;
}

Instant Belief::machines_since(JobId job) const {
  return own_[job.index].machines_since;
}

void Belief::fold(const policy::JobSubmitted& event, Instant at) {
  if (event.attempt == 0) return;  // attempts count from 1: not an event of an attempt
  JobStatus& status = status_[event.job.index];
  if (event.attempt < status.described) {
    const policy::JobDescription& of = event.description;
    keep_earlier(event.job, {event.attempt, {of.tags, of.pool, of.awaits_placement}});
  } else if (event.attempt > status.described) {  // a change of it may have been told before it
    if (status.described != 0) {
      keep_earlier(event.job, {status.described, *whereabouts(event.job, status.described)});
    }
    description_[event.job.index] = event.description;
    const auto changed =
        priorities_.find(event.job);  // after this was submitted, or it would say so
    if (changed != priorities_.end() && changed->second.first >= at) {
      description_[event.job.index].priority = changed->second.second;
    }
    status.described = event.attempt;
    place(event.job);  // its placement may have been told before it
  }
  if (event.attempt < status.attempt) return;
  if (event.attempt > status.attempt) begin_attempt(event.job, event.attempt, at);
  status.requested_at = at;  // also when a change of the attempt was told before its submission
  status.origin = event.origin;
}

void Belief::fold(const policy::JobChanged& event, Instant at) {
  if (event.attempt == 0) return;
  JobStatus& status = status_[event.job.index];
  if (event.attempt < status.attempt) return;
  if (event.attempt > status.attempt) begin_attempt(event.job, event.attempt, at);
  if (event.secondary == policy::Secondary::training) {
    status.training_since = std::min(status.training_since, at);  // however late it is told
  }
  Own& own = own_[event.job.index];
  if (has_machines(event.secondary)) own.machines_since = std::min(own.machines_since, at);
  status.interruptions = std::max(status.interruptions, event.interruptions);
  if (event.revision <= status.revision) return;
  const bool had_ended = policy::is_terminal(status.primary);
  status.since = at;
  status.revision = event.revision;
  const policy::Primary ran_as = running_as(status);
  status.primary = event.primary;
  status.secondary = event.secondary;
  status.lacks_capacity = event.lacks_capacity;
  count_running(ran_as, running_as(status));
  status.failure = event.failure;
  status.doubt_pct = event.doubt_pct;
  if (own.stop_sent_for == status.attempt && ended_by_stop(status)) {
    status.stopped_by = own.stop_sent_by;
  }
  if (!policy::is_terminal(event.primary)) {
    status.ended_at = never;
  } else if (!had_ended) {
    status.ended_at = at;
  }
}

void Belief::fold(const policy::JobPlaced& event, Instant at) {
  if (event.attempt == 0) return;
  if (const Earlier* const known = earlier(event.job, event.attempt)) {
    auto& all = earlier_[event.job.index];
    Whereabouts& where = all[static_cast<std::size_t>(known - all.data())].where;
    where.pool = event.pool;
    where.awaits_placement = false;
  }
  Placed& placed = placed_[event.job];
  if (event.attempt < placed.attempt) return;
  if (event.attempt == placed.attempt && at < placed.at) return;
  placed = {event.attempt, event.pool, at};
  place(event.job);
}

std::optional<Whereabouts> Belief::whereabouts(JobId job, policy::AttemptNumber attempt) const {
  if (job.index >= own_.size()) return std::nullopt;
  if (attempt == 0) attempt = status_[job.index].attempt;
  if (attempt == 0) return std::nullopt;
  if (attempt == status_[job.index].described) {
    const policy::JobDescription& of = description_[job.index];
    return Whereabouts{of.tags, of.pool, of.awaits_placement};
  }
  const Earlier* const known = earlier(job, attempt);
  return known == nullptr ? std::nullopt : std::optional{known->where};
}

const Belief::Earlier* Belief::earlier(JobId job, policy::AttemptNumber attempt) const {
  if (job.index >= earlier_.size()) return nullptr;
  const std::vector<Earlier>& all = earlier_[job.index];
  const auto known = std::ranges::lower_bound(all, attempt, {}, &Earlier::attempt);
  return known != all.end() && known->attempt == attempt ? &*known : nullptr;
}

/// What was told first holds.
void Belief::keep_earlier(JobId job, const Earlier& attempt) {
  if (earlier(job, attempt.attempt) != nullptr) return;
  if (job.index >= earlier_.size()) earlier_.resize(std::size_t{job.index} + 1);
  std::vector<Earlier>& all = earlier_[job.index];
  all.insert(std::ranges::lower_bound(all, attempt.attempt, {}, &Earlier::attempt), attempt);
}

/// The description says where the attempt is placed, if it is the placed one's.
void Belief::place(JobId job) {
  if (placed_.empty()) return;
  const auto placed = placed_.find(job);
  if (placed == placed_.end() || placed->second.attempt != status_[job.index].described) return;
  policy::JobDescription& description = description_[job.index];
  description.pool = placed->second.in;
  description.type = directory_.pools[description.pool.index].type;
  description.awaits_placement = false;
}

void Belief::fold(const policy::ProgressReported& event, Instant at) {
  if (!knows(event.job) || event.attempt != status_[event.job.index].attempt) return;
  const std::size_t job = event.job.index;
  if (job >= progress_.size()) {
    progress_.resize(job + 1);
    progress_at_.resize(job + 1, Instant::min());
  }
  if (at < progress_at_[job]) return;
  progress_[job] = {event.done, event.overhead_left, event.pool, event.attempt,
                    event.holds_machines};
  progress_at_[job] = at;
}

void Belief::count_running(Primary before, Primary after) {
  if (before == Primary::in_progress) --running_;
  if (after == Primary::in_progress) ++running_;
}

void Belief::begin_attempt(JobId job, policy::AttemptNumber attempt, Instant at) {
  own_[job.index].machines_since = never;
  JobStatus& status = status_[job.index];
  const bool busy = status.busy;  // of the job, not of the attempt
  const policy::AttemptNumber described = status.described;
  count_running(running_as(status), Primary::queued);
  status = {};
  status.since = at;
  status.requested_at = at;
  status.training_since = never;
  status.ended_at = never;
  status.attempt = attempt;
  status.busy = busy;
  status.described = described;
}

void Belief::fold(const policy::CapacityChanged& event, Instant at) {
  const std::size_t pool = event.pool.index;
  if (pool >= capacity_.size()) {
    capacity_.resize(pool + 1);
    capacity_at_.resize(pool + 1, Instant::min());
  }
  if (at < capacity_at_[pool]) return;
  capacity_[pool] = event.instances;
  capacity_at_[pool] = at;
}

void Belief::fold(const policy::KillSwitchChanged& event, Instant at) {
  if (at < kill_switch_at_) return;
  kill_switch_engaged_ = event.engaged;
  kill_switch_at_ = at;
}

void Belief::fold(const policy::QuotaChanged& event, Instant at) {
  const std::size_t pools = directory_.pools.size();
  const std::size_t place = event.share.index * pools + event.pool.index;
  if (event.pool.index >= pools || place >= quota_.size() || at < quota_at_[place]) return;
  quota_[place] = event.instances;
  quota_at_[place] = at;
}

void Belief::fold(const policy::PriorityChanged& event, Instant at) {
  const auto known = priorities_.try_emplace(event.job, Instant::min(), 0).first;
  if (at < known->second.first) return;
  known->second = {at, event.priority};
  description_[event.job.index].priority = event.priority;
}

void Belief::grow(JobId job) {
  if (job.index < status_.size()) return;
  const std::size_t jobs = std::size_t{job.index} + 1;
  JobStatus unknown{};
  unknown.training_since = never;
  unknown.ended_at = never;
  description_.resize(jobs);
  status_.size() + 1 == jobs ? status_.push_back(unknown) : status_.resize(jobs, unknown);
  own_.resize(jobs);
}

bool Belief::shows_effect(const policy::Verb& verb) const {
  if (const auto* start = std::get_if<policy::StartJob>(&verb)) {
    const JobStatus& status = status_[start->job.index];
    return status.attempt > start->attempt || status.primary != Primary::queued;
  }
  if (const auto* stop = std::get_if<policy::StopJob>(&verb)) {
    const JobStatus& status = status_[stop->job.index];
    return status.attempt > stop->attempt || status.primary >= Primary::stopping;
  }
  if (const auto* preempt = std::get_if<policy::PreemptJob>(&verb)) {
    const JobStatus& status = status_[preempt->job.index];
    return status.attempt > preempt->attempt || status.primary >= Primary::stopping;
  }
  if (const auto* place = std::get_if<policy::PlaceJob>(&verb)) {
    if (status_[place->job.index].attempt > place->attempt) return true;
    const auto placed = placed_.find(place->job);
    return placed != placed_.end() && placed->second.attempt == place->attempt &&
           placed->second.in == place->pool;
  }
  if (const auto* clone = std::get_if<policy::CloneJob>(&verb)) {
    return status_[clone->job.index].attempt >= clone->attempt;
  }
  return false;
}

bool Belief::is_moot(const policy::Verb& verb) const {
  const Target about = target(verb);
  if (!knows(about.job)) return true;
  const JobStatus& status = status_[about.job.index];
  switch (kind_of(verb)) {
    case policy::VerbKind::start_job:
    case policy::VerbKind::place_job:
      return status.attempt != about.attempt || status.primary != Primary::queued;
    case policy::VerbKind::stop_job:
      return status.attempt != about.attempt || status.primary >= Primary::stopping;
    case policy::VerbKind::clone_job:
      return status.attempt + 1 != about.attempt || !policy::is_terminal(status.primary);
    case policy::VerbKind::limit_runtime:
    case policy::VerbKind::move_job:
      return status.attempt != about.attempt || policy::is_terminal(status.primary);
    case policy::VerbKind::save_checkpoint:
    case policy::VerbKind::preempt_job:
      return status.attempt != about.attempt || status.primary != Primary::in_progress;
    case policy::VerbKind::delete_alarm:  // who watches an attempt that runs needs his alarm
      return std::get<policy::DeleteAlarm>(verb).of_others && status.attempt == about.attempt &&
             !policy::is_terminal(status.primary);
    case policy::VerbKind::terminate_instances:
    case policy::VerbKind::put_alarm:
    case policy::VerbKind::notify:
      return false;
  }
  return false;
}

void Belief::set_rules(std::vector<std::string> rules, std::vector<std::string> names) {
  REEVE_CHECK(rules.size() <= 255, "more seats than stopped_by can name", rules.size());
  REEVE_CHECK(rules.size() == names.size(), "each rule has a name", rules.size(), names.size());
  rules_ = std::move(rules);
  rule_names_ = std::move(names);
}

}  // namespace reeve::host
