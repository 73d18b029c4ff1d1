// Training jobs of SageMaker, as search and describe-training-job return them.  Source of the
// fields and their oddities: botocore's service model, and the guide on managed Spot training.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "scenarios/history/aws/kept_reply.hpp"
#include "scenarios/history/aws/kinds.hpp"
#include "scenarios/history/reading/json_parts.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/aws_names.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;

constexpr auto record_arrays =
    std::to_array<std::string_view>({"Results", "TrainingJobs", "TrainingJobSummaries"});
constexpr auto record_keys = std::to_array<std::string_view>({
    "TrainingJob",
    "TrainingJobName",
    "TrainingJobArn",
    "TrainingJobStatus",
    "SecondaryStatus",
    "FailureReason",
    "CreationTime",
    "TrainingStartTime",
    "TrainingEndTime",
    "LastModifiedTime",
    "TrainingTimeInSeconds",
    "BillableTimeInSeconds",
    "EnableManagedSpotTraining",
    "TuningJobArn",
    "AutoMLJobArn",
    "NextToken",
    fetched_at,
});
constexpr auto whole_keys = std::to_array<std::string_view>(
    {"ResourceConfig", "StoppingCondition", "CheckpointConfig", "SecondaryStatusTransitions",
     "WarmPoolStatus", "Tags", "Error", "errors"});

constexpr std::size_t longest_reason = 1024;  ///< of FailureReason; more is cut off by SageMaker

/// How SageMaker's words for a failure begin, and what they mean.
struct ReasonClass {
  std::string_view prefix;
  EndCause cause;
};
constexpr auto reason_classes = std::to_array<ReasonClass>({
    {"AlgorithmError", EndCause::code},
    {"ClientError", EndCause::code},
    {"InternalServerError", EndCause::hardware},
    {"CapacityError", EndCause::capacity},
    {"ResourceLimitExceeded", EndCause::quota},
});

EndCause cause_of_reason(std::string_view reason) {
  for (const ReasonClass& known : reason_classes) {
    if (reason.starts_with(known.prefix)) return known.cause;
  }
  return EndCause::unknown;
}

/// The changes of a job's status, in order.
struct Transitions {
  std::vector<Stretch> work;
  std::int64_t interruptions = 0, restarts = 0;
};

Transitions transitions_of(const json& job) {
  Transitions all;
  const json* list = member(job, "SecondaryStatusTransitions");
  if (list == nullptr || !list->is_array()) return all;
  for (const json& each : *list) {
    const std::string status = text_at(each, "Status");
    const auto from = instant_at(each, "StartTime");
    if (status == "Interrupted") ++all.interruptions;
    if (status == "Restarting") ++all.restarts;
    if (status == "Training" && from) all.work.push_back({*from, instant_at(each, "EndTime")});
  }
  return all;
}

void read_machines(const json& job, HistoryJob& to, FileFindings& findings, std::uint64_t line) {
  const json* config = member(job, "ResourceConfig");
  const json* groups = member(*config, "InstanceGroups");
  const json* first = groups != nullptr && !groups->empty() ? &groups->front() : config;
  to.record.instance_type = text_at(*first, "InstanceType");
  to.record.nodes = count_at(*first, "InstanceCount");
  if (first != config) {
    for (const json& group : *groups) {
      const std::string type = text_at(group, "InstanceType");
      const std::int64_t count = count_at(group, "InstanceCount").value_or(0);
      if (&group == first) continue;
      if (type == to.record.instance_type) {
        to.record.nodes = to.record.nodes.value_or(0) + count;
      } else {
        to.beside[type] += count;
      }
    }
    if (!to.beside.empty()) {
      findings.warn("W0622", line,
                    fmt::format("{} has machines of a second instance type", to.record.job_id),
                    "they are billed beside it and not simulated");
    }
  }
  if (!text_at(*config, "TrainingPlanArn").empty()) to.record.market = policy::Market::reserved;
}

void read_tags(const json& job, const json& around, HistoryJob& to) {
  const json* tags = member(job, "Tags");
  if (tags == nullptr) tags = member(around, "Tags");
  if (tags == nullptr || !tags->is_array()) return;
  for (const json& tag : *tags) {
    const std::string key = text_at(tag, "Key"), value = text_at(tag, "Value");
    if (!key.empty() && !value.empty()) to.record.tags.emplace_back(key, value);
  }
}

struct End {
  EndStatus status = EndStatus::unknown;
  std::optional<EndCause> cause;
};

