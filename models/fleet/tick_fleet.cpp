#include "models/fleet/tick_fleet.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "host/check.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

using policy::Instant;
using policy::JobId;
using policy::PoolId;
using policy::Primary;
using policy::Secondary;

namespace {
/// As in a Fleet: what can never finish must not keep rules busy for ever.
constexpr Duration longest_tick_stall = std::chrono::days{366};
}  // namespace

TickFleet::TickFleet(const World& world, std::uint32_t replication, Keep keep)
    : world_{world},
      replication_{replication},
      keep_{keep},
      now_{world.start},
      last_work_{world.start},
      last_progress_{world.start},
      pools_(world.pools.size()) {
  REEVE_CHECK(world.ticks.tick > Duration{0}, "a tick world without a tick");
  if (!world.ticks.windows.empty()) window_ = &world.ticks.windows.at(replication);
  record_.jobs = materialize(world, replication);
  record_.start = world.start;
  record_.billed_time.resize(world.pools.size());
  record_.pool_rows.resize(world.pools.size());
  const std::vector<JobSpec>& specs = record_.jobs.specs;
  record_.job_rows.resize(specs.size(), {.first_start = policy::never, .end = policy::never});
  record_.job_ticks.resize(specs.size());
  truth_.resize(specs.size());
  for (std::uint32_t job = 0; job < specs.size(); ++job) arrivals_.push_back({job});
  std::stable_sort(arrivals_.begin(), arrivals_.end(),
                   [&](JobId a, JobId b) { return spec(a).submit < spec(b).submit; });
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    pools_[index].offered = world.pools[index].capacity;
    if (offers_change(world.pools[index]))
      pools_[index].market.emplace(world, replication, PoolId{index});
  }
  for (const auto& [from, until] : world.kill_switch.engaged) {
    switch_turns_.push_back({policy::later(world.start, from), true});
    switch_turns_.push_back({policy::later(world.start, until), false});
  }
}

Instant TickFleet::tick_start(std::uint64_t tick) const {
  return world_.start + world_.ticks.tick * static_cast<std::int64_t>(tick);
}

Instant TickFleet::window_end() const {
  return window_ == nullptr ? policy::never : tick_start(window_->ticks);
}

// ---- the clock -------------------------------------------------------------------------------

void TickFleet::open() {
  opened_ = true;
  read_markets();
  inbox_.clear();  // of all of them is told below
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) {
    inbox_.observations.push_back({now_, policy::CapacityChanged{{pool}, pools_[pool].offered}});
  }
}

Instant TickFleet::next_event() const {
  Instant at = policy::never;
  if (next_arrival_ < arrivals_.size()) at = spec(arrivals_[next_arrival_]).submit;
  if (next_turn_ < switch_turns_.size()) at = std::min(at, switch_turns_[next_turn_].at);
  if (!alive_.empty()) at = std::min(at, tick_start(next_tick_));
  return at;
}

/// Nothing that happens from `at` on could change a result.
bool TickFleet::is_over(Instant at) {
  if (over_ || at > window_end()) return true;
  const bool standstill = !alive_.empty() && at > policy::later(last_progress_, longest_tick_stall);
  record_.cut_off = world_.end == policy::never && standstill;
  return record_.cut_off;
}

Instant TickFleet::advance(Instant deadline, host::Intake& out) {
  const auto hand_over = [&](Instant at) {
    now_ = std::max(now_, at);
    std::swap(inbox_, out);
    inbox_.clear();
    return now_;
  };
  if (opened_ && !inbox_.empty()) return hand_over(now_);  // replies of the tick that is open
  if (!opened_) open();
  if (tick_open_) settle_tick();  // no further action can change it
  const Instant at = next_event();
  if (is_over(at)) return policy::never;
  if (at == policy::never || at > deadline) {
    const bool waits = deadline != policy::never;
    if (!waits && inbox_.empty()) return policy::never;
    return hand_over(waits ? deadline : now_);
  }
  now_ = std::max(now_, at);
  ++events_handled_;
  while (next_turn_ < switch_turns_.size() && switch_turns_[next_turn_].at <= now_) {
    const bool engaged = switch_turns_[next_turn_++].engaged;
    inbox_.observations.push_back({now_, policy::KillSwitchChanged{engaged}});
  }
  while (next_arrival_ < arrivals_.size() && spec(arrivals_[next_arrival_]).submit <= now_) {
    submit_next();
  }
  if (!alive_.empty() && tick_start(next_tick_) == now_) begin_tick();
  return hand_over(now_);
}

