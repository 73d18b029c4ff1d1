// An AWS account with the training jobs of a recording, and a queue with their events.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "live/events/fleet_event.hpp"
#include "live/mock/batch_jobs.hpp"
#include "live/mock/fault_draws.hpp"
#include "live/mock/mock_answer.hpp"
#include "models/metric_series.hpp"

namespace reeve::live {

/// GPU utilization of each host, `JOB/algo-N`, in percent summed over its GPUs.
using MetricsByHost = std::map<std::string, models::MetricSeries, std::less<>>;

/// Shares in 0..1.
struct MockFaults {
  double lost = 0;        ///< events that the queue never gets
  double duplicated = 0;  ///< events that the queue gets twice
};

/// The operations that read training jobs, their GPU utilization and event rules, those of the
/// queue, those of BatchJobs, GetCallerIdentity and StopTrainingJob.  It knows no wire format. What
/// AWS would refuse, it refuses: unknown or missing parameters, values out of range.
class MockAccount {
 public:
  /// Each event has `received`, when the queue gets it, and they are in that order.
  MockAccount(std::vector<FleetEvent> events, std::string account, std::string region,
              MockFaults faults = {}, std::uint64_t seed = 1);
  MockAccount(MockAccount&&) = default;
  MockAccount& operator=(MockAccount&&) = default;
  ~MockAccount() = default;
  MockAccount(const MockAccount&) = delete;  // jobs refer to the events
  MockAccount& operator=(const MockAccount&) = delete;

  /// Each metric has one sample per minute, which can be read `publish_delay` after its minute.
  void measure(MetricsByHost metrics, policy::Duration publish_delay);

  /// `service` as IAM names it: `sagemaker`, `sqs`, `events`, `monitoring`, `batch` or `sts`.
  MockAnswer answer(std::string_view service, std::string_view operation,
                    const nlohmann::json& asked, policy::Instant now);

  /// The earliest time from `now` on at which a message can be received; none: never.
  std::optional<policy::Instant> next_message(policy::Instant now);
  /// The same for messages that cannot be received at `now`.
  std::optional<policy::Instant> next_message_after(policy::Instant now);
  const std::string& account() const { return account_; }
  const std::string& region() const { return region_; }
  std::string queue_path() const { return '/' + account_ + "/reeve"; }
  std::size_t events() const { return all_.size(); }

 private:
  struct Message {
    std::string id;
    std::string body;
    policy::Instant sent;
    policy::Instant visible;
    int received = 0;
  };
  /// What is known of a job from a time on.
  struct Version {
    policy::Instant at;
    const FleetEvent* event;
    const TrainingJobState* state;
  };
  struct Job {
    const std::vector<policy::Tag>* tags = nullptr;  ///< as requested
    std::unique_ptr<TrainingJobState> requested;     ///< until its first status
    std::vector<Version> versions;                   ///< in order of time
    std::optional<policy::Instant> stopped = {};     ///< by a call: the recording ends here
  };

  MockAnswer list_training_jobs(const nlohmann::json& asked, policy::Instant now) const;
  MockAnswer describe_training_job(const nlohmann::json& asked, policy::Instant now) const;
  MockAnswer stop_training_job(const nlohmann::json& asked, policy::Instant now);
  void change(Job& job, policy::Primary primary, policy::Secondary secondary, policy::Instant at);
  bool is_overtaken(const FleetEvent& event) const;
  void send(const FleetEvent& event);
  MockAnswer list_tags(const nlohmann::json& asked, policy::Instant now) const;
  MockAnswer receive_message(const nlohmann::json& asked, policy::Instant now);
  MockAnswer delete_message_batch(const nlohmann::json& asked);
  MockAnswer delete_message(const nlohmann::json& asked);
  MockAnswer queue_attributes(const nlohmann::json& asked, policy::Instant now);
  nlohmann::json all_queue_attributes(policy::Instant now) const;
  MockAnswer queue_url(const nlohmann::json& asked) const;
  MockAnswer describe_rule(const nlohmann::json& asked) const;
  std::string queue_arn() const;
  std::optional<MockError> wrong_queue(const nlohmann::json& asked) const;
  void request(const FleetEvent& event, const TrainingJobState& job);
  void order_jobs();
  /// Nothing if no such job exists at `now`.
  static const Version* version_of(const Job& job, policy::Instant now);
  bool remove(const std::string& receipt);
  void deliver(policy::Instant now);

  std::vector<FleetEvent> all_;
  std::string account_;
  std::string region_;
  MockFaults faults_;
  FaultDraws draws_;
  std::map<std::string, Job, std::less<>> jobs_;
  std::vector<const Job*> by_creation_;
  BatchJobs batch_;
  MetricsByHost metrics_;
  policy::Duration publish_delay_{0};
  std::size_t next_ = 0;                                     ///< of all_: not yet in the queue
  std::deque<FleetEvent> made_;                              ///< by calls; jobs refer to them
  std::multimap<policy::Instant, const FleetEvent*> later_;  ///< of made_: not yet in the queue
  std::uint64_t sent_ = 0;
  std::deque<Message> queue_;  ///< in the order of sending; without dead letters
};

}  // namespace reeve::live