End end_of(std::string_view status, std::string_view secondary, bool has_run,
           std::string_view reason) {
  if (status == "InProgress" || status == "Stopping") {
    return {has_run ? EndStatus::running : EndStatus::pending, {}};
  }
  if (status == "Completed") return {EndStatus::completed, {}};
  if (secondary == "MaxWaitTimeExceeded") {
    return {has_run ? EndStatus::timeout : EndStatus::never_started, EndCause::max_wait};
  }
  if (status == "Failed") {
    return {has_run ? EndStatus::failed : EndStatus::never_started, cause_of_reason(reason)};
  }
  if (!has_run) return {EndStatus::never_started, {}};
  if (secondary == "MaxRuntimeExceeded") return {EndStatus::timeout, EndCause::limit};
  return {EndStatus::killed, {}};
}

std::optional<Duration> seconds_at(const json& object, std::string_view key) {
  const auto number = number_at(object, key);
  if (!number || *number < 0 || *number > 3e9) return {};
  return std::chrono::round<Duration>(std::chrono::duration<double>{*number});
}

void read_limits(const json& job, HistoryJob& to, FileFindings& findings) {
  const json* limits = member(job, "StoppingCondition");
  if (limits == nullptr) return;
  const auto limit = [&](std::string_view key) {
    const auto length = seconds_at(*limits, key);
    if (!length && member(*limits, key) != nullptr) {
      findings.warn("W0632", to.record.line,
                    fmt::format("{}: {} is no length of time", to.record.job_id, key),
                    "the job counts as one without this limit");
    }
    return length;
  };
  to.record.time_limit = limit("MaxRuntimeInSeconds");
  to.record.max_wait = limit("MaxWaitTimeInSeconds");
}

/// When it had machines and was billed.  The work of a running job is closed with all others'.
void read_times(const json& job, const Transitions& seen, HistoryJob& to) {
  ImportedJob& record = to.record;
  to.work = seen.work;
  if (to.started && to.work.empty()) to.work.push_back({*to.started, to.ended});  // before 2018
  if (!to.started) to.work.clear();
  to.work_at_most = to.work.size() > 1;
  if (to.started && !to.work.empty()) {
    record.startup = std::max(Duration{0}, to.work.front().from - *to.started);
  }
  if (to.started && *to.started >= to.submitted) record.observed_wait = *to.started - to.submitted;
  if (!to.started && to.ended) to.waited_at_least = *to.ended - to.submitted;
  record.billed = seconds_at(job, "BillableTimeInSeconds");
  if (!record.billed && !to.started) record.billed = Duration{0};
  if (!record.billed && to.started && to.ended) record.billed = *to.ended - *to.started;
  // Exact while nothing was interrupted; else the platform's count, in whole seconds.
  const bool at_once = to.started && to.ended && record.interruptions.value_or(0) == 0;
  if (at_once) to.held = *to.ended - *to.started;
  if (!to.held) to.held = seconds_at(job, "TrainingTimeInSeconds");
  if (!to.held) to.held = record.billed;
}

HistoryJob job_of(const json& job, const json& around, const JsonRecord& record, Instant submitted,
                  FileFindings& findings) {
  HistoryJob to;
  to.source = "sagemaker";
  to.submitted = submitted;
  to.record.job_id = text_at(job, "TrainingJobName");
  to.record.line = record.line;
  to.resource = text_at(job, "TrainingJobArn");
  to.started = instant_at(job, "TrainingStartTime");
  to.ended = instant_at(job, "TrainingEndTime");
  to.described = instant_at(job, "LastModifiedTime");
  read_machines(job, to, findings, record.line);
  if (!to.record.market) {
    const json* spot = member(job, "EnableManagedSpotTraining");
    const bool is_spot = spot != nullptr && spot->is_boolean() && spot->get<bool>();
    to.record.market = is_spot ? policy::Market::spot : policy::Market::on_demand;
  }
  to.saves_checkpoints = member(job, "CheckpointConfig") != nullptr;
  read_limits(job, to, findings);
  read_tags(job, around, to);
  const Transitions seen = transitions_of(job);
  to.record.interruptions = seen.interruptions;
  to.record.restarts = seen.restarts;
  to.record.attempts = seen.interruptions + seen.restarts + 1;
  const std::string reason = text_at(job, "FailureReason");
  to.record.failure_reason = reason;
  to.reason_cut = reason.size() >= longest_reason - 3;  // cut in characters, counted in bytes here
  const End end = end_of(text_at(job, "TrainingJobStatus"), text_at(job, "SecondaryStatus"),
                         to.started.has_value(), reason);
  to.record.end_status = end.status;
  to.record.end_cause = end.cause;
  const bool cut = end.status == EndStatus::running || end.status == EndStatus::timeout ||
                   end.status == EndStatus::killed;
  to.record.censored = cut;
  read_times(job, seen, to);
  if (const json* pool = member(job, "WarmPoolStatus")) {
    to.warm = seconds_at(*pool, "ResourceRetainedBillableTimeInSeconds");
    to.reused_by = text_at(*pool, "ReusedByJob");
  }
  for (const auto* parent : {"TuningJobArn", "AutoMLJobArn"}) {
    if (to.record.sweep.empty()) to.record.sweep = last_of_arn(text_at(job, parent));
  }
  return to;
}

