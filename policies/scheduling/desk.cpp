#include "desk.hpp"

#include <algorithm>
#include <utility>

#include "job_news.hpp"

namespace reeve::policies {

using namespace policy;

namespace {

constexpr std::string_view reason = "its turn, and it fits";
constexpr std::string_view place_reason = "its turn on these machines";

/// From a nanosecond to more than an hour.
constexpr std::uint8_t doublings_max = 42;

/// Keys of timers from here on are of limits, those before of jobs.
constexpr std::uint64_t limit_keys = std::uint64_t{1} << 32U;

/// Keys of timers from here on are of pools that are to be looked at: so many for each section.
constexpr std::uint64_t pool_keys = std::uint64_t{1} << 34U;
constexpr std::uint64_t section_keys = std::uint64_t{1} << 32U;

/// Keys of timers from here on are of jobs that could not be preempted.
constexpr std::uint64_t preempt_keys = std::uint64_t{1} << 33U;

std::string_view desk_reason(PreemptCause cause) {
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

void Desk::decide(const Step& step, Decisions& out) {
  fleet_ = &step.fleet;
  out_ = &out;
  if (now_ != step.now) retried_.clear();
  now_ = step.now;
  if (!sections_.are_divided()) sections_.divide(fleet_->directory(), make_algorithm_);
  see_pools();
  for (std::size_t i = 0; i < sections_.count(); ++i) sections_.algorithm(i).step_begins(now_);
  for (const Observation& seen : step.observed) note(seen, step);
  choose();
  for (const std::size_t limit : stirred_) {
    limits_[limit].stirred = false;
    while (release_next(limits_[limit])) choose();
  }
  stirred_.clear();
}

/// An algorithm may ask for any of them.
void Desk::see_pools() {
  const std::size_t known = fleet_->directory().pools.size();
  if (pools_.size() < known) pool_of({static_cast<std::uint32_t>(known - 1)});
}

void Desk::note(const Observation& seen, const Step& step) {
  if (const auto* news = std::get_if<JobChanged>(&seen.fact)) {
    changed(*news, seen.happened_at);
  } else if (const auto* submitted_job = std::get_if<JobSubmitted>(&seen.fact)) {
    submitted(*submitted_job, seen.happened_at);
  } else if (const auto* place = std::get_if<JobPlaced>(&seen.fact)) {
    placed(*place);
  } else if (const auto* settled = std::get_if<ActionSettled>(&seen.fact)) {
    settle(*settled, seen, step);
  } else if (const auto* capacity = std::get_if<CapacityChanged>(&seen.fact)) {
    resize(capacity->pool);
  } else if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
    woken(timer->key, step.now);
  } else if (std::holds_alternative<KillSwitchChanged>(seen.fact)) {
    reconsider_all();
  } else if (const auto* quota = std::get_if<QuotaChanged>(&seen.fact)) {
    terms_changed(quota->pool);
  } else if (const auto* priority = std::get_if<PriorityChanged>(&seen.fact)) {
    reprioritized(*priority);
  }
}

void Desk::woken(std::uint64_t key, Instant now) {
  if (key >= pool_keys) return touch({static_cast<std::uint32_t>(key % section_keys)});
  if (key >= preempt_keys) {
    const JobId id{static_cast<std::uint32_t>(key - preempt_keys)};
    if (row(id).phase != Phase::running) return;
    algorithm_of(id).may_lose(id);
    return touch(row(id).pool);
  }
  if (key >= limit_keys) return find_out(limits_[key - limit_keys], now);
  const auto held = held_.find({static_cast<std::uint32_t>(key)});
  if (held != held_.end() && held->second.until <= now) release(held->first);
}

void Desk::reprioritized(const PriorityChanged& news) {
  const Job& job = row(news.job);
  if (job.instances == 0 || job.phase == Phase::unknown) return;
  if (job.phase == Phase::queued && job.awaits_placement) return;  // it enters when it has a place
  algorithm_of(news.job).reprioritized(candidate(news.job), *fleet_);
  touch(job.pool);
}

void Desk::reconsider_all() {
  for (std::size_t i = 0; i < pools_.size(); ++i) touch({static_cast<std::uint32_t>(i)});
  for (std::size_t i = 0; i < limits_.size(); ++i) reopen(i);
}

void Desk::submitted(const JobSubmitted& news, Instant at) {
  Job& job = row(news.job);
  if (news.attempt > job.attempt) {
    leave(news.job);  // an attempt is only followed by another when it is over
    job.attempt = news.attempt;
    job.refusals = 0;
    job.has_taken = false;
    job.revision = 0;
    // To its queue it is the same job: it stands where it stood.
    const bool again = news.origin == Origin::queue && job.instances > 0;
    describe(job, news.job, again ? job.requested_at : at);
    if (again && retried_.contains(news.job)) return pause(news.job);
    enqueue(news.job);
  } else if (news.attempt == job.attempt && job.instances == 0) {
    const bool uses = job.phase == Phase::granted || job.phase == Phase::running;
    describe(job, news.job, at);
    if (uses) {
      count(news.job, true);
      tell_machines(news.job);
    }
    if (job.phase == Phase::queued) enqueue(news.job);
  }
}

/// The attempt is to run elsewhere than it asked for: it takes its place in the line there.
void Desk::placed(const JobPlaced& news) {
  Job& job = row(news.job);
  // News that overtook the submission is part of what the submission will say.
  if (news.attempt != job.attempt || job.instances == 0 || job.phase == Phase::ended) return;
  if (job.pool == news.pool && !job.awaits_placement) return;
  leave(news.job);
  job.pool = news.pool;
  job.awaits_placement = false;
  pool_of(news.pool);
  if (job.phase != Phase::granted && job.phase != Phase::running) return enqueue(news.job);
  use(news.job);
  tell_machines(news.job);
  touch(news.pool);
}

void Desk::tell_machines(JobId id) {
  const bool runs = jobs_[id.index].phase == Phase::running;
  algorithm_of(id).has_machines(candidate(id), runs, now_, *fleet_);
  tell_others(id);
}

void Desk::tell_others(JobId id) {
  const std::size_t own = sections_.of(id, *fleet_);
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i == own) continue;
    const bool one_environment = sections_.have_one_environment(own, i);
    sections_.algorithm(i).others_have(candidate(id), one_environment, now_, *fleet_);
  }
}

