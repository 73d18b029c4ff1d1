// Turns what a simulated fleet does and tells into events of AWS.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/events/fleet_event.hpp"
#include "models/attempt_names.hpp"
#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::app {

/// The account and region of the events.
inline constexpr std::string_view recorded_account = "123456789012";
inline constexpr std::string_view recorded_region = "us-east-1";

/// For one run of a world on the platform sagemaker-training, whose record keeps events.
class SimulatedEvents {
 public:
  /// The references must outlive this object.
  SimulatedEvents(const models::World& world, const models::Jobs& jobs)
      : world_{world}, jobs_{jobs}, names_{jobs} {}

  using Attempt = std::pair<policy::JobId, policy::AttemptNumber>;

  /// From now on an attempt has the name and tags of the request, not those that the simulation
  /// gives.
  void name(Attempt attempt, const live::TrainingJobState& request) { given_[attempt] = request; }
  /// In a queue, the name that AWS Batch gives.
  std::string name_of(policy::JobId job, policy::AttemptNumber attempt) const;
  /// The queue that submitted an attempt; nothing: a call of CreateTrainingJob did.
  std::optional<policy::QueueId> queue_of(const Attempt& attempt) const;

  /// Takes what the record has more than at the last call.  Returns the state of a training job at
  /// each change, as DescribeTrainingJob returns it from then on.
  std::vector<live::FleetEvent> take(const models::Record& record);
  /// The event that tells the observation; nothing if no event of AWS does.  Its changes have been
  /// taken.
  std::optional<live::FleetEvent> event(const policy::Observation& seen);

 private:
  /// Of an attempt, in the order of time.
  struct Changes {
    std::vector<models::EventRow> rows;
    live::TransitionList transitions;    ///< one for each row; states share it
    std::optional<std::size_t> started;  ///< the first row that holds instances
    void add(const models::EventRow& row);
  };

  live::TrainingJobState request_of(const policy::JobSubmitted& submitted) const;
  live::TrainingJobState state_of(const Attempt& attempt, std::size_t count) const;
  live::TrainingJobState known_state(const policy::JobChanged& changed, policy::Instant at) const;

  const models::World& world_;
  const models::Jobs& jobs_;
  models::AttemptNames names_;
  std::map<Attempt, live::TrainingJobState> given_;  ///< names and tags
  std::map<Attempt, Changes> changes_;
  std::map<Attempt, live::TrainingJobState> requests_;
  std::map<Attempt, live::TrainingJobState> told_requests_;
  std::size_t rows_ = 0;         ///< taken of Record::events
  std::size_t submissions_ = 0;  ///< likewise
  std::uint64_t events_ = 0;
};

}  // namespace reeve::app
