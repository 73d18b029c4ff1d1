// What the keys of fleets decode into, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "scenarios/load/keys/raw_input.hpp"
#include "scenarios/records/market_options.hpp"

namespace reeve::scenarios {

/// Markets that are no one's record: estimates with a name.
enum class MarketPreset : std::uint8_t { calm, scarce };

/// How many instances can be had when: exactly one of trace, steps, up and preset.
struct AvailabilityInput {
  std::optional<Node> written;
  std::optional<std::string> trace;
  OfferOptions read;  ///< of the trace
  models::AfterEnd after_end = models::AfterEnd::hold;
  std::vector<models::Offer> steps;
  std::optional<models::DurationLaw> up;
  std::optional<models::DurationLaw> down;
  double all_lost = 1;
  std::optional<MarketPreset> preset;
  std::optional<double> band;  ///< of calm: the share of instances interrupted in a month
};

struct PriceTraceInput {
  std::optional<Node> written;
  std::string trace;
  PriceOptions read;
};

/// What was agreed for reserved instances.
struct CommitmentInput {
  std::optional<Node> written;
  std::optional<policy::UsdPerHour> hourly;
  policy::Usd upfront;
  Duration term = std::chrono::hours{24 * 365};
  Duration before{0};
};

struct LemonsInput {
  double share = 0.05;
  double factor = 10;
};

struct RacksInput {
  std::uint32_t machines = 2;
  double share = 0;
};

struct StatedFaultInput {
  std::optional<Node> written;
  std::uint32_t machine = 0;
  Duration at{0};
  Duration lasts{0};
};

/// How a fleet's instances break.
struct NodeFaultsInput {
  double rate = 3.8;
  std::optional<bool> replaced;
  std::optional<models::DurationLaw> repair;
  double hangs = 0.12;
  std::optional<LemonsInput> lemons;
  std::optional<RacksInput> racks;
  std::vector<StatedFaultInput> stated;
};

/// What a fleet says of its market.
struct MarketInput {
  std::string zone;
  std::string region;
  std::optional<AvailabilityInput> availability;
  std::optional<PriceTraceInput> price_trace;
  models::ReclaimOrder reclaim_order = models::ReclaimOrder::random;
  std::optional<models::DurationLaw> capacity_wait;
  std::vector<models::TimeSpan> windows;
  std::optional<CommitmentInput> commitment;
  std::optional<Duration> ends_early;
  std::optional<Duration> end_warning;
  std::optional<NodeFaultsInput> node_faults;
};

/// `correlation`: of any two fleets, or of each with each.
struct ShocksInput {
  std::optional<Node> written;
  std::string region;
  double per_hour = 0;
  double hit = 0;
  std::vector<std::vector<double>> correlation;
};

/// Where a fleet's instances stand, if in several zones.
struct ZonesInput {
  std::vector<std::pair<std::string, std::uint32_t>> zones;
  double spread_speed = 1;
};

struct PoolInput {
  std::optional<Node> written;
  std::optional<std::string> name;
  std::string instance_type;
  std::uint32_t capacity = 0;
  policy::Market market = policy::Market::on_demand;
  std::optional<models::Reclaim> reclaim;
  std::optional<UsdPerHour> list_price;
  std::optional<double> committed_pct;
  MarketInput of_market;
  ZonesInput zones;
};

}  // namespace reeve::scenarios
