#include "live/mock/mock_instances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::chrono::seconds change_of_state{30};
constexpr std::chrono::hours shown_after_end{1};

MockError not_valid(std::string message) {
  return {"InvalidParameterValue", std::move(message)};
}

bool is_filter(const std::string& name) {
  constexpr std::array names = {std::string_view{"instance-state-name"},
                                std::string_view{"instance-id"}, std::string_view{"tag-key"}};
  return name.starts_with("tag:") || std::find(names.begin(), names.end(), name) != names.end();
}

std::map<std::string, std::string> tags_in_list(const json& list) {
  std::map<std::string, std::string> tags;
  for (const json& each : list) tags[each.at("Key")] = each.value("Value", "");
  return tags;
}

}  // namespace

MockAnswer MockInstances::answer(std::string_view operation, const json& asked, Instant now) {
  if (operation == "RunInstances") return run(asked, now);
  if (operation == "DescribeInstances") return describe(asked, now);
  return operation == "TerminateInstances" ? terminate(asked, now) : tag(asked);
}

MockAnswer MockInstances::run(const json& asked, Instant now) {
  const std::string token = asked.value("ClientToken", "");
  if (const auto before = launches_.find(token); !token.empty() && before != launches_.end()) {
    if (before->second.asked == asked) return reservation_of(before->second, now);
    return MockError{"IdempotentParameterMismatch", "the token is of another request"};
  }
  const std::int64_t count = count_in(asked, "MaxCount", 0);
  constexpr std::int64_t most = 1000;
  const std::int64_t least = count_in(asked, "MinCount", 0);
  if (least < 1 || count < least || count > most) return not_valid("MinCount, MaxCount");
  std::map<std::string, std::string> tags;
  for (const json& specification : asked.value("TagSpecification", json::array())) {
    if (specification.value("ResourceType", "") != "instance") continue;
    tags.merge(tags_in_list(specification.value("Tag", json::array())));
  }
  Launch launch{asked, json::array(), fmt::format("r-{:017x}", ++reservations_)};
  for (std::int64_t nth = 0; nth < count; ++nth) {
    const std::string id = fmt::format("i-{:017x}", instances_.size() + 1);
    instances_.emplace(id, Instance{asked, launch.reservation, now, tags});
    launch.ids.push_back(id);
  }
  json reply = reservation_of(launch, now);
  if (!token.empty()) launches_.emplace(token, std::move(launch));
  return reply;
}

json MockInstances::reservation_of(const Launch& launch, Instant now) const {
  json instances = json::array();
  for (const json& id : launch.ids) instances.push_back(described(id, instances_.at(id), now));
  return {{"reservationId", launch.reservation}, {"instancesSet", std::move(instances)}};
}

const char* MockInstances::state_of(const Instance& instance, Instant now) {
  if (instance.terminated) {
    return now < *instance.terminated + change_of_state ? "shutting-down" : "terminated";
  }
  return now < instance.launched + change_of_state ? "pending" : "running";
}

bool MockInstances::passes(const std::string& id, const Instance& instance, const json& filter,
                           Instant now) {
  const std::string name = filter.at("Name");
  const json& values = filter.at("Value");
  return std::any_of(values.begin(), values.end(), [&](const json& value) {
    if (name == "instance-id") return value == id;
    if (name == "instance-state-name") return value == state_of(instance, now);
    if (name == "tag-key") return instance.tags.contains(value.get<std::string>());
    const auto tag = instance.tags.find(name.substr(name.find(':') + 1));
    return tag != instance.tags.end() && value == tag->second;
  });
}

