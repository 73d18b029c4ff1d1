// Changes of resources of AWS Batch: journaled, repeated until their outcome is known.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "live/act/action_log.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/batch/resources.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// One call that changes one resource.
struct BatchUpdate {
  BatchResource resource = BatchResource::queue;
  std::string name;           ///< for people: `queue/share`
  nlohmann::json parameters;  ///< of the call: the resource and its new settings
  std::string change;         ///< for people: `capacityLimits[ml.x] 60 -> 45`
};

/// Sends updates one after the other, at most five in a second.  Each is in the journal before it
/// is sent.
class BatchUpdater {
 public:
  /// The references must outlive it.  `now`: by the clock of AWS.  `is_held_back`: the kill switch.
  BatchUpdater(Client& client, Clock& clock, ActionLog& log, std::function<policy::Instant()> now,
               std::function<bool()> is_held_back);

  /// Settles updates that an earlier run left open: done if the resource has their settings.
  std::optional<FailedCall> settle_open();
  /// Throws JournalFailure, after which nothing may be sent.
  ActionEnd carry_out(const BatchUpdate& update);

 private:
  void look_at_ended_job(const BatchUpdate& update, ActionEnd& end);
  std::variant<bool, FailedCall> has_settings(BatchResource resource,
                                              const nlohmann::json& parameters);

  Client& client_;
  Clock& clock_;
  ActionLog& log_;
  std::function<policy::Instant()> now_;
  std::function<bool()> is_held_back_;
  Pace pace_;
  std::optional<ActionEnd> denied_[5];  ///< by resource: a refusal that concerns all its updates
};

}  // namespace reeve::live