void Desk::changed(const JobChanged& news, Instant at) {
  Job& job = row(news.job);
  if (news.attempt < job.attempt) return;
  if (news.attempt > job.attempt) {  // overtook the news of its own submission
    leave(news.job);
    job.attempt = news.attempt;
    job.refusals = 0;
    job.has_taken = false;
    job.phase = Phase::unknown;
  } else if (news.revision < job.revision) {
    return;
  }
  const bool fresh = news.revision > job.revision;
  job.revision = news.revision;
  if (is_terminal(news.primary)) {
    ended(news.job);
  } else if (news.primary != Primary::queued) {
    runs(job, news.job);
  } else if (job.phase == Phase::unknown) {
    // Its submission was not told yet; later attempts are like the first one.
    job.requested_at = at;
    enqueue(news.job);
  } else if (job.phase == Phase::running && fresh) {
    leave(news.job);
    enqueue(news.job);
  }
}

void Desk::ended(JobId id) {
  Job& job = jobs_[id.index];
  const bool had_machines = job.phase == Phase::running || job.phase == Phase::granted;
  leave(id);
  job.phase = Phase::ended;
  if (!had_machines || job.instances == 0) return;
  if (was_taken_in_vain(id)) return;
  const bool was_taken = taken_for_.contains(id);
  reopen(pools_[job.pool.index].machines, was_taken);
  reopen(pools_[job.pool.index].quota, was_taken);
}

/// The attempt runs, whoever started it.
void Desk::runs(Job& job, JobId id) {
  if (job.phase == Phase::ended) return;
  if (job.phase != Phase::granted && job.phase != Phase::running) {
    leave(id);
    count(id, true);
  }
  if (job.phase == Phase::granted) {
    answered(job);
    if (!was_taken_in_vain(id)) found_room(job);
  }
  const bool fresh = job.phase != Phase::running;
  if (fresh) taken_for_.erase(id);  // not while it ends: that is news of what it runs, too
  job.phase = Phase::running;
  job.refusals = 0;
  job.has_taken = false;
  if (!fresh || job.instances == 0) return;
  tell_machines(id);
  touch(job.pool);
}

