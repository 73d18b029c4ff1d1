// The alarms of CloudWatch in a mock account: they are kept, and never evaluated.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// PutMetricAlarm, DescribeAlarms, DeleteAlarms and ListTagsForResource.
class MockAlarms {
 public:
  MockAlarms(std::string account, std::string region);

  static bool has(std::string_view operation);
  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, policy::Instant now);

 private:
  struct Alarm {
    nlohmann::json described;  ///< a MetricAlarm of DescribeAlarms
    nlohmann::json tags;
  };

  MockAnswer put(const nlohmann::json& asked, policy::Instant now);
  MockAnswer describe(const nlohmann::json& asked) const;
  MockAnswer remove(const nlohmann::json& asked);
  MockAnswer tags(const nlohmann::json& asked) const;
  std::string arn(const std::string& name) const;

  std::string account_;
  std::string region_;
  std::map<std::string, Alarm> alarms_;  ///< by name
};

}  // namespace reeve::live
