// Jobs of AWS Batch, as describe-jobs and describe-service-job return them.  Source of the fields:
// the API reference of AWS Batch; of the reasons: its user guide on retries, and published logs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "scenarios/history/aws/batch_sizes.hpp"
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

constexpr auto batch_arrays = std::to_array<std::string_view>({"jobs", "jobSummaryList"});
constexpr auto batch_keys = std::to_array<std::string_view>({
    "jobId",
    "jobArn",
    "jobQueue",
    "status",
    "statusReason",
    "shareIdentifier",
    "quotaShareName",
    "schedulingPriority",
    "createdAt",
    "scheduledAt",
    "startedAt",
    "stoppedAt",
    "isTerminated",
    "isCancelled",
    "attempts",
    "eksAttempts",
    "preemptionSummary",
    "preemptedAttemptCount",
    "recentPreemptedAttempts",
    "latestAttempt",
    "container",
    "containers",
    "exitCode",
    "reason",
    "resources",
    "instanceType",
    "instanceTypes",
    "nodeProperties",
    "numNodes",
    "nodeRangeProperties",
    "targetNodes",
    "ecsProperties",
    "taskProperties",
    "eksProperties",
    "podProperties",
    "arrayProperties",
    "size",
    "index",
    "timeout",
    "timeoutConfig",
    "attemptDurationSeconds",
    "serviceJobType",
    "nextToken",
    fetched_at,
});
constexpr auto batch_whole_keys = std::to_array<std::string_view>(
    {"resourceRequirements", "limits", "requests", "serviceRequestPayload", "serviceResourceId",
     "capacityUsage", "tags", "nodeDetails"});

constexpr std::string_view host_lost = "Host EC2";  // "Host EC2 (instance i-...) terminated."

/// What stands in a reason, and what it means.
struct BatchReason {
  std::string_view part;
  EndStatus status;
  EndCause cause;
};
constexpr auto batch_reasons = std::to_array<BatchReason>({
    {host_lost, EndStatus::node_failure, EndCause::spot},
    {"exceeded timeout", EndStatus::timeout, EndCause::limit},
    {"OutOfMemory", EndStatus::out_of_memory, EndCause::out_of_memory},
    {"OOMKilled", EndStatus::out_of_memory, EndCause::out_of_memory},
    {"preempted", EndStatus::preempted, EndCause::preempted},
    {"Preempted", EndStatus::preempted, EndCause::preempted},
    {"InternalServerError", EndStatus::failed, EndCause::hardware},
    {"DockerTimeoutError", EndStatus::failed, EndCause::hardware},
    {"CapacityError", EndStatus::failed, EndCause::capacity},
    {"INSUFFICIENT_INSTANCE_CAPACITY", EndStatus::failed, EndCause::capacity},
    {"ResourceLimitExceeded", EndStatus::failed, EndCause::quota},
    {"AlgorithmError", EndStatus::failed, EndCause::code},
    {"ClientError", EndStatus::failed, EndCause::code},
    {"CannotPullContainer", EndStatus::failed, EndCause::code},
    {"CannotStartContainer", EndStatus::failed, EndCause::code},
    {"MISCONFIGURATION", EndStatus::failed, EndCause::code},
});

const BatchReason* meaning_of(std::string_view reason) {
  const auto found = std::find_if(
      batch_reasons.begin(), batch_reasons.end(),
      [&](const BatchReason& known) { return reason.find(known.part) != reason.npos; });
  return found == batch_reasons.end() ? nullptr : &*found;
}

/// Milliseconds since 1970, as Batch counts, or ISO 8601; 0 stands for none.
std::optional<Instant> milliseconds_at(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (value == nullptr || !value->is_number()) return instant_at(object, key);
  const double ms = value->get<double>();
  return ms == 0 ? std::nullopt : instant_of_seconds(ms / 1000);
}

/// The key of a time that is there and is none; empty if all are sound.
std::string_view unreadable_batch_time(const json& object) {
  for (const std::string_view key : {"createdAt", "startedAt", "stoppedAt"}) {
    const json* value = member(object, key);
    const bool is_none = value == nullptr || (value->is_number() && value->get<double>() == 0);
    if (!is_none && !milliseconds_at(object, key)) return key;
  }
  for (const auto* list : {"attempts", "eksAttempts"}) {
    for (const json& attempt : list_at(object, list)) {
      if (const auto key = unreadable_batch_time(attempt); !key.empty()) return key;
    }
  }
  return {};
}