/// A start worked: so may one of as many machines that was refused.
void Desk::found_room(const Job& started) {
  const Pool& pool = pools_[started.pool.index];
  for (const std::size_t place : {pool.machines, pool.quota}) {
    Limit& limit = limits_[place];
    limit.refusals = 0;
    const bool taken = started.has_taken || started.instances < limit.full_for_takers;
    if (started.instances >= limit.full_for) reopen(place, taken);
  }
}

/// For one that was refused, and waits still: with what it gave there was too little, so that it
/// leaves once more, or has that again, is no sign of room.
bool Desk::was_taken_in_vain(JobId victim) const {
  const auto taken = taken_for_.find(victim);
  if (taken == taken_for_.end()) return false;
  const Job& taker = jobs_[taken->second.index];
  return taker.refusals > 0 && taker.phase != Phase::ended;
}

void Desk::settle(const ActionSettled& settled, const Observation& seen, const Step& step) {
  Job& job = row(settled.job);
  if (settled.seat == step.seat && settled.verb == VerbKind::preempt_job) {
    return preempt_settled(settled, step);
  }
  if (settled.seat == step.seat && settled.verb == VerbKind::place_job) {
    return place_settled(settled);
  }
  const bool mine = settled.seat == step.seat && settled.verb == VerbKind::start_job;
  if (!mine) {
    // Another rule's action that stood in the way of the start is over.
    if (job_with_news(seen, step.seat)) release(settled.job);
    return;
  }
  if (worked(settled) || settled.attempt != job.attempt || job.phase != Phase::granted) return;
  leave(settled.job);
  // While the switch is engaged nobody is asked for, and at its release everybody.
  if (settled.refusal == Refusal::kill_switch) return enqueue(settled.job);
  hold(settled, step);
}

/// Where it worked, the news of the attempt says when its machines are free.
void Desk::preempt_settled(const ActionSettled& settled, const Step& step) {
  const Job& job = jobs_[settled.job.index];
  if (worked(settled) || settled.attempt != job.attempt || job.phase != Phase::running) return;
  taken_for_.erase(settled.job);
  Algorithm& algorithm = algorithm_of(settled.job);
  algorithm.kept(settled.job);
  touch(job.pool);
  if (settled.refusal == Refusal::kill_switch) return algorithm.may_lose(settled.job);
  out_->wake_at(preempt_keys + settled.job.index, later(step.now, retry_after_));
}

/// Where it worked, the news of its place says when it stands there.
void Desk::place_settled(const ActionSettled& settled) {
  const Job& job = jobs_[settled.job.index];
  if (worked(settled) || settled.attempt != job.attempt) return;
  algorithm_of(settled.job).not_placed(settled.job, was_rejected(settled));
  touch(job.pool);
}

/// What refused a start, if it may have room before the timer says so.
std::optional<std::size_t> Desk::limit_of(const ActionSettled& settled, const Pool& pool) const {
  switch (again(settled)) {
    case Again::when_room:
      return pool.quota;
    case Again::not_needed:
      return pool.machines;
    case Again::after_other_action:
    case Again::later:
    case Again::when_released:
      return std::nullopt;
  }
  return std::nullopt;
}

void Desk::hold(const ActionSettled& settled, const Step& step) {
  const JobId id = settled.job;
  Job& job = jobs_[id.index];
  const Pool& pool = pools_[job.pool.index];
  const std::optional<std::size_t> limit = limit_of(settled, pool);
  if (limit) {
    Limit& full = limits_[*limit];
    full.full_for = std::min(full.full_for, job.instances);
    if (job.has_taken) full.full_for_takers = std::min(full.full_for_takers, job.instances);
    stir(*limit);
  }
  const bool of_quota = limit == pool.quota;
  const bool has_timer = !of_quota || job.has_taken;
  const Instant until = has_timer ? later(step.now, wait_of(job)) : never;
  if (!hold_until(until, limit, id)) return enqueue(id);
  if (job.refusals < doublings_max) ++job.refusals;
  if (!limit) return;
  limits_[*limit].refused[job.instances].insert(held_[id].place);
  stir(*limit);
  if (!has_timer) look_later(*limit, step.now);
}

/// False: its algorithm holds somebody already, behind whom it stands.
bool Desk::hold_until(Instant until, std::optional<std::size_t> limit, JobId id) {
  Job& job = jobs_[id.index];
  serving_ = sections_.of(id, *fleet_);
  Algorithm& algorithm = sections_.algorithm(serving_);
  if (!algorithm.hold(candidate(id), *this)) return false;
  job.phase = Phase::held;
  const Waiting place = algorithm.place(candidate(id), *fleet_);
  held_[id] = {.place = place, .until = until, .limit = limit, .instances = job.instances};
  if (until != never) out_->wake_at(id.index, until);
  return true;
}

