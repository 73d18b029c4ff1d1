#include "live/events/write_event.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <reeve/policy/condition.hpp>

#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

std::int64_t ms_of(policy::Instant at) {
  return std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

json ms_or_null(const std::optional<policy::Instant>& at) {
  return at ? json(ms_of(*at)) : json(nullptr);
}

std::int64_t seconds_of(policy::Duration length) {
  return std::chrono::ceil<std::chrono::seconds>(length).count();
}

json transitions_of(const TrainingJobState& job) {
  json list = json::array();
  for (std::size_t place = 0; place < job.transitions.size(); ++place) {
    const StatusTransition& element = job.transitions[place];
    const bool is_last = place + 1 == job.transitions.size();
    json written{{"Status", element.word}, {"StartTime", ms_of(element.start)}};
    if (element.end) {
      written["EndTime"] = ms_of(*element.end);
    } else if (!is_last) {
      written["EndTime"] = ms_of(job.transitions[place + 1].start);
    }
    if (!element.message.empty()) written["StatusMessage"] = element.message;
    list.push_back(std::move(written));
  }
  return list;
}

json state_detail(const FleetEvent& event, const TrainingJobState& job) {
  json detail{
      {"TrainingJobName", job.name},
      {"TrainingJobArn", training_job_arn(event, job.name)},
      {"TrainingJobStatus", policy::primary_names[static_cast<std::size_t>(job.primary)]},
      {"SecondaryStatus", job.secondary_word},
      {"FailureReason", job.failure_reason.empty() ? json(nullptr) : json(job.failure_reason)},
      {"ResourceConfig", {{"InstanceType", job.instance_type}, {"InstanceCount", job.instances}}},
      {"StoppingCondition", json::object()},
      {"CreationTime", ms_or_null(job.created)},
      {"TrainingStartTime", ms_or_null(job.started)},
      {"TrainingEndTime", ms_or_null(job.ended)},
      {"LastModifiedTime", ms_or_null(job.modified)},
      {"SecondaryStatusTransitions", transitions_of(job)}};
  if (job.billable) detail["BillableTimeInSeconds"] = seconds_of(*job.billable);
  json& limits = detail["StoppingCondition"];
  if (job.max_runtime) limits["MaxRuntimeInSeconds"] = seconds_of(*job.max_runtime);
  if (job.max_wait) limits["MaxWaitTimeInSeconds"] = seconds_of(*job.max_wait);
  if (job.spot && event.is_description) detail["EnableManagedSpotTraining"] = *job.spot;
  if (job.tags) {
    detail["Tags"] = json::object();
    for (const auto& [key, value] : *job.tags) detail["Tags"][key] = value;
  }
  return detail;
}

json call_detail(const FleetEvent& event, const TrainingJobState& job) {
  json request{
      {"trainingJobName", job.name},
      {"resourceConfig", {{"instanceType", job.instance_type}, {"instanceCount", job.instances}}},
      {"stoppingCondition", json::object()},
      {"tags", json::array()}};
  json& limits = request["stoppingCondition"];
  if (job.max_runtime) limits["maxRuntimeInSeconds"] = seconds_of(*job.max_runtime);
  if (job.max_wait) limits["maxWaitTimeInSeconds"] = seconds_of(*job.max_wait);
  if (job.spot) request["enableManagedSpotTraining"] = *job.spot;
  if (job.tags) {
    for (const auto& [key, value] : *job.tags) {
      request["tags"].push_back({{"key", key}, {"value", value}});
    }
  }
  return {{"eventSource", "sagemaker.amazonaws.com"},
          {"eventName", "CreateTrainingJob"},
          {"requestParameters", std::move(request)},
          {"responseElements", {{"trainingJobArn", training_job_arn(event, job.name)}}}};
}

json report_detail(const TrainingReport& report) {
  json detail{{"TrainingJobName", report.job}};
  if (report.has_progress) {
    detail["done_s"] = std::chrono::duration<double>(report.done).count();
  }
  if (report.loss) detail["loss"] = std::isnan(*report.loss) ? json("NaN") : json(*report.loss);
  if (policy::has_sign(report.signs, policy::Sign::log_lines)) detail["log_lines"] = true;
  if (policy::has_sign(report.signs, policy::Sign::network)) detail["network"] = true;
  if (policy::has_sign(report.signs, policy::Sign::power)) detail["power"] = true;
  return detail;
}

constexpr std::array<const char*, 4> batch_kinds = {
    "Batch Service Job State Change", "Batch Service Job Preemption Started",
    "Batch Service Job Preemption Completed", "Batch Service Job Queue Blocked"};

/// As DescribeServiceJob, without tags and the request (AWS Batch, "Service job state change
/// events").
json batch_detail(const BatchJobState& job) {
  using Kind = BatchJobState::Kind;
  const bool is_preempted =
      job.kind == Kind::preemption_started || job.kind == Kind::preemption_completed;
  json detail{{is_preempted ? "preemptedJobArn" : "jobArn", job.arn}};
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) detail[key] = value;
  };
  const auto time = [&](const char* key, const std::optional<policy::Instant>& at) {
    if (at) detail[key] = ms_of(*at);
  };
  if (!is_preempted) {
    detail["jobId"] = job.arn.substr(job.arn.rfind('/') + 1);
    detail["serviceJobType"] = "SAGEMAKER_TRAINING";
  }
  text("jobName", job.name);
  text("jobQueue", job.queue);
  text("status", job.status);
  text("statusReason", job.reason);
  time("createdAt", job.created);
  time("startedAt", job.started);
  time("stoppedAt", job.stopped);
  if (!job.training_job.empty()) {
    detail["latestAttempt"] = {
        {"serviceResourceId", {{"name", "TrainingJobArn"}, {"value", job.training_job}}}};
  }
  return detail;
}

