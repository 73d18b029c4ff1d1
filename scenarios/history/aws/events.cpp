// Events of AWS: CloudTrail (lookup-events and log files) and EventBridge.  Sources: the CloudTrail
// and EC2 Spot user guides, and the examples of the AWS CLI.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/history/aws/event_groups.hpp"
#include "scenarios/history/aws/kept_reply.hpp"
#include "scenarios/history/aws/kinds.hpp"
#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;
using What = HistoryEvent::Kind;

constexpr auto trail_arrays = std::to_array<std::string_view>({"Events", "Records"});
constexpr auto no_arrays = std::to_array<std::string_view>({"Records"});
/// Of events of both; the names of CloudTrail's own begin with lower case.
constexpr auto event_keys = std::to_array<std::string_view>({
    "CloudTrailEvent",
    "EventName",
    "EventTime",
    "NextToken",
    "eventID",
    "eventName",
    "eventTime",
    "errorCode",
    "userAgent",
    "userIdentity",
    "arn",
    "userName",
    "invokedBy",
    "requestParameters",
    "trainingJobName",
    "jobId",
    "serviceEventDetails",
    "awsRegion",
    "recipientAccountId",
    "region",
    "account",
    "id",
    "detail",
    "detail-type",
    "time",
    "instance-id",
    "instance-action",
});
constexpr auto event_whole =
    std::to_array<std::string_view>({"instanceIdSet", "resources", "Error"});

/// The calls that say something of jobs.
struct Call {
  std::string_view name;
  What kind;
};
constexpr auto calls = std::to_array<Call>({
    {"CreateTrainingJob", What::created},
    {"StopTrainingJob", What::stop_requested},
    {"CancelJob", What::stop_requested},
    {"TerminateJob", What::stop_requested},
    {"TerminateServiceJob", What::stop_requested},
    {"BidEvictedEvent", What::evicted},
});

const Call* call_named(std::string_view name) {
  const auto found =
      std::find_if(calls.begin(), calls.end(), [&](const Call& call) { return call.name == name; });
  return found == calls.end() ? nullptr : &*found;
}

/// An IAM user, or the session of a role.
std::string caller_of(const json& event) {
  const json* identity = member(event, "userIdentity");
  if (identity == nullptr) return {};
  for (const auto* key : {"arn", "userName", "invokedBy"}) {
    const std::string text = text_at(*identity, key);
    if (!text.empty()) return std::string{last_of_arn(text)};
  }
  return {};
}

/// Whether a program called: AWS Lambda, another service, or an EC2 instance.  A role's session in
/// Lambda has the name of the function.
bool is_program(const json& event, std::string_view caller) {
  if (text_at(event, "userAgent").find("AWS_Lambda") != std::string::npos) return true;
  const json* identity = member(event, "userIdentity");
  if (identity != nullptr && !text_at(*identity, "invokedBy").empty()) return true;
  std::string lower{caller};
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.find("lambda") != std::string::npos || caller.starts_with("i-0");
}

/// Of an event without an id: what it says.
std::string content_of(const HistoryEvent& event) {
  return fmt::format("{} {} {}", name_of(event.kind), event.at.time_since_epoch().count(),
                     json{event.job, event.instance, event.instance_type, event.zone, event.region,
                          event.account, event.by, event.by_function, event.with_notice}
                         .dump(-1, ' ', false, json::error_handler_t::replace));
}

class EventReader {
 public:
  EventReader(HistoryInput& input, History& into) : input_{input}, into_{into} {}

  /// A record of CloudTrail as log files have it; `text` of lookup-events holds one.
  void add_trail(const json& record, std::uint64_t line) {
    is_used_ = false;
    const std::string text = text_at(record, "CloudTrailEvent");
    if (text.empty()) return add_call(record, line);
    if (call_named(text_at(record, "EventName")) == nullptr) return;
    const json inner = object_of_text(text, {{}, event_keys, event_whole});
    if (!inner.is_object()) {
      return input_.findings.warn("W0632", line, "an event whose CloudTrailEvent is not JSON");
    }
    add_call(inner, line);
  }

  void add_bus_event(const json& record, std::uint64_t line) {
    is_used_ = false;
    const std::string type = text_at(record, "detail-type");
    const json* detail = member(record, "detail");
    if (type == "AWS API Call via CloudTrail" || type == "AWS Service Event via CloudTrail") {
      if (detail != nullptr) add_call(*detail, line, &record);
      return;
    }
    const bool lost = type == "EC2 Spot Instance Interruption Warning";
    if (!lost && type != "EC2 Instance Rebalance Recommendation") return;
    HistoryEvent event;
    event.kind = lost ? What::interrupted : What::rebalance;
    event.instance = detail == nullptr ? "" : text_at(*detail, "instance-id");
    event.zone = zone_of(record);
    // An instance that hibernates begins at once.
    event.with_notice =
        !(lost && detail != nullptr && text_at(*detail, "instance-action") == "hibernate");
    add(std::move(event), instant_at(record, "time"), text_at(record, "id"), line);
  }

  void note_page(const JsonRecord& rest) {
    if (text_at(rest.value, "NextToken").empty()) return;
    input_.findings.warn("W0631", rest.line, "a page is missing: the file ends with NextToken",
                         "export without --no-paginate and --max-items");
  }

  void note_error(const JsonRecord& record) {
    input_.findings.warn(
        "W0630", record.line,
        fmt::format("an error: {}", text_at(*member(record.value, "Error"), "Code")),
        "repeat the export");
  }