/// One try of a job.
struct BatchAttempt {
  std::optional<Instant> from, until;
  std::string reason;
  std::optional<std::int64_t> exit_code;
  bool was_preempted = false;
  Instant order{};  ///< its start, or what is known of it
};

BatchAttempt attempt_of(const json& told) {
  BatchAttempt attempt{milliseconds_at(told, "startedAt"), milliseconds_at(told, "stoppedAt"),
                       text_at(told, "statusReason"), count_at(told, "exitCode")};
  std::vector<const json*> containers{&inside(told, "container")};
  for (const json& container : list_at(told, "containers")) containers.push_back(&container);
  for (const json& task : list_at(told, "taskProperties")) {
    for (const json& container : list_at(task, "containers")) containers.push_back(&container);
  }
  for (const json* container : containers) {
    const std::string reason = text_at(*container, "reason");
    const bool says_more = meaning_of(attempt.reason) == nullptr && meaning_of(reason) != nullptr;
    if (attempt.reason.empty() || says_more) attempt.reason = reason;
    const auto exit_code = count_at(*container, "exitCode");
    if (exit_code && attempt.exit_code.value_or(0) == 0) attempt.exit_code = exit_code;
  }
  return attempt;
}

/// In the order of their starts; the last one is open if the job still runs.
std::vector<BatchAttempt> attempts_of(const json& job) {
  std::vector<BatchAttempt> all;
  const auto is_new = [&](const std::optional<Instant>& from) {
    return from && std::none_of(all.begin(), all.end(),
                                [&](const BatchAttempt& each) { return each.from == from; });
  };
  for (const auto* key : {"attempts", "eksAttempts"}) {
    for (const json& told : list_at(job, key)) all.push_back(attempt_of(told));
  }
  for (const json& told : list_at(inside(job, "preemptionSummary"), "recentPreemptedAttempts")) {
    BatchAttempt attempt = attempt_of(told);
    attempt.was_preempted = true;
    const auto same = std::find_if(all.begin(), all.end(), [&](const BatchAttempt& each) {
      return each.from && each.from == attempt.from;
    });
    if (same == all.end()) {
      all.push_back(std::move(attempt));
    } else {
      same->was_preempted = true;
    }
  }
  const auto last_start = milliseconds_at(job, "startedAt");  // of the last attempt
  const std::string status = text_at(job, "status");
  if (is_new(last_start) && (all.empty() || status == "RUNNING")) {
    const bool runs = status == "RUNNING";
    all.push_back({last_start,
                   runs ? std::nullopt : milliseconds_at(job, "stoppedAt"),
                   text_at(job, "statusReason"),
                   {}});
  }
  Instant before{};
  for (BatchAttempt& each : all) {
    before = each.order = each.from.value_or(each.until.value_or(before));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const BatchAttempt& a, const BatchAttempt& b) { return a.order < b.order; });
  return all;
}

/// The training job that SageMaker runs for it: that of its first attempt, which waited longest.
std::string training_job_of(const json& job) {
  const auto name_in = [](const json& attempt) {
    return std::string{last_of_arn(text_at(inside(attempt, "serviceResourceId"), "value"))};
  };
  const json& preempted = inside(job, "preemptionSummary");
  for (const json* list :
       {&list_at(preempted, "recentPreemptedAttempts"), &list_at(job, "attempts")}) {
    for (const json& attempt : *list) {
      std::string name = name_in(attempt);
      if (!name.empty()) return name;
    }
  }
  return name_in(inside(job, "latestAttempt"));
}

void read_end(const json& job, const std::vector<BatchAttempt>& attempts, bool has_run,
              HistoryJob& to) {
  ImportedJob& record = to.record;
  const std::string status = text_at(job, "status");
  if (status == "SUCCEEDED") {
    record.end_status = EndStatus::completed;
    return;
  }
  if (status != "FAILED") {
    record.end_status = status == "RUNNING" ? EndStatus::running : EndStatus::pending;
    return;
  }
  record.failure_reason = text_at(job, "statusReason");
  if (is_true(job, "isTerminated") || is_true(job, "isCancelled")) {
    record.end_status = has_run ? EndStatus::killed : EndStatus::never_started;
    return;
  }
  const BatchReason* meaning = meaning_of(record.failure_reason);
  std::int64_t exit_code = 0;
  if (!attempts.empty()) {
    const BatchAttempt& last = attempts.back();
    exit_code = last.exit_code.value_or(0);
    if (meaning == nullptr && meaning_of(last.reason) != nullptr) {
      meaning = meaning_of(last.reason);
      record.failure_reason = last.reason;
    }
  }
  // 137 and 143 are SIGKILL and SIGTERM: something outside ended it.
  const bool by_itself = exit_code > 0 && exit_code != 137 && exit_code != 143;
  record.end_status = meaning == nullptr ? EndStatus::failed : meaning->status;
  record.end_cause = meaning != nullptr ? meaning->cause
                     : by_itself        ? EndCause::code
                                        : EndCause::unknown;
  if (!has_run) record.end_status = EndStatus::never_started;
}