/// Milliseconds as seconds with a fraction, as the JSON protocol has times.
void to_seconds(json& object, const char* key) {
  constexpr double ms_per_s = 1000;
  const auto found = object.find(key);
  if (found != object.end() && found->is_number()) *found = found->get<double>() / ms_per_s;
}

}  // namespace

std::string training_job_arn(const FleetEvent& event, const std::string& job) {
  return "arn:aws:sagemaker:" + event.region + ":" + event.account + ":training-job/" + job;
}

json written_description(const FleetEvent& event, const TrainingJobState& job) {
  json described = state_detail(event, job);
  described.erase("Tags");
  for (const char* key :
       {"CreationTime", "TrainingStartTime", "TrainingEndTime", "LastModifiedTime"}) {
    to_seconds(described, key);
  }
  for (json& transition : described["SecondaryStatusTransitions"]) {
    for (const char* key : {"StartTime", "EndTime"}) to_seconds(transition, key);
  }
  if (job.spot) described["EnableManagedSpotTraining"] = *job.spot;
  for (auto item = described.begin(); item != described.end();) {
    item = item->is_null() ? described.erase(item) : std::next(item);
  }
  return described;
}

json written_event(const FleetEvent& event) {
  json written{{"version", "0"},
               {"id", event.id},
               {"source", "reeve"},
               {"detail-type", event.kind},
               {"account", event.account},
               {"region", event.region},
               {"resources", json::array()},
               {"detail", json::object()}};
  if (event.time) written["time"] = iso_date(*event.time);
  if (const auto* job = std::get_if<TrainingJobState>(&event.detail)) {
    written["source"] = "aws.sagemaker";
    written["detail-type"] = "SageMaker Training Job State Change";
    written["resources"].push_back(training_job_arn(event, job->name));
    written["detail"] = state_detail(event, *job);
  } else if (const auto* created = std::get_if<TrainingJobCreated>(&event.detail)) {
    written["source"] = "aws.sagemaker";
    written["detail-type"] = "AWS API Call via CloudTrail";
    written["detail"] = call_detail(event, created->job);
  } else if (const auto* report = std::get_if<TrainingReport>(&event.detail)) {
    written["source"] = "reeve.training";
    written["detail-type"] = "Training Report";
    written["detail"] = report_detail(*report);
  } else if (const auto* queued = std::get_if<BatchJobState>(&event.detail)) {
    written["source"] = "aws.batch";
    written["detail-type"] = batch_kinds[static_cast<std::size_t>(queued->kind)];
    written["resources"].push_back(queued->arn);
    written["detail"] = batch_detail(*queued);
  }
  return written;
}

std::string recorded(const FleetEvent& event, policy::Instant received) {
  json line{{"received", iso_date(received)}, {"event", written_event(event)}};
  if (event.left_out_transitions > 0) line["left_out_transitions"] = event.left_out_transitions;
  if (event.is_description) line["is_description"] = true;
  if (event.from_logs) {
    const auto name =
        policy::failure_class_names[static_cast<std::size_t>(event.from_logs->failure)];
    line["from_logs"] = {{"failure", name}, {"doubt_pct", event.from_logs->doubt_pct}};
  }
  return line.dump();
}

}  // namespace reeve::live
