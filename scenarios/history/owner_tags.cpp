#include "scenarios/history/owner_tags.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace reeve::scenarios {
namespace {

// AWS sets the last one itself; the reports of costs write it in the second way.
constexpr auto of_aws = std::to_array<std::string_view>({"aws:createdBy", "aws_created_by"});
constexpr auto owner_keys =
    std::to_array<std::string_view>({"owner", "Owner", "user", "User", of_aws[0], of_aws[1]});

}  // namespace

std::string owner_of(std::span<const std::pair<std::string, std::string>> tags) {
  for (const std::string_view key : owner_keys) {
    const auto tag = std::find_if(tags.begin(), tags.end(), [&](const auto& each) {
      return each.first == key && !each.second.empty();
    });
    if (tag == tags.end()) continue;
    const bool is_of_aws = std::find(of_aws.begin(), of_aws.end(), key) != of_aws.end();
    // "AssumedRole:AROAEXAMPLE:ana", "IAMUser:AIDAEXAMPLE:ana"
    return is_of_aws ? tag->second.substr(tag->second.rfind(':') + 1) : tag->second;
  }
  return {};
}

bool name_owner(ImportedJob& job) {
  if (!job.user.empty()) return false;
  job.user = owner_of(job.tags);
  return !job.user.empty();
}

}  // namespace reeve::scenarios
