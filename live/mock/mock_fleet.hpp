// The training jobs behind a mock account: they go on as its clock does, and take its calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/ports.hpp"
#include "live/events/fleet_event.hpp"
#include "models/metric_series.hpp"

namespace reeve::live {

/// What a fleet did while time passed, each in its order.
struct FleetHistory {
  std::vector<FleetEvent> states;  ///< what DescribeTrainingJob returns from `time` on
  std::vector<FleetEvent> told;    ///< events of EventBridge, sent at `received`
};

/// What a job queue of AWS Batch has submitted a training job for.
struct QueuedJob {
  std::string name;
  std::string queue;
  std::string status;  ///< of AWS Batch: RUNNABLE
  /// The attempt with which its service job began: each submission by a person is a job of its own.
  policy::AttemptNumber began_with = 1;
};

class MockFleet {
 public:
  /// What a call came to; nothing: its reply is lost.
  using Reply = std::optional<host::ReplyKind>;

  virtual ~MockFleet() = default;
  /// Goes on to `until`, or to the first event.  Returns `time()`.
  virtual policy::Instant advance(policy::Instant until, FleetHistory& out) = 0;
  /// The instant reached.  A call takes time.
  virtual policy::Instant time() const = 0;

  /// Of a job that exists, also of one that has ended.  The queue of the job may start it again.
  virtual Reply stop(const std::string& job) = 0;
  /// The same, and its queue does not start it again.
  virtual Reply terminate(const std::string& job) = 0;
  /// Nothing: it is in no queue of AWS Batch.
  virtual std::optional<QueuedJob> queued(const TrainingJobState& job) const = 0;
  /// `request` is a further attempt of a job that exists: its tags say so.  `loses`: bits of
  /// policy::CloneLoss.
  virtual Reply create(const TrainingJobState& request, bool from_scratch, std::uint16_t loses) = 0;
  /// A message to the owner of a job.  Two with one key are the same message.
  virtual Reply notify(const std::string& job, const std::string& key) = 0;

  /// GPU utilization of a host, `JOB/algo-N`, from `from` to `time()`, in percent summed over its
  /// GPUs.
  virtual models::MetricSeries gpu_utilization(const std::string& host,
                                               policy::Instant from) const = 0;
};

}  // namespace reeve::live
