// What an alarm or an instance costs a month.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "live/clean_up/account_resources.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// Prices of the configuration, else those of the built-in book of the region.
class ResourceCost {
 public:
  /// `configuration`: null for none; it must outlive the object.
  ResourceCost(const scenarios::Scenario* configuration, const std::string& region,
               policy::Instant now);

  /// Nothing: it is unknown, as that of Spot instances, or what it costs is no instance.
  std::optional<policy::Usd> per_month(const live::Resource& resource) const;

 private:
  policy::UsdPerHour price_of(const std::string& type) const;

  const scenarios::Scenario* configuration_;
  scenarios::LiveSpec built_in_;
};

}  // namespace reeve::app
