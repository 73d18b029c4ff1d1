// Pools that shares divide: pending jobs, held instances, and promises of instances that others
// still have to return.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <reeve/policy/queue.hpp>
#include <set>
#include <utility>
#include <vector>

#include "algorithm.hpp"
#include "borrow_limit.hpp"
#include "job_order.hpp"
#include "preemption_cycles.hpp"
#include "promises.hpp"
#include "share_holding.hpp"

namespace reeve::policies {

struct KeptForOthers;

/// The books of an algorithm that preempts for shares.  A job that is to get instances that others
/// still hold has a promise of them.  They count as held by it, but where promises suffice it loses
/// them before any job that holds instances does.  No job is preempted at the very instant at which
/// it got its instances or the promise.  Where `breaks_cycles`, a job whose preemption closes a
/// cycle is protected twice as long each time, so that jobs that preempt each other in turn come to
/// rest.  That ends when one of them ends, or when something else causes a preemption: a job that
/// comes or ends, a quota, a priority, the capacity.  O(log jobs) for each job that comes, goes,
/// starts or is preempted.
class SharedPools : public Algorithm {
 public:
  void step_begins(policy::Instant now) override { now_ = now; }
  /// In a share the highest priority is first, then the earliest submission.
  Waiting place(const Candidate& candidate, const policy::FleetView& fleet) const override {
    return place_by_priority(candidate, fleet);
  }
  void entered(const Candidate& candidate, const policy::FleetView& fleet) override;
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const policy::FleetView&) override {}
  void left(policy::JobId job) override;
  void has_machines(const Candidate& candidate, bool runs, policy::Instant now,
                    const policy::FleetView& fleet) override;
  void kept(policy::JobId job) override;
  void may_lose(policy::JobId job) override;
  void terms_changed(policy::PoolId id) override;
  std::int64_t promised(policy::PoolId id) const override {
    return id.index < pools_.size() ? pools_[id.index].promises.come() : 0;
  }
  void reprioritized(const Candidate& candidate, const policy::FleetView& fleet) override;
  void choose(std::span<const policy::PoolId> changed, Turn& turn) override;

 protected:
  enum class State : std::uint8_t { nowhere, waits, promised, has, leaves };

  struct Row {
    Waiting place;
    policy::Instant since;  ///< when it got its instances, or the promise of them
    std::uint32_t instances = 0;
    std::uint32_t share = 0;
    std::uint32_t promise = 0;  ///< it has, or leaves for; 0: none
    std::int64_t due = 0;       ///< promised to it, and not to come from a job that leaves
    std::int32_t priority = 0;
    policy::PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;   ///< it is preemptible by its own terms
    bool listed = false;     ///< as one that may be preempted now
    bool displaced = false;  ///< it was preempted, and has had no instances since
  };

  /// What makes two pending jobs equal, except for their turn.
  struct Kind {
    std::uint32_t instances = 0;
    bool keeps = false;  ///< whatever it gets
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };

  /// One share in one pool.
  struct Line : ShareHolding {
    std::map<Kind, std::set<Waiting>> waiting = {};
    std::int64_t kept = 0;  ///< of what is used, by those who cannot be preempted
    bool touched = true;    ///< in `Pool::touched`
  };

  struct Pool {
    std::vector<Line> lines = {};  ///< by share; the last is of those who stand in none
    Promises promises = {};
    std::vector<policy::JobId> fresh = {};   ///< run, and are safe yet
    std::vector<policy::JobId> let_in = {};  ///< have promises, and are safe yet
    /// Preempted for no job: the next promise counts on them.
    std::vector<policy::JobId> surplus = {};
    /// Lines that changed since a plan removed them here; for plans that remember.
    std::vector<std::uint32_t> touched = {};
    std::int64_t leaving = 0;
    policy::Instant changed;    ///< last, otherwise than by preemptions
    std::uint32_t round = 0;    ///< of preemptions that only follow from each other
    std::uint32_t largest = 0;  ///< no waiting job wants more instances
    bool learned = false;       ///< its quotas are those of now
    bool stale = true;          ///< since it was planned something changed that may matter
  };

