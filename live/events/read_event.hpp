// Reads EventBridge events, messages of SNS and descriptions of training jobs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "live/aws/failure.hpp"
#include "live/events/fleet_event.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {

/// The text of one event: an EventBridge event, the message that a CloudWatch alarm sends to SNS,
/// one of them in an envelope of SNS, SQS, Lambda or CloudWatch Logs, or a line of a recording (see
/// recorded).  A failure: it is none of them, or lacks what its kind requires.  An event of another
/// kind is an OtherEvent.
Result<FleetEvent> read_event(std::string_view text);

/// The same, of a line that may leave out transitions: see RecordingReader.
Result<FleetEvent> read_recorded_event(std::string_view text);

/// The key `Tags`, sorted: an object in events, a list of Key and Value in requests and answers.
/// Nothing if it is absent.
std::optional<std::vector<policy::Tag>> tags_in(const nlohmann::json& job);

/// The `requestParameters` of a CreateTrainingJob call in CloudTrail, whose keys begin with small
/// letters.
Result<TrainingJobState> read_training_job_request(const nlohmann::json& request);

/// The `detail` of an event, or what DescribeTrainingJob answers, where times are in seconds.
Result<TrainingJobState> read_training_job(const nlohmann::json& job, TimeUnit unit);

}  // namespace reeve::live
