#include "alternatives.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "job_rule.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kMove = "waited too long for its fleet";
constexpr std::string_view kClone = "goes on where machines are free";

struct Row {
  PoolId holds;                    ///< the fleet that counts `instances` of it
  std::uint32_t instances = 0;     ///< 0: it holds none
  Instant waits_since = never;     ///< its key among those that wait
  AttemptNumber asked = 0;         ///< newest attempt that was to be moved
  std::optional<PoolId> promised;  ///< of a move under way
  AttemptNumber barred = 0;        ///< newest attempt whose move was refused on its merits
};

/// A waiting attempt is placed in the first fleet of the list that has room for it.  One that the
/// platform lined up already is stopped, and cloned there; so is one that failed for lack of
/// machines.  Room is what a fleet is believed to have, less what attempts are believed to hold.
class Alternatives final : public JobRule<Row> {
 public:
  explicit Alternatives(const Options& options)
      : fleets_{options.texts("fleets")}, after_{options.duration("after")} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    const bool own_stop =
        status.primary == Primary::stopped && status.stopped_by == step.seat.index + 1;
    if (own_stop && row.asked == status.attempt && row.promised) {
      const PoolId pool = *std::exchange(row.promised, std::nullopt);
      return clone(job, pool, step, out);
    }
    if (row.promised && !is_terminal(status.primary)) return;
    row.promised.reset();
    const bool waits = waits_for_machines(status) || lacked_machines(status);
    if (row.asked < status.attempt || !waits) count(job, step.fleet);
    line_up(job, waits && row.asked < status.attempt && row.barred < status.attempt, status);
    if (row.waits_since == never) return;
    const Instant due = due_at(status);
    if (due > step.now && due != never) {
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
    news_ = true;
  }

  static bool waits_for_machines(const JobStatus& status) {
    return status.primary == Primary::queued ||
           (status.primary == Primary::in_progress && status.secondary == Secondary::pending);
  }
  static bool lacked_machines(const JobStatus& status) {
    return status.primary == Primary::failed && status.failure == FailureClass::capacity;
  }

  /// Who was sent to machines that were not there waits a little before it is sent on.
  Instant due_at(const JobStatus& status) const {
    if (!lacked_machines(status)) return later(status.requested_at, after_);
    return status.origin == Origin::rule ? later(status.ended_at, kAskAgainAfter) : status.ended_at;
  }

  /// What the job holds, or is about to.
  void count(JobId job, const FleetView& fleet) {
    const JobStatus& status = fleet.status(job);
    const bool holds = !waits_for_machines(status) && !is_terminal(status.primary);
    Row& row = jobs_[job];
    if (row.instances > 0) news_ = true;
    hold(row, fleet.description(job).pool, holds ? fleet.description(job).instances : 0);
  }

  void hold(Row& row, PoolId pool, std::uint32_t instances) {
    const std::size_t last = std::max(row.holds.index, pool.index);
    if (last >= held_.size()) held_.resize(last + 1);
    held_[row.holds.index] -= row.instances;
    row.holds = pool;
    row.instances = instances;
    held_[pool.index] += instances;
  }

  void line_up(JobId job, bool waits, const JobStatus& status) {
    Row& row = jobs_[job];
    if (row.waits_since != never) waiting_.erase({row.waits_since, job});
    row.waits_since = waits ? status.requested_at : never;
    if (waits) waiting_.emplace(row.waits_since, job);
  }

