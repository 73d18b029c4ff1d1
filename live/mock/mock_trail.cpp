#include "live/mock/mock_trail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

MockError refused_lookup(const char* code, std::string message) {
  return {code, std::move(message)};
}

double since_1970(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

}  // namespace

MockTrail::MockTrail(std::string account, std::string region)
    : account_{std::move(account)}, region_{std::move(region)} {}

void MockTrail::note_creation(const std::string& job, Instant at) {
  events_.push_back({at, "CreateTrainingJob", job, {}});
}

void MockTrail::note_stop(const std::string& job, const MockAnswer& answer, Instant at) {
  const auto* error = std::get_if<MockError>(&answer);
  events_.push_back({at, "StopTrainingJob", job, error == nullptr ? "" : error->code});
}

json MockTrail::written(std::size_t event) const {
  const Event& told = events_[event];
  const std::string id = fmt::format("00000000-0000-4000-a000-{:012}", event + 1);
  json inner{{"eventVersion", "1.08"},
             {"userIdentity",
              {{"type", "IAMUser"},
               {"arn", "arn:aws:iam::" + account_ + ":user/mock"},
               {"userName", "mock"}}},
             {"eventTime", iso_date(std::chrono::floor<std::chrono::seconds>(told.at))},
             {"eventSource", "sagemaker.amazonaws.com"},
             {"eventName", told.name},
             {"awsRegion", region_},
             {"userAgent", "aws-cli"},
             {"requestParameters", {{"trainingJobName", told.job}}},
             {"eventID", id}};
  if (!told.error.empty()) inner["errorCode"] = told.error;
  return {{"EventId", id},
          {"EventName", told.name},
          {"EventTime", std::floor(since_1970(told.at))},
          {"EventSource", "sagemaker.amazonaws.com"},
          {"Username", "mock"},
          {"Resources", json::array()},
          {"CloudTrailEvent", inner.dump()}};
}

/// The newest first.
MockAnswer MockTrail::answer(const json& asked, Instant now) {
  if (calls_.size() == 2 && now - calls_.front() < std::chrono::seconds{1}) {
    return refused_lookup("ThrottlingException", "Rate exceeded");
  }
  calls_.push_back(now);
  if (calls_.size() > 2) calls_.erase(calls_.begin());
  std::string name;
  const json attributes = asked.value("LookupAttributes", json::array());
  for (const json& attribute : attributes) {
    if (attribute.value("AttributeKey", "") != "EventName") {
      return refused_lookup("InvalidLookupAttributesException",
                            "the mock looks up EventName alone");
    }
    name = attribute.value("AttributeValue", "");
  }
  const double from = asked.value("StartTime", -HUGE_VAL), until = asked.value("EndTime", HUGE_VAL);
  if (from > until) return refused_lookup("InvalidTimeRangeException", "StartTime after EndTime");
  const std::string token = asked.value("NextToken", "0");
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos) {
    return refused_lookup("InvalidNextTokenException", "the token is of no reply");
  }
  std::vector<std::size_t> found;
  for (std::size_t event = events_.size(); event-- > 0;) {
    const double at = since_1970(events_[event].at);
    if ((name.empty() || events_[event].name == name) && at >= from && at <= until) {
      found.push_back(event);
    }
  }
  const std::size_t first = std::strtoull(token.c_str(), nullptr, 10);
  const std::size_t end =
      std::min(found.size(), first + asked.value("MaxResults", std::size_t{50}));
  json reply{{"Events", json::array()}};
  for (std::size_t at = first; at < end; ++at) reply["Events"].push_back(written(found[at]));
  if (end < found.size()) reply["NextToken"] = std::to_string(end);
  return reply;
}

}  // namespace reeve::live
