// The queues of jobs of a scheduler: what every scheduling algorithm needs of events, limits and
// starts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <reeve/policy/policy.hpp>
#include <set>
#include <utility>
#include <vector>

#include "algorithm.hpp"
#include "pool_usage.hpp"
#include "refused_starts.hpp"
#include "sections.hpp"
#include "turn.hpp"

namespace reeve::policies {

/// Grants the instances of each pool to pending jobs as its algorithm chooses.  Costs O(1) per
/// event beside the algorithm; it never walks a queue.
class JobQueues final : public policy::Policy {
 public:
  JobQueues(policy::Duration retry_after, AlgorithmMaker algorithm)
      : make_algorithm_{std::move(algorithm)}, refused_{retry_after} {}

  void decide(const policy::Step& step, policy::Decisions& out) override;

  // What an algorithm asks and decides in its turn: see `Turn`.

  std::size_t asked(policy::PoolId pool) const {
    return refused_.asked_in(pools_[pool.index].limits);
  }
  bool waits(policy::JobId job, policy::AttemptNumber attempt, policy::PoolId pool) const;
  std::uint32_t instances(policy::JobId job) const { return jobs_[job.index].instances; }
  void start(policy::JobId job, const Turn& turn);
  void preempt(policy::JobId job, policy::PreemptCause cause, policy::JobId to, const Turn& turn);
  void place(policy::JobId job, policy::PoolId pool, const Turn& turn);
  void look_after(policy::PoolId pool, policy::Duration wait, const Turn& turn);
  void set_aside(policy::JobId job, const Turn& turn);
  void release(policy::JobId job, const Turn& turn);

 private:
  enum class Phase : std::uint8_t { unknown, queued, held, granted, running, ended };

  /// The newest attempt of a job.  `granted` and `running` attempts use their instances.
  struct Job {
    policy::Instant requested_at;
    std::uint32_t instances = 0;  ///< 0: its submission was not observed yet
    policy::PoolId pool;
    std::uint32_t revision = 0;  ///< of the newest event
    policy::AttemptNumber attempt = 0;
    Phase phase : 6 = Phase::unknown;
    bool awaits_placement : 1 = false;
    bool has_preempted : 1 = false;  ///< others were preempted for it
    std::uint8_t refusals = 0;       ///< of this attempt, one after the other

    bool uses_instances() const { return phase == Phase::granted || phase == Phase::running; }
  };
  static_assert(sizeof(Job) == 24, "one for each job of a fleet, which may be millions");

  struct Pool {
    std::vector<policy::JobId> too_large;     ///< for the pool as it is
    std::vector<std::int64_t> promised = {};  ///< where there are several sections: last noted
    RefusedStarts::Limits limits;
    bool touched = false;
  };

  // Events.

  void note(const policy::Observation& seen, policy::SeatId seat, const Turn& turn);
  void submitted(const policy::JobSubmitted& event, policy::Instant at, const Turn& turn);
  void placed(const policy::JobPlaced& event, const Turn& turn);
  void changed(const policy::JobChanged& event, policy::Instant at, const Turn& turn);
  void ended(policy::JobId id, const Turn& turn);
  void runs(Job& job, policy::JobId id, const Turn& turn);
  void settled(const policy::ActionSettled& settled, const policy::Observation& seen,
               policy::SeatId seat, const Turn& turn);
  void preempt_settled(const policy::ActionSettled& settled, const Turn& turn);
  void place_settled(const policy::ActionSettled& settled, const Turn& turn);
  void reprioritized(const policy::PriorityChanged& event, const Turn& turn);
  void resize(policy::PoolId id, const Turn& turn);
  void terms_changed(policy::PoolId pool, const Turn& turn);
  void timer_fired(std::uint64_t key, const Turn& turn);
  void reconsider_all();

  // Jobs.

  void hold(const policy::ActionSettled& settled, const Turn& turn);
  bool hold_until(policy::Instant until, std::optional<std::size_t> limit, policy::JobId id,
                  const Turn& turn);
  void pause(policy::JobId id, const Turn& turn);
  void leave(policy::JobId id, const Turn& turn);
  void enqueue(policy::JobId id, const Turn& turn);
  void describe(Job& job, policy::JobId id, policy::Instant at, const Turn& turn);
  void use(policy::JobId id, const Turn& turn);
  void count(policy::JobId id, bool uses, const Turn& turn);
  void report_instances(policy::JobId id, const Turn& turn);
  void report_to_others(policy::JobId id, const Turn& turn);
  bool was_preempted_without_effect(policy::JobId victim) const;
  static RefusedStarts::Start start_of(const Job& job) {
    return {.instances = job.instances, .has_preempted = job.has_preempted};
  }
  Candidate candidate(policy::JobId id) const;
  Algorithm& algorithm_of(policy::JobId id, const Turn& turn);
  Job& row(policy::JobId job);

  // Pools and sections.

  void choose(const Turn& turn);
  void sort_by_first_come(std::size_t section);
  void note_pending(policy::JobId id, bool pending, const Turn& turn);
  void note_promises(policy::PoolId pool, const Turn& turn);
  void changed_elsewhere(policy::PoolId than, bool more);
  void terms_changed(policy::PoolId pool);
  void see_pools(const Turn& turn);
  Pool& pool_of(policy::PoolId pool, const Turn& turn);
  void touch(policy::PoolId pool);

  AlgorithmMaker make_algorithm_;
  Sections sections_;
  PoolUsage usage_{sections_};
  RefusedStarts refused_;
  std::vector<Job> jobs_;
  std::vector<Pool> pools_;
  std::vector<policy::PoolId> touched_;
  /// Pending jobs of a pool in a section whose environment spans pools, by submission.
  std::map<std::pair<std::size_t, policy::PoolId>,
           std::set<std::pair<policy::Instant, policy::JobId>>>
      pending_;
  /// Which job each victim was preempted for, until the victim has instances again.
  std::map<policy::JobId, policy::JobId> preempted_for_;
  /// Attempts after the first that started at one instant.
  struct Retried {
    policy::Instant at;
    std::set<policy::JobId> jobs;
  } retried_;
};

}  // namespace reeve::policies
