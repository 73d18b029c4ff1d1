// What the rules of a scenario that order queues look at.
#pragma once

#include <algorithm>
#include <string_view>

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// Whether it is so of a rule of any policy.
template <class Says>
bool any_seat(const Resolved& resolved, const Says& says) {
  const auto& policies = resolved.scenario.policies;
  return std::any_of(policies.begin(), policies.end(), [&](const PolicySpec& policy) {
    return std::any_of(policy.seats.begin(), policy.seats.end(), says);
  });
}

/// Whether a rule of any policy orders the jobs so.
bool any_runs(const Resolved& resolved, std::string_view algorithm);

/// Whether a rule of any policy looks at shares at all.
bool any_looks_at_shares(const Resolved& resolved);

}  // namespace reeve::scenarios
