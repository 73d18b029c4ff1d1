// The settings of a resource of AWS Batch as lines of text, and how two sets of them differ.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reeve::live {

/// Value by path, such as `capacityLimits[ml.p4d.24xlarge]` or `fairsharePolicy.shareDecaySeconds`.
/// An element of a list is known by its `capacityUnit`, `shareIdentifier` or `reason`, and of
/// `jobStateTimeLimitActions` by its reason.  Numbers are written in the shortest form.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const nlohmann::json& value);

/// A setting that is not as wanted.  Empty: it is not there.
struct SettingChange {
  std::string setting;
  std::string found;
  std::string wanted;
};

/// Of the members of `wanted` alone.  A setting that is missing on one side has the default of AWS
/// Batch there.
std::vector<SettingChange> changes_between(const nlohmann::json& found,
                                           const nlohmann::json& wanted);

}  // namespace reeve::live
