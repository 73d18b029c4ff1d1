#include "live/history/history_pages.hpp"

#include <chrono>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/aws/reply_error.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// "availabilityZone" is AvailabilityZone of the API's model.
std::string model_name(std::string name) {
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

json copy_of_list(const json& object, const char* key) {
  const json* list = list_of(object, key);
  return list == nullptr ? json::array() : *list;
}

}  // namespace

Call history_call(const Service& service, std::string operation, json parameters) {
  constexpr int patient = 5;
  Call call{service, std::move(operation), std::move(parameters)};
  call.timeout = std::chrono::seconds{60};  // a page of metrics has megabytes
  call.max_attempts = patient;
  return call;
}

std::string action_of(const Call& call) {
  const std::string_view service = call.service.signing_name;
  return std::string{service == "monitoring" ? "cloudwatch" : service} + ':' + call.operation;
}

FailedCall unreadable(const Call& call, const char* lacks) {
  return unreadable_reply(action_of(call), std::string{"a reply has no "} + lacks);
}

std::optional<FailedCall> each_page(Client& client, const Call& call, const char* list, Pace& pace,
                                    const std::function<void(json& page)>& each) {
  const bool is_xml = has_xml_replies(call.service.protocol);
  Pages pages{call, 1'000'000};
  while (!pages.at_end()) {
    pace.wait();
    CallResult page = pages.read(client);
    if (page.error) return FailedCall{action_of(call), *page.error};
    const json* found = is_xml ? list_of(page.value, list) : field(page.value, list);
    if (found == nullptr || !found->is_array()) return unreadable(call, list);
    for (const char* token : {"NextToken", "nextToken"}) page.value.erase(token);
    each(page.value);
  }
  return std::nullopt;
}

json spot_price_reply(const json& reply) {
  json prices = json::array();
  const json items = copy_of_list(reply, "spotPriceHistorySet");
  for (const json& item : items) {
    json price = json::object();
    if (item.is_object()) {
      for (const auto& [key, value] : item.items()) price[model_name(key)] = value;
    }
    prices.push_back(std::move(price));
  }
  return {{"SpotPriceHistory", std::move(prices)}};
}

json metric_data_reply(json reply) {
  json results = copy_of_list(reply, "MetricDataResults");
  for (json& result : results) {
    if (!result.is_object()) continue;
    for (const char* key : {"Timestamps", "Values"}) result[key] = copy_of_list(result, key);
    for (json& value : result["Values"]) {
      if (!value.is_string()) continue;
      const json number = json::parse(value.get_ref<const std::string&>(), nullptr, false);
      if (number.is_number()) value = number;
    }
  }
  json written{{"MetricDataResults", std::move(results)}};
  json messages = copy_of_list(reply, "Messages");
  if (!messages.empty()) written["Messages"] = std::move(messages);
  return written;
}

}  // namespace reeve::live