  /// Whoever waits longest is served first, where something may have become free, or late.
  void look_around(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      news_ = news_ || std::holds_alternative<CapacityChanged>(seen.fact) ||
              std::holds_alternative<TimerFired>(seen.fact);
    }
    if (!std::exchange(news_, false)) return;
    resolve(step.fleet.directory());
    for (auto next = waiting_.begin(); next != waiting_.end() && has_room(step.fleet);) {
      const JobId job = (next++)->second;  // whoever is moved leaves the line
      const JobStatus& status = step.fleet.status(job);
      if (due_at(status) > step.now) continue;
      const auto pool = room_for(job, lacked_machines(status), step.fleet);
      if (pool) move(job, *pool, step, out);
    }
  }

  /// The fleets by their names, once.
  void resolve(const Directory& directory) {
    if (pools_.size() == fleets_.size()) return;
    pools_.clear();
    for (const std::string& name : fleets_) {
      if (const auto pool = directory.pool_named(name)) pools_.push_back(*pool);
    }
  }

  std::int64_t room_in(PoolId pool, const FleetView& fleet) const {
    const std::int64_t held = pool.index < held_.size() ? held_[pool.index] : 0;
    return std::int64_t{fleet.capacity(pool)} - held;
  }

  bool has_room(const FleetView& fleet) const {
    return std::any_of(pools_.begin(), pools_.end(),
                       [&](PoolId pool) { return room_in(pool, fleet) > 0; });
  }

  /// What failed for lack of machines may go on in its own fleet too, if that has some by now.
  std::optional<PoolId> room_for(JobId job, bool lacked, const FleetView& fleet) const {
    const JobDescription& description = fleet.description(job);
    const auto fits = [&](PoolId pool) { return room_in(pool, fleet) >= description.instances; };
    for (const PoolId pool : pools_) {
      if (pool != description.pool && fits(pool)) return pool;
    }
    return lacked && fits(description.pool) ? std::optional{description.pool} : std::nullopt;
  }

  void move(JobId job, PoolId pool, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    line_up(job, false, status);
    row.asked = status.attempt;
    if (lacked_machines(status)) return clone(job, pool, step, out);
    hold(row, pool, step.fleet.description(job).instances);
    if (status.primary == Primary::queued) {
      out.propose(PlaceJob{job, status.attempt, pool}, kMove);
    } else {
      row.promised = pool;
      out.propose(StopJob{job, status.attempt}, kMove);
    }
  }

  void clone(JobId job, PoolId pool, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    hold(jobs_[job], pool, step.fleet.description(job).instances);
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    out.propose(CloneJob{job, next, ResumeFrom::last_checkpoint, true, pool}, kClone);
  }

  /// What was refused on its merits stays where it is.
  void conclude(const ActionSettled& settled, const Step& step, Decisions& /*out*/) override {
    if (settled.outcome != Outcome::refused) return;
    Row& row = jobs_[settled.job];
    row.barred = step.fleet.status(settled.job).attempt;
    row.promised.reset();
    count(settled.job, step.fleet);
  }

  void forget(Row& row, AttemptNumber /*attempt*/) override {
    row.promised.reset();
    if (row.asked > 0) --row.asked;
    hold(row, row.holds, 0);
  }

  std::vector<std::string> fleets_;
  Duration after_;
  std::vector<PoolId> pools_;                    ///< those of `fleets_`
  std::vector<std::int64_t> held_;               ///< instances, by pool
  std::set<std::pair<Instant, JobId>> waiting_;  ///< by request
  bool news_ = false;                            ///< somebody may be able to move
};

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<Alternatives>(options);
}

OptionProblem check(const Options& options) {
  if (!options.texts("fleets").empty()) return {};
  return {.option = "fleets",
          .message = "no fleet is named: the rule can never act",
          .help = R"(as in "fleets": ["p5"])"};
}

std::vector<PoolId> reaches(const Options& options, const Directory& directory, TypeId /*type*/) {
  std::vector<PoolId> pools;
  for (const std::string& name : options.texts("fleets")) {
    if (const auto pool = directory.pool_named(name)) pools.push_back(*pool);
  }
  return pools;
}

}  // namespace

PolicyKind alternatives_kind() {
  return {
      .name = "alternatives",
      .summary = "moves a job that waits too long for its fleet to another one with free machines",
      .source =
          "How Amazon Search increased ML training twofold using AWS Batch (2024), several "
          "instance types",
      .options =
          {
              {.name = "fleets",
               .type = OptionType::texts,
               .unit = "",
               .default_json = "",
               .choices = {},
               .help = "where jobs may go, by name: the first that has room for the job is taken"},
              {.name = "after",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("1h")",
               .min = 0,
               .choices = {},
               .help = "the wait from which on a job goes elsewhere"},
          },
      .check = check,
      .reaches = reaches,
      .make = make,
  };
}

}  // namespace reeve::policies