void read_attempts(const json& job, const std::vector<BatchAttempt>& attempts, HistoryJob& to) {
  ImportedJob& record = to.record;
  std::int64_t preempted = 0, lost_hosts = 0, faults = 0;
  for (const BatchAttempt& attempt : attempts) {
    preempted += attempt.was_preempted ? 1 : 0;
    const bool is_last = &attempt == &attempts.back();
    const bool lost_host = attempt.reason.find(host_lost) != std::string::npos;
    lost_hosts += lost_host && !attempt.was_preempted && !is_last ? 1 : 0;
    const BatchReason* meaning = meaning_of(attempt.reason);
    const bool by_platform = meaning != nullptr && meaning->cause == EndCause::hardware;
    faults += by_platform && !attempt.was_preempted && !is_last ? 1 : 0;
    if (attempt.from) to.work.push_back({*attempt.from, attempt.until});
  }
  const std::int64_t told =
      count_at(inside(job, "preemptionSummary"), "preemptedAttemptCount").value_or(preempted);
  const std::int64_t forgotten =
      std::clamp(told - preempted, std::int64_t{0}, std::int64_t{1'000'000});
  const auto known = static_cast<std::int64_t>(attempts.size());
  record.interruptions = preempted + lost_hosts + forgotten;
  record.attempts = known + forgotten;
  record.restarts = faults;  // the other attempts failed by themselves
  if (to.work.empty()) {
    if (to.ended) to.waited_at_least = std::max(Duration{0}, *to.ended - to.submitted);
    return;
  }
  to.started = to.work.front().from;
  const Duration wait = std::max(Duration{0}, *to.started - to.submitted);
  (forgotten > 0 ? to.waited_at_most : record.observed_wait) = wait;
  to.work_at_most = to.saves_checkpoints && to.work.size() > 1;
  if (to.saves_checkpoints) return;
  Duration lost{0};  // what an attempt did is not kept for the next
  for (std::size_t i = 0; i + 1 < to.work.size(); ++i) {
    const Stretch& earlier = to.work[i];
    lost += std::max(Duration{0}, earlier.until.value_or(to.work[i + 1].from) - earlier.from);
  }
  to.work.erase(to.work.begin(), to.work.end() - 1);
  record.lost = lost;
}

HistoryJob job_of_batch(const json& job, const JsonRecord& record, Instant submitted,
                        FileFindings& findings) {
  HistoryJob to;
  to.source = "aws-batch";
  to.submitted = submitted;
  to.record.job_id = text_at(job, "jobId");
  to.record.line = record.line;
  to.resource = text_at(job, "jobArn");
  to.record.queue = last_of_arn(text_at(job, "jobQueue"));
  to.record.user = text_at(job, "quotaShareName");
  if (to.record.user.empty()) to.record.user = text_at(job, "shareIdentifier");
  to.record.priority = count_at(job, "schedulingPriority");
  to.runs_as = training_job_of(job);
  read_batch_size(job, to, findings);
  const std::vector<BatchAttempt> attempts = attempts_of(job);
  const std::string status = text_at(job, "status");
  if (status == "SUCCEEDED" || status == "FAILED") to.ended = milliseconds_at(job, "stoppedAt");
  read_attempts(job, attempts, to);
  if (const auto scheduled = milliseconds_at(job, "scheduledAt")) {
    to.queued = std::max(Duration{0}, *scheduled - submitted);
  }
  read_end(job, attempts, to.started.has_value(), to);
  const EndStatus end = to.record.end_status;
  to.record.censored = end == EndStatus::running || end == EndStatus::killed ||
                       end == EndStatus::timeout || end == EndStatus::preempted ||
                       end == EndStatus::node_failure;
  if (const json& tags = inside(job, "tags"); tags.is_object()) {
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
      std::string value = text_at(tags, tag.key());
      if (!value.empty()) to.record.tags.emplace_back(tag.key(), std::move(value));
    }
  }
  return to;
}

