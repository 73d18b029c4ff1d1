// What machines cost: the bill from what was held, the uses from what it was held for.
#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

#include "host/check.hpp"
#include "models/fleet/fleet.hpp"
#include "models/invoice.hpp"

namespace reeve::models {

using policy::Instant;

namespace {

/// Work that must be done again, unless it is saved yet.
bool is_undone(Use use) {
  return use == Use::lost_work || use == Use::false_stop;
}

}  // namespace

/// Books what the present stage used up to now.  `orderly`: the platform syncs what was saved;
/// `finished`: the work is done; `horizon`: nothing ended, the books are closed for looking.
void Fleet::close_run(Running& run, bool orderly, bool finished, bool horizon) {
  if (run.stage == Stage::provisioning || run.stage == Stage::startup) {
    if (run.bill.from != policy::never) spend_start(run);
    if (run.launch && run.launch->in_memory > Duration{0}) [[unlikely]] {
      horizon ? save_memory(run) : lose_memory(*run.launch);
    }
    return;
  }
  if (run.stage != Stage::training && run.stage != Stage::stalled) return;
  if (run.launch) run.launch->save_due = policy::never;
  const Checkpoint& stated = core_.profile(run.job).checkpoint;
  Instant worked_until = core_.now;
  if (run.stage == Stage::stalled) {
    worked_until = run.stage_since;
    note_upload(run);
    spend(run, Use::stalled, run.stage_since, core_.now);
    core_.record.stalls[run.open_stall].cost =
        prices_.cost_of(run.holding(), run.stage_since, core_.now);
    core_.record.stalls[run.open_stall].ended = horizon ? policy::never : core_.now;
    run.open_stall = no_row;
  } else {
    pause_training(run, core_.now);
  }
  // In machine time, from here on: what is booked is time.
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
  const Checkpoint plan = at_speed(stated, run.speed_ppm);
  const Duration remaining = machine_time(left, run.speed_ppm);
  const Progress made = progress_after(plan, remaining, run.active);
  // Who ends in good order lets an upload come to its end.
  Duration saved = orderly ? made.written : made.durable;
  if (run.launch) saved = std::max(saved, std::exchange(run.launch->uploaded, Duration{0}));
  const bool unsaved =
      policy::has_lost(core_.truth[run.job.index].loses, policy::CloneLoss::checkpoint);
  if (plan.sync == Sync::none || unsaved) saved = Duration{0};
  if (plan.sync == Sync::at_end && !orderly) saved = Duration{0};
  if (finished) saved = made.work;
  const Duration kept = horizon ? made.work : saved;
  if (saved.count() > 0) core_.last_progress = core_.now;
  const Duration counts = work_of(stated, left, saved, run.speed_ppm);
  core_.durable(run.job) += counts;
  if (run.launch && run.launch->keeps) [[unlikely]] {
    run.launch->in_memory = work_of(stated, left, made.work, run.speed_ppm) - counts;
  }
  const Pool& pool = core_.world.pools[run.pool.index];
  if (pool.prices.empty()) {
    book_work(run, made, kept, {run.run_since, worked_until}, pool.price);
  } else {
    book_by_price(run, plan, remaining, kept);
  }
  run.active = Duration{0};
  run.trained.clear();
  make_progress(run, false);
}

/// An upload goes on while the work stands still.
void Fleet::note_upload(Running& run) const {
  const Checkpoint& stated = core_.profile(run.job).checkpoint;
  if (stated.upload.count() == 0) return;
  const Duration left = core_.spec(run.job).work - core_.durable(run.job);
  const Checkpoint plan = at_speed(stated, run.speed_ppm);
  const Progress made = progress_after(plan, machine_time(left, run.speed_ppm), run.active);
  const Duration since_written = made.work - made.written + (core_.now - run.stage_since);
  if (made.durable < made.written && since_written >= plan.upload)
    run.launch->uploaded = made.written;
}

/// The time from when the stage began until `at` was training.
void Fleet::pause_training(Running& run, Instant at) const {
  run.active += at - run.stage_since;
  if (!core_.world.pools[run.pool.index].prices.empty() && run.stage_since < at) {
    run.trained.push_back({run.stage_since, at});
  }
}

/// `made` in this stretch, of which the work up to `kept` counts.
void Fleet::book_work(Running& run, const Progress& made, Duration kept, const Stretch& stretch,
                      policy::UsdPerHour price) {
  book(run, Use::productive, kept, stretch, price);
  book(run, Use::checkpoint, made.checkpointing, stretch, price);
  book(run, run.wrongly_stopped ? Use::false_stop : Use::lost_work, made.work - kept, stretch,
       price);
  if (run.launch) [[unlikely]]
    note_overlays(run, made.work, stretch.from, price);
}

/// Cuts the training of a run where the price changes.  What lies between two cuts are differences
/// of what was made up to each of them, so nothing is lost by rounding.
void Fleet::book_by_price(Running& run, const Checkpoint& plan, Duration remaining, Duration kept) {
  Duration active{0};
  Progress before{};
  const auto book_piece = [&](const Stretch& piece, policy::UsdPerHour price) {
    active += piece.until - piece.from;
    const Progress after = progress_after(plan, remaining, active);
    const Progress made{after.work - before.work, Duration{0},
                        after.checkpointing - before.checkpointing};
    book_work(run, made, std::min(after.work, kept) - std::min(before.work, kept), piece, price);
    before = after;
  };
  for (const Stretch& stretch : run.trained) {
    prices_.each(run.pool, stretch.from, stretch.until, book_piece);
  }
}

/// The whole time was for one use.
void Fleet::spend(Running& run, Use use, Instant from, Instant until) {
  prices_.each(run.pool, from, until, [&](const Stretch& stretch, policy::UsdPerHour price) {
    book(run, use, stretch.until - stretch.from, stretch, price);
  });
}

/// A start-up is redone if it was stopped wrongly, or what it begins again was.
void Fleet::spend_start(Running& run) {
  run.redoes_start = !run.wrongly_stopped && run.run_since == policy::never &&
                     redone_starts_.contains({run.job, run.number});
  const bool in_vain = run.wrongly_stopped || run.redoes_start;
  spend(run, in_vain ? Use::false_stop : Use::startup, run.stage_since, core_.now);
  run.redoes_start = false;
}

/// Which of the wrong stops is to blame for what the machines did, in core_.record.stops.
std::size_t Fleet::wrong_stop_of(const Holding& machines) const {
  const auto& blamed = machines.redoes_start ? redone_starts_ : wrong_stops_;
  return blamed.at({machines.job, machines.attempt});
}

void Fleet::book(Running& run, Use use, Duration held, const Stretch& stretch,
                 policy::UsdPerHour price) {
  if (held.count() == 0) return;
  const bool reserved = policy::is_reserved(core_.world.pools[run.pool.index].market);
  if (!reserved && run.bill.from == policy::never) return;
  if (prices_.may_be_free(run.pool) || prices_.bills_whole_seconds(run.pool)) [[unlikely]] {
    const bool in_memory = run.launch->keeps && is_undone(use);
    run.launch->unsettled.push_back(
        {use, run.instances, held, stretch, price, in_memory, run.redoes_start});
  } else {
    attribute(run.holding(), use, held, stretch, price);
    if (!run.launch || !run.launch->keeps || !is_undone(use)) return;
    note_unsaved(*run.launch, run.holding(), use, held, charge(price, run.instances, held));
  }
}

void Fleet::attribute(const Holding& machines, Use use, Duration held, const Stretch& stretch,
                      policy::UsdPerHour price, Charge extra) {
  const policy::JobId job = machines.job;
  const Charge amount = charge(price, machines.instances, held) + extra;
  const Charge time = Charge{machines.instances} * held.count();
  const bool first = machines.attempt == 1;
  core_.record.ledger.attribute(use, amount, first);
  core_.record.use_time[static_cast<std::size_t>(use)] += time;
  if (use == Use::lost_work) shares_.lose(job, time);
  if (is_waste(use)) core_.record.job_rows[job.index].wasted += amount;
  if (use == Use::false_stop) [[unlikely]]
    core_.record.stops[wrong_stop_of(machines)].destroyed += amount;
  const bool delivers = core_.durable(job) == core_.spec(job).work && !uploads();
  if (UntaggedRow* row = untagged(job, machines.attempt)) {
    if (is_waste(use)) row->wasted += amount;
    if (use == Use::productive && !delivers) row->undelivered += amount;
  }
  if (use == Use::productive && !delivers) {
    Saved& saved = saved_[job];
    (first ? saved.first_attempt : saved.later) += amount;
    saved.machine_time += time;
    if (core_.keep.ledger) saved.lines.push_back(core_.record.ledger_lines.size());
  }
  if (core_.keep.ledger) {
    core_.record.ledger_lines.push_back({job, machines.attempt, machines.pool, use, stretch.from,
                                         stretch.until, amount, machines.instances});
  }
}

/// Where attempts without the job's tags are counted; null: it has them.
UntaggedRow* Fleet::untagged(policy::JobId job, policy::AttemptNumber attempt) {
  if (core_.record.untagged.empty()) [[likely]]
    return nullptr;
  const auto row = core_.record.untagged.find(job);
  if (row == core_.record.untagged.end()) return nullptr;
  return std::ranges::binary_search(row->second.attempts, attempt) ? &row->second : nullptr;
}

/// At its price, and `extra`.  The pool pays for reserved machines, not who holds them.
void Fleet::bill(const Holding& machines, Instant from, Instant until, Charge extra) {
  const Pool& pool = core_.world.pools[machines.pool.index];
  const Duration held = until - from;
  const Charge billed = prices_.cost_of(machines, from, until) + extra;
  core_.record.job_rows[machines.job.index].billed += billed;
  if (UntaggedRow* row = untagged(machines.job, machines.attempt)) row->billed += billed;
  if (machines.attempt == 1) core_.record.ledger.bill_first_attempt(billed);
  if (policy::is_reserved(pool.market)) return;
  core_.record.ledger.bill(billed);
  core_.record.pool_rows[machines.pool.index].billed += billed;
  core_.record.billed_time[machines.pool.index] += Charge{machines.instances} * held.count();
}

/// The whole time is billed, and was for one use.
void Fleet::pay_for(const Holding& machines, Use use, Instant from, Instant until) {
  if (from >= until) return;
  bill(machines, from, until);
  prices_.each(machines.pool, from, until, [&](const Stretch& stretch, policy::UsdPerHour price) {
    attribute(machines, use, stretch.until - stretch.from, stretch, price);
  });
}

/// Machines of a launch that are billed by themselves: they came later, or leave sooner.
void Fleet::settle_part(Running& run, const Joined& part, Ending ending) {
  if (run.bill.from == policy::never) return;
  const Holding machines{run.job, run.number, run.pool, part.instances};
  const LaunchBill due = bill_of(prices_.rules_of(run.pool), core_.now - part.from, ending);
  if (due.free) return waive(run, part);
  settle_uses(run, part);
  bill(machines, part.from, core_.now);
  pay_for(machines, Use::drain, core_.now, part.from + due.billed);
}

/// What is left of the launch are the machines it began with.
void Fleet::settle_joined(Running& run, Ending ending) {
  for (const Joined& part : std::exchange(run.launch->joined, {})) {
    settle_part(run, part, ending);
  }
}

/// Ends the billed interval of the launch.
void Fleet::settle_billing(Running& run, Ending ending) {
  if (run.bill.from == policy::never) return;
  const std::uint32_t instances = run.instances;
  if (run.launch) {
    for (const Joined& part : run.launch->joined) run.instances -= part.instances;
    settle_joined(run, ending);
  }
  const Duration held = core_.now - run.bill.from;
  const LaunchBill due = bill_of(prices_.rules_of(run.pool), held, ending);
  if (due.free) {
    waive(run, {run.instances, run.bill.from});
  } else {
    const Charge exact = prices_.cost_of(run.holding(), run.bill.from, core_.now);
    run.bill.charged += exact;
    const Charge extra = up_to_whole_seconds(run, exact);
    settle_uses(run, {run.instances, run.bill.from}, extra);
    bill(run.holding(), run.bill.from, core_.now, extra);
    pay_for(run.holding(), Use::drain, core_.now, run.bill.from + due.billed);
    run.bill.held += due.billed;
  }
  run.instances = instances;
  run.bill.from = policy::never;
}

/// What the launch, which cost `exact`, is billed beyond that: the attempt's seconds are rounded as
/// a whole.
Charge Fleet::up_to_whole_seconds(Running& run, Charge exact) const {
  if (!prices_.bills_whole_seconds(run.pool)) return 0;
  const policy::TypeId type = core_.world.pools[run.pool.index].type;
  const Charge all =
      charge(core_.world.directory.types[type.index].price, run.instances, billable(run));
  const Charge due = all - run.bill.scaled;
  run.bill.scaled = all;
  return due - exact;
}

/// Books what this part of the launch's machines did: it was not free.  What is billed beyond its
/// price was for what they did last.
void Fleet::settle_uses(Running& run, const Joined& part, Charge extra) {
  if (!run.launch) return;
  const auto [instances, from] = part;
  std::vector<Charge> extras(run.launch->unsettled.size());
  for (std::size_t left = extras.size(); left-- > 0 && extra != 0;) {
    const Unsettled& done = run.launch->unsettled[left];
    if (done.stretch.from < from) continue;
    extras[left] = std::max(extra, -charge(done.price, instances, done.held));
    extra -= extras[left];
  }
  for (std::size_t nth = 0; nth < extras.size(); ++nth) {
    Unsettled& done = run.launch->unsettled[nth];
    if (done.stretch.from < from) continue;  // before they came
    done.instances -= instances;
    const Holding machines{run.job, run.number, run.pool, instances, done.redoes_start};
    attribute(machines, done.use, done.held, done.stretch, done.price, extras[nth]);
    if (!done.in_memory) continue;
    const Charge amount = charge(done.price, instances, done.held) + extras[nth];
    note_unsaved(*run.launch, machines, done.use, done.held, amount);
  }
  std::erase_if(run.launch->unsettled, [](const Unsettled& done) { return done.instances == 0; });
  settle_overlays(*run.launch, part, false);
}

/// Spot took them back in their first hour: whatever they did costs nothing.
void Fleet::waive(Running& run, const Joined& part) {
  for (Unsettled& done : run.launch->unsettled) {
    if (done.stretch.from < part.from) continue;
    done.instances -= part.instances;
    core_.record.waived += charge(done.price, part.instances, done.held);
    if (!core_.keep.ledger) continue;
    core_.record.ledger_lines.push_back({run.job, run.number, run.pool, done.use, done.stretch.from,
                                         done.stretch.until, 0, part.instances});
  }
  std::erase_if(run.launch->unsettled, [](const Unsettled& done) { return done.instances == 0; });
  settle_overlays(*run.launch, part, true);
  waive_stalls(run, part);
  if (!core_.keep.gpu_minima.empty()) metrics_.waive_gaps(run, part);
}

/// What standing still cost, and what a stop came too late for, is as it is billed, whoever judges
/// it.
void Fleet::waive_stalls(const Running& run, const Joined& part) {
  const Holding machines{run.job, run.number, run.pool, part.instances};
  for (const std::uint32_t row : run.launch->stalls) {
    StallRow& stall = core_.record.stalls[row];
    if (stall.onset < part.from || stall.cost == 0) continue;
    stall.cost -= prices_.cost_of(machines, stall.onset, std::min(stall.ended, core_.now));
  }
  if (run.launch->stop == no_row) return;
  StopRow& stop = core_.record.stops[run.launch->stop];
  if (stop.onset == policy::never || stop.onset < part.from) return;
  const Instant stopped = run.stage == Stage::draining ? run.stage_since : core_.now;
  if (stop.stalled > 0) stop.stalled -= prices_.cost_of(machines, stop.onset, stopped);
  const Instant late = policy::later(stop.onset, core_.world.late_after);
  if (late < stopped) stop.late -= prices_.cost_of(machines, late, stopped);
}

/// BillableTimeInSeconds: what was held; under managed Spot what it cost, as whole seconds at the
/// on-demand price.
Duration Fleet::billable(const Running& run) const {
  const Pool& pool = core_.world.pools[run.pool.index];
  const policy::UsdPerHour on_demand = core_.world.directory.types[pool.type.index].price;
  if (pool.market != Market::spot || core_.unmanaged() || on_demand.nanos == 0)
    return run.bill.held;
  const Charge second = charge(on_demand, run.instances, std::chrono::seconds{1});
  const auto seconds = static_cast<std::int64_t>((run.bill.charged + second / 2) / second);
  return std::chrono::seconds{seconds};
}

/// What so much time at work would have cost less without what held it up: in the bill, and in the
/// uses of that time.
void Fleet::note_overlays(Running& run, Duration work, Instant from, policy::UsdPerHour price) {
  const Pace& pace = run.launch->pace;
  const bool held_up = std::min(pace.fed, pace.even) < full_speed;
  if (!held_up || run.bill.from == policy::never) return;
  const bool may_be_waived = prices_.may_be_free(run.pool);
  const Charge amount = charge(price, may_be_waived ? 1 : run.instances, work);
  const Charge starved = amount * (full_speed - pace.fed) / full_speed;
  const Charge straggled = amount * (full_speed - pace.even) / full_speed;
  if (may_be_waived)
    return run.launch->held_up.push_back({run.instances, from, starved, straggled});
  core_.record.starved += starved;
  core_.record.straggled += straggled;
}

/// Of machines that leave: what is free saves nobody anything.
void Fleet::settle_overlays(Launch& launch, const Joined& part, bool free) {
  for (HeldUp& work : launch.held_up) {
    if (work.from < part.from) continue;  // before they came
    work.instances -= part.instances;
    if (free) continue;
    core_.record.starved += part.instances * work.starved;
    core_.record.straggled += part.instances * work.straggled;
  }
  std::erase_if(launch.held_up, [](const HeldUp& work) { return work.instances == 0; });
}

/// The pool's own part of a reserved pool: its bill, and what nobody used.
void Fleet::bill_reserved(policy::PoolId id) {
  const Pool& machines = core_.world.pools[id.index];
  const Duration length = paid_until(machines, core_.world, core_.now - core_.world.start);
  const Duration paid = time_within(machines.windows, length);
  const Charge idle_time =
      Charge{machines.capacity} * paid.count() - pools_[id.index].allocated_time;
  // What was paid up front is spread over its term, whether or not the machines are there.
  const Charge between = charge(upfront_price(machines), machines.capacity, length - paid);
  const Charge bill = charge(machines.price, machines.capacity, paid) + between;
  core_.record.ledger.bill(bill);
  core_.record.pool_rows[id.index].billed = bill;
  core_.record.billed_time[id.index] = Charge{machines.capacity} * paid.count();
  const Charge idle = Charge{machines.price.nanos} * idle_time;
  core_.record.ledger.attribute(Use::idle_reserved, idle + between, false);
  core_.record.use_time[static_cast<std::size_t>(Use::idle_reserved)] += idle_time;
  if (core_.keep.ledger) list_idle(id, idle);
}

/// Lines of what nobody used: one for each window, one more for what of it comes after the run, and
/// of what was paid up front one for each time between them.
void Fleet::list_idle(policy::PoolId id, Charge idle) {
  const Pool& machines = core_.world.pools[id.index];
  const Duration ran = core_.now - core_.world.start;
  const Duration length = paid_until(machines, core_.world, ran);
  std::vector<TimeSpan> windows;
  for (const TimeSpan& window : machines.windows) {
    if (window.first < length) windows.emplace_back(window.first, std::min(window.second, length));
  }
  if (machines.windows.empty()) windows.emplace_back(Duration{0}, length);
  std::vector<Charge>& held = pools_[id.index].held_in;
  held.resize(windows.size());
  if (machines.windows.empty()) held.front() = pools_[id.index].allocated_time;
  const auto add = [&](Duration from, Duration until, Charge amount, std::uint32_t instances) {
    if (until <= from) return;
    core_.record.ledger_lines.push_back({{},
                                         0,
                                         id,
                                         Use::idle_reserved,
                                         core_.world.start + from,
                                         core_.world.start + until,
                                         amount,
                                         instances});
  };
  const policy::UsdPerHour upfront = upfront_price(machines);
  Duration since{0};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& [from, until] = windows[i];
    if (upfront.nanos > 0) add(since, from, charge(upfront, machines.capacity, from - since), 0);
    const Duration over = std::clamp(ran, from, until);
    const Charge unused = charge(machines.price, machines.capacity, over - from) -
                          Charge{machines.price.nanos} * held[i];
    const Charge after = charge(machines.price, machines.capacity, until - over);
    add(from, over, unused, machines.capacity);
    add(over, until, after, machines.capacity);
    idle -= unused + after;
    since = until;
  }
  if (upfront.nanos > 0) add(since, length, charge(upfront, machines.capacity, length - since), 0);
  REEVE_CHECK(idle == 0, "idle time of", machines.name, "is in no window");
}

