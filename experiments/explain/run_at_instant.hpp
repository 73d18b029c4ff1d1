// A run of a scenario at one instant: which jobs wait there, and what each waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/explain/line_blocker.hpp"
#include "experiments/explain/queue_snapshot.hpp"
#include "experiments/explain/share_turns.hpp"
#include "experiments/run.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// Which run, and when.
struct InstantQuestion {
  const scenarios::PolicySpec* policy = nullptr;
  std::uint32_t replication = 0;
  policy::Duration at{0};  ///< since the start of the clock
};

/// The scenario and the policy must outlive it.  Pointers are into its snapshot and its record.
class RunAtInstant {
 public:
  RunAtInstant(const scenarios::Scenario& scenario, const InstantQuestion& question,
               const std::atomic<bool>* interrupted);

  const QueueSnapshot& snapshot() const { return snapshot_; }
  std::optional<ShareTurns> turns(const Waiter& waiter) const;
  /// Jobs that were preempted for the waiter since it waits and have not left yet: what they have
  /// is for it.
  std::vector<const models::PreemptionRow*> leavers_for(const Waiter& waiter) const;
  /// The waiter that keeps this one from its turn.
  LineBlocker first_in_line(const Waiter& waiter) const;
  /// The same, unless that waiter starts before this one or jobs leave for this one.
  LineBlocker blocker(const Waiter& waiter) const;
  /// Waiters of the same fleet that start before it.
  std::vector<const Waiter*> ahead_of(const Waiter& waiter) const;
  /// The most of the pool that its share, or a job in none, can ever have; none: no rule keeps
  /// shares to quotas.
  std::optional<std::int64_t> reach(const Waiter& waiter) const;

  const scenarios::Scenario& scenario() const { return scenario_; }
  const scenarios::PolicySpec& policy() const { return *question_.policy; }
  const models::Record& record() const { return result_.record; }
  const models::World& world() const { return scenario_.world; }
  const Holdings& holdings() const { return holdings_; }
  policy::Instant at() const { return at_; }
  policy::Duration since_start() const { return question_.at; }

  /// The attempt that was newest at the instant; null: the job was not submitted yet.
  const models::AttemptRow* newest_attempt(policy::JobId job) const;
  /// Null: the attempt has no instances at the instant.
  const Holding* held(policy::JobId job, policy::AttemptNumber attempt) const;
  const policy::JobTerms& terms_of(policy::JobId job) const;
  std::string queue_of(policy::JobId job) const;        ///< empty: none
  std::string share_of(policy::JobId job) const;        ///< likewise
  std::string environment_of(policy::JobId job) const;  ///< of its queue; likewise
  /// Waiters of a queue in every fleet, or of a fleet, in the order in which they start.
  std::vector<Waiter> line_of(const std::string& name, bool is_queue) const;

  /// Another run of the same replication; what it keeps is enough for its holdings.
  RunResult run_with(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy);
  bool partial() const { return partial_; }  ///< this run, or another of it, was interrupted

 private:
  const scenarios::Scenario& scenario_;
  InstantQuestion question_;
  const std::atomic<bool>* interrupted_;
  policy::Instant at_;
  bool partial_ = false;
  RunResult result_;
  Holdings holdings_;
  QueueSnapshot snapshot_;
};

}  // namespace reeve::experiments
