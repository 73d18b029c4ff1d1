// In which region a fleet stands: what it says, or what the name of its zone begins with.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

bool is_zone_letter(char c) {
  return c >= 'a' && c <= 'z';
}

/// The region that a zone's name begins with, as AWS and Google name them ("us-east-1",
/// "us-central1"); empty if it does not.
std::string_view region_in(std::string_view zone) {
  const std::size_t dash = zone.find('-');
  const std::size_t digits = zone.find_first_of("0123456789");
  if (dash == zone.npos || digits == zone.npos || digits < dash || dash == 0) return {};
  if (!std::all_of(zone.begin(), zone.begin() + static_cast<std::ptrdiff_t>(digits),
                   [](char c) { return is_zone_letter(c) || c == '-'; })) {
    return {};
  }
  return zone.substr(0, zone.find_first_not_of("0123456789", digits));
}

/// us-east-1 of us-east-1a, of us-west-2-lax-1a (a Local Zone) and of us-east-1-wl1-bos-wlz-1 (a
/// Wavelength Zone), us-central1 of us-central1-a; nothing if it is not named so.
std::string region_of(std::string_view zone) {
  const std::string_view region = region_in(zone);
  std::string_view rest = zone.substr(region.size());
  if (region.empty() || rest.empty()) return {};
  const bool wavelength = rest.starts_with("-wl") && rest.find("-wlz-") != rest.npos;
  if (wavelength && is_decimal_digit(rest.back())) return std::string{region};
  if (!is_zone_letter(rest.back())) return {};
  rest.remove_suffix(1);
  if (rest.empty() || rest == "-") return std::string{region};
  const bool local = rest.size() > 3 && rest.front() == '-' && is_decimal_digit(rest.back());
  return local ? std::string{region} : std::string{};
}

/// Of an id that AWS gives a zone beside its name: "use1-az1", "usw2-lax1-az1", "usgw1-az1".
bool is_zone_id(std::string_view zone) {
  const std::size_t dash = zone.find('-');
  const std::size_t last = zone.rfind("-az");
  if (dash == zone.npos || last == zone.npos || dash < 3 || !is_decimal_digit(zone[dash - 1]))
    return false;
  const std::string_view number = zone.substr(last + 3);
  return !number.empty() && std::all_of(number.begin(), number.end(), is_decimal_digit);
}

/// What is named like a region of AWS and is none.
void check_region(Loading& loading, const PoolInput& input, const std::string& region) {
  if (loading.input.platform.platform.model == models::PlatformModel::gcp) return;
  const auto help = near_unknown_region(region);
  if (!help) return;
  const Node fleet = *input.written;
  loading.warning(fleet.find(input.of_market.region.empty() ? "zone" : "region").value_or(fleet),
                  "W0481", fmt::format("AWS has no region {}", in_quotes(region)),
                  "used as written", *help);
}

/// Whether its first word is one of those that AWS and Google begin regions with: a rack is none.
bool begins_in_a_cloud(std::string_view region) {
  constexpr std::array words{std::string_view{"europe"},       std::string_view{"asia"},
                             std::string_view{"australia"},    std::string_view{"africa"},
                             std::string_view{"northamerica"}, std::string_view{"southamerica"}};
  const std::string_view word = region.substr(0, region.find('-'));
  return word.size() == 2 || std::find(words.begin(), words.end(), word) != words.end();
}

/// What is named like a zone and is none: a slip of the pen, or a region.
void check_zone(Loading& loading, const PoolInput& input) {
  const MarketInput& market = input.of_market;
  if (is_zone_id(market.zone)) {
    loading.warning(*input.written->find("zone"), "W0481",
                    fmt::format("{} is a zone ID, not a zone name", in_quotes(market.zone)),
                    "no region is derived from it",
                    "use a zone name such as \"us-east-1a\": AWS calls and price records use "
                    "names, and IDs differ by account");
    return;
  }
  if (!market.region.empty() || !region_of(market.zone).empty()) return;
  const std::string_view region = region_in(market.zone);
  if (region.empty() || !begins_in_a_cloud(region)) return;
  loading.warning(*input.written->find("zone"), "W0481",
                  fmt::format("{} is not a zone of {}", in_quotes(market.zone), in_quotes(region)),
                  "no region is derived from it",
                  fmt::format("use the region plus a letter, \"{}a\", or set \"region\"", region));
}

/// Prices of one region for machines of another.
void check_book_region(Loading& loading, const PoolInput& input, const std::string& region) {
  if (!loading.prices.book || region.empty()) return;
  const std::string& priced = loading.prices.book->rows().front().region;
  const auto& stated = loading.input.prices.instances;
  const bool inline_price = std::any_of(stated.begin(), stated.end(), [&](const auto& type) {
    return type.first == input.instance_type;
  });
  if (priced == region || inline_price) return;
  const Node fleet = *input.written;
  loading.warning(fleet.find(input.of_market.region.empty() ? "zone" : "region").value_or(fleet),
                  "W0480",
                  fmt::format("the {} price is for {}, but its fleet is in {}",
                              in_quotes(input.instance_type), in_quotes(priced), in_quotes(region)),
                  "the same price is assumed",
                  "use a price book of that region, or set the price in prices.instances");
}

}  // namespace

void load_region(Loading& loading, const PoolInput& input) {
  const MarketInput& market = input.of_market;
  const std::string region = market.region.empty() ? region_of(market.zone) : market.region;
  loading.markets.regions.push_back(region);
  loading.markets.zones.push_back(market.zone);
  models::Pool& pool = loading.world().pools.back();
  pool.zone = market.zone;
  pool.region = region;
  check_zone(loading, input);
  check_region(loading, input, region);
  check_book_region(loading, input, region);
}

}  // namespace reeve::scenarios
