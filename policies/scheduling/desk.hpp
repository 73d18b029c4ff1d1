// Where jobs line up: news, refusals, limits and starts, once for all scheduling algorithms.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <set>
#include <vector>

#include "algorithm.hpp"
#include "quota.hpp"
#include "sections.hpp"

namespace reeve::policies {

/// What shares of other sections have of their own and do not use: of the machines of a pool, and
/// of what the environment of those who wait may have of it.
struct KeptForOthers {
  std::int64_t of_machines = 0;
  std::int64_t of_environment = 0;
};

/// Grants the machines of each pool to queued jobs as its algorithm says.  Costs O(1) per piece of
/// news beside what the algorithm costs; it never walks a queue.  Who was refused is held until a
/// timer fires or what refused it may have room.
class Desk final : public policy::Policy {
 public:
  Desk(policy::Duration retry_after, AlgorithmMaker algorithm)
      : retry_after_{retry_after}, make_algorithm_{std::move(algorithm)} {}

  void decide(const policy::Step& step, policy::Decisions& out) override;

  // What an algorithm may ask and say while it chooses.

  const policy::FleetView& fleet() const { return *fleet_; }
  policy::Instant now() const { return now_; }
  /// Asking for a start would only be refused.
  bool is_closed() const { return fleet_->kill_switch_engaged(); }
  /// The most instances that those who wait here may ever have at once.
  std::int64_t capacity(policy::PoolId pool) const {
    return sections_.most(serving_, pool, pools_[pool.index].capacity);
  }
  /// Instances that no attempt has or was granted, and that those who wait here may have; below 0
  /// where capacity was lost.  But for so many as are `kept` for others.
  std::int64_t free(policy::PoolId pool, KeptForOthers kept = {}) const {
    return headroom(pool, kept).least();
  }
  /// The same, by what limits it: they grow as others end.
  Headroom headroom(policy::PoolId pool, KeptForOthers kept = {}) const {
    const Pool& there = pools_[pool.index];
    if (sections_.count() > 1) kept.of_machines += promised_to_others(pool);
    Headroom room = sections_.headroom(
        serving_, pool, there.capacity - there.used - kept.of_machines, promised_elsewhere(pool));
    room.of_limit -= kept.of_environment;
    room.of_instances -= kept.of_environment;
    return room;
  }
  /// What is free, but for what is `kept`, and what those have who were let in here.
  std::int64_t own_and_free(policy::PoolId pool, KeptForOthers kept = {}) const {
    return free(pool, kept) + sections_.used(serving_, pool, pools_[pool.index].used);
  }
  /// What shares of other sections have of their own there and do not use: nobody here could give
  /// it back to them.  Changes only with the terms.  O(sections + shares), of one section O(1).
  KeptForOthers kept_for_others(policy::PoolId pool) const;
  /// Of what is free, what is kept for those shares.
  std::int64_t free_but_kept(policy::PoolId pool) const {
    return free(pool) - free(pool, kept_for_others(pool));
  }
  /// What is free for whoever takes no more than its share's own, where the shares here have so
  /// many of their `own` together: of what is `kept` for others only what makes up those.
  std::int64_t free_of_own(policy::PoolId pool, KeptForOthers kept, std::int64_t own) const {
    const std::int64_t used = own_and_free(pool) - free(pool);
    return std::max(free(pool, kept), std::min(free(pool), own - used));
  }
  /// Of what those who wait here may have, what no share has of its own, nor jobs of no share that
  /// wait elsewhere: it is for jobs of no share. O(shares + sections²).
  std::int64_t uncovered(policy::PoolId pool) const;
  /// What the share has of its own there; nothing, if it stands in another section.
  std::int64_t quota(policy::ShareId share, policy::PoolId pool) const {
    return sections_.has(serving_, share) ? std::int64_t{fleet_->quota(share, pool)} : 0;
  }
  /// Starts in the pool that are asked for and not answered.
  std::size_t asked(policy::PoolId pool) const {
    return limits_[pools_[pool.index].machines].asked;
  }
  /// Whether it still waits there; an entry of a line may be older than what became of the job.
  bool waits(policy::JobId job, policy::AttemptNumber attempt, policy::PoolId pool) const;
  std::uint32_t instances(policy::JobId job) const { return jobs_[job.index].instances; }
  /// Asks for the machines of one that waits and fits: they count as used at once.
  void start(policy::JobId job);
  /// Takes the machines of one that runs away; it has them until it has left.
  void preempt(policy::JobId job, policy::PreemptCause cause, policy::JobId to);
  /// Sends one that waits to the line of another pool: it enters there.
  void place(policy::JobId job, policy::PoolId pool);
  /// The pool is to be looked at again after so long, whatever happens.
  void look_after(policy::PoolId pool, policy::Duration wait);
  /// It is larger than its pool: it enters again if the pool grows.
  void set_aside(policy::JobId job);
  /// One that is held enters again.
  void release(policy::JobId job);

 private:
  enum class Phase : std::uint8_t { unknown, queued, held, granted, running, ended };

  /// The newest attempt of a job.  `granted` and `running` attempts count as using their machines.
  struct Job {
    policy::Instant requested_at;
    std::uint32_t instances = 0;  ///< 0: not told of yet
    policy::PoolId pool;
    std::uint32_t revision = 0;  ///< of the newest news
    policy::AttemptNumber attempt = 0;
    Phase phase : 6 = Phase::unknown;
    bool awaits_placement : 1 = false;
    bool has_taken : 1 = false;  ///< others were preempted for it
    std::uint8_t refusals = 0;   ///< of this attempt, one after the other
  };
  static_assert(sizeof(Job) == 24, "one for each job of a fleet, which may be millions");

