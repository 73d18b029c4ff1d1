// What reeve can learn about a fleet.  The simulator and AWS produce the same structs.
#pragma once

#include <array>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/queue.hpp>
#include <reeve/policy/units.hpp>
#include <string_view>
#include <variant>

namespace reeve::policy {

enum class AlarmState : std::uint8_t { insufficient_data, ok, alarm };
/// The only spelling of each state, by value.
inline constexpr std::array<std::string_view, 3> alarm_state_names{"insufficient_data", "ok",
                                                                   "alarm"};
enum class Outcome : std::uint8_t { done, partly_done, refused, expired };

/// The cause of a refusal.  `platform`: it rejected the call.  `moot`: by the belief, the action
/// has no effect.  `conflict`: another action on the job is in flight.  `kill_switch`: it is
/// engaged; takes precedence over all other causes.  `seat_mode`: the seat is in shadow or warn
/// mode.  `rate_limit`: a guard, temporarily (mostly a rate).  `no_room`: the platform,
/// temporarily: the account's quota is used up.
enum class Refusal : std::uint8_t {
  none,
  platform,
  moot,
  conflict,
  guard,
  kill_switch,
  seat_mode,
  rate_limit,
  no_room,
};

/// Which alternative of `Verb` an action is, in the order of the variant.
enum class VerbKind : std::uint8_t {
  start_job,
  stop_job,
  clone_job,
  limit_runtime,
  put_alarm,
  delete_alarm,
  notify,
  place_job,
  move_job,
  terminate_instances,
  save_checkpoint,
  preempt_job,
};

/// A person, a rule or a queue submitted an attempt at a job.  The job is queued from here on.
struct JobSubmitted {
  JobId job;
  AttemptNumber attempt = 1;
  Origin origin = Origin::person;
  JobDescription description;
};

/// An attempt entered a status.  EventBridge may deliver it twice, late and out of order.
struct JobChanged {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint32_t revision = 0;  ///< length of SecondaryStatusTransitions: orders the events
  Primary primary = Primary::queued;
  Secondary secondary = Secondary::queued;
  FailureClass failure = FailureClass::none;
  std::uint16_t interruptions = 0;  ///< so far (SageMaker lists them in its transitions)
  /// How unsure the failure class is, given the source that it was read from; 0: certain.
  std::uint8_t doubt_pct = 0;
  /// The attempt is Starting and waits for capacity: its StatusMessage says "Insufficient
  /// capacity".
  bool lacks_capacity = false;
};

/// The state of an alarm changed (CloudWatch runs actions on transitions only).
struct AlarmChanged {
  AlarmId alarm;
  AttemptNumber attempt = 1;
  AlarmState state = AlarmState::insufficient_data;
};

/// A queued attempt will run on instances of `pool`.
struct JobPlaced {
  JobId job;
  AttemptNumber attempt = 1;
  PoolId pool;
};

/// The progress of an attempt, if the platform reports it (or the job does).
struct ProgressReported {
  JobId job;
  AttemptNumber attempt = 1;
  Duration done{0};           ///< of the work
  Duration overhead_left{0};  ///< of the current restart
  bool holds_machines = false;
  PoolId pool;  ///< of the held instances, if any
};

/// `interruption`: the platform will reclaim instances.  `rebalance`: their risk of interruption is
/// elevated.  `block_end`: their capacity block ends.
enum class SpotSignal : std::uint8_t { interruption, rebalance, block_end };

/// A notice to an attempt before Spot reclaims its instances (EC2: at most two minutes ahead,
/// sometimes none), or before its capacity block ends.
struct SpotNotice {
  JobId job;
  AttemptNumber attempt = 1;
  SpotSignal signal = SpotSignal::interruption;
  Instant at;  ///< of the loss; of `rebalance`: when it was sent
  std::uint32_t instances = 0;
};

/// An attempt lost some of its instances permanently and keeps the others.
struct NodesLost {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint32_t lost = 0;  ///< in this loss
  std::uint32_t left = 0;
};

/// Instances of a terminal attempt are orphaned: they still run and are billed.  Sent when they
/// become orphaned and whenever their number changes; `instances` is 0 when the last one is gone.
struct MachinesLeft {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint32_t instances = 0;
};

/// A progress report of a job's training script.  Only rules that read reports receive it
/// (`PolicyKind::reads_reports`).  A stalled script reports nothing.
struct TrainingReported {
  JobId job;
  AttemptNumber attempt = 1;
  Duration done{0};  ///< work, including unsaved work
  bool has_loss = false;
  double loss = 0;  ///< NaN if training has diverged
};

/// Signs of life of a job besides its reports of steps: bits of SignsSeen.
enum class Sign : std::uint8_t { log_lines = 1, network = 2, power = 4 };

/// Whether `signs` includes `sign`.
constexpr bool has_sign(std::uint8_t signs, Sign sign) {
  return (signs & static_cast<std::uint8_t>(sign)) != 0;
}

/// Signs of life of an attempt, observed from outside at the interval of its reports.  Only rules
/// that read reports receive it.  A sign that is absent has not occurred since the previous
/// observation.
struct SignsSeen {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint8_t signs = 0;  ///< bits of Sign
};

/// The total number of instances that a pool offers.
struct CapacityChanged {
  PoolId pool;
  std::uint32_t instances = 0;
};

/// An operator engaged or released the kill switch.  While it is engaged, no action leaves the
/// host.
struct KillSwitchChanged {
  bool engaged = false;
};

struct TimerFired {
  std::uint64_t key = 0;
};

/// An operator changed a share's own quota of a pool (AWS Batch: UpdateQuotaShare).
struct QuotaChanged {
  ShareId share;
  PoolId pool;
  std::uint32_t instances = 0;
};

/// A user changed the priority of a job (AWS Batch: UpdateServiceJob).
struct PriorityChanged {
  JobId job;
  AttemptNumber attempt = 1;  ///< the newest at that time
  std::int32_t priority = 0;
};

/// A queued job cannot start, and can block the jobs behind it (AWS Batch: Service Job Queue
/// Blocked).
struct QueueBlocked {
  JobId job;
  AttemptNumber attempt = 1;
  QueueId queue;
  Blockage by = Blockage::capacity;
};

/// Sent exactly once per decision.  With `done`, the fleet view already shows the effect.
struct ActionSettled {
  ActionId action;
  VerbKind verb = VerbKind::start_job;
  Outcome outcome = Outcome::done;
  SeatId seat;  ///< of the decision
  JobId job;    ///< the target
  AttemptNumber attempt = 1;
  std::uint32_t host = 0;  ///< of an alarm verb: as in AlarmId; else 0
  /// The cause, if `refused`; kill_switch, if it prevented further tries of an `expired` action.
  Refusal refusal = Refusal::none;
  /// With `rate_limit`: when there is room again, unless other actions use it first.  An
  /// observation is due by then.  Else never.
  Instant room_at = never;
  std::uint16_t alarm_seat = 0;  ///< of an alarm verb: as in AlarmId; else 0
  std::uint16_t incident = 0;    ///< of a message or a stop: as in the verb; else 0
};

using Fact = std::variant<JobSubmitted, JobChanged, AlarmChanged, CapacityChanged,
                          KillSwitchChanged, TimerFired, ActionSettled, JobPlaced, ProgressReported,
                          SpotNotice, NodesLost, TrainingReported, MachinesLeft, SignsSeen,
                          QuotaChanged, PriorityChanged, QueueBlocked>;

/// One observed fact.  `happened_at` can lie before the step that delivers it: telemetry is late.
struct Observation {
  Instant happened_at;
  Fact fact;
};

}  // namespace reeve::policy