/// What failed at the very instant at which it was tried again would do so for ever, and no time
/// would pass.
void Desk::pause(JobId id) {
  if (!hold_until(later(now_, retry_after_), std::nullopt, id)) enqueue(id);
}

/// One timer for all that a quota refused, however many they are.
void Desk::look_later(std::size_t place, Instant now) {
  Limit& limit = limits_[place];
  if (limit.look != never) return;
  limit.look = later(now, wait_after(limit.refusals, std::chrono::hours{1}));
  if (limit.refusals < doublings_max) ++limit.refusals;
  if (limit.look != never) out_->wake_at(limit_keys + place, limit.look);
}

/// The smallest is the likeliest to find room, and if it does all others are asked for; but for
/// those who have timers of their own.
void Desk::find_out(Limit& limit, Instant now) {
  if (limit.look > now) return;
  limit.look = never;
  for (const auto& [size, refused] : limit.refused) {
    for (const Waiting& place : refused) {
      if (held_.at(place.job).until != never) continue;
      const JobId job = place.job;
      return release(job);
    }
  }
}

/// Twice as long with each refusal, until that is `enough`: what nobody will ever free must not be
/// asked for each minute.
Duration Desk::wait_after(std::uint8_t refusals, Duration enough) const {
  Duration wait = retry_after_;
  for (; refusals > 0 && wait < enough; --refusals) wait *= 2;
  return wait;
}

/// An hour is enough, but not where others lose machines each time: what of them saves nothing for
/// longer than that would never end.
Duration Desk::wait_of(const Job& refused) const {
  constexpr Duration longest = Duration::max() / 2;
  return wait_after(refused.refusals, refused.has_taken ? longest : std::chrono::hours{1});
}

void Desk::release(JobId id) {
  if (row(id).phase != Phase::held) return;
  leave(id);
  enqueue(id);
}

/// Releases the first of those that the limit may have room for.  One is asked for at a time, so
/// that thousands cost as much as do start; who is larger than one that was refused is not.
bool Desk::release_next(const Limit& limit) {
  if (limit.asked > 0 || is_closed()) return false;
  std::optional<Waiting> first;
  for (const auto& [size, refused] : limit.refused) {
    if (size >= limit.full_for) break;
    for (const Waiting& place : refused) {
      if (first && *first < place) break;
      if (size >= limit.full_for_takers && jobs_[place.job.index].has_taken) continue;
      first = place;
    }
  }
  if (first) release(first->job);
  return first.has_value();
}

/// Something that the limit counts has ended; if it was `taken` for somebody, that is no sign of
/// room for whoever would take it from him.
void Desk::reopen(std::size_t limit, bool taken) {
  limits_[limit].full_for = nobody_refused;
  if (!taken) limits_[limit].full_for_takers = nobody_refused;
  stir(limit);
}

/// Looks at the end of the step whether somebody may be released.
void Desk::stir(std::size_t limit) {
  Limit& stirred = limits_[limit];
  if (stirred.refused.empty() || std::exchange(stirred.stirred, true)) return;
  stirred_.push_back(limit);
}

/// A start that was asked for is no longer: it happened, was refused, or nobody wants it.
void Desk::answered(const Job& job) {
  const Pool& pool = pools_[job.pool.index];
  for (const std::size_t limit : {pool.machines, pool.quota}) {
    --limits_[limit].asked;
    stir(limit);
  }
  touch(job.pool);
}

/// Takes the attempt out of wherever it is; its entry in the queue is left to be found stale.
void Desk::leave(JobId id) {
  Job& job = jobs_[id.index];
  if (job.phase == Phase::unknown || job.instances == 0) return;
  const std::size_t own = sections_.of(id, *fleet_);
  const bool used = job.phase == Phase::granted || job.phase == Phase::running;
  if (used) count(id, false);
  if (job.phase == Phase::granted) answered(job);
  if (job.phase == Phase::held) let_go(id);
  if (job.phase == Phase::queued) note_in_line(id, false);
  sections_.algorithm(own).left(id);
  for (std::size_t i = 0; used && i < sections_.count(); ++i) {
    if (i != own) sections_.algorithm(i).others_left(id);
  }
  touch(job.pool);
}

