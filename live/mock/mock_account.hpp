// An AWS account with the training jobs of a fleet, and a queue with their events.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/mock/batch_jobs.hpp"
#include "live/mock/batch_queues.hpp"
#include "live/mock/mock_alarms.hpp"
#include "live/mock/mock_answer.hpp"
#include "live/mock/mock_fleet.hpp"
#include "live/mock/mock_instances.hpp"
#include "live/mock/mock_jobs.hpp"
#include "live/mock/mock_queue.hpp"
#include "live/mock/mock_table.hpp"
#include "live/mock/mock_trail.hpp"
#include "live/mock/parameter_store.hpp"

namespace reeve::live {

/// The operations of MockJobs, MockQueue, MockAlarms, MockInstances, MockTable, MockTrail,
/// BatchJobs, BatchQueues and ParameterStore, GetMetricData, DescribeSpotPriceHistory, Publish of
/// SNS, those that read event rules, and GetCallerIdentity.  It knows no wire format.  What AWS
/// would refuse, it refuses: unknown or missing parameters, values out of range.
class MockAccount {
 public:
  /// Each metric has one sample per minute, which can be read `publish_delay` after its minute.
  MockAccount(std::unique_ptr<MockFleet> fleet, std::string account, std::string region,
              policy::Duration publish_delay, MockFaults faults = {}, std::uint64_t seed = 1);

  /// `service` as it signs: `sagemaker`, `sqs`, `sns`, `ssm`, `events`, `monitoring`, `ec2`,
  /// `batch`, `cloudtrail`, `dynamodb` or `sts`.
  MockAnswer answer(std::string_view service, std::string_view operation,
                    const nlohmann::json& asked, policy::Instant now);

  /// The fleet goes on to `now`.
  void advance(policy::Instant now);
  /// The fleet goes on until a message is sent or becomes visible again, at most to `until`.
  /// Returns the instant reached.
  policy::Instant await_message(policy::Instant now, policy::Instant until);
  /// Messages that were sent.
  std::uint64_t sent() const { return queue_.sent(); }
  /// The instant that the fleet has reached: later than the last call by the time it took.
  policy::Instant time() const { return fleet_->time(); }
  const std::string& account() const { return account_; }
  const std::string& region() const { return region_; }
  std::string queue_path() const { return queue_.path(); }

 private:
  void take(FleetHistory& history);
  void send_batch_events();
  MockAnswer terminate(const nlohmann::json& asked, policy::Instant now);
  MockAnswer publish(const nlohmann::json& asked);
  MockAnswer rule_names(const nlohmann::json& asked) const;
  MockAnswer describe_rule(const nlohmann::json& asked) const;

  std::unique_ptr<MockFleet> fleet_;
  std::string account_;
  std::string region_;
  policy::Duration publish_delay_;
  MockJobs jobs_;
  MockQueue queue_;
  BatchJobs batch_;
  BatchQueues batch_queues_;
  MockAlarms alarms_;
  MockInstances instances_;
  ParameterStore parameters_;
  MockTable table_;
  MockTrail trail_;
};

}  // namespace reeve::live