/// Who holds machines where two windows touch holds them in both.
void Fleet::note_windows(policy::PoolId id, const Stretch& stretch) {
  const std::vector<TimeSpan>& windows = core_.world.pools[id.index].windows;
  PoolTruth& pool = pools_[id.index];
  pool.held_in.resize(windows.size());
  const auto [first, last] = std::minmax(stretch.from, stretch.until);
  const Charge sign = first == stretch.from ? 1 : -1;  // time that is no part of the run after all
  const Duration from = first - core_.world.start;
  const Duration until = last - core_.world.start;
  auto window =
      std::upper_bound(windows.begin(), windows.end(), from,
                       [](Duration at, const TimeSpan& later) { return at < later.second; });
  for (; window != windows.end() && window->first < until; ++window) {
    const Duration held = std::min(until, window->second) - std::max(from, window->first);
    pool.held_in[static_cast<std::size_t>(window - windows.begin())] +=
        sign * held.count() * Charge{pool.allocated};
  }
}

bool Fleet::goes_on(const PoolTime& before, const PoolTime& now) {
  return before.stretch.until == now.stretch.from && before.offered == now.offered &&
         before.free == now.free && before.down == now.down && before.there == now.there;
}

void Fleet::pass_time(policy::PoolId id) {
  PoolTruth& pool = pools_[id.index];
  if (pool.since == core_.now) return;
  note_use();
  in_use_changes_.push_back(id);
  const Charge held =
      (core_.now - pool.since).count();  // below 0 where a run ends with its last work
  const Instant from = std::exchange(pool.since, core_.now);
  pool.allocated_time += held * pool.allocated;
  pool.used_time += held * pool.used;
  if (core_.keep.ledger && pool.allocated > 0 && !core_.world.pools[id.index].windows.empty())
      [[unlikely]]
    note_windows(id, {from, core_.now});
  if (held < 0) return;
  const std::uint32_t offered = present(id);
  const std::uint32_t up =
      pool.nodes ? pool.nodes->clock.up() : core_.world.pools[id.index].capacity;
  const PoolTime time{{from, core_.now},
                      offered,
                      offered - std::min(offered, pool.allocated),
                      core_.world.pools[id.index].capacity - up,
                      std::max(offered, pool.allocated)};
  if (core_.world.end != policy::never || (pool.tail.empty() && core_.last_work >= core_.now))
      [[likely]]
    return count_time(id, time);
  if (!pool.tail.empty() && goes_on(pool.tail.back(), time)) {
    pool.tail.back().stretch.until = core_.now;
  } else {
    pool.tail.push_back(time);
  }
  if (pool.tail.front().stretch.until <= core_.last_work) count_tail(id, core_.last_work);
}