/// Its machines count as used, or no longer.  A job that nobody described yet has none.
void Desk::count(JobId id, bool uses) {
  const Job& job = jobs_[id.index];
  Pool& pool = pool_of(job.pool);
  if (job.instances == 0) return;
  const std::int64_t instances = uses ? std::int64_t{job.instances} : -std::int64_t{job.instances};
  pool.used += instances;
  if (sections_.count() > 1) use_by_share(pool, id, instances);
  const std::size_t own = sections_.of(id, *fleet_);
  sections_.use(own, job.pool, instances);
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i != own) sections_.algorithm(i).terms_changed(job.pool);
  }
  if (sections_.spans_pools(own)) changed_elsewhere(job.pool, !uses);
}

void Desk::use_by_share(Pool& pool, JobId id, std::int64_t instances) {
  const auto share = fleet_->terms(id).share;
  if (!share) return;
  if (share->index >= pool.used_by_share.size()) pool.used_by_share.resize(share->index + 1U);
  pool.used_by_share[share->index] += instances;
}

/// What an environment may have in all is more or less by what it has of one pool.
void Desk::changed_elsewhere(PoolId than, bool more) {
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (pool == than.index) continue;
    for (std::size_t i = 0; i < sections_.count(); ++i)
      sections_.algorithm(i).terms_changed({pool});
    if (more) touch({pool});
  }
}

KeptForOthers Desk::kept_for_others(PoolId pool) const {
  if (sections_.count() == 1) return {};
  const Pool& there = pools_[pool.index];
  std::vector<std::int64_t> idle(sections_.count());
  const std::size_t shares = fleet_->directory().shares.size();
  for (std::uint32_t share = 0; share < shares; ++share) {
    const bool uses = share < there.used_by_share.size();
    const std::int64_t used = uses ? there.used_by_share[share] : 0;
    const std::int64_t quota = fleet_->quota({share}, pool);
    idle[sections_.of(ShareId{share})] += std::max<std::int64_t>(quota - used, 0);
  }
  KeptForOthers kept;
  for (std::size_t i = 0; i < idle.size(); ++i) {
    if (!is_first_of_environment(i)) continue;
    std::int64_t of_others = 0;
    std::int64_t more = sections_.most(i, pool, there.capacity);
    for (std::size_t each = i; each < idle.size(); ++each) {
      if (!sections_.have_one_environment(i, each)) continue;
      if (each != serving_) of_others += idle[each];
      more -= sections_.used(each, pool, there.used);
    }
    const std::int64_t there_of_it = std::max<std::int64_t>(std::min(of_others, more), 0);
    kept.of_machines += there_of_it;
    if (sections_.have_one_environment(i, serving_)) kept.of_environment = there_of_it;
  }
  return kept;
}

/// Of the sections that share an environment, or have none, the one that is served first.
bool Desk::is_first_of_environment(std::size_t section) const {
  for (std::size_t i = 0; i < section; ++i) {
    if (sections_.have_one_environment(i, section)) return false;
  }
  return true;
}

std::int64_t Desk::uncovered(PoolId pool) const {
  std::vector<std::int64_t> own(sections_.count());
  const std::size_t shares = fleet_->directory().shares.size();
  for (std::uint32_t share = 0; share < shares; ++share) {
    const std::size_t section = sections_.count() == 1 ? 0 : sections_.of(ShareId{share});
    own[section] += fleet_->quota({share}, pool);
  }
  const Pool& there = pools_[pool.index];
  std::int64_t left = there.capacity;
  std::int64_t left_here = capacity(pool);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int64_t nobodys = i == serving_ ? 0 : used_by_nobodys(i, pool);
    left -= nobodys;
    if (sections_.have_one_environment(i, serving_)) left_here -= own[i] + nobodys;
    if (!is_first_of_environment(i)) continue;
    std::int64_t of_all = 0;
    for (std::size_t each = i; each < own.size(); ++each) {
      if (sections_.have_one_environment(i, each)) of_all += own[each];
    }
    left -= std::min(of_all, sections_.most(i, pool, there.capacity));
  }
  return std::max<std::int64_t>(std::min(left, left_here), 0);
}