/// The job waits for the next start of a tick, which may be now.
void TickFleet::submit_next() {
  const JobId job = arrivals_[next_arrival_++];
  const JobProfile& kind = profile(job);
  JobTruth& truth = truth_[job.index];
  truth.left = spec(job).work;
  truth.alive = true;
  alive_.push_back(job);
  const auto since = static_cast<std::uint64_t>((now_ - world_.start).count());
  const auto tick = static_cast<std::uint64_t>(world_.ticks.tick.count());
  next_tick_ = std::max(next_tick_, since / tick + (since % tick == 0 ? 0 : 1));
  record_.job_rows[job.index].attempts = 1;
  ++record_.attempts_made;
  last_progress_ = now_;
  inbox_.observations.push_back(
      {now_, policy::JobSubmitted{job,
                                  1,
                                  policy::Origin::person,
                                  {.submitted_at = spec(job).submit,
                                   .expected_work = spec(job).expected,
                                   .max_runtime = kind.max_runtime,
                                   .deadline = kind.deadline,
                                   .instances = spec(job).instances,
                                   .pool = kind.pool,
                                   .type = world_.pools[kind.pool.index].type,
                                   .tags = kind.tags,
                                   .priority = spec(job).priority}}});
  enter(job, Primary::in_progress, Secondary::pending, now_);
}

void TickFleet::submit(const host::Attempt& attempt) {
  bool works = false;
  if (const auto* verb = std::get_if<policy::MoveJob>(&attempt.verb)) {
    works = move(*verb);
  } else if (std::holds_alternative<policy::Notify>(attempt.verb)) {
    works = true;
    ++record_.notifications;
    ++record_.first_attempt_notifications;
  }
  inbox_.replies.push_back(
      {attempt.action, attempt.number, works ? host::ReplyKind::done : host::ReplyKind::rejected});
}

Record TickFleet::finish(Instant end, bool partial) {
  const bool until_done = world_.end == policy::never && !partial;
  record_.end = until_done ? last_work_ : std::max(end, last_work_);
  record_.partial = partial;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) count_there({pool});
  for (const JobId job : alive_) keep_attempt(job, EndReason::horizon, record_.end);
  for (PoolTruth& pool : pools_) {
    record_.allocated_time.push_back(pool.allocated_time);
    record_.used_time.push_back(pool.used_time);
  }
  record_.events_simulated = events_handled_;
  return std::move(record_);
}

// ---- one tick --------------------------------------------------------------------------------

void TickFleet::begin_tick() {
  read_markets();
  for (std::size_t at = 0; at < alive_.size();) {
    const JobTruth& truth = truth_[alive_[at].index];
    const bool done = truth.left == Duration{0} && (truth.asked || !world_.ticks.asks_when_done);
    done ? complete(alive_[at]) : void(++at);
  }
  if (now_ == window_end()) {
    over_ = !alive_.empty();
    if (over_) last_work_ = now_;
  }
  if (keep_.utilization && (over_ || alive_.empty())) note_levels(now_);
  if (over_) return;
  for (std::uint32_t pool = 0; pool < pools_.size(); ++pool) lose_machines({pool});
  for (const JobId job : alive_) {
    JobTruth& truth = truth_[job.index];
    truth.asked = truth.left == Duration{0};
    report(job);
  }
  tick_open_ = !alive_.empty();
}

/// What is on offer at the start of a tick is on offer until its end, at the price of its start.
void TickFleet::read_markets() {
  const std::uint64_t tick = next_tick_ + (window_ == nullptr ? 0 : window_->first);
  const Duration at = world_.ticks.tick * static_cast<std::int64_t>(tick);
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolTruth& pool = pools_[index];
    const Pool& machines = world_.pools[index];
    pool.price = machines.prices.empty() ? machines.price : price_at(machines.prices, at);
    if (!pool.market) continue;
    while (pool.market->next_at() <= at) pool.market->advance();
    const bool changes = pool.market->offered() != pool.offered;
    pool.offered = pool.market->offered();
    if (changes || !pool.offer_noted) note_offer({index}, 0);
    if (!changes) continue;
    inbox_.observations.push_back({now_, policy::CapacityChanged{{index}, pool.offered}});
  }
}

/// What Spot offers from this tick on, and what it has just taken.
void TickFleet::note_offer(PoolId id, std::uint32_t lost) {
  PoolTruth& pool = pools_[id.index];
  pool.offer_noted = true;
  if (!keep_.utilization || world_.pools[id.index].market != policy::Market::spot) return;
  std::vector<OfferRow>& rows = record_.offers;
  const auto same = std::find_if(rows.rbegin(), rows.rend(), [&](const OfferRow& row) {
    return row.at < now_ || row.pool == id;
  });
  if (same == rows.rend() || same->at < now_) {
    rows.push_back({now_, id, pool.offered, lost});
  } else {
    same->lost += lost;
  }
}