  /// The quotas of the pool may be others than before.
  virtual void learn(const Pool& pool, policy::PoolId id, const Turn& turn) = 0;
  /// Decides who starts and who is preempted, by `grant`.  Of each kind only the first of a line
  /// may be let in.
  virtual void plan(Pool& pool, policy::PoolId id, Turn& turn) = 0;
  /// How much the share may ever have.
  virtual BorrowLimit limit(policy::PoolId id, std::uint32_t share) const = 0;
  /// How much of its own quota it does not lend.
  virtual std::int64_t own(policy::PoolId id, std::uint32_t share) const = 0;
  /// Whether what a share has in one pool matters in others.
  virtual bool compares_pools() const { return false; }
  /// Whether the first job of a share, in whichever pool it waits, matters in others.
  virtual bool orders_across_pools() const { return false; }
  /// Whether the number of pending jobs matters, and not only the first of each kind.
  virtual bool counts_all() const { return false; }
  /// Whether all waiting jobs that are larger than the pool are set aside before a plan; otherwise
  /// the plan sets them aside.
  virtual bool sets_too_large_aside() const { return true; }
  /// Whether a job is protected for longer each time that its preemption closes a cycle.
  virtual bool breaks_cycles() const { return true; }
  /// Whether a pending job might be admitted if this one were listed.
  virtual bool may_help(const Pool& pool, const Row& row) const = 0;
  /// May be preempted, or lose its promise, from now on, or no longer.
  virtual void list(policy::JobId job) = 0;
  virtual void unlist(policy::JobId job) = 0;

  const Row& row(policy::JobId job) const { return rows_[job.index]; }
  /// Of those that are listed, who has no instances yet.
  bool is_promised(policy::JobId job) const { return row(job).promise != 0; }
  const std::vector<Pool>& pools() const { return pools_; }
  /// It may be preempted, or lose its promise, from now on if its terms let it, or no longer.
  void begin_listing(policy::JobId job);
  void end_listing(policy::JobId job);
  /// Instances not held when all leaving jobs are gone and all promises are kept.
  static std::int64_t free(const Pool& pool, policy::PoolId id, const Turn& turn);
  /// The same, but for what is kept for shares that are scheduled elsewhere.
  static std::int64_t free_but(const KeptForOthers& kept, const Pool& pool, policy::PoolId id,
                               const Turn& turn);
  /// The job waits until the pool grows.
  void set_aside(policy::JobId job, Turn& turn);
  /// Starts the job, or promises it what the victims, who leave, have to give back.
  void grant(Pool& pool, policy::PoolId id, policy::JobId job,
             const std::vector<policy::JobId>& victims, Turn& turn);
  /// Preempts the job for no other one, as its share's quota was lowered.
  void preempt_surplus(Pool& pool, policy::JobId job, Turn& turn);

 private:
  void describe(Row& row, const Candidate& candidate, const policy::FleetView& fleet);
  static Kind kind_of(const Row& row) { return {row.instances, !row.may_stop}; }
  void use(const Row& row, std::int64_t times);
  void line_up(const Row& row);
  void step_out(const Row& row);
  policy::Instant safe_until(policy::JobId job) const;
  void list_fresh(Pool& pool, policy::Instant now);
  void look_at_fresh(Pool& pool, policy::PoolId id, Turn& turn) const;
  void revoke(Pool& pool, std::uint32_t number, bool waits);
  void no_longer_promised(policy::JobId job, bool waits);
  void no_longer_due(Row& row);
  void fill(policy::PoolId id, Turn& turn);
  void fill_in_order(Turn& turn);
  void take_back(Pool& pool, policy::PoolId id, const Turn& turn);
  void deliver(Pool& pool, policy::PoolId id, Turn& turn);
  bool may_have_now(const Row& row) const;
  std::int64_t reserved_from(const Row& row, const Turn& turn) const;
  void start(policy::JobId job, Turn& turn);
  void set_too_large_aside(Pool& pool, policy::PoolId id, Turn& turn);
  static void touch(Pool& pool, std::uint32_t share) {
    if (!std::exchange(pool.lines[share].touched, true)) pool.touched.push_back(share);
  }
  void take_away(Pool& pool, policy::JobId job, std::uint32_t promise);
  void count_on_surplus(Pool& pool, const Row& row);
  /// Whether what changes in one pool may cause preemptions in others.
  bool goes_by_all_pools() const { return compares_pools() || orders_across_pools(); }
  void note_outside_change(policy::PoolId id);
  void note_preempted(Pool& pool, policy::JobId victim, policy::JobId by);
  void take_promise(Pool& pool, policy::JobId job, std::uint32_t to);

  Row& row_of(policy::JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Pool& pool_of(policy::PoolId id, const policy::FleetView& fleet);
  Line& line_of(const Row& row) { return pools_[row.pool.index].lines[row.share]; }

  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  PreemptionCycles cycles_;
  policy::Instant now_;
  policy::Instant changed_;  ///< any pool, last
  bool was_closed_ = false;  ///< what changed then has its effects later
  bool granted_ = false;     ///< since it was reset
};

}  // namespace reeve::policies