/// Of what a section uses, what jobs of no share do.
std::int64_t Desk::used_by_nobodys(std::size_t section, PoolId pool) const {
  const Pool& there = pools_[pool.index];
  std::int64_t used = sections_.used(section, pool, there.used);
  for (std::uint32_t share = 0; share < there.used_by_share.size(); ++share) {
    if (sections_.of(ShareId{share}) == section) used -= there.used_by_share[share];
  }
  return used;
}

std::int64_t Desk::promised_to_others(PoolId pool) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    if (i != serving_) sum += sections_.algorithm(i).promised(pool);
  }
  return sum;
}

/// In other pools, of what the environment may have of all.
std::int64_t Desk::promised_elsewhere(PoolId pool) const {
  if (!sections_.spans_pools(serving_)) return 0;
  std::int64_t sum = 0;
  for (std::uint32_t other = 0; other < pools_.size(); ++other) {
    if (other == pool.index) continue;
    for (std::size_t i = 0; i < sections_.count(); ++i) {
      if (sections_.have_one_environment(serving_, i))
        sum += sections_.algorithm(i).promised({other});
    }
  }
  return sum;
}

/// What one section promises no more, others may have.
void Desk::note_promises(PoolId pool) {
  Pool& there = pools_[pool.index];
  there.promised.resize(sections_.count());
  for (std::size_t i = 0; i < sections_.count(); ++i) {
    const std::int64_t now = sections_.algorithm(i).promised(pool);
    const std::int64_t before = std::exchange(there.promised[i], now);
    if (now == before) continue;
    for (std::size_t other = 0; other < sections_.count(); ++other) {
      if (other != i) sections_.algorithm(other).terms_changed(pool);
    }
    // Who was served before it looks again; by a timer that is no section's own.
    const std::uint64_t key = pool_keys + sections_.count() * section_keys;
    if (now < before && serving_ > 0) out_->wake_at(key + pool.index, now_);
    if (!sections_.spans_pools(i)) continue;
    for (std::uint32_t other = 0; other < pools_.size(); ++other) {
      if (other == pool.index) continue;
      for (std::size_t any = 0; any < sections_.count(); ++any) {
        sections_.algorithm(any).terms_changed({other});
      }
      if (now < before) out_->wake_at(key + other, now_);
    }
  }
}

/// How many machines the pool has, or whose they are.
void Desk::terms_changed(PoolId pool) {
  pool_of(pool);
  for (std::size_t i = 0; i < sections_.count(); ++i) sections_.algorithm(i).terms_changed(pool);
  touch(pool);
}

void Desk::let_go(JobId id) {
  algorithm_of(id).let_go(candidate(id), *fleet_);
  const auto held = held_.find(id);
  if (const auto limit = held->second.limit) {
    const auto lane = limits_[*limit].refused.find(held->second.instances);
    lane->second.erase(held->second.place);
    if (lane->second.empty()) limits_[*limit].refused.erase(lane);
  }
  held_.erase(held);
}

void Desk::describe(Job& job, JobId id, Instant at) {
  const JobDescription& description = fleet_->description(id);
  job.requested_at = at;
  job.instances = description.instances;
  job.pool = description.pool;
  job.awaits_placement = description.awaits_placement;
  pool_of(job.pool);
}

void Desk::enqueue(JobId id) {
  Job& job = jobs_[id.index];
  job.phase = Phase::queued;
  // It gets its place when its submission, or where it is placed, is told.
  if (job.instances == 0 || job.awaits_placement) return;
  note_in_line(id, true);
  algorithm_of(id).entered(candidate(id), *fleet_);
  touch(job.pool);
}

bool Desk::waits(JobId id, AttemptNumber attempt, PoolId pool) const {
  const Job& job = jobs_[id.index];
  return job.phase == Phase::queued && job.attempt == attempt && job.pool == pool;
}

void Desk::choose() {
  serving_ = 0;
  if (sections_.count() > 1) {
    for (const PoolId pool : touched_) note_promises(pool);  // what news has changed
  }
  for (serving_ = 0; serving_ < sections_.count(); ++serving_) {
    if (sections_.spans_pools(serving_)) sort_by_first_come();
    sections_.algorithm(serving_).choose(touched_, *this);
    if (sections_.count() == 1) continue;
    for (const PoolId pool : touched_) note_promises(pool);
  }
  for (const PoolId pool : touched_) pools_[pool.index].touched = false;
  touched_.clear();
}

