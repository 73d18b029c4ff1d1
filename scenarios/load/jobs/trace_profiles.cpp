#include "scenarios/load/jobs/trace_profiles.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/load/jobs/steps.hpp"

namespace reeve::scenarios {
namespace {

bool has_key(const std::vector<policy::Tag>& tags, std::string_view key) {
  return std::any_of(tags.begin(), tags.end(),
                     [key](const policy::Tag& tag) { return tag.first == key; });
}

}  // namespace

std::uint32_t TraceProfiles::of(const TraceRow& row, policy::PoolId pool, std::uint16_t terms) {
  const auto weight = static_cast<std::uint32_t>(row.weight.value_or(profile_.weight));
  const policy::TagSetId tags = tags_of(row);
  auto& like_it = known_[{weight, terms, pool.index, tags.index}];
  const auto known = like_it.find(row.user);
  if (known != like_it.end()) return known->second;
  models::JobProfile profile = profile_;
  profile.weight = weight;
  profile.terms = terms;
  profile.pool = pool;
  profile.tags = tags;
  profile.owner = owner_of(row);
  const std::uint32_t id = intern_profile(loading_, std::move(profile));
  like_it.emplace(row.user, id);
  return id;
}

std::string TraceProfiles::owner_of(const TraceRow& row) const {
  if (!profile_.owner.empty()) return profile_.owner;
  if (!row.user.empty()) return std::string{row.user};
  for (const std::string_view key : {"username", "owner"}) {
    for (const auto& [own, value] : row.tags) {
      if (own == key) return std::string{value};
    }
  }
  return {};
}

policy::TagSetId TraceProfiles::tags_of(const TraceRow& row) {
  if (row.tags.empty()) {
    const auto known = tags_of_users_.find(row.user);
    if (known != tags_of_users_.end()) return known->second;
  }
  std::vector<policy::Tag> tags = input_.profile.tags;
  for (const auto& own : row.tags) {
    std::erase_if(tags, [&](const policy::Tag& tag) { return tag.first == own.first; });
    tags.emplace_back(own.first, own.second);
  }
  if (!row.user.empty() && !has_key(tags, "username")) tags.emplace_back("username", row.user);
  const policy::TagSetId id = loading_.intern(std::move(tags));
  if (row.tags.empty()) tags_of_users_.emplace(row.user, id);
  return id;
}

}  // namespace reeve::scenarios