/// Reads the jobs of one file, and which of their parts stand in it.
class BatchJobs {
 public:
  BatchJobs(HistoryInput& input, History& into) : input_{input}, into_{into} {}

  void take(const JsonRecord& record) {
    const json& job = record.value;
    if (record.is_rest) {
      if (text_at(job, "nextToken").empty()) return;
      input_.findings.warn("W0631", record.line, "a page is missing: the file ends with nextToken",
                           "export without --no-paginate and --max-items");
      return;
    }
    ++input_.report.records;
    if (text_at(job, "jobQueue").empty()) {
      ++summaries_;
      return;
    }
    const std::string id = text_at(job, "jobId");
    const auto submitted = milliseconds_at(job, "createdAt");
    if (id.empty() || !submitted) {
      input_.findings.warn("W0632", record.line, "a job without jobId or createdAt");
      return;
    }
    if (const std::string_view key = unreadable_batch_time(job); !key.empty()) {
      input_.findings.warn("W0632", record.line,
                           fmt::format("{}: {} is no time from 1970 to 2200", id, key),
                           "write milliseconds since 1970, or ISO 8601");
      return;
    }
    for (const auto* key : {"createdAt", "startedAt", "stoppedAt"}) {
      if (const auto time = milliseconds_at(job, key)) into_.see(*time);
    }
    if (!is_whole_job(job, id, record.line)) return;
    HistoryJob read = job_of_batch(job, record, *submitted, input_.findings);
    if (const std::size_t colon = id.find(':'); colon != id.npos) {
      read.record.sweep = id.substr(0, colon);
    }
    read.file = input_.name;
    into_.jobs.add(read);
    ++input_.report.used;
  }

  void finish() {
    if (input_.report.used == 0 && summaries_ > 0) {
      throw InputError{about_trace(
          input_.name, "E0393",
          fmt::format("{} without resources: use describe-jobs", counted(summaries_, "job")),
          "aws batch describe-jobs --jobs ID..., or describe-service-job --job-id ID")};
    }
    if (summaries_ > 0) {
      input_.findings.warn("W0632", 0, counted(summaries_, "job") + " without jobQueue");
    }
    for (const auto& [id, line] : arrays_) {
      if (tasks_of_.contains(id)) continue;
      input_.findings.warn("W0655", line,
                           fmt::format("the tasks of the array {} are not in this file", id),
                           fmt::format("describe {}:0, {}:1, ...", id, id));
    }
    for (const auto& [id, line] : nodes_of_) {
      if (gangs_.contains(id)) continue;
      input_.findings.warn("W0655", line, fmt::format("nodes of {}, which is not in this file", id),
                           fmt::format("describe {}", id));
    }
  }

 private:
  /// An array is described by its tasks, and a node by its job.
  bool is_whole_job(const json& job, const std::string& id, std::uint64_t line) {
    const json& array = inside(job, "arrayProperties");
    if (member(array, "size") != nullptr && member(array, "index") == nullptr) {
      arrays_.try_emplace(id, line);
      return false;
    }
    if (const std::size_t mark = id.find('#'); mark != id.npos) {
      nodes_of_.try_emplace(id.substr(0, mark), line);
      return false;
    }
    if (member(job, "nodeProperties") != nullptr) gangs_.insert(id);
    if (const std::size_t colon = id.find(':'); colon != id.npos) {
      tasks_of_.insert(id.substr(0, colon));
    }
    return true;
  }

  HistoryInput& input_;
  History& into_;
  std::uint64_t summaries_ = 0;
  std::map<std::string, std::uint64_t> arrays_, nodes_of_;  ///< by id, with the line
  std::set<std::string> tasks_of_, gangs_;
};

}  // namespace

bool is_aws_batch(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  if (has("\"detail-type\"") || has("\"eventName\"") || has("\"CloudTrailEvent\"")) return false;
  if (has("\"jobSummaryList\"") || has("\"serviceJobType\"")) return true;
  return has("\"jobQueue\"") && has("\"jobId\"");
}

JsonShape aws_batch_shape() {
  return {batch_arrays, batch_keys, batch_whole_keys};
}

void read_aws_batch(HistoryInput& input, const HistoryOptions&, History& into) {
  BatchJobs jobs{input, into};
  for_each_record(input, aws_batch_shape(), [&](const JsonRecord& record) {
    see_fetch(record.value, into);
    jobs.take(record);
  });
  jobs.finish();
}

}  // namespace reeve::scenarios
