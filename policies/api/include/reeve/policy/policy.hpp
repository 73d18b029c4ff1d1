// The whole contract between a policy and whatever runs it.
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
/// What a stop accuses the attempt of, and is judged by whether that was so: of standing still, of
/// training that learns no more, of GPUs that wait, of a start-up that never ends; or of nothing
/// but a broken rule.
enum class StopCause : std::uint8_t {
  rule_broken,
  standing_still,
  learning_nothing,
  using_little,
  never_starting,
};
/// How a job is found whose alarm goes off: it is named in what the alarm measures, or (two
/// articles' handler) what is left of the alarm's name when each "GPUUtil" is taken out of it.
enum class FoundBy : std::uint16_t { job_name, alarm_name };
/// Ends a running attempt: SIGTERM, the platform's grace, then the end.
struct StopJob {
  JobId job;
  AttemptNumber attempt = 1;
  StopCause cause = StopCause::rule_broken;
  std::uint16_t incident = 1;  ///< as in Notify: where the seat only warns, one message for each
  FoundBy found_by = FoundBy::job_name;
};
enum class ResumeFrom : std::uint8_t { last_checkpoint, scratch };
/// Fields of CreateTrainingJob that a clone leaves out although the original has them: bits of
/// CloneJob::loses.  Tags and the checkpoint have members of their own there.
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
/// What a further attempt is called: as clone_name says, or (the articles' handler) as the one
/// before with "clone" behind it, which SageMaker refuses beyond 63 characters.
enum class CloneNaming : std::uint16_t { numbered, appended };
/// Submits a further attempt at a job whose newest attempt is over.
struct CloneJob {
  JobId job;
  AttemptNumber attempt = 2;  ///< the number the new attempt gets: makes a repeat harmless
  ResumeFrom from = ResumeFrom::last_checkpoint;
  bool keep_tags = true;
  std::optional<PoolId> pool = std::nullopt;  ///< on other machines than the attempt before
  Duration max_runtime{0};  ///< its StoppingCondition; 0: as the job was submitted with
  std::uint16_t loses = 0;  ///< bits of CloneLoss
  CloneNaming naming = CloneNaming::numbered;
  /// The articles' handler: asked for once more by each further copy of the event that it is for.
  bool each_copy = false;
};
/// Caps the run time of an attempt that has not ended: the platform ends it there.
struct LimitRuntime {
  JobId job;
  AttemptNumber attempt = 1;
  Duration limit{0};
};
/// Creates or reconfigures the alarm; an existing alarm keeps its state.
struct PutAlarm {
  AlarmId alarm;  ///< the host fills in the seat
  AttemptNumber attempt = 1;
  AlarmRule rule;
};
struct DeleteAlarm {
  AlarmId alarm;              ///< the host fills in the seat, unless it is `of_others`
  AttemptNumber attempt = 1;  ///< SageMaker: each attempt is a training job with metrics of its own
  bool of_others = false;     ///< an alarm that another seat has put and left behind
};
/// Tells people.  One message per incident of an attempt and seat: repeats are dropped by the host.
struct Notify {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint16_t incident = 1;  ///< counted by the rule, per attempt
};
/// Chooses the machines that a queued attempt shall run on.
struct PlaceJob {
  JobId job;
  AttemptNumber attempt = 1;
  PoolId pool;
};
/// From now on the running attempt holds machines of `pool`, or none.  Only where a job may change
/// its machines; SageMaker refuses it.
struct MoveJob {
  JobId job;
  AttemptNumber attempt = 1;
  bool hold = true;
  PoolId pool;
};

/// Gives back what an attempt that is over left running.  Only where machines can outlive their
/// job; SageMaker refuses it.
struct TerminateInstances {
  JobId job;
  AttemptNumber attempt = 1;
};

/// Tells the script of a running attempt to save its work now.  Refused where it cannot be told.
struct SaveCheckpoint {
  JobId job;
  AttemptNumber attempt = 1;
};

/// Takes the machines of a running attempt away for others of its queue; the job stands in its line
/// again as a further attempt, unless it was preempted as often as it may be.  Refused where the
/// job stands in no queue.
struct PreemptJob {
  JobId job;
  AttemptNumber attempt = 1;
  PreemptCause cause = PreemptCause::reclaim;
  JobId to = {};  ///< who needs the machines; itself where nobody does
};

using Verb = std::variant<StartJob, StopJob, CloneJob, LimitRuntime, PutAlarm, DeleteAlarm, Notify,
                          PlaceJob, MoveJob, TerminateInstances, SaveCheckpoint, PreemptJob>;

/// A wish.  The host may refuse it, and always says so with an ActionSettled.
struct Decision {
  Verb verb;
  std::string_view reason;  ///< static text, one per rule: reports group by it
  std::string basis = {};   ///< what it rests on, here and now: "2 of 3 looks", "$96.00 of $90.00"
};

/// Collects what one policy wants in one step.  Throws std::length_error at more than any can mean,
/// before it takes all memory.
class Decisions {
 public:
  void propose(const Verb& verb, std::string_view reason, std::string basis = {}) {
    if (proposed_.size() == at_most) throw std::length_error{"too many decisions in one step"};
    proposed_.push_back({verb, reason, std::move(basis)});
  }
  /// Asks for a TimerFired{key} at `at` (or the first step after it); re-arms `key`.
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
  SeatId seat;                            ///< the policy's own seat
  std::span<const Observation> observed;  ///< since the previous step, oldest first
  const FleetView& fleet;                 ///< the belief after folding `observed`
};

/// A pure state machine: no clock, no threads, no I/O, no randomness of its own.
/// Equal sequences of steps give equal sequences of decisions, in the simulator and in production.
/// Observations may be repeated and late: a policy decides on the belief, not on the news alone.
/// It is asked in the first step and in each that has something to tell it, a timer of its own
/// included.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual void decide(const Step& step, Decisions& out) = 0;
};

}  // namespace reeve::policy
