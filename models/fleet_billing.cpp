// What machines cost: the bill from what was held, the uses from what it was held for.
#include <algorithm>

#include "models/fleet.hpp"

namespace reeve::models {

using policy::Instant;

/// Books what the present stage used up to now.  `orderly`: the platform syncs what was saved;
/// `finished`: the work is done; `horizon`: nothing ended, the books are closed for looking.
void Fleet::close_run(Running& run, bool orderly, bool finished, bool horizon) {
  if (run.stage == Stage::provisioning || run.stage == Stage::startup) {
    if (run.billed_from != policy::never) spend(run, Use::startup, run.stage_since, now_);
    return;
  }
  if (run.stage != Stage::training && run.stage != Stage::stalled) return;
  const JobProfile& kind = profile(run.job);
  Instant worked_until = now_;
  if (run.stage == Stage::stalled) {
    worked_until = run.stage_since;
    spend(run, Use::stalled, run.stage_since, now_);
    record_.stalls[run.open_stall].ended = horizon ? policy::never : now_;
    run.open_stall = no_row;
  } else {
    pause_training(run);
  }
  const Duration remaining = spec(run.job).work - durable(run.job);
  const Progress made = progress_after(kind.checkpoint, remaining, run.active);
  Duration saved = made.durable;
  if (kind.checkpoint.sync == Sync::none) saved = Duration{0};
  if (kind.checkpoint.sync == Sync::at_end && !orderly) saved = Duration{0};
  if (finished) saved = made.work;
  const Duration kept = horizon ? made.work : saved;
  if (saved.count() > 0) last_progress_ = now_;
  durable(run.job) += saved;
  const Pool& pool = world_.pools[run.pool.index];
  if (pool.prices.empty()) {
    book_work(run, made, kept, {run.run_since, worked_until}, pool.price);
  } else {
    book_by_price(run, remaining, kept);
  }
  run.active = Duration{0};
  run.trained.clear();
  make_progress(run, false);
}

/// The time since the stage began was training.
void Fleet::pause_training(Running& run) const {
  run.active += now_ - run.stage_since;
  if (!world_.pools[run.pool.index].prices.empty() && run.stage_since < now_) {
    run.trained.push_back({run.stage_since, now_});
  }
}

/// `made` in this stretch, of which the work up to `kept` counts.
void Fleet::book_work(Running& run, const Progress& made, Duration kept, const Stretch& stretch,
                      policy::UsdPerHour price) {
  book(run, Use::productive, kept, stretch, price);
  book(run, Use::checkpoint, made.checkpointing, stretch, price);
  book(run, run.wrongly_stopped ? Use::false_stop : Use::lost_work, made.work - kept, stretch,
       price);
}

/// Cuts the training of a run where the price changes.  What lies between two cuts are differences
/// of what was made up to each of them, so nothing is lost by rounding.
void Fleet::book_by_price(Running& run, Duration remaining, Duration kept) {
  const std::vector<PriceStep>& prices = world_.pools[run.pool.index].prices;
  const Checkpoint& plan = profile(run.job).checkpoint;
  Duration active{0};
  Progress before{};
  for (const Stretch& stretch : run.trained) {
    for (Instant at = stretch.from; at < stretch.until;) {
      const Duration since = at - world_.start;
      const Instant change = policy::later(world_.start, next_price_change(prices, since));
      const Instant until = std::min(stretch.until, change);
      active += until - at;
      const Progress after = progress_after(plan, remaining, active);
      const Progress made{after.work - before.work, Duration{0},
                          after.checkpointing - before.checkpointing};
      book_work(run, made, std::min(after.work, kept) - std::min(before.work, kept), {at, until},
                price_at(prices, since));
      before = after;
      at = until;
    }
  }
}

/// The whole time was for one use.
void Fleet::spend(Running& run, Use use, Instant from, Instant until) {
  const Pool& pool = world_.pools[run.pool.index];
  if (pool.prices.empty()) return book(run, use, until - from, {from, until}, pool.price);
  while (from < until) {
    const Duration since = from - world_.start;
    const Instant change = policy::later(world_.start, next_price_change(pool.prices, since));
    const Instant end = std::min(until, change);
    book(run, use, end - from, {from, end}, price_at(pool.prices, since));
    from = end;
  }
}

void Fleet::book(Running& run, Use use, Duration held, const Stretch& stretch,
                 policy::UsdPerHour price) {
  if (held.count() == 0) return;
  const bool reserved = world_.pools[run.pool.index].market == Market::reserved;
  if (!reserved && run.billed_from == policy::never) return;
  const Charge amount = charge(price, run.instances, held);
  record_.ledger.attribute(use, amount, run.number == 1);
  record_.use_time[static_cast<std::size_t>(use)] += Charge{run.instances} * held.count();
  if (is_waste(use)) record_.job_rows[run.job.index].wasted += amount;
  const bool delivers = durable(run.job) == spec(run.job).work && !uploads();
  if (use == Use::productive && !delivers) {
    Saved& saved = saved_[run.job];
    (run.number == 1 ? saved.first_attempt : saved.later) += amount;
    saved.machine_time += Charge{run.instances} * held.count();
    if (keep_.ledger) saved.lines.push_back(record_.ledger_lines.size());
  }
  if (keep_.ledger) {
    record_.ledger_lines.push_back(
        {run.job, run.number, run.pool, use, stretch.from, stretch.until, amount, run.instances});
  }
}

/// Ends the billed interval.  The pool pays for reserved machines, not the attempt.
void Fleet::settle_billing(Running& run) {
  if (run.billed_from == policy::never) return;
  const policy::PoolId id = run.pool;
  const Pool& pool = world_.pools[id.index];
  const Duration held = now_ - run.billed_from;
  const Charge amount =
      pool.prices.empty()
          ? charge(pool.price, run.instances, held)
          : run.instances * cost(pool.prices, run.billed_from - world_.start, now_ - world_.start);
  run.billed += held;
  record_.job_rows[run.job.index].billed += amount;
  if (run.number == 1) record_.ledger.bill_first_attempt(amount);
  if (pool.market != Market::reserved) {
    record_.ledger.bill(amount);
    record_.billed_time[id.index] += Charge{run.instances} * held.count();
  }
  run.billed_from = policy::never;
}

/// The pool's own part of a reserved pool: its bill, and what nobody used.
void Fleet::bill_reserved(policy::PoolId id) {
  const Pool& machines = world_.pools[id.index];
  const Charge idle_time = pools_[id.index].idle_time;
  const Duration paid = time_within(machines.windows, now_ - world_.start);
  record_.ledger.bill(charge(machines.price, machines.capacity, paid));
  record_.billed_time[id.index] = Charge{machines.capacity} * paid.count();
  const Charge idle = Charge{machines.price.nanos} * idle_time;
  record_.ledger.attribute(Use::idle_reserved, idle, false);
  record_.use_time[static_cast<std::size_t>(Use::idle_reserved)] += idle_time;
  if (!keep_.ledger) return;
  record_.ledger_lines.push_back(
      {{}, 0, id, Use::idle_reserved, world_.start, now_, idle, machines.capacity});
}

void Fleet::pass_time(policy::PoolId id) {
  PoolTruth& pool = pools_[id.index];
  const Charge held = (now_ - pool.since).count();
  pool.since = now_;
  pool.idle_time += held * (std::int64_t{pool.offered} - pool.allocated);
  pool.allocated_time += held * pool.allocated;
  pool.used_time += held * pool.used;
}

void Fleet::allocate(policy::PoolId id, std::int64_t instances) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.allocated = static_cast<std::uint32_t>(pool.allocated + instances);
  // What is freed and taken again within one instant was never held together.
  if (now_ > allocated_since_) {
    record_.peak_instances = std::max(record_.peak_instances, allocated_);
    allocated_since_ = now_;
  }
  allocated_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(allocated_) + instances);
  if (keep_.utilization) note_utilization(id);
}

void Fleet::make_progress(Running& run, bool begins) {
  if (run.progressing == begins) return;
  run.progressing = begins;
  const policy::PoolId id = run.pool;
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.used = begins ? pool.used + run.instances : pool.used - run.instances;
  if (keep_.utilization) note_utilization(id);
}

void Fleet::note_utilization(policy::PoolId id) {
  const PoolTruth& pool = pools_[id.index];
  const UtilizationRow row{now_, id, pool.allocated, pool.used,
                           static_cast<std::uint32_t>(pool.runnable)};
  for (auto last = record_.utilization.rbegin(); last != record_.utilization.rend(); ++last) {
    if (last->at != now_) break;
    if (last->pool == id) {
      *last = row;
      return;
    }
  }
  record_.utilization.push_back(row);
}

}  // namespace reeve::models
