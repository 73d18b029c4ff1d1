#include "live/events/read_event.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace reeve::live {
namespace {

using nlohmann::json;
using Read = Result<EventDetail> (*)(const json& event);

const json& detail_of(const json& event) {
  static const json none = json::object();
  const json* detail = field(event, "detail");
  return detail == nullptr ? none : *detail;
}

template <class Value>
Result<EventDetail> as_detail(Result<Value> read) {
  if (const Failure* failure = failure_of(read)) return *failure;
  return EventDetail{std::get<Value>(std::move(read))};
}

Result<EventDetail> training_job(const json& event) {
  return as_detail(read_training_job(detail_of(event), TimeUnit::milliseconds));
}

std::optional<policy::AlarmState> alarm_state(const std::string& word) {
  if (word == "OK") return policy::AlarmState::ok;
  if (word == "ALARM") return policy::AlarmState::alarm;
  if (word == "INSUFFICIENT_DATA") return policy::AlarmState::insufficient_data;
  return std::nullopt;
}

/// The Host of an alarm on one metric.
std::string host_dimension(const json& detail) {
  const json* configuration = field(detail, "configuration");
  const json* metrics = configuration == nullptr ? nullptr : field(*configuration, "metrics");
  if (metrics == nullptr || !metrics->is_array()) return {};
  for (const json& metric : *metrics) {
    const json* stat = field(metric, "metricStat");
    const json* of = stat == nullptr ? nullptr : field(*stat, "metric");
    const json* dimensions = of == nullptr ? nullptr : field(*of, "dimensions");
    if (dimensions == nullptr) continue;
    if (std::string host = text_of(*dimensions, "Host"); !host.empty()) return host;
  }
  return {};
}

Result<EventDetail> alarm(const json& event) {
  const json& detail = detail_of(event);
  AlarmStateChange change{
      .alarm = text_of(detail, "alarmName"), .arn = {}, .host = host_dimension(detail)};
  if (change.alarm.empty()) return Failure{"it has no alarmName"};
  const json* resources = field(event, "resources");
  if (resources != nullptr && resources->is_array() && !resources->empty() &&
      resources->front().is_string()) {
    change.arn = resources->front().get<std::string>();
  }
  const auto value = [&](const char* key) {
    const json* state = field(detail, key);
    return alarm_state(state == nullptr ? std::string{} : text_of(*state, "value"));
  };
  const auto state = value("state");
  if (!state) return Failure{"alarm " + change.alarm + " has no state that reeve knows"};
  change.state = *state;
  change.previous = value("previousState").value_or(policy::AlarmState::insufficient_data);
  return EventDetail{std::move(change)};
}

Result<EventDetail> instance(const json& event, InstanceNotice::Kind kind, const char* word) {
  const json& detail = detail_of(event);
  InstanceNotice notice{text_of(detail, "instance-id"), kind, text_of(detail, word)};
  if (notice.instance.empty()) return Failure{"it has no instance-id"};
  return EventDetail{std::move(notice)};
}

Result<EventDetail> interruption(const json& event) {
  return instance(event, InstanceNotice::Kind::interruption, "instance-action");
}
Result<EventDetail> rebalance(const json& event) {
  return instance(event, InstanceNotice::Kind::rebalance, "");
}
Result<EventDetail> instance_state(const json& event) {
  return instance(event, InstanceNotice::Kind::state, "state");
}

/// The value of the resource of that name.
std::string resource_of(const json& attempt, const char* name) {
  const json* resource = field(attempt, "serviceResourceId");
  if (resource == nullptr || text_of(*resource, "name") != name) return {};
  return text_of(*resource, "value");
}

Result<EventDetail> batch(const json& event, BatchJobState::Kind kind) {
  const json& detail = detail_of(event);
  BatchJobState job;
  job.kind = kind;
  job.arn = text_of(detail, "jobArn");
  if (job.arn.empty()) job.arn = text_of(detail, "preemptedJobArn");
  if (job.arn.empty()) return Failure{"it has no jobArn"};
  job.name = text_of(detail, "jobName");
  job.queue = text_of(detail, "jobQueue");
  job.status = text_of(detail, "status");
  job.reason = text_of(detail, "statusReason");
  job.created = instant_of(detail, "createdAt", TimeUnit::milliseconds);
  job.started = instant_of(detail, "startedAt", TimeUnit::milliseconds);
  job.stopped = instant_of(detail, "stoppedAt", TimeUnit::milliseconds);
  if (const json* newest = field(detail, "latestAttempt")) {
    job.training_job = resource_of(*newest, "TrainingJobArn");
  }
  return EventDetail{std::move(job)};
}

Result<EventDetail> batch_status(const json& event) {
  return batch(event, BatchJobState::Kind::status);
}
Result<EventDetail> batch_preempting(const json& event) {
  return batch(event, BatchJobState::Kind::preemption_started);
}
Result<EventDetail> batch_preempted(const json& event) {
  return batch(event, BatchJobState::Kind::preemption_completed);
}
Result<EventDetail> batch_blocked(const json& event) {
  return batch(event, BatchJobState::Kind::blocked);
}

/// A number; JSON has no NaN, so the text says it.
std::optional<double> loss_of(const json& detail) {
  const json* loss = field(detail, "loss");
  if (loss == nullptr) return std::nullopt;
  if (loss->is_number()) return loss->get<double>();
  if (text_of(detail, "loss") == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

Result<EventDetail> report(const json& event) {
  const json& detail = detail_of(event);
  TrainingReport told;
  told.job = text_of(detail, "TrainingJobName");
  if (told.job.empty()) return Failure{"it has no TrainingJobName"};
  const json* done = field(detail, "done_s");
  told.has_progress = done != nullptr;
  if (done != nullptr) {
    const double seconds = done->is_number() ? done->get<double>() : -1;
    if (!(seconds >= 0 && seconds < 3e9)) {
      return Failure{"done_s of " + told.job + " is no number of seconds"};
    }
    told.done = policy::Duration{std::llround(seconds * 1e9)};
  }
  told.loss = loss_of(detail);
  constexpr std::array<std::pair<const char*, policy::Sign>, 3> signs{
      {{"log_lines", policy::Sign::log_lines},
       {"network", policy::Sign::network},
       {"power", policy::Sign::power}}};
  for (const auto& [key, sign] : signs) {
    if (flag_of(detail, key).value_or(false)) told.signs |= static_cast<std::uint8_t>(sign);
  }
  if (!told.has_progress && told.signs == 0) {
    return Failure{"the report of " + told.job + " has neither done_s nor a sign of life"};
  }
  return EventDetail{std::move(told)};
}

/// Of all calls that CloudTrail tells of, CreateTrainingJob alone.
Result<EventDetail> call(const json& event) {
  const json& detail = detail_of(event);
  const bool failed = field(detail, "errorCode") != nullptr;
  const json* request = field(detail, "requestParameters");
  if (text_of(detail, "eventName") != "CreateTrainingJob" || failed || request == nullptr) {
    return EventDetail{OtherEvent{}};
  }
  Result<TrainingJobState> read = read_training_job_request(*request);
  if (const Failure* failure = failure_of(read)) return *failure;
  TrainingJobCreated created{std::get<TrainingJobState>(std::move(read))};
  if (const json* reply = field(detail, "responseElements")) {
    created.job.arn = text_of(*reply, "trainingJobArn");
  }
  return EventDetail{std::move(created)};
}

struct EventKind {
  std::string_view source;
  std::string_view detail_type;
  Read read;
};

constexpr std::array kinds = std::to_array<EventKind>({
    {"aws.sagemaker", "SageMaker Training Job State Change", training_job},
    {"aws.sagemaker", "AWS API Call via CloudTrail", call},
    {"aws.cloudwatch", "CloudWatch Alarm State Change", alarm},
    {"aws.ec2", "EC2 Spot Instance Interruption Warning", interruption},
    {"aws.ec2", "EC2 Instance Rebalance Recommendation", rebalance},
    {"aws.ec2", "EC2 Instance State-change Notification", instance_state},
    {"aws.batch", "Batch Service Job State Change", batch_status},
    {"aws.batch", "Batch Service Job Preemption Started", batch_preempting},
    {"aws.batch", "Batch Service Job Preemption Completed", batch_preempted},
    {"aws.batch", "Batch Service Job Queue Blocked", batch_blocked},
    {"reeve.training", "Training Report", report},
});

Result<FleetEvent> from_bus(const json& event) {
  FleetEvent read{.id = text_of(event, "id"),
                  .account = text_of(event, "account"),
                  .region = text_of(event, "region"),
                  .kind = text_of(event, "detail-type"),
                  .time = instant_of(event, "time", TimeUnit::milliseconds),
                  .detail = OtherEvent{}};
  if (read.kind.empty()) read.kind = text_of(event, "detail_type");  // in one sample of AWS
  const std::string source = text_of(event, "source");
  for (const EventKind& kind : kinds) {
    if (kind.source != source || kind.detail_type != read.kind) continue;
    Result<EventDetail> detail = kind.read(event);
    if (const Failure* failure = failure_of(detail)) {
      return Failure{"an event \"" + read.kind + "\" is unusable: " + failure->message};
    }
    read.detail = std::get<EventDetail>(std::move(detail));
    break;
  }
  return read;
}

/// The message that an alarm sends to SNS itself.  Its dimensions are a list.
Result<FleetEvent> from_alarm(const json& message) {
  AlarmStateChange change;
  change.alarm = text_of(message, "AlarmName");
  change.arn = text_of(message, "AlarmArn");
  const auto state = alarm_state(text_of(message, "NewStateValue"));
  if (!state) return Failure{"alarm " + change.alarm + " has no NewStateValue that reeve knows"};
  change.state = *state;
  change.previous = alarm_state(text_of(message, "OldStateValue"))
                        .value_or(policy::AlarmState::insufficient_data);
  const json* trigger = field(message, "Trigger");
  const json* dimensions = trigger == nullptr ? nullptr : field(*trigger, "Dimensions");
  if (dimensions != nullptr && dimensions->is_array()) {
    for (const json& dimension : *dimensions) {
      if (text_of(dimension, "name") == "Host") change.host = text_of(dimension, "value");
    }
  }
  // `Region` is a display name; the region is in the ARN.
  std::string region;
  constexpr int region_place = 3;
  std::size_t from = 0;
  for (int place = 0; place < region_place && from != std::string::npos; ++place) {
    from = change.arn.find(':', from);
    if (from != std::string::npos) ++from;
  }
  if (from != std::string::npos)
    region = change.arn.substr(from, change.arn.find(':', from) - from);
  return FleetEvent{.id = {},
                    .account = text_of(message, "AWSAccountId"),
                    .region = std::move(region),
                    .kind = "CloudWatch alarm by SNS",
                    .time = instant_of(message, "StateChangeTime", TimeUnit::milliseconds),
                    .detail = std::move(change)};
}

Result<FleetEvent> read_json(const json& document) {
  if (!document.is_object()) return Failure{"it is not a JSON object"};
  if (field(document, "detail-type") != nullptr || field(document, "detail_type") != nullptr) {
    return from_bus(document);
  }
  if (field(document, "AlarmName") != nullptr) return from_alarm(document);
  return Failure{"it is no event of EventBridge and no message of an alarm"};
}

/// The text in an envelope of SNS, SQS, CloudWatch Logs, or of Lambda around one of them; nothing
/// if it is none.
Result<std::optional<std::string>> enveloped(const json& document) {
  using Text = std::optional<std::string>;
  if (!document.is_object() || field(document, "detail-type") != nullptr) return Text{};
  if (const json* records = field(document, "Records"); records != nullptr && records->is_array()) {
    if (records->size() != 1) return Failure{"its Records are not one"};
    const json* sns = field(records->front(), "Sns");
    const std::string body =
        sns != nullptr ? text_of(*sns, "Message") : text_of(records->front(), "body");
    return body.empty() ? Result<Text>{Failure{"its record has no message"}} : Text{body};
  }
  if (text_of(document, "Type") == "Notification") return Text{text_of(document, "Message")};
  for (const char* key : {"Body", "body", "message"}) {
    if (std::string body = text_of(document, key); !body.empty()) return Text{std::move(body)};
  }
  return Text{};
}

std::optional<LogVerdict> verdict_in(const json& line) {
  constexpr std::int64_t most_pct = 100;
  const json* written = field(line, "from_logs");
  if (written == nullptr) return std::nullopt;
  const auto failure = policy::failure_class_named(text_of(*written, "failure"));
  const std::int64_t doubt = whole_of(*written, "doubt_pct").value_or(0);
  if (!failure || doubt < 0 || doubt > most_pct) return std::nullopt;
  return LogVerdict{*failure, static_cast<std::uint8_t>(doubt)};
}

}  // namespace

Result<FleetEvent> read_event(std::string_view text) {
  Result<FleetEvent> read = read_recorded_event(text);
  const auto* event = std::get_if<FleetEvent>(&read);
  if (event == nullptr || event->left_out_transitions == 0) return read;
  return Failure{"it leaves out statuses that are in other lines of its recording"};
}

Result<FleetEvent> read_recorded_event(std::string_view text) {
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return Failure{"it is not JSON"};
  const auto received = instant_of(document, "received", TimeUnit::milliseconds);
  if (const json* event = field(document, "event"); received && event != nullptr) {
    Result<FleetEvent> read = read_json(*event);
    if (failure_of(read) != nullptr) return read;
    std::get<FleetEvent>(read).received = received;
    std::get<FleetEvent>(read).from_logs = verdict_in(document);
    const json* described = field(document, "is_description");
    const std::int64_t left_out = whole_of(document, "left_out_transitions").value_or(0);
    if (left_out < 0) return Failure{"left_out_transitions is no number of statuses"};
    std::get<FleetEvent>(read).left_out_transitions = static_cast<std::size_t>(left_out);
    std::get<FleetEvent>(read).is_description = described != nullptr && *described == true;
    return read;
  }
  // SNS wraps a message as text, unless the subscription delivers it raw; so does a queue.
  constexpr int most_envelopes = 4;
  for (int depth = 0; depth < most_envelopes; ++depth) {
    const Result<std::optional<std::string>> inner = enveloped(document);
    if (const Failure* failure = failure_of(inner)) return *failure;
    const auto& body = std::get<std::optional<std::string>>(inner);
    if (!body) break;
    document = json::parse(*body, nullptr, false);
    if (document.is_discarded()) return Failure{"the message in its envelope is not JSON"};
  }
  return read_json(document);
}

}  // namespace reeve::live
