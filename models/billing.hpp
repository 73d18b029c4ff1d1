// What one launch of machines is billed for: the minimum, and the first hour that may be free.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::models {

/// Of every launch at least `minimum` is billed.  With `first_hour_free` nothing is, if the
/// platform takes Spot machines back before they have run for an hour (EC2, "Billing for
/// interrupted Spot Instances").
struct BillingRules {
  policy::Duration minimum{0};
  bool first_hour_free = false;
};

/// Who ended a launch; `horizon`: nobody, the books are closed for looking.
enum class Ending : std::uint8_t { by_user, reclaimed, horizon };

/// For how long a launch is billed; `free`: not at all, because it was taken back so early.
struct LaunchBill {
  policy::Duration billed{0};
  bool free = false;
};

/// Of machines that ran for `held`.  Exactly one hour is no longer the first hour.
constexpr LaunchBill bill_of(const BillingRules& rules, policy::Duration held, Ending ending) {
  if (ending == Ending::reclaimed && rules.first_hour_free && held < std::chrono::hours{1}) {
    return {policy::Duration{0}, true};
  }
  return {ending == Ending::horizon ? held : std::max(held, rules.minimum), false};
}

}  // namespace reeve::models
