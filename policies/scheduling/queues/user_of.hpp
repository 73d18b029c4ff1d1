// Whose a job is.
#pragma once

#include <optional>
#include <reeve/policy/fleet_view.hpp>
#include <string_view>

namespace reeve::policies {

/// The tag `username`, else `owner`; nothing if it has neither.
inline std::optional<std::string_view> user_of(policy::JobId job, const policy::FleetView& fleet) {
  const auto name = fleet.tag(job, "username");
  return name ? name : fleet.tag(job, "owner");
}

}  // namespace reeve::policies
