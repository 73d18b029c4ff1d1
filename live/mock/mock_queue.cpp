#include "live/mock/mock_queue.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "live/events/write_event.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::chrono::seconds visibility_timeout{30};
/// One that was received as often goes to the dead-letter queue.
constexpr int most_receives = 5;

/// What its logs say of a failure has no place in an event of AWS.
std::string body_of(const FleetEvent& event) {
  return event.from_logs ? recorded(event, *event.received) : written_event(event).dump();
}

MockError no_queue() {
  return {"com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist."};
}

}  // namespace

MockQueue::MockQueue(std::string account, std::string region, MockFaults faults, std::uint64_t seed)
    : account_{std::move(account)}, region_{std::move(region)}, faults_{faults}, draws_{seed} {}

MockAnswer MockQueue::answer(std::string_view operation, const json& asked, Instant now) {
  const bool names_queue = asked.contains("QueueUrl");
  if (names_queue && !asked.at("QueueUrl").get<std::string>().ends_with(path())) return no_queue();
  if (operation == "ReceiveMessage") return receive(asked, now);
  if (operation == "DeleteMessageBatch") return remove_batch(asked);
  if (operation == "DeleteMessage") return remove_one(asked);
  if (operation == "GetQueueUrl") return url(asked);
  if (operation == "GetQueueAttributes") return attributes(asked, now);
  return answer_for_tags(operation, asked);
}

/// ListQueueTags, TagQueue and UntagQueue.
MockAnswer MockQueue::answer_for_tags(std::string_view operation, const json& asked) {
  if (operation == "ListQueueTags") {
    return tags_.empty() ? json::object() : json{{"Tags", tags_}};
  }
  if (operation == "TagQueue") {
    for (const auto& [key, value] : asked.at("Tags").items()) tags_[key] = value;
  } else {
    for (const json& key : asked.at("TagKeys")) tags_.erase(key.get<std::string>());
  }
  return json::object();
}

void MockQueue::send(const FleetEvent& event) {
  const bool is_lost = draws_.happens(faults_.lost);
  const int copies = draws_.happens(faults_.duplicated) ? 2 : 1;
  for (int copy = 0; copy < copies && !is_lost; ++copy) {
    messages_.push_back({"message-" + std::to_string(++sent_), event, *event.received, 0});
  }
}

std::optional<Instant> MockQueue::next_visible(Instant now) const {
  std::optional<Instant> next;
  for (const Message& message : messages_) {
    if (message.visible > now && (!next || message.visible < *next)) next = message.visible;
  }
  return next;
}

MockAnswer MockQueue::receive(const json& asked, Instant now) {
  const auto most = asked.value("MaxNumberOfMessages", std::size_t{1});
  const std::chrono::seconds hidden{
      asked.value("VisibilityTimeout", std::int64_t{visibility_timeout.count()})};
  json messages = json::array();
  std::erase_if(messages_, [&](const Message& message) {
    return message.received >= most_receives && message.visible <= now;
  });
  for (Message& message : messages_) {
    if (messages.size() == most) break;
    if (message.visible > now) continue;
    message.visible = now + hidden;
    ++message.received;
    const std::string body = body_of(message.event);
    messages.push_back({{"MessageId", message.id},
                        {"ReceiptHandle", message.id + '#' + std::to_string(message.received)},
                        {"MD5OfBody", md5_hex(body)},
                        {"Body", body}});
  }
  json answer = json::object();
  if (!messages.empty()) answer["Messages"] = std::move(messages);
  return answer;
}

bool MockQueue::remove(const std::string& receipt) {
  const std::string id = receipt.substr(0, receipt.find('#'));
  const auto found = std::find_if(messages_.begin(), messages_.end(),
                                  [&](const Message& message) { return message.id == id; });
  if (found != messages_.end()) messages_.erase(found);
  return receipt.find('#') != std::string::npos;
}

MockAnswer MockQueue::remove_batch(const json& asked) {
  std::set<std::string> ids;
  for (const json& entry : asked.at("Entries")) {
    if (!ids.insert(entry.value("Id", "")).second) {
      return MockError{"com.amazonaws.sqs#BatchEntryIdsNotDistinct", "two entries have one Id"};
    }
  }
  json answer{{"Successful", json::array()}, {"Failed", json::array()}};
  for (const json& entry : asked.at("Entries")) {
    const json id = entry.value("Id", "");
    if (remove(entry.value("ReceiptHandle", ""))) {
      answer["Successful"].push_back({{"Id", id}});
    } else {
      answer["Failed"].push_back(
          {{"Id", id}, {"Code", "ReceiptHandleIsInvalid"}, {"SenderFault", true}});
    }
  }
  return answer;
}

MockAnswer MockQueue::remove_one(const json& asked) {
  if (remove(asked.at("ReceiptHandle"))) return json::object();
  return MockError{"ReceiptHandleIsInvalid", "The specified receipt handle isn't valid."};
}

MockAnswer MockQueue::url(const json& asked) const {
  const bool is_ours = asked.at("QueueName") == "reeve" &&
                       asked.value("QueueOwnerAWSAccountId", account_) == account_;
  if (is_ours) return json{{"QueueUrl", path()}};
  return no_queue();
}

MockAnswer MockQueue::attributes(const json& asked, Instant now) const {
  json all = all_attributes(now);
  if (!asked.contains("AttributeNames")) return json::object();
  json attributes = json::object();
  for (const json& name : asked["AttributeNames"]) {
    if (name == "All") return json{{"Attributes", std::move(all)}};
    const auto known = all.find(name.get_ref<const std::string&>());
    if (known == all.end()) {
      return MockError{"InvalidAttributeName", "Unknown Attribute " + name.get<std::string>()};
    }
    attributes[known.key()] = *known;
  }
  return json{{"Attributes", std::move(attributes)}};
}

json MockQueue::all_attributes(Instant now) const {
  const auto visible = std::count_if(messages_.begin(), messages_.end(),
                                     [&](const Message& m) { return m.visible <= now; });
  const auto all = static_cast<std::ptrdiff_t>(messages_.size());
  return {{"ApproximateNumberOfMessages", std::to_string(visible)},
          {"ApproximateNumberOfMessagesNotVisible", std::to_string(all - visible)},
          {"VisibilityTimeout", std::to_string(visibility_timeout.count())},
          {"RedrivePolicy", json{{"deadLetterTargetArn", arn() + "-dead-letters"},
                                 {"maxReceiveCount", most_receives}}
                                .dump()},
          {"QueueArn", arn()}};
}

std::string MockQueue::arn() const {
  return "arn:aws:sqs:" + region_ + ':' + account_ + ":reeve";
}

}  // namespace reeve::live
