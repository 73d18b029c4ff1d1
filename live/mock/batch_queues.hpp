// Service environments, job queues, quota shares and service jobs of AWS Batch in a mock account.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/events/fleet_event.hpp"
#include "live/mock/mock_answer.hpp"
#include "live/mock/mock_fleet.hpp"

namespace reeve::live {

/// The operations that `reeve export batch` and `reeve live batch` need.  A waiting job starts when
/// its share has instances left, by priority, then by creation, and may borrow what other shares
/// lend; it runs until it is terminated, and is never preempted.  No training job runs for it.  The
/// jobs of a fleet that are in queues are service jobs too, and do as their training jobs do.
class BatchQueues {
 public:
  BatchQueues(std::string account, std::string region);

  /// Whether it has the operation.
  static bool has(std::string_view operation);
  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, policy::Instant now);

  /// A training job of a fleet is in that state.  Its queue and service job are made at its first.
  void run(const QueuedJob& queued, const TrainingJobState& training_job);
  /// The events of EventBridge since the last call: there is none of a submission.
  std::vector<FleetEvent> take_events();
  /// Of a service job of a fleet that has not ended; empty: it is none.
  std::string newest_training_job(const std::string& job) const;

 private:
  using Things = std::map<std::string, nlohmann::json>;  ///< by ARN, as described

  MockAnswer create(std::string_view operation, const nlohmann::json& asked);
  MockAnswer update(std::string_view operation, const nlohmann::json& asked);
  MockAnswer describe(std::string_view operation, const nlohmann::json& asked) const;
  MockAnswer list_shares(const nlohmann::json& asked) const;
  MockAnswer submit(const nlohmann::json& asked, policy::Instant now);
  MockAnswer list_jobs(const nlohmann::json& asked) const;
  MockAnswer change_job(std::string_view operation, const nlohmann::json& asked,
                        policy::Instant now);
  MockAnswer snapshot(const nlohmann::json& asked, policy::Instant now) const;

  /// By name or ARN; null: there is none.
  static const nlohmann::json* find(const Things& things, const std::string& name);
  static nlohmann::json* find(Things& things, const std::string& name);
  std::string arn(std::string_view kind, const std::string& name) const;
  /// Sets the status, and tells it if it is another one.
  void enter(nlohmann::json& job, std::string_view status, policy::Instant now);
  /// Starts what fits.
  void schedule(policy::Instant now);
  bool fits(const nlohmann::json& job) const;
  std::int64_t used(const std::string& queue, const std::string& share,
                    const std::string& unit) const;
  std::vector<const nlohmann::json*> waiting(const std::string& queue) const;

  std::string account_;
  std::string region_;
  Things environments_;
  Things policies_;
  Things queues_;
  Things shares_;
  std::map<std::string, nlohmann::json> jobs_;        ///< by id, as described
  std::vector<FleetEvent> events_;                    ///< not taken yet
  std::uint64_t told_ = 0;                            ///< events
  std::map<std::string, std::string> ids_of_tokens_;  ///< of SubmitServiceJob
  /// By the name of the job and the attempt that it began with.
  std::map<std::pair<std::string, policy::AttemptNumber>, std::string> ids_of_fleet_;
};

}  // namespace reeve::live