/// The key of a time that is there and is none; empty if all are sound.
std::string_view unreadable_time(const json& job) {
  const auto first_of = [](const json& object, std::initializer_list<std::string_view> keys) {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](std::string_view key) {
      return member(object, key) != nullptr && !instant_at(object, key);
    });
    return found == keys.end() ? std::string_view{} : *found;
  };
  const auto own =
      first_of(job, {"CreationTime", "TrainingStartTime", "TrainingEndTime", "LastModifiedTime"});
  if (!own.empty()) return own;
  for (const json& each : list_at(job, "SecondaryStatusTransitions")) {
    if (const auto key = first_of(each, {"StartTime", "EndTime"}); !key.empty()) return key;
  }
  return {};
}

bool is_error_reply(const json& value) {
  if (member(value, "Error") != nullptr) return true;
  const json* errors = member(value, "errors");
  return errors != nullptr && errors->is_array() && !errors->empty();
}

std::string code_of_error(const json& value) {
  const json* error = member(value, "Error");
  const std::string code = error == nullptr ? "" : text_at(*error, "Code");
  return code.empty() ? "an error reply" : code;
}

}  // namespace

bool is_sagemaker(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  if (has("\"TrainingJobSummaries\"")) return true;
  return has("\"TrainingJobName\"") && (has("\"ResourceConfig\"") || has("\"TrainingJobArn\"")) &&
         !has("\"CloudTrailEvent\"") && !has("\"detail-type\"");
}

JsonShape sagemaker_shape() {
  return {record_arrays, record_keys, whole_keys};
}

void read_sagemaker(HistoryInput& input, const HistoryOptions&, History& into) {
  const std::size_t before = into.jobs.size();
  std::uint64_t summaries = 0;
  const auto each = [&](const JsonRecord& record) {
    see_fetch(record.value, into);
    if (record.is_rest) {
      if (!text_at(record.value, "NextToken").empty()) {
        input.findings.warn("W0631", record.line, "a page is missing: the file ends with NextToken",
                            "export without --no-paginate and --max-items");
      }
      return;
    }
    ++input.report.records;
    if (is_error_reply(record.value)) {
      input.findings.warn("W0630", record.line,
                          fmt::format("no training job: {}", code_of_error(record.value)),
                          "describe the job again");
      return;
    }
    const json* nested = member(record.value, "TrainingJob");
    const json& job = nested == nullptr ? record.value : *nested;
    if (member(job, "ResourceConfig") == nullptr) {
      ++summaries;
      return;
    }
    if (const std::string_view key = unreadable_time(job); !key.empty()) {
      input.findings.warn(
          "W0632", record.line,
          fmt::format("{}: {} is no time from 1970 to 2200", text_at(job, "TrainingJobName"), key),
          "write seconds since 1970, or ISO 8601");
      return;
    }
    const auto submitted = instant_at(job, "CreationTime");
    if (text_at(job, "TrainingJobName").empty() || !submitted) {
      input.findings.warn("W0632", record.line,
                          "a training job without TrainingJobName or CreationTime");
      return;
    }
    for (const auto* key : {"CreationTime", "TrainingEndTime", "LastModifiedTime"}) {
      if (const auto time = instant_at(job, key)) into.see(*time);
    }
    HistoryJob read = job_of(job, record.value, record, *submitted, input.findings);
    read.file = input.name;
    into.jobs.add(read);
    ++input.report.used;
  };
  for_each_record(input, sagemaker_shape(), each);
  if (into.jobs.size() == before && summaries > 0) {
    throw InputError{
        about_trace(input.name, "E0393",
                    fmt::format("{} without ResourceConfig: no size and no start",
                                counted(summaries, "training job")),
                    "aws sagemaker search --resource TrainingJob, or describe each job")};
  }
  if (summaries > 0) {
    input.findings.warn(
        "W0632", 0, fmt::format("{} without ResourceConfig", counted(summaries, "training job")));
  }
}

}  // namespace reeve::scenarios