void Fleet::count_time(policy::PoolId id, const PoolTime& time) {
  const Charge length = (time.stretch.until - time.stretch.from).count();
  PoolRow& row = core_.record.pool_rows[id.index];
  row.capacity_time += length * core_.world.pools[id.index].capacity;
  row.offered_time += length * time.offered;
  row.free_time += length * time.free;
  row.down_time += length * time.down;
  count_there(id, time);
}

/// What was over by `until`.
void Fleet::count_tail(policy::PoolId id, Instant until) {
  std::erase_if(pools_[id.index].tail, [&](const PoolTime& time) {
    if (time.stretch.until > until) return false;
    count_time(id, time);
    return true;
  });
}

void Fleet::allocate(policy::PoolId id, std::int64_t instances) {
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.allocated = static_cast<std::uint32_t>(pool.allocated + instances);
  core_.record.held_until = core_.span_until = core_.now;
  if (core_.keep.utilization) note_utilization(id);
}

void Fleet::make_progress(Running& run, bool begins) {
  if (run.progressing == begins) return;
  run.progressing = begins;
  const policy::PoolId id = run.pool;
  pass_time(id);
  PoolTruth& pool = pools_[id.index];
  pool.used = begins ? pool.used + run.instances : pool.used - run.instances;
  if (core_.keep.utilization) note_utilization(id);
}

void Fleet::note_utilization(policy::PoolId id) {
  const PoolTruth& pool = pools_[id.index];
  const UtilizationRow row{
      core_.now, id, pool.allocated, pool.used, static_cast<std::uint32_t>(pool.runnable),
      there(id)};
  for (auto last = core_.record.utilization.rbegin(); last != core_.record.utilization.rend();
       ++last) {
    if (last->at != core_.now) break;
    if (last->pool == id) {
      *last = row;
      return;
    }
  }
  core_.record.utilization.push_back(row);
}

}  // namespace reeve::models