 private:
  /// `around`: the event of EventBridge that holds the call.
  void add_call(const json& record, std::uint64_t line, const json* around = nullptr) {
    const Call* call = call_named(text_at(record, "eventName"));
    if (call == nullptr) return;
    const bool refused = !text_at(record, "errorCode").empty();
    if (refused && call->kind != What::stop_requested) return;  // it did not happen
    HistoryEvent event;
    event.kind = refused ? What::stop_refused : call->kind;
    event.by = caller_of(record);
    event.by_function = is_program(record, event.by);
    event.region = text_at(record, "awsRegion");
    event.account = text_at(record, "recipientAccountId");
    if (around != nullptr && event.region.empty()) event.region = text_at(*around, "region");
    if (around != nullptr && event.account.empty()) event.account = text_at(*around, "account");
    if (const json* parameters = member(record, "requestParameters")) {
      event.job = text_at(*parameters, "trainingJobName");
      if (event.job.empty()) event.job = last_of_arn(text_at(*parameters, "jobId"));
    }
    const auto at = instant_at(record, "eventTime");
    const std::string id = text_at(record, "eventID");
    const json* details = member(record, "serviceEventDetails");
    const json* instances = details == nullptr ? nullptr : member(*details, "instanceIdSet");
    if (call->kind == What::evicted) return add_evicted(event, instances, at, id, line);
    if (event.job.empty()) {
      return input_.findings.warn("W0632", line, fmt::format("{} without a job", call->name));
    }
    add(std::move(event), at, id, line);
  }

  void add_evicted(HistoryEvent event, const json* instances, std::optional<Instant> at,
                   const std::string& id, std::uint64_t line) {
    if (instances == nullptr || !instances->is_array() || instances->empty()) {
      return input_.findings.warn("W0632", line, "BidEvictedEvent without instances");
    }
    event.by.clear();
    event.by_function = false;
    for (const json& each : *instances) {
      if (!each.is_string()) continue;
      event.instance = each.get<std::string>();
      add(event, at, id.empty() ? id : id + '/' + event.instance, line);
    }
  }

  /// An event counts once, in whatever files it is.
  void add(HistoryEvent event, std::optional<Instant> at, std::string id, std::uint64_t line) {
    if (!at) return input_.findings.warn("W0632", line, "an event without a time");
    event.at = *at;
    event.id = id.empty() ? content_of(event) : std::move(id);
    if (!into_.event_ids.insert(event.id).second) return;
    if (!into_.newest || *at > *into_.newest) into_.newest = at;
    if (!std::exchange(is_used_, true)) ++input_.report.used;
    into_.events.push_back(std::move(event));
  }

  /// "arn:aws:ec2:us-east-1b:instance/i-0aaa": such ARNs name the zone.
  static std::string zone_of(const json& record) {
    const json* resources = member(record, "resources");
    if (resources == nullptr || !resources->is_array() || resources->empty()) return {};
    const json& first = resources->front();
    const std::string arn = first.is_string() ? first.get<std::string>() : std::string{};
    std::size_t at = 0;
    for (int colon = 0; colon < 3; ++colon) {
      at = arn.find(':', at);
      if (at == arn.npos) return {};
      ++at;
    }
    std::string zone = arn.substr(at, arn.find(':', at) - at);
    const bool has_letter = !zone.empty() && zone.back() >= 'a' && zone.back() <= 'z';
    return has_letter ? zone : std::string{};
  }

  HistoryInput& input_;
  History& into_;
  bool is_used_ = false;  ///< the record at hand gave an event
};

}  // namespace

bool is_cloudtrail(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  if (has("\"detail-type\"")) return false;
  return has("\"CloudTrailEvent\"") || (has("\"Records\"") && has("\"eventName\""));
}

JsonShape cloudtrail_shape() {
  return {trail_arrays, event_keys, event_whole};
}

void read_cloudtrail(HistoryInput& input, const HistoryOptions&, History& into) {
  EventReader reader{input, into};
  for_each_record(input, cloudtrail_shape(), [&](const JsonRecord& record) {
    if (record.is_rest) return reader.note_page(record);
    ++input.report.records;
    if (member(record.value, "Error") != nullptr) return reader.note_error(record);
    reader.add_trail(record.value, record.line);
  });
}

bool is_eventbridge(std::string_view head) {
  return head.find("\"detail-type\"") != head.npos;
}

void read_eventbridge(HistoryInput& input, const HistoryOptions&, History& into) {
  EventReader reader{input, into};
  for_each_record(input, {no_arrays, event_keys, event_whole}, [&](const JsonRecord& record) {
    if (record.is_rest) return;
    ++input.report.records;
    reader.add_bus_event(record.value, record.line);
  });
}

std::vector<EventGroup> interruption_groups(const std::vector<HistoryEvent>& events) {
  constexpr policy::Duration together = std::chrono::minutes{3};
  std::vector<const HistoryEvent*> lost;
  for (const HistoryEvent& event : events) {
    if (event.kind == What::interrupted) lost.push_back(&event);
  }
  std::stable_sort(lost.begin(), lost.end(), [](const HistoryEvent* a, const HistoryEvent* b) {
    return std::tie(a->instance_type, a->zone, a->at) < std::tie(b->instance_type, b->zone, b->at);
  });
  std::vector<EventGroup> groups;
  for (const HistoryEvent* event : lost) {
    const bool same = !groups.empty() && groups.back().instance_type == event->instance_type &&
                      groups.back().zone == event->zone &&
                      event->at - groups.back().until <= together;
    if (!same) groups.push_back({event->instance_type, event->zone, event->at, event->at, 0});
    groups.back().until = event->at;
    ++groups.back().instances;
  }
  return groups;
}

}  // namespace reeve::scenarios
