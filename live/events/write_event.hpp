// Writes events as AWS does, for recordings and for tests.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/events/fleet_event.hpp"

namespace reeve::live {

/// An EventBridge event with the account, region and time of `event`.  Times of SageMaker are whole
/// milliseconds.  Of details it writes training jobs, service jobs of AWS Batch and reports;
/// of others only the envelope.
nlohmann::json written_event(const FleetEvent& event);

/// What DescribeTrainingJob answers for a job of `event`: times are in seconds, tags are not in it.
nlohmann::json written_description(const FleetEvent& event, const TrainingJobState& job);

/// `arn:aws:sagemaker:<region>:<account>:training-job/<job>`
std::string training_job_arn(const FleetEvent& event, const std::string& job);

/// A line of a recording: an event, and when reeve received it.  RecordingWriter writes several.
std::string recorded(const FleetEvent& event, policy::Instant received);

}  // namespace reeve::live
