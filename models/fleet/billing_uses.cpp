// What instances were used for: every billed second has one use.
#include <algorithm>
#include <utility>

#include "models/fleet/billing.hpp"

namespace reeve::models {

using policy::Instant;

namespace {

/// Work that must be done again, unless it is saved yet.
bool is_undone(Use use) {
  return use == Use::lost_work || use == Use::false_stop;
}

}  // namespace

void Billing::book_training(Running& run, const Training& training) {
  const Pool& pool = core_.world.pools[run.pool.index];
  if (!pool.prices.empty()) return book_by_price(run, training);
  const Stretch stretch{run.run_since, training.worked_until};
  book_work(run, training.made, training.kept, stretch, pool.price);
}

/// `made` in this stretch, of which the work up to `kept` counts.
void Billing::book_work(Running& run, const Progress& made, Duration kept, const Stretch& stretch,
                        policy::UsdPerHour price) {
  book(run, Use::productive, kept, stretch, price);
  book(run, Use::checkpoint, made.checkpointing, stretch, price);
  // A stop destroys nothing of what the log says was lost.
  const bool destroyed = run.wrongly_stopped && run.losing == Duration{0};
  book(run, destroyed ? Use::false_stop : Use::lost_work, made.work - kept, stretch, price);
  if (run.launch) [[unlikely]]
    note_overlays(run, made.work, stretch.from, price);
}

/// Cuts the training of a run where the price changes.  What lies between two cuts are differences
/// of what was made up to each of them, so nothing is lost by rounding.
void Billing::book_by_price(Running& run, const Training& training) {
  const Duration kept = training.kept;
  Duration active{0};
  Progress before{};
  const auto book_piece = [&](const Stretch& piece, policy::UsdPerHour price) {
    active += piece.until - piece.from;
    const Progress after = progress_after(training.plan, training.remaining, active);
    const Progress made{after.work - before.work, Duration{0},
                        after.checkpointing - before.checkpointing};
    book_work(run, made, std::min(after.work, kept) - std::min(before.work, kept), piece, price);
    before = after;
  };
  for (const Stretch& stretch : run.trained) {
    prices_.each(run.pool, stretch.from, stretch.until, book_piece);
  }
}

void Billing::spend(Running& run, Use use, Instant from, Instant until) {
  prices_.each(run.pool, from, until, [&](const Stretch& stretch, policy::UsdPerHour price) {
    book(run, use, stretch.until - stretch.from, stretch, price);
  });
}

void Billing::spend_start(Running& run) {
  run.redoes_start = !run.wrongly_stopped && run.run_since == policy::never &&
                     redone_starts_.contains({run.job, run.number});
  const bool in_vain = run.wrongly_stopped || run.redoes_start;
  spend(run, in_vain ? Use::false_stop : Use::startup, run.stage_since, core_.now);
  run.redoes_start = false;
}

/// Which of the wrong stops is to blame for what the machines did, in core_.record.stops.
std::size_t Billing::wrong_stop_of(const Holding& machines) const {
  const auto& blamed = machines.redoes_start ? redone_starts_ : wrong_stops_;
  return blamed.at({machines.job, machines.attempt});
}

/// The next attempt starts up only because of this wrong stop where this one was in Training: else
/// a start-up was due in any case, and is to blame on whichever this one began again for.
void Billing::blame_stop(const Running& run) {
  wrong_stops_[{run.job, run.number}] = core_.record.stops.size() - 1;
  const auto next = static_cast<policy::AttemptNumber>(run.number + 1);
  if (run.stage == Stage::training || run.stage == Stage::stalled) {
    redone_starts_[{run.job, next}] = wrong_stops_.at({run.job, run.number});
  } else if (const auto own = redone_starts_.find({run.job, run.number});
             run.run_since == policy::never && own != redone_starts_.end()) {
    redone_starts_[{run.job, next}] = own->second;
  }
}

void Billing::book(Running& run, Use use, Duration held, const Stretch& stretch,
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

Charge Billing::gpus_of(policy::PoolId pool) const {
  const policy::Directory& directory = core_.world.directory;
  return Charge{directory.types[core_.world.pools[pool.index].type.index].gpus};
}

void Billing::attribute(const Holding& machines, Use use, Duration held, const Stretch& stretch,
                        policy::UsdPerHour price, Charge extra) {
  const policy::JobId job = machines.job;
  const Charge amount = charge(price, machines.instances, held) + extra;
  const Charge time = Charge{machines.instances} * held.count();
  const bool first = machines.attempt == 1;
  core_.record.ledger.attribute(use, amount, first);
  const Charge gpu_time = time * gpus_of(machines.pool);
  core_.record.use_time[static_cast<std::size_t>(use)] += time;
  core_.record.gpu_time[static_cast<std::size_t>(use)] += gpu_time;
  if (use == Use::lost_work) shares_.lose(job, time);
  if (is_waste(use)) core_.record.job_rows[job.index].wasted += amount;
  if (use == Use::false_stop) [[unlikely]]
    core_.record.stops[wrong_stop_of(machines)].destroyed += amount;
  const bool delivers = core_.durable(job) == core_.spec(job).work && !core_.uploads();
  if (UntaggedRow* row = untagged(job, machines.attempt)) {
    if (is_waste(use)) row->wasted += amount;
    if (use == Use::productive && !delivers) row->undelivered += amount;
  }
  if (use == Use::productive && !delivers) {
    Saved& saved = saved_[job];
    (first ? saved.first_attempt : saved.later) += amount;
    saved.machine_time += time;
    saved.gpu_time += gpu_time;
    if (core_.keep.ledger) saved.lines.push_back(core_.record.ledger_lines.size());
  }
  if (core_.keep.ledger) {
    core_.record.ledger_lines.push_back({job, machines.attempt, machines.pool, use, stretch.from,
                                         stretch.until, amount, machines.instances, held});
  }
}

/// Where attempts without the job's tags are counted; null: it has them.
UntaggedRow* Billing::untagged(policy::JobId job, policy::AttemptNumber attempt) {
  if (core_.record.untagged.empty()) [[likely]]
    return nullptr;
  const auto row = core_.record.untagged.find(job);
  if (row == core_.record.untagged.end()) return nullptr;
  return std::ranges::binary_search(row->second.attempts, attempt) ? &row->second : nullptr;
}

/// Books what this part of the launch's machines did: it was not free.  What is billed beyond its
/// price was for what they did last.
void Billing::settle_uses(Running& run, const Joined& part, Charge extra) {
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

/// What so much time at work would have cost less without what held it up: in the bill, and in the
/// uses of that time.
void Billing::note_overlays(Running& run, Duration work, Instant from, policy::UsdPerHour price) {
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

/// Of instances that leave: free ones save nothing.
void Billing::settle_overlays(Launch& launch, const Joined& part, bool free) {
  for (HeldUp& work : launch.held_up) {
    if (work.from < part.from) continue;  // before they came
    work.instances -= part.instances;
    if (free) continue;
    core_.record.starved += part.instances * work.starved;
    core_.record.straggled += part.instances * work.straggled;
  }
  std::erase_if(launch.held_up, [](const HeldUp& work) { return work.instances == 0; });
}

/// What the others hold of such lost work.
void Billing::note_unsaved(Launch& launch, const Holding& machines, Use use, Duration held,
                           Charge amount) const {
  const Charge time = Charge{machines.instances} * held.count();
  launch.unsaved.push_back({machines, use, amount, time, core_.record.ledger_lines.size() - 1});
}

void Billing::save_memory(Running& run) {
  Launch& launch = *run.launch;
  for (Unsettled& done : launch.unsettled) {
    if (std::exchange(done.in_memory, false)) done.use = Use::productive;
  }
  JobRow& row = core_.record.job_rows[run.job.index];
  row.progress += std::exchange(launch.in_memory, Duration{0});
  core_.last_progress = core_.now;
  for (const auto& [of, use, amount, time, line] : std::exchange(launch.unsaved, {})) {
    const bool first = of.attempt == 1;
    core_.record.ledger.attribute(use, -amount, first);
    if (use == Use::false_stop) {  // the stop did not destroy it after all
      core_.record.stops[wrong_stops_.at({of.job, of.attempt})].destroyed -= amount;
    }
    core_.record.ledger.attribute(Use::productive, amount, first);
    const Charge gpu_time = time * gpus_of(of.pool);
    core_.record.use_time[static_cast<std::size_t>(use)] -= time;
    core_.record.gpu_time[static_cast<std::size_t>(use)] -= gpu_time;
    if (use == Use::lost_work) shares_.lose(of.job, -time);
    core_.record.use_time[static_cast<std::size_t>(Use::productive)] += time;
    core_.record.gpu_time[static_cast<std::size_t>(Use::productive)] += gpu_time;
    row.wasted -= amount;
    if (UntaggedRow* of_clone = untagged(run.job, of.attempt)) {
      of_clone->wasted -= amount;
      of_clone->undelivered += amount;
    }
    Saved& saved = saved_[run.job];
    (first ? saved.first_attempt : saved.later) += amount;
    saved.machine_time += time;
    saved.gpu_time += gpu_time;
    if (!core_.keep.ledger) continue;
    core_.record.ledger_lines[line].use = Use::productive;
    saved.lines.push_back(line);
  }
}

void Billing::lose_memory(Launch& launch) {
  for (Unsettled& done : launch.unsettled) done.in_memory = false;
  launch.in_memory = Duration{0};
  launch.unsaved.clear();
}

void Billing::forget_progress(policy::JobId job) {
  const auto known = saved_.find(job);
  core_.durable(job) = Duration{0};
  if (known == saved_.end()) return;
  lose(job, known->second);
  saved_.erase(known);
}

void Billing::lose(policy::JobId job, const Saved& saved) {
  core_.record.ledger.attribute(Use::productive, -saved.first_attempt, true);
  core_.record.ledger.attribute(Use::lost_work, saved.first_attempt, true);
  core_.record.ledger.attribute(Use::productive, -saved.later, false);
  core_.record.ledger.attribute(Use::lost_work, saved.later, false);
  core_.record.job_rows[job.index].wasted += saved.first_attempt + saved.later;
  const auto untagged = core_.record.untagged.find(job);
  if (untagged != core_.record.untagged.end()) {
    untagged->second.wasted += std::exchange(untagged->second.undelivered, 0);
  }
  core_.record.use_time[static_cast<std::size_t>(Use::productive)] -= saved.machine_time;
  core_.record.use_time[static_cast<std::size_t>(Use::lost_work)] += saved.machine_time;
  core_.record.gpu_time[static_cast<std::size_t>(Use::productive)] -= saved.gpu_time;
  core_.record.gpu_time[static_cast<std::size_t>(Use::lost_work)] += saved.gpu_time;
  shares_.lose(job, saved.machine_time);
  for (const std::size_t line : saved.lines) core_.record.ledger_lines[line].use = Use::lost_work;
}

void Billing::deliver(policy::JobId job) {
  saved_.erase(job);
  if (core_.record.untagged.empty()) return;
  const auto untagged = core_.record.untagged.find(job);
  if (untagged != core_.record.untagged.end()) untagged->second.undelivered = 0;
}

}  // namespace reeve::models
