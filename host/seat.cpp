#include "host/seat.hpp"

#include <algorithm>

namespace reeve::host {

TagPattern::TagPattern(std::string_view text) {
  const std::size_t equals = text.find('=');
  key_ = text.substr(0, equals);
  if (equals != std::string_view::npos) value_ = text.substr(equals + 1);
}

bool TagPattern::matches(const policy::FleetView& fleet, policy::JobId job) const {
  const auto value = fleet.tag(job, key_);
  return value && (!value_ || *value == *value_);
}

bool Scope::holds(policy::JobId job, const policy::FleetView& fleet) const {
  const policy::PoolId pool = fleet.description(job).pool;
  const bool has_tag =
      tags_.empty() || std::any_of(tags_.begin(), tags_.end(),
                                   [&](const TagPattern& tag) { return tag.matches(fleet, job); });
  const bool is_there =
      fleets_.empty() || std::find(fleets_.begin(), fleets_.end(), pool) != fleets_.end();
  return has_tag && is_there;
}

}  // namespace reeve::host