  struct Pool {
    std::vector<policy::JobId> too_large;  ///< for the pool as it is
    std::int64_t capacity = 0;
    std::int64_t used = 0;
    std::vector<std::int64_t> used_by_share = {};  ///< where there are several sections
    std::vector<std::int64_t> promised = {};       ///< likewise, by section, as last noted
    std::size_t machines = 0;                      ///< its own limit
    std::size_t quota = 0;                         ///< the limit that it shares with others
    bool touched = false;
  };

  static constexpr std::uint32_t nobody_refused = std::numeric_limits<std::uint32_t>::max();

  /// Those whose start was refused by one thing that may have room again: the machines of a pool,
  /// or a quota of the account.
  struct Limit {
    std::map<std::uint32_t, std::set<Waiting>> refused;  ///< by size
    /// Who asks for so many or more is refused, as far as is known since something ended.
    std::uint32_t full_for = nobody_refused;
    /// The same of those for whom others lost machines, since something ended that was not taken.
    std::uint32_t full_for_takers = nobody_refused;
    std::size_t asked = 0;                 ///< starts that are asked for and not answered
    policy::Instant look = policy::never;  ///< when one of them finds out whether there is room
    std::uint8_t refusals = 0;             ///< one after the other
    bool stirred = false;
  };

  /// A job whose start was refused, and which is not to be asked for again before.
  struct Held {
    Waiting place;
    policy::Instant until = policy::never;
    std::optional<std::size_t> limit;  ///< what refused it, if that may have room
    std::uint32_t instances = 0;
  };

  void note(const policy::Observation& seen, const policy::Step& step);
  void submitted(const policy::JobSubmitted& news, policy::Instant at);
  void placed(const policy::JobPlaced& news);
  void changed(const policy::JobChanged& news, policy::Instant at);
  void ended(policy::JobId id);
  void runs(Job& job, policy::JobId id);
  void found_room(const Job& started);
  void settle(const policy::ActionSettled& settled, const policy::Observation& seen,
              const policy::Step& step);
  void preempt_settled(const policy::ActionSettled& settled, const policy::Step& step);
  void place_settled(const policy::ActionSettled& settled);
  void see_pools();
  void reprioritized(const policy::PriorityChanged& news);
  void woken(std::uint64_t key, policy::Instant now);
  void reconsider_all();

  std::optional<std::size_t> limit_of(const policy::ActionSettled& settled, const Pool& pool) const;
  void hold(const policy::ActionSettled& settled, const policy::Step& step);
  bool hold_until(policy::Instant until, std::optional<std::size_t> limit, policy::JobId id);
  void pause(policy::JobId id);
  void look_later(std::size_t place, policy::Instant now);
  void find_out(Limit& limit, policy::Instant now);
  policy::Duration wait_after(std::uint8_t refusals, policy::Duration enough) const;
  policy::Duration wait_of(const Job& job) const;
  bool was_taken_in_vain(policy::JobId victim) const;
  bool release_next(const Limit& limit);
  void reopen(std::size_t limit, bool taken = false);
  void stir(std::size_t limit);
  void answered(const Job& job);

  void leave(policy::JobId id);
  void let_go(policy::JobId id);
  void describe(Job& job, policy::JobId id, policy::Instant at);
  void enqueue(policy::JobId id);
  void use(policy::JobId id);
  void tell_machines(policy::JobId id);
  void tell_others(policy::JobId id);
  void resize(policy::PoolId id);
  void choose();
  void sort_by_first_come();
  void note_in_line(policy::JobId id, bool waits);

  std::int64_t promised_to_others(policy::PoolId pool) const;
  std::int64_t promised_elsewhere(policy::PoolId pool) const;
  bool is_first_of_environment(std::size_t section) const;
  std::int64_t used_by_nobodys(std::size_t section, policy::PoolId pool) const;
  void note_promises(policy::PoolId pool);

  Candidate candidate(policy::JobId id) const;
  Algorithm& algorithm_of(policy::JobId id);
  void count(policy::JobId id, bool uses);
  void use_by_share(Pool& pool, policy::JobId id, std::int64_t instances);
  void changed_elsewhere(policy::PoolId than, bool more);
  void terms_changed(policy::PoolId pool);
  Job& row(policy::JobId job);
  Pool& pool_of(policy::PoolId pool);
  void touch(policy::PoolId pool);

  policy::Duration retry_after_;
  AlgorithmMaker make_algorithm_;
  Sections sections_;
  std::size_t serving_ = 0;  ///< the section whose algorithm chooses
  std::vector<Job> jobs_;
  std::vector<Pool> pools_;
  std::vector<policy::PoolId> touched_;
  /// Who waits for a pool in a section whose environment spans pools, by submission.
  std::map<std::pair<std::size_t, policy::PoolId>,
           std::set<std::pair<policy::Instant, policy::JobId>>>
      lines_;
  std::vector<Limit> limits_;
  std::map<Quota, std::size_t> quotas_;  ///< their places in `limits_`
  std::vector<std::size_t> stirred_;     ///< in `limits_`
  std::map<policy::JobId, Held> held_;
  /// Who was preempted for whom, until it has machines again.
  std::map<policy::JobId, policy::JobId> taken_for_;
  std::set<policy::JobId> retried_;  ///< started at this instant, and not for the first time
  const policy::FleetView* fleet_ = nullptr;  ///< of the step that is decided
  policy::Decisions* out_ = nullptr;          ///< likewise
  policy::Instant now_;                       ///< likewise
};

}  // namespace reeve::policies
