// What AWS reports about a fleet, decoded: an EventBridge event or a description of a job.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <variant>
#include <vector>

#include "live/events/transition_list.hpp"

namespace reeve::live {

/// A SageMaker training job at one time.  An event lacks some fields of DescribeTrainingJob; a
/// field that is null is a field that is absent.
struct TrainingJobState {
  std::string name;
  std::string arn;
  policy::Primary primary = policy::Primary::in_progress;
  policy::Secondary secondary = policy::Secondary::other;
  std::string secondary_word;  ///< as AWS writes it; a newer status is `other`
  std::string failure_reason;
  std::optional<std::vector<policy::Tag>> tags;  ///< nothing: unknown, which does not mean none
  std::string instance_type;
  std::uint32_t instances = 0;  ///< 0: unknown
  std::optional<policy::Duration> max_runtime;
  std::optional<policy::Duration> max_wait;
  std::optional<bool> spot;  ///< EnableManagedSpotTraining
  std::optional<policy::Instant> created;
  std::optional<policy::Instant> started;
  std::optional<policy::Instant> ended;
  std::optional<policy::Instant> modified;
  std::optional<policy::Duration> billable;  ///< BillableTimeInSeconds, of each instance
  TransitionList transitions;                ///< may be empty in an event
};

/// CloudTrail tells of a CreateTrainingJob call that SageMaker accepted.
struct TrainingJobCreated {
  TrainingJobState job;  ///< as requested: without statuses
};

/// The state of a CloudWatch alarm changed.
struct AlarmStateChange {
  std::string alarm;
  std::string arn;
  policy::AlarmState state = policy::AlarmState::insufficient_data;
  policy::AlarmState previous = policy::AlarmState::insufficient_data;
  std::string host;  ///< the dimension Host of its metric, `<job>/algo-<n>`; empty: none
};

/// EC2 warns of an interruption, recommends a replacement, or an instance changed its state.
struct InstanceNotice {
  enum class Kind : std::uint8_t { interruption, rebalance, state };
  std::string instance;
  Kind kind = Kind::state;
  std::string word;  ///< the action of an interruption, or the state
};

/// A service job of AWS Batch changed its status, is preempted, or blocks its queue.
struct BatchJobState {
  enum class Kind : std::uint8_t { status, preemption_started, preemption_completed, blocked };
  Kind kind = Kind::status;
  std::string arn;
  std::string name;
  std::string queue;   ///< ARN
  std::string status;  ///< as AWS writes it
  std::string reason;
  std::string training_job;  ///< ARN of the newest attempt; empty: none
  std::optional<policy::Instant> created = {};
  std::optional<policy::Instant> started = {};
  std::optional<policy::Instant> stopped = {};
};

/// A report of a training script, sent to EventBridge with the source `reeve.training`.
struct TrainingReport {
  std::string job;
  policy::Duration done{0};    ///< work
  std::optional<double> loss;  ///< NaN if training has diverged
  std::uint8_t signs = 0;      ///< bits of policy::Sign
  bool has_progress = true;    ///< false: only the signs are reported
};

/// An event that reeve does not use.
struct OtherEvent {};

using EventDetail = std::variant<TrainingJobState, TrainingJobCreated, AlarmStateChange,
                                 InstanceNotice, BatchJobState, TrainingReport, OtherEvent>;

/// What the logs of a failed attempt say of its cause; its FailureReason says less.
struct LogVerdict {
  policy::FailureClass failure = policy::FailureClass::unknown;
  std::uint8_t doubt_pct = 0;
};

struct FleetEvent {
  std::string id;       ///< of EventBridge: the same for each delivery of one event
  std::string account;  ///< empty: the event does not say
  std::string region;
  std::string kind;  ///< `detail-type`
  std::optional<policy::Instant> time;
  std::optional<policy::Instant> received = {};  ///< in a recording: when reeve got it
  std::optional<LogVerdict> from_logs = {};      ///< in a recording, of a failed attempt
  /// In a recording: transitions before those of the detail, which earlier lines have.
  std::size_t left_out_transitions = 0;
  bool is_description = false;  ///< of DescribeTrainingJob: all transitions are in it
  EventDetail detail;
};

}  // namespace reeve::live
