// What reeve can learn about a fleet.  The same structs come from the simulator and from AWS.
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
/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 3> alarm_state_names{"insufficient_data", "ok",
                                                                   "alarm"};
enum class Outcome : std::uint8_t { done, partly_done, refused, expired };

/// Who refused.  `moot`: pointless by what is believed.  `conflict`: another action on the job was
/// in flight.  `kill_switch`: it was engaged, whatever else there is to say.  `seat_mode`: the seat
/// is in shadow or only warns.  `rate_limit`: a guard, for a while (mostly as many went before).
/// `no_room`: the platform, but only for now: the account has as much as it may.
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

/// Which alternative of `Verb` an action is; the order is that of the variant.
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

/// A person or a rule asked for an attempt at a job.  The job is queued from here on.
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
  std::uint32_t revision =
      0;  ///< length of SecondaryStatusTransitions: orders the news of an attempt
  Primary primary = Primary::queued;
  Secondary secondary = Secondary::queued;
  FailureClass failure = FailureClass::none;
  std::uint16_t interruptions =
      0;  ///< of the attempt so far (SageMaker: its transitions list them)
  /// How unsure the class of the failure is, by what it was read from; 0: certain.
  std::uint8_t doubt_pct = 0;
};

/// An alarm's state changed (CloudWatch: actions run on transitions only).
struct AlarmChanged {
  AlarmId alarm;
  AttemptNumber attempt = 1;
  AlarmState state = AlarmState::insufficient_data;
};

/// A queued attempt will run on machines of `pool`.
struct JobPlaced {
  JobId job;
  AttemptNumber attempt = 1;
  PoolId pool;
};

/// How far an attempt has come, where the platform tells (a job that reports on itself).
struct ProgressReported {
  JobId job;
  AttemptNumber attempt = 1;
  Duration done{0};           ///< work
  Duration overhead_left{0};  ///< of the restart under way
  bool holds_machines = false;
  PoolId pool;  ///< whose, if any
};

/// `interruption`: machines will be taken away.  `rebalance`: they are likelier to be than others.
/// `block_end`: the capacity block that they are of ends.
enum class SpotSignal : std::uint8_t { interruption, rebalance, block_end };

/// Spot warns an attempt, if it does at all (EC2: two minutes ahead at best); so does a capacity
/// block before its end.
struct SpotNotice {
  JobId job;
  AttemptNumber attempt = 1;
  SpotSignal signal = SpotSignal::interruption;
  Instant at;  ///< of the loss; of a rebalance signal: when it was sent
  std::uint32_t instances = 0;
};

/// An attempt lost some of its machines for good and goes on holding the others.
struct NodesLost {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint32_t lost = 0;  ///< now
  std::uint32_t left = 0;
};

/// Machines of an attempt that is over still run, and are billed.  Told when they are left over,
/// and whenever their number changes; `instances` is 0 when the last of them is gone.
struct MachinesLeft {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint32_t instances = 0;
};

/// What a job's own training script writes down of itself; only rules that ask for it are told.  It
/// writes nothing while it stands still.
struct TrainingReported {
  JobId job;
  AttemptNumber attempt = 1;
  Duration done{0};  ///< work, what is not saved yet included
  bool has_loss = false;
  double loss = 0;  ///< NaN where training has diverged
};

/// By what a job gives signs of life, besides its own reports of steps: bits of SignsSeen.
enum class Sign : std::uint8_t { log_lines = 1, network = 2, power = 4 };

/// Whether a set of signs has that one.
constexpr bool has_sign(std::uint8_t signs, Sign sign) {
  return (signs & static_cast<std::uint8_t>(sign)) != 0;
}

/// What is seen of an attempt from without, as often as it would report; only rules that ask for
/// reports are told.  Whatever is not seen has not happened since the time before.
struct SignsSeen {
  JobId job;
  AttemptNumber attempt = 1;
  std::uint8_t signs = 0;  ///< bits of Sign
};

/// How many instances a pool offers in all.
struct CapacityChanged {
  PoolId pool;
  std::uint32_t instances = 0;
};

/// Somebody pulled or released the kill switch: while engaged no action leaves the host.
struct KillSwitchChanged {
  bool engaged = false;
};

struct TimerFired {
  std::uint64_t key = 0;
};

/// Somebody changed how many instances of a pool are a share's own (AWS Batch: UpdateQuotaShare).
struct QuotaChanged {
  ShareId share;
  PoolId pool;
  std::uint32_t instances = 0;
};

/// Somebody changed a job's priority (AWS Batch: UpdateServiceJob).
struct PriorityChanged {
  JobId job;
  AttemptNumber attempt = 1;  ///< the newest then
  std::int32_t priority = 0;
};

/// A job that waits in a queue cannot start, and may hold up who stands behind it (AWS Batch:
/// Service Job Queue Blocked).
struct QueueBlocked {
  JobId job;
  AttemptNumber attempt = 1;
  QueueId queue;
  Blockage by = Blockage::capacity;
};

/// Exactly one per decision.  When it says `done`, the fleet view already shows the effect.
struct ActionSettled {
  ActionId action;
  VerbKind verb = VerbKind::start_job;
  Outcome outcome = Outcome::done;
  SeatId seat;  ///< whose decision it was
  JobId job;    ///< its target
  AttemptNumber attempt = 1;
  std::uint32_t host = 0;  ///< of an alarm verb: whose alarm, as in AlarmId; else 0
  /// `refused`: by whom; `expired`: kill_switch if that kept it from being tried again.
  Refusal refusal = Refusal::none;
  /// `rate_limit`: when there is room again, unless others take it; told by then.  Else never.
  Instant room_at = never;
  std::uint16_t alarm_seat = 0;  ///< of an alarm verb: whose alarm, as in AlarmId; else 0
  std::uint16_t incident = 0;    ///< of a message or a stop: as in the verb; else 0
};

using Fact = std::variant<JobSubmitted, JobChanged, AlarmChanged, CapacityChanged,
                          KillSwitchChanged, TimerFired, ActionSettled, JobPlaced, ProgressReported,
                          SpotNotice, NodesLost, TrainingReported, MachinesLeft, SignsSeen,
                          QuotaChanged, PriorityChanged, QueueBlocked>;

/// One thing learnt.  `happened_at` may lie before the step that delivers it: telemetry is late.
struct Observation {
  Instant happened_at;
  Fact fact;
};

}  // namespace reeve::policy
