// The core of a simulated fleet that its parts share: world, clock, event queue, record, jobs and
// running attempts.
#pragma once

#include <cstdint>
#include <vector>

#include "models/fleet/attempt.hpp"
#include "models/fleet/simulation.hpp"
#include "models/record.hpp"
#include "models/unmanaged.hpp"
#include "models/world.hpp"
#include "sim/draws.hpp"
#include "sim/event_queue.hpp"

namespace reeve::models {

/// Kinds of events; the comment names the subject.
enum class EventKind : std::uint32_t {
  attempt_due,       // slot of the attempt
  message_due,       // slot of the message
  call_due,          // slot of the call
  reply_due,         // slot of the reply
  alarm_due,         // index of the alarm
  human_returns,     // index of the human
  human_reacts,      // job; the stamp is the attempt that ended
  human_reads,       // job; the stamp is the attempt that the message is about
  switch_turns,      // 1: engaged, 0: released
  quota_turns,       // which change
  priority_turns,    // likewise
  wait_is_over,      // job; the stamp is the attempt that waits
  machines_return,   // pool; the stamp is how many
  market_turns,      // pool
  market_is_seen,    // pool: what it offers later
  false_signal_due,  // slot: a rebalance signal that no loss follows
  launch_due,        // slot: a loss to come becomes known, or is announced
  spare_due,         // id of the spare
  report_due,        // slot of the attempt; the stamp is the report's number
  outage_turns,      // index of the outage; the stamp is 1 where it begins
  nodes_turn,        // pool: an instance breaks, hangs or is back
  block_warning,     // pool; the stamp is the window of it that ends soon
  capacity_found,    // job; the stamp is the number of the promise
};

/// What a JobRow does not say of a job.
struct JobTruth {
  Slot running = no_slot;
  std::uint32_t revision = 0;
  std::uint32_t calls = 0;   ///< made about the job
  std::uint32_t events = 0;  ///< sent about the job: addresses of their draws
  policy::PoolId pool;       ///< of the newest attempt
  policy::AttemptNumber attempts = 0;
  std::uint16_t interruptions = 0;  ///< of the newest attempt
  std::uint16_t loses = 0;          ///< CloneLoss of its newest attempt
  bool waiting : 1 = false;         ///< its newest attempt is a Request
  bool person_waits : 1 = false;    ///< an operator resubmits it as soon as it ends
  bool keeps_tags : 1 = true;
  bool in_quota : 1 = false;        ///< its newest attempt counts against the quotas of its pool
  bool unplaced : 1 = false;        ///< waits for a PlaceJob
  bool preempted : 1 = false;       ///< its newest attempt ends because of that
  bool requeues : 1 = false;        ///< and is followed by another
  bool ends_as_logged : 1 = false;  ///< its newest attempt did all that the log says of the job
};
static_assert(sizeof(JobTruth) == 28, "one for each job of a fleet, which may be millions");

/// What all parts of a fleet read and write.  The world must outlive it.
struct FleetCore {
  FleetCore(const World& of, std::uint32_t replication_nr, Admission admits, Keep keeps);

  const World& world;
  const std::uint32_t replication;
  const Admission admission;
  const Keep keep;
  Instant now;
  sim::EventQueue queue;
  Record record;
  std::vector<JobTruth> truth;   ///< by JobId
  std::vector<Running> running;  ///< by slot; free ones have no job
  std::vector<Slot> free_slots;
  std::uint64_t alive = 0;                   ///< attempts that have not ended
  std::uint64_t turns_pending = 0;           ///< of markets and nodes, in the queue
  Instant first_submission = policy::never;  ///< that there was
  Instant span_until = Instant::min();       ///< an attempt's end, or an instance's, so far
  Instant last_work;                         ///< when something last happened to a job
  Instant last_progress;                     ///< when a job last came closer to its end

  /// Adds an event; at `never` it does not happen.
  void push(Instant at, sim::Phase phase, EventKind kind, std::uint32_t subject,
            std::uint32_t stamp) {
    if (at == policy::never) return;
    queue.push(at.time_since_epoch().count(), phase, static_cast<std::uint32_t>(kind), subject,
               stamp);
  }
  double uniform(sim::Cause cause, std::uint32_t entity, std::uint32_t nth) const {
    return sim::uniform({world.seed, replication, cause, entity, nth});
  }
  const JobSpec& spec(policy::JobId job) const { return record.jobs.specs[job.index]; }
  const JobProfile& profile(policy::JobId job) const { return world.profiles[spec(job).profile]; }
  /// Work that a restart of the job need not redo.
  Duration& durable(policy::JobId job) { return record.job_rows[job.index].progress; }
  Duration durable(policy::JobId job) const { return record.job_rows[job.index].progress; }
  /// What the present training of the attempt is: first what the log says was lost, then the work.
  struct Ahead {
    const Checkpoint& plan;
    Duration left;  ///< at full speed
  };
  Ahead ahead(const Running& run) const {
    static constexpr Checkpoint unsaved{};
    if (run.losing > Duration{0}) [[unlikely]]
      return {unsaved, run.losing};
    return {profile(run.job).checkpoint, spec(run.job).work - durable(run.job)};
  }
  Slot slot_of(const Running& run) const { return static_cast<Slot>(&run - running.data()); }
  /// The attempt, if it runs; else null.
  Running* find(policy::JobId job, policy::AttemptNumber attempt);
  /// The attempt stalls, if it does, and now an alarm, a policy or an operator has detected it.
  void note_detection(policy::JobId job, policy::AttemptNumber attempt);
  /// Whether attempts wait for a StartJob.
  bool holds() const {
    return admission == Admission::held || admission == Admission::placed_then_held;
  }
  bool awaits_placement(policy::Origin origin) const {
    const bool placed = admission == Admission::placed || admission == Admission::placed_then_held;
    return placed && origin == policy::Origin::person;
  }
  /// Whether work that is done is delivered later than at once.
  bool uploads() const {
    return world.platform.model != PlatformModel::ideal && world.platform.upload.count() > 0;
  }
  bool unmanaged() const { return is_unmanaged(world.platform.model); }
};

}  // namespace reeve::models