void TickFleet::lose_machines(PoolId id) {
  PoolTruth& pool = pools_[id.index];
  if (pool.allocated <= pool.offered) return;
  for (const JobId job : victims(id)) {
    JobTruth& truth = truth_[job.index];
    truth.held = truth.wanted = std::nullopt;
    pool.allocated -= spec(job).instances;
    note_offer(id, spec(job).instances);
    ++record_.interruptions;
    ++record_.pool_rows[id.index].interruptions;
    std::uint16_t& times = record_.job_rows[job.index].interruptions;
    if (times < std::numeric_limits<std::uint16_t>::max()) ++times;
    enter(job, Primary::in_progress, Secondary::interrupted, now_);
  }
}

/// As few as it takes, in the pool's order.  A gang that loses one machine loses all.
std::vector<JobId> TickFleet::victims(PoolId id) const {
  const ReclaimOrder order = world_.pools[id.index].reclaim_order;
  struct Candidate {
    std::int64_t time = 0;
    double draw = 0;
    JobId job;
    auto key() const { return std::tie(time, draw, job.index); }
  };
  std::vector<Candidate> candidates;
  for (const JobId job : alive_) {
    const JobTruth& truth = truth_[job.index];
    if (truth.wanted != id) continue;
    Candidate candidate{.job = job};
    if (order == ReclaimOrder::random) {
      candidate.draw =
          sim::uniform({world_.seed, replication_, sim::Cause::reclaim_victim, job.index,
                        std::uint32_t{1} << 16 | record_.job_rows[job.index].interruptions});
    } else {
      candidate.time = truth.held_since.time_since_epoch().count();
      if (order == ReclaimOrder::newest) candidate.time = -candidate.time;
    }
    candidates.push_back(candidate);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); });
  std::int64_t need = std::int64_t{pools_[id.index].allocated} - pools_[id.index].offered;
  std::vector<JobId> chosen;
  for (const Candidate& candidate : candidates) {
    if (need <= 0) break;
    chosen.push_back(candidate.job);
    need -= spec(candidate.job).instances;
  }
  for (std::size_t left = chosen.size(); left-- > 0;) {  // a later gang may have been enough
    const std::int64_t size = spec(chosen[left]).instances;
    if (need + size > 0) continue;
    need += size;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(left));
  }
  return chosen;
}

void TickFleet::complete(JobId job) {
  JobTruth& truth = truth_[job.index];
  if (truth.wanted) pools_[truth.wanted->index].allocated -= spec(job).instances;
  truth.alive = false;
  std::erase(alive_, job);
  record_.job_rows[job.index].end = now_;
  last_progress_ = now_;
  const WorkEnd end = spec(job).ends;
  switch (end) {
    case WorkEnd::completed:
      keep_attempt(job, EndReason::completed, now_);
      return enter(job, Primary::completed, Secondary::completed, now_);
    case WorkEnd::stopped:
    case WorkEnd::running:
      keep_attempt(job, EndReason::stopped, now_);
      return enter(job, Primary::stopped, Secondary::stopped, now_);
    case WorkEnd::time_limit:
      keep_attempt(job, EndReason::max_runtime, now_);
      return enter(job, Primary::stopped, Secondary::max_runtime_exceeded, now_);
    case WorkEnd::failed:
    case WorkEnd::out_of_memory:
    case WorkEnd::node_failure:
      break;
  }
  record_.job_rows[job.index].failure = failure_of(end);
  keep_attempt(job, EndReason::failed, now_);
  enter(job, Primary::failed, Secondary::failed, now_);
}

void TickFleet::report(JobId job) {
  const JobTruth& truth = truth_[job.index];
  inbox_.observations.push_back(
      {now_, policy::ProgressReported{job, 1, spec(job).work - truth.left, truth.overhead,
                                      truth.held.has_value(), truth.held.value_or(PoolId{})}});
}

/// From now on, until the next one; refused where there is no room.
bool TickFleet::move(const policy::MoveJob& verb) {
  if (!tick_open_ || verb.attempt != 1 || verb.job.index >= truth_.size()) return false;
  JobTruth& truth = truth_[verb.job.index];
  if (!truth.alive) return false;
  std::optional<PoolId> wanted;
  if (verb.hold) wanted = verb.pool;
  if (wanted == truth.wanted) return true;
  const std::uint32_t instances = spec(verb.job).instances;
  if (wanted) {
    if (wanted->index >= pools_.size()) return false;
    const Pool& machines = world_.pools[wanted->index];
    if (machines.type != world_.pools[profile(verb.job).pool.index].type) return false;
    PoolTruth& pool = pools_[wanted->index];
    if (std::uint64_t{pool.allocated} + instances > pool.offered) return false;
    pool.allocated += instances;
  }
  if (truth.wanted) pools_[truth.wanted->index].allocated -= instances;
  truth.wanted = wanted;
  return true;
}

