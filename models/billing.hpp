// The billed time of one launch: the minimum, and the first hour, which can be free.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::models {

/// Each launch is billed for at least `minimum`.  With `first_hour_free`, a launch is free if the
/// platform reclaims its Spot instances within their first hour (EC2, "Billing for interrupted Spot
/// Instances").
struct BillingRules {
  policy::Duration minimum{0};
  bool first_hour_free = false;
};

/// The cause of the end of a launch; `horizon`: the run ends first.
enum class Ending : std::uint8_t { by_user, reclaimed, horizon };

/// The billed time of a launch; `free`: not billed because of an early reclaim.
struct LaunchBill {
  policy::Duration billed{0};
  bool free = false;
};

/// Of instances that ran for `held`.  Exactly one hour is not free.
constexpr LaunchBill bill_of(const BillingRules& rules, policy::Duration held, Ending ending) {
  if (ending == Ending::reclaimed && rules.first_hour_free && held < std::chrono::hours{1}) {
    return {policy::Duration{0}, true};
  }
  return {ending == Ending::horizon ? held : std::max(held, rules.minimum), false};
}

}  // namespace reeve::models
