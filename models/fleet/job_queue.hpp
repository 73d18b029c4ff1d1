// Queued attempts: what they requested, how long they may wait, and whether they are tried again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/fleet/account_quotas.hpp"
#include "models/fleet/core.hpp"
#include "models/fleet/event_delivery.hpp"

namespace reeve::models {

/// A submitted attempt that holds no instances yet.
struct Request {
  policy::JobId job;
  policy::AttemptNumber number = 1;
  policy::Origin origin = policy::Origin::person;
  Instant requested;
  Duration max_runtime = Duration::max();
  Instant lined_up = {};  ///< when MaxPendingTime began
};

/// How an attempt did, as its platform says.
struct Ended {
  policy::FailureClass cause = policy::FailureClass::none;
  Duration waited{0};  ///< until it had instances, if it ever did
};

/// The requests of a fleet and the limits of their waits.
class JobQueue {
 public:
  JobQueue(FleetCore& core, EventDelivery& events, const AccountQuotas& quotas)
      : core_{core}, events_{events}, quotas_{quotas} {}

  /// A first submission's request is what its specification says, and is not stored.
  Request request_of(policy::JobId job) const;
  void store(const Request& request) { requests_[request.job] = request; }
  void remove(policy::JobId job) {
    if (!requests_.empty()) requests_.erase(job);
  }

  /// MaxWaitTime is of managed Spot: elsewhere an attempt waits and runs as long as it takes.
  Instant wait_limit(policy::JobId job, Instant requested) const;
  /// How long its queue lets it wait for instances.
  Instant runnable_limit(policy::JobId job, Instant requested) const;
  /// MaxPendingTime.  It does not count while a training plan waits for its next window.
  Instant pending_limit(policy::JobId job, Instant since) const;
  void expect_wait_over(policy::JobId job, Instant requested);
  void expect_runnable_over(policy::JobId job, Instant requested);
  void expect_pending_over(policy::JobId job, Instant since);
  /// The attempt waited for as long as its queue lets it.
  void end_at_limit(policy::JobId job, policy::AttemptNumber attempt) {
    over_limit_.insert({job, attempt});
  }
  bool ended_at_limit(policy::JobId job, policy::AttemptNumber attempt) const {
    return over_limit_.contains({job, attempt});
  }

  /// AWS Batch, "Service job retry strategies": what fails for want of capacity, or is stopped
  /// because it was Pending for too long, is tried again for ever, uses no attempt, and its wait
  /// goes on; what else fails is tried again as its strategy says.  What is stopped has ended (a
  /// model: a stop of a job of a queue is taken for TerminateServiceJob).
  bool is_tried_again(policy::JobId job, const Ended& ended);
  /// Not its queue has submitted the job: its tries begin anew.
  void forget_tries(policy::JobId job) { tries_.erase(job); }
  void forget_wait(policy::JobId job);
  /// How often the job was preempted before.
  std::uint32_t count_preemption(policy::JobId job) { return preempted_[job]++; }

  std::int32_t priority(policy::JobId job) const;
  void change_priority(policy::JobId job, std::int32_t priority) { priorities_[job] = priority; }

  /// A job that had instances before waits for others; or for the same, which it never got.
  void begin_requeue_wait(policy::JobId job);
  /// It has them, or waits no more.
  void end_requeue_wait(policy::JobId job);

  /// The queue of a job that waits says that it cannot start it.  AWS Batch says so of the job at
  /// the head of its queue, and detects it in its own time; here it is said of any job, and at once
  /// (a model: only policies that schedule know which job is the head).
  void tell_blocked(policy::JobId job, policy::Blockage by);
  /// Environments limit only what a scheduler lets in.
  void compare_with_environment(policy::JobId job);

  /// Why an attempt failed, as DescribeTrainingJob or, where it never began, CreateTrainingJob
  /// says.
  std::string failure_reason(const policy::JobChanged& change) const;

 private:
  struct Tries {                 ///< what the queue of a job knows of its attempts
    std::uint16_t failures = 0;  ///< without those for want of capacity
    Duration waited{0};          ///< before its newest attempt, in those which lacked capacity
  };

  FleetCore& core_;
  EventDelivery& events_;
  const AccountQuotas& quotas_;
  std::map<policy::JobId, Request> requests_;  ///< only those that differ from a first submission
  std::map<policy::JobId, Tries> tries_;       ///< only of jobs that their queues tried again
  std::set<std::pair<policy::JobId, policy::AttemptNumber>> over_limit_;  ///< of their queues
  std::map<policy::JobId, std::int32_t> priorities_;  ///< only those that were changed
  std::map<policy::JobId, std::uint32_t> preempted_;  ///< how often
  /// Of queued jobs that had instances before: since they lost them, or were submitted anew.
  std::map<policy::JobId, Instant> requeued_;
};

}  // namespace reeve::models