void TickFleet::settle_tick() {
  tick_open_ = false;
  for (std::uint32_t index = 0; index < pools_.size(); ++index) {
    PoolRow& row = record_.pool_rows[index];
    const PoolTruth& pool = pools_[index];
    const Charge tick = world_.ticks.tick.count();
    row.capacity_time += tick * world_.pools[index].capacity;
    row.offered_time += tick * pool.offered;
    row.free_time += tick * (pool.offered - std::min(pool.offered, pool.allocated));
  }
  for (const JobId job : alive_) {
    const JobTruth& truth = truth_[job.index];
    if (truth.wanted != truth.held) change_machines(job);
    if (truth.held) {
      pass_tick(job);
    } else if (truth.first_billed != policy::never && truth.left > Duration{0}) {
      record_.waits_again[job] += world_.ticks.tick;
    }
    ++record_.job_ticks[job.index];
  }
  note_peaks();
  if (keep_.utilization) note_edges();
  edges_.clear();
  ++next_tick_;
}

void TickFleet::change_machines(JobId job) {
  JobTruth& truth = truth_[job.index];
  truth.held = truth.wanted;
  const Instant told_at = tick_start(next_tick_ + 1);
  if (!truth.held) return enter(job, Primary::in_progress, Secondary::pending, told_at);
  truth.last = *truth.held;
  truth.held_since = now_;
  truth.overhead = world_.ticks.restart_overhead;
  if (truth.first_billed == policy::never) {
    truth.first_billed = record_.job_rows[job.index].first_start = now_;
  }
  enter(job, Primary::in_progress, Secondary::training, told_at);
}

/// The tick on the machines that the job holds: paid for as a whole, overhead before work.
void TickFleet::pass_tick(JobId job) {
  JobTruth& truth = truth_[job.index];
  PoolTruth& pool = pools_[truth.held->index];
  JobRow& row = record_.job_rows[job.index];
  const std::uint32_t instances = spec(job).instances;
  const Duration tick = world_.ticks.tick;
  const Duration restart = truth.left > Duration{0} ? std::min(truth.overhead, tick) : Duration{0};
  const Duration work = std::min(tick - restart, truth.left);
  const Charge amount = charge(pool.price, instances, tick);
  record_.ledger.bill(amount);
  record_.ledger.bill_first_attempt(amount);
  record_.billed_time[truth.held->index] += Charge{instances} * tick.count();
  record_.pool_rows[truth.held->index].billed += amount;
  row.billed += amount;
  truth.billed += tick;
  book(job, Use::startup, now_, restart);
  book(job, Use::productive, now_ + restart, work);
  book(job, Use::drain, now_ + restart + work, tick - restart - work);
  truth.overhead -= restart;
  truth.left -= work;
  row.progress += work;
  pool.allocated_time += Charge{instances} * tick.count();
  pool.used_time += Charge{instances} * work.count();
  last_work_ = now_ + tick;
  if (work > Duration{0}) last_progress_ = last_work_;
  if (work == Duration{0}) return;
  edges_.push_back({now_ + restart, *truth.held, std::int64_t{instances}});
  edges_.push_back({now_ + restart + work, *truth.held, -std::int64_t{instances}});
}

void TickFleet::book(JobId job, Use use, Instant from, Duration held) {
  if (held == Duration{0}) return;
  JobTruth& truth = truth_[job.index];
  const std::uint32_t instances = spec(job).instances;
  const policy::UsdPerHour price = pools_[truth.held->index].price;
  const Charge amount = charge(price, instances, held);
  record_.ledger.attribute(use, amount, true);
  const Charge time = Charge{instances} * held.count();
  const policy::TypeId type = world_.pools[truth.held->index].type;
  record_.use_time[static_cast<std::size_t>(use)] += time;
  record_.gpu_time[static_cast<std::size_t>(use)] +=
      time * Charge{world_.directory.types[type.index].gpus};
  if (is_waste(use)) record_.job_rows[job.index].wasted += amount;
  if (!keep_.ledger) return;
  std::vector<LedgerLine>& lines = record_.ledger_lines;
  if (truth.line != no_line) {  // one line for as long as nothing changes
    LedgerLine& line = lines[truth.line];
    if (line.use == use && line.pool == *truth.held && line.until == from &&
        truth.line_price == price) {
      line.until = from + held;
      line.amount += amount;
      line.held += held;
      return;
    }
  }
  truth.line = lines.size();
  truth.line_price = price;
  lines.push_back({job, 1, *truth.held, use, from, from + held, amount, instances, held});
}

}  // namespace reeve::models