MockAnswer MockInstances::describe(const json& asked, Instant now) const {
  const json ids = asked.value("InstanceId", json::array());
  if (auto error = unknown_in(ids)) return *std::move(error);
  if (!ids.empty() && asked.contains("MaxResults")) {
    return MockError{"InvalidParameterCombination", "InstanceId and MaxResults"};
  }
  const std::int64_t most = count_in(asked, "MaxResults", 1000);
  if (most < 5 || most > 1000) return not_valid("MaxResults must be from 5 to 1000");
  const json filters = asked.value("Filter", json::array());
  for (const json& filter : filters) {
    const std::string name = filter.value("Name", "");
    if (!is_filter(name)) return not_valid("The filter '" + name + "' is invalid");
  }
  const std::string after = asked.value("NextToken", "");  // the last id of the page before
  json answer{{"reservationSet", json::array()}};
  json& page = answer["reservationSet"];
  std::string last;
  for (const auto& [id, instance] : instances_) {
    const bool is_shown = !instance.terminated || now < *instance.terminated + shown_after_end;
    const bool is_named = ids.empty() || std::find(ids.begin(), ids.end(), json(id)) != ids.end();
    const auto is_passed = [&, &name = id, &each = instance](const json& filter) {
      return passes(name, each, filter, now);
    };
    const bool passes_all = std::all_of(filters.begin(), filters.end(), is_passed);
    if (!is_shown || !is_named || !passes_all || id <= after) continue;
    if (page.size() == static_cast<std::size_t>(most)) {
      answer["nextToken"] = last;
      break;
    }
    last = id;
    page.push_back({{"reservationId", instance.reservation},
                    {"instancesSet", json::array({described(id, instance, now)})}});
  }
  return answer;
}

/// One that may not be terminated keeps the others, too.
MockAnswer MockInstances::terminate(const json& asked, Instant now) {
  const json& ids = asked.at("InstanceId");
  if (auto error = unknown_in(ids)) return *std::move(error);
  for (const json& id : ids) {
    if (instances_.at(id).asked.value("DisableApiTermination", "false") != "true") continue;
    return MockError{"OperationNotPermitted", "The instance '" + id.get<std::string>() +
                                                  "' may not be terminated. Modify its "
                                                  "'disableApiTermination' instance attribute."};
  }
  json changes = json::array();
  for (const json& id : ids) {
    Instance& instance = instances_.at(id);
    const std::string before = state_of(instance, now);
    if (!instance.terminated) instance.terminated = now;
    changes.push_back({{"instanceId", id},
                       {"previousState", {{"name", before}}},
                       {"currentState", {{"name", state_of(instance, now)}}}});
  }
  return json{{"instancesSet", std::move(changes)}};
}

MockAnswer MockInstances::tag(const json& asked) {
  const json& ids = asked.at("ResourceId");
  if (auto error = unknown_in(ids)) return *std::move(error);
  for (const json& id : ids) {
    for (auto& [key, value] : tags_in_list(asked.at("Tag"))) {
      instances_.at(id).tags[key] = value;
    }
  }
  return json{{"return", "true"}};
}

std::optional<MockError> MockInstances::unknown_in(const json& ids) const {
  for (const json& id : ids) {
    const std::string text = id;
    if (!text.starts_with("i-")) {
      return MockError{"InvalidInstanceID.Malformed", "Invalid id: \"" + text + '"'};
    }
    if (!instances_.contains(text)) {
      return MockError{"InvalidInstanceID.NotFound",
                       "The instance ID '" + text + "' does not exist"};
    }
  }
  return std::nullopt;
}

json MockInstances::described(const std::string& id, const Instance& instance, Instant now) {
  json tags = json::array();
  for (const auto& [key, value] : instance.tags) tags.push_back({{"key", key}, {"value", value}});
  json described{{"instanceId", id},
                 {"imageId", instance.asked.at("ImageId")},
                 {"instanceType", instance.asked.at("InstanceType")},
                 {"instanceState", {{"name", state_of(instance, now)}}},
                 {"launchTime", iso_date(instance.launched)},
                 {"tagSet", std::move(tags)}};
  const json market = instance.asked.value("InstanceMarketOptions", json::object());
  if (market.value("MarketType", "") == "spot") described["instanceLifecycle"] = "spot";
  return described;
}

}  // namespace reeve::live