/// What one pool is given of an environment is not there for another: who waits longest in any of
/// them has his pool served first.
void Desk::sort_by_first_come() {
  const auto first_of = [&](PoolId pool) {
    const auto line = lines_.find({serving_, pool});
    const bool any = line != lines_.end() && !line->second.empty();
    return std::pair{any ? line->second.begin()->first : never, pool};
  };
  std::sort(touched_.begin(), touched_.end(),
            [&](PoolId a, PoolId b) { return first_of(a) < first_of(b); });
}

void Desk::note_in_line(JobId id, bool waits) {
  const std::size_t section = sections_.of(id, *fleet_);
  if (!sections_.spans_pools(section)) return;
  const Job& job = jobs_[id.index];
  auto& line = lines_[{section, job.pool}];
  const std::int64_t most = sections_.most(section, job.pool, pool_of(job.pool).capacity);
  if (waits && job.instances <= most) line.emplace(job.requested_at, id);
  if (!waits) line.erase({job.requested_at, id});
}

void Desk::start(JobId id) {
  Job& job = jobs_[id.index];
  out_->propose(StartJob{id, job.attempt}, reason);
  note_in_line(id, false);
  if (job.attempt > 1) retried_.insert(id);
  job.phase = Phase::granted;
  use(id);
  tell_others(id);
}

void Desk::preempt(JobId id, PreemptCause cause, JobId to) {
  if (to != id) {
    jobs_[to.index].has_taken = true;
    taken_for_.insert_or_assign(id, to);
  }
  out_->propose(PreemptJob{id, jobs_[id.index].attempt, cause, to}, desk_reason(cause));
}

void Desk::place(JobId id, PoolId pool) {
  out_->propose(PlaceJob{id, jobs_[id.index].attempt, pool}, place_reason);
}

void Desk::look_after(PoolId pool, Duration wait) {
  out_->wake_at(pool_keys + serving_ * section_keys + pool.index, later(now_, wait));
}

void Desk::set_aside(JobId job) {
  note_in_line(job, false);
  pools_[jobs_[job.index].pool.index].too_large.push_back(job);
}

void Desk::use(JobId id) {
  count(id, true);
  const Job& job = jobs_[id.index];
  const Pool& pool = pools_[job.pool.index];
  if (job.phase != Phase::granted) return;
  ++limits_[pool.machines].asked;
  ++limits_[pool.quota].asked;
}

void Desk::resize(PoolId id) {
  Pool& pool = pool_of(id);
  const auto capacity = std::int64_t{fleet_->capacity(id)};
  const bool grown = capacity > pool.capacity;
  pool.capacity = capacity;
  terms_changed(id);
  if (grown) {
    reopen(pool.machines);
    const std::vector<JobId> again = std::exchange(pool.too_large, {});
    for (const JobId job : again) {
      if (jobs_[job.index].phase == Phase::queued) enqueue(job);
    }
  }
}

Algorithm& Desk::algorithm_of(JobId id) {
  return sections_.algorithm(sections_.of(id, *fleet_));
}

Candidate Desk::candidate(JobId id) const {
  const Job& job = jobs_[id.index];
  return {.job = id,
          .attempt = job.attempt,
          .pool = job.pool,
          .instances = job.instances,
          .since = job.requested_at};
}

Desk::Job& Desk::row(JobId job) {
  if (job.index >= jobs_.size()) jobs_.resize(std::size_t{job.index} + 1);
  return jobs_[job.index];
}

Desk::Pool& Desk::pool_of(PoolId pool) {
  while (pool.index >= pools_.size()) {
    const PoolId next{static_cast<std::uint32_t>(pools_.size())};
    pools_.emplace_back();
    if (next.index < fleet_->pool_count()) pools_.back().capacity = fleet_->capacity(next);
    const auto& known = fleet_->directory().pools;
    const Quota quota = next.index < known.size() ? quota_of(known[next.index]) : Quota{};
    pools_.back().quota = quotas_.try_emplace(quota, limits_.size()).first->second;
    if (pools_.back().quota == limits_.size()) limits_.emplace_back();
    pools_.back().machines = limits_.size();
    limits_.emplace_back();
  }
  return pools_[pool.index];
}

void Desk::touch(PoolId pool) {
  if (pools_[pool.index].touched) return;
  pools_[pool.index].touched = true;
  touched_.push_back(pool);
}

}  // namespace reeve::policies
