#include "live/mock/mock_alarms.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr std::array operations_of_alarms = {
    std::string_view{"PutMetricAlarm"}, std::string_view{"DescribeAlarms"},
    std::string_view{"DeleteAlarms"}, std::string_view{"ListTagsForResource"}};

MockError wrong(std::string message) {
  return {"ValidationError", std::move(message)};
}

/// An alarm is on one metric, or on the queries of `Metrics`.
std::optional<MockError> wrong_alarm(const json& asked) {
  const bool has_queries = asked.contains("Metrics");
  const bool has_metric = asked.contains("MetricName") && asked.contains("Namespace") &&
                          (asked.contains("Statistic") || asked.contains("ExtendedStatistic"));
  if (has_queries == has_metric) return wrong("the alarm needs one metric, or Metrics");
  for (const char* key : {"ComparisonOperator", "EvaluationPeriods", "Threshold"}) {
    if (!asked.contains(key)) return wrong(std::string{key} + " is required");
  }
  if (has_queries) return std::nullopt;
  const std::int64_t period = count_in(asked, "Period", 0);
  constexpr std::array short_ones{10, 20, 30};
  const bool is_short = std::count(short_ones.begin(), short_ones.end(), period) > 0;
  if (!is_short && (period <= 0 || period % 60 != 0)) {
    return wrong("Period must be 10, 20, 30 or a multiple of 60");
  }
  return std::nullopt;
}

bool is_among(const json& list, const std::string& text) {
  return std::find(list.begin(), list.end(), json(text)) != list.end();
}

}  // namespace

MockAlarms::MockAlarms(std::string account, std::string region)
    : account_{std::move(account)}, region_{std::move(region)} {}

bool MockAlarms::has(std::string_view operation) {
  return std::find(operations_of_alarms.begin(), operations_of_alarms.end(), operation) !=
         operations_of_alarms.end();
}

MockAnswer MockAlarms::answer(std::string_view operation, const json& asked, Instant now) {
  if (operation == "PutMetricAlarm") return put(asked, now);
  if (operation == "DescribeAlarms") return describe(asked);
  return operation == "DeleteAlarms" ? remove(asked) : tags(asked);
}

/// An alarm that exists is changed, and keeps its tags.
MockAnswer MockAlarms::put(const json& asked, Instant now) {
  if (auto error = wrong_alarm(asked)) return *std::move(error);
  const std::string name = asked.at("AlarmName");
  Alarm& alarm = alarms_[name];
  if (alarm.described.is_null()) alarm.tags = asked.value("Tags", json::array());
  alarm.described = asked;
  alarm.described.erase("Tags");
  alarm.described.update({{"AlarmArn", arn(name)},
                          {"AlarmConfigurationUpdatedTimestamp", iso_date(now)},
                          {"StateValue", "INSUFFICIENT_DATA"}});
  return json::object();
}

MockAnswer MockAlarms::describe(const json& asked) const {
  const json names = asked.value("AlarmNames", json::array());
  const std::string prefix = asked.value("AlarmNamePrefix", "");
  if (!names.empty() && !prefix.empty()) {
    return MockError{"InvalidParameterCombination", "AlarmNames and AlarmNamePrefix"};
  }
  const std::int64_t most = count_in(asked, "MaxRecords", 50);
  if (most < 1 || most > 100) return wrong("MaxRecords must be from 1 to 100");
  const std::string after = asked.value("NextToken", "");  // the last name of the page before
  json answer{{"MetricAlarms", json::array()}, {"CompositeAlarms", json::array()}};
  json& page = answer["MetricAlarms"];
  for (const auto& [name, alarm] : alarms_) {
    const bool is_asked_for =
        name.starts_with(prefix) && (names.empty() || is_among(names, name)) && name > after;
    if (!is_asked_for) continue;
    if (page.size() == static_cast<std::size_t>(most)) {
      answer["NextToken"] = page.back().at("AlarmName");
      break;
    }
    page.push_back(alarm.described);
  }
  return answer;
}

/// A name that no alarm has keeps the others, too.
MockAnswer MockAlarms::remove(const json& asked) {
  const json& names = asked.at("AlarmNames");
  for (const json& name : names) {
    if (alarms_.contains(name.get<std::string>())) continue;
    return MockError{"ResourceNotFound", "there is no alarm " + name.get<std::string>()};
  }
  for (const json& name : names) alarms_.erase(name.get<std::string>());
  return json::object();
}

MockAnswer MockAlarms::tags(const json& asked) const {
  for (const auto& [name, alarm] : alarms_) {
    if (asked.at("ResourceARN") == arn(name)) return json{{"Tags", alarm.tags}};
  }
  return MockError{"ResourceNotFoundException", "there is no such alarm"};
}

std::string MockAlarms::arn(const std::string& name) const {
  return "arn:aws:cloudwatch:" + region_ + ':' + account_ + ":alarm:" + name;
}

}  // namespace reeve::live
