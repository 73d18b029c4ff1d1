#include "app/live/resource_cost.hpp"

#include <chrono>

#include "scenarios/load/resolved/live_types.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::app {
namespace {

using policy::Usd;

/// Of AWS's price list and its calculator.
constexpr std::int64_t hours_per_month = 730;
constexpr Usd alarm_per_month = Usd::from_micros(100'000);
/// Three times the price of a standard one.  Source: Amazon CloudWatch pricing.
constexpr std::int64_t high_resolution = 3;

}  // namespace

ResourceCost::ResourceCost(const scenarios::Scenario* configuration, const std::string& region,
                           policy::Instant now)
    : configuration_{configuration} {
  built_in_.book = scenarios::built_in_price_book("aws-" + region);
  built_in_.book_day = std::chrono::floor<std::chrono::days>(now);
}

std::optional<Usd> ResourceCost::per_month(const live::Resource& resource) const {
  if (resource.kind == live::ResourceKind::alarm) {
    const live::AlarmSubject& subject = resource.subject;
    if (subject.metrics == 0) return std::nullopt;
    const Usd each = configuration_ == nullptr
                         ? alarm_per_month
                         : configuration_->world.platform.metrics.alarm_per_month;
    const std::int64_t times = subject.is_high_resolution ? high_resolution : 1;
    return Usd::from_micros(each.micros() * subject.metrics * times);
  }
  const bool is_billed = resource.state == "pending" || resource.state == "running";
  const policy::UsdPerHour price = price_of(resource.type);
  if (!is_billed || resource.is_spot || price.nanos == 0) return std::nullopt;
  constexpr std::int64_t nanos_per_micro = 1'000;
  return Usd::from_micros((price.nanos * hours_per_month + nanos_per_micro / 2) / nanos_per_micro);
}

policy::UsdPerHour ResourceCost::price_of(const std::string& type) const {
  if (configuration_ != nullptr) {
    for (const policy::InstanceType& known : configuration_->world.directory.types) {
      if (known.name == type && known.price.nanos > 0) return known.price;
    }
    const auto booked = scenarios::type_of_account(*configuration_->live, type);
    if (booked.price.nanos > 0) return booked.price;
  }
  return scenarios::type_of_account(built_in_, type).price;
}

}  // namespace reeve::app
