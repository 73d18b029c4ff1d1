// The contract between a policy and its host.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/alarm_rule.hpp>
#include <reeve/policy/fleet_view.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reeve::policy {

/// Runs a queued attempt now (a scheduler's grant).
struct StartJob {
  JobId job;
  AttemptNumber attempt = 1;
};
/// The claim of a stop, by which it is judged: the attempt stalls, learns no more, leaves its GPUs
/// idle or never starts; or it only violates a policy (`rule_broken`).
enum class StopCause : std::uint8_t {
  rule_broken,
  standing_still,
  learning_nothing,
  using_little,
  never_starting,
};
/// How a handler finds the job of an alarm: the alarm's dimensions name it, or (handler of two
/// articles) it is the alarm's name with each "GPUUtil" removed.
enum class FoundBy : std::uint16_t { job_name, alarm_name };
/// Ends a running attempt: SIGTERM, stop grace, then the end.
struct StopJob {
  JobId job;
  AttemptNumber attempt = 1;
  StopCause cause = StopCause::rule_broken;
  std::uint16_t incident = 1;  ///< as in Notify: in warn mode, one message per incident
  FoundBy found_by = FoundBy::job_name;
};
enum class ResumeFrom : std::uint8_t { last_checkpoint, scratch };
/// Fields of CreateTrainingJob that the original has and a clone lacks: bits of CloneJob::loses.
/// Tags and the checkpoint have their own members in CloneJob.
enum class CloneLoss : std::uint16_t {
  input_data = 1,
  vpc = 2,
  checkpoint = 4,
  environment = 8,
  retry_strategy = 16,
  experiment = 32,
  debug = 64,
  profiler = 128,
  tags = 256,
};
/// The name of a further attempt: as clone_name returns it, or (the articles' handler) the previous
/// name with "clone" appended, which SageMaker rejects beyond 63 characters.
enum class CloneNaming : std::uint16_t { numbered, appended };
/// Submits a further attempt at a job whose newest attempt has ended.
struct CloneJob {
  JobId job;
  AttemptNumber attempt = 2;  ///< number of the new attempt: makes a repeat harmless
  ResumeFrom from = ResumeFrom::last_checkpoint;
  bool keep_tags = true;
  std::optional<PoolId> pool = std::nullopt;  ///< if not that of the previous attempt
  Duration max_runtime{0};  ///< its StoppingCondition; 0: that of the job's submission
  std::uint16_t loses = 0;  ///< bits of CloneLoss
  CloneNaming naming = CloneNaming::numbered;
  /// The articles' handler: each duplicate of the event requests the clone again.
  bool each_copy = false;
};
/// Limits the run time of an attempt that has not ended: the platform ends it at the limit.
struct LimitRuntime {
  JobId job;
  AttemptNumber attempt = 1;
  Duration limit{0};
};
/// Creates or reconfigures the alarm; an existing alarm keeps its state.
struct PutAlarm {
  AlarmId alarm;  ///< the host sets the seat
  AttemptNumber attempt = 1;
  AlarmRule rule;
};
struct DeleteAlarm {
  AlarmId alarm;              ///< the host sets the seat, unless `of_others`
  AttemptNumber attempt = 1;  ///< SageMaker: each attempt is a training job with its own metrics
  bool of_others = false;     ///< an orphaned alarm of another seat
};
/// Sends a message to people.  The host drops repeats: one message per incident of an attempt and
/// seat.
struct Notify {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint16_t incident = 1;  ///< counted by the rule per attempt
};
/// Chooses the pool that a queued attempt will run in.
struct PlaceJob {
  JobId job;
  AttemptNumber attempt = 1;
  PoolId pool;
};
/// From now on the running attempt holds instances of `pool`, or none.  Only on platforms that can
/// move a running job; SageMaker rejects it.
struct MoveJob {
  JobId job;
  AttemptNumber attempt = 1;
  bool hold = true;
  PoolId pool;
};

/// Terminates the orphaned instances of an ended attempt.  Only on platforms where instances can
/// outlive their job; SageMaker rejects it.
struct TerminateInstances {
  JobId job;
  AttemptNumber attempt = 1;
};

/// Tells the script of a running attempt to save a checkpoint now.  Refused if the script cannot
/// receive the request.
struct SaveCheckpoint {
  JobId job;
  AttemptNumber attempt = 1;
};

/// Takes the instances of a running attempt for other jobs of its queue.  The queue requeues the
/// job as a further attempt, unless it has reached its limit of preemptions.  Refused if the job is
/// in no queue.
struct PreemptJob {
  JobId job;
  AttemptNumber attempt = 1;
  PreemptCause cause = PreemptCause::reclaim;
  JobId to = {};  ///< the job that needs the instances; the preempted job itself if none does
};

using Verb = std::variant<StartJob, StopJob, CloneJob, LimitRuntime, PutAlarm, DeleteAlarm, Notify,
                          PlaceJob, MoveJob, TerminateInstances, SaveCheckpoint, PreemptJob>;

/// A proposed action.  The host can refuse it; an ActionSettled always states the result.
struct Decision {
  Verb verb;
  std::string_view reason;  ///< static text, one per rule: reports group by it
  std::string basis = {};   ///< the evidence at this time: "2 of 3 looks", "$96.00 of $90.00"
};

/// The proposals of one policy in one step.  Throws std::length_error beyond `at_most` proposals or
/// timers.
class Decisions {
 public:
  void propose(const Verb& verb, std::string_view reason, std::string basis = {}) {
    if (proposed_.size() == at_most) throw std::length_error{"too many decisions in one step"};
    proposed_.push_back({verb, reason, std::move(basis)});
  }
  /// Requests a TimerFired{key} at `at` (or the first step after it).  A second call re-arms `key`.
  void wake_at(std::uint64_t key, Instant at) {
    if (timers_.size() == at_most) throw std::length_error{"too many timers in one step"};
    timers_.push_back({key, at});
  }
  static constexpr std::size_t at_most = std::size_t{1} << 22;

  struct Timer {
    std::uint64_t key;
    Instant at;
  };
  std::span<const Decision> proposed() const { return proposed_; }
  std::span<const Timer> timers() const { return timers_; }
  void clear() {
    proposed_.clear();
    timers_.clear();
  }

 private:
  std::vector<Decision> proposed_;
  std::vector<Timer> timers_;
};

struct Step {
  Instant now;
  SeatId seat;                            ///< of this policy
  std::span<const Observation> observed;  ///< since the previous step, oldest first
  const FleetView& fleet;                 ///< the belief, updated with `observed`
};

/// A pure state machine: no clock, threads, I/O or randomness of its own.  Equal sequences of steps
/// give equal sequences of decisions, in the simulator and in production.  Observations can be
/// repeated and late, so a policy decides on the belief and not on observations alone.  The host
/// calls it in the first step and in each step with an observation for it (timers included).
class Policy {
 public:
  virtual ~Policy() = default;
  virtual void decide(const Step& step, Decisions& out) = 0;
};

}  // namespace reeve::policy
