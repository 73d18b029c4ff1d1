// Shocks that hit several fleets of a region at once: how often, how many, and how they correlate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/offer_cursor.hpp"
#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

using models::Pool;

// With those of steps.hpp, our fit of how the zones of a `scarce` market fail together.
constexpr double scarce_correlation = 0.5;
constexpr std::size_t most_pools_of_a_region = 64;

/// The hazard of an exponential `up` is what it is with the shocks: the fleet's own is the rest.
void take_shocks_out(Loading& loading, const models::Shocks& shocks, policy::PoolId pool,
                     const Node& node) {
  Pool& machines = loading.world().pools[pool.index];
  models::DurationLaw& up = machines.synthesis->up;
  if (up.shape != models::Shape::exponential) return;  // the shocks come on top
  const double own = hour_ns / static_cast<double>(up.scale.count()) - shocks.per_hour * shocks.hit;
  if (own > 0 && hour_ns / own < static_cast<double>(longest_duration.count())) {
    up.scale = Duration{static_cast<std::int64_t>(hour_ns / own)};
    return;
  }
  loading.error(
      node, "E0237",
      fmt::format("shocks alone interrupt {} more often than \"up\" allows",
                  in_quotes(machines.name)),
      fmt::format("{} losses an hour", shocks.per_hour * shocks.hit),
      fmt::format("\"up\" is {} on average: use fewer shocks or a longer \"up\"", show(up.scale)));
}

using Matrix = std::vector<std::vector<double>>;

/// Of so many fleets; empty after a finding.
Matrix correlation_of(Loading& loading, const ShocksInput& input, std::size_t pools,
                      const Node& node) {
  if (input.correlation.size() == 1 && input.correlation[0].size() == 1) {
    Matrix matrix(pools, std::vector<double>(pools, input.correlation[0][0]));
    for (std::size_t i = 0; i < pools; ++i) matrix[i][i] = 1;
    return matrix;
  }
  const Matrix& matrix = input.correlation;
  bool square = matrix.size() == pools;
  for (const auto& row : matrix) square = square && row.size() == pools;
  if (!square) {
    loading.error(node, "E0236", "the correlation is neither a number nor a matrix of all fleets",
                  fmt::format("in {}, {} drawn", in_quotes(input.region),
                              pools == 1 ? "one fleet is" : std::to_string(pools) + " fleets are"));
    return {};
  }
  for (std::size_t i = 0; i < pools; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (matrix[i][j] == matrix[j][i] && (i != j || matrix[i][j] == 1)) continue;
      loading.error(node, "E0236", "a correlation matrix must be symmetric, with 1 on its diagonal",
                    fmt::format("row {}, column {}", i + 1, j + 1));
      return {};
    }
  }
  return matrix;
}

/// Shocks so many, of which so few hit, that a fleet may be up for more of them than are looked at.
void warn_of_misses(Loading& loading, const models::Shocks& shocks, const Node& node) {
  constexpr double misses = models::most_misses;
  const models::World& world = loading.world();
  double up_h = 0;  // hardly any period lasts longer
  for (const policy::PoolId pool : shocks.pools) {
    constexpr double longest = 40;
    const Duration up = models::mean(world.pools[pool.index].synthesis->up);
    up_h = std::max(up_h, longest * static_cast<double>(up.count()) / hour_ns);
  }
  if (world.end != policy::never) {
    up_h = std::min(up_h, static_cast<double>((world.end - world.start).count()) / hour_ns);
  }
  const double all_miss = std::pow(1 - shocks.hit, misses);
  if (shocks.hit <= 0 || all_miss < 1e-9 || shocks.per_hour * up_h <= misses) return;
  loading.warning(
      node, "W0511",
      fmt::format("after {} shocks that miss a fleet the next are ignored", models::most_misses),
      fmt::format("a fraction {:.2g} of such series has a hit only later", all_miss),
      "use a lower \"per_hour\" with a higher \"hit\", or include the shocks in \"up\"");
}

void add_shocks(Loading& loading, const ShocksInput& input, const Node& node) {
  models::World& world = loading.world();
  models::Shocks shocks{input.region, input.per_hour, input.hit, {}, {}};
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    if (loading.markets.regions[pool] == input.region && world.pools[pool].synthesis) {
      shocks.pools.push_back({pool});
    }
  }
  if (shocks.pools.empty()) {
    std::vector<std::string_view> known;
    for (const std::string& region : loading.markets.regions) {
      if (!region.empty()) known.push_back(region);
    }
    const bool is_there = std::find(known.begin(), known.end(), input.region) != known.end();
    loading.error(
        node, "E0244",
        fmt::format("no fleet in region {} has drawn availability", in_quotes(input.region)),
        "the shocks hit no fleet",
        is_there        ? "shocks hit fleets with \"up\" and \"down\""
        : known.empty() ? "set \"region\" of a fleet"
                        : did_you_mean(input.region, known));
    return;
  }
  if (shocks.pools.size() > most_pools_of_a_region) {
    loading.error(node, "E0244",
                  fmt::format("more than {} fleets share shocks", most_pools_of_a_region),
                  "in one region");
    return;
  }
  const Node stated = input.written ? input.written->find("correlation").value_or(node) : node;
  const Matrix matrix = correlation_of(loading, input, shocks.pools.size(), stated);
  if (matrix.empty()) return;
  shocks.factor = models::cholesky(matrix);
  if (shocks.factor.empty()) {
    loading.error(stated, "E0236", "no losses can have this correlation",
                  "the correlation is not positive definite",
                  "for n fleets, use values above -1/(n-1) and below 1");
    return;
  }
  warn_of_misses(loading, shocks, input.written ? input.written->find("hit").value_or(node) : node);
  for (const policy::PoolId pool : shocks.pools) take_shocks_out(loading, shocks, pool, node);
  world.shocks.push_back(std::move(shocks));
}

}  // namespace

void load_shocks(Loading& loading) {
  std::set<std::string_view> known;
  for (const ShocksInput& input : loading.input.shocks) {
    const auto region = input.written->find("region");
    if (!region) continue;  // its absence is reported already
    if (known.insert(input.region).second) {
      add_shocks(loading, input, *region);
    } else {
      loading.error(*region, "E0208",
                    fmt::format("shocks of region {} are defined twice", in_quotes(input.region)),
                    "define shocks once per region");
    }
  }
  for (const std::string& region : loading.markets.scarce_regions) {
    if (known.contains(region)) continue;
    ShocksInput assumed;
    assumed.region = region;
    assumed.per_hour = scarce_shocks_per_hour;
    assumed.hit = scarce_hit;
    assumed.correlation = {{scarce_correlation}};
    add_shocks(loading, assumed, *loading.input.written->find("fleet"));
  }
}

}  // namespace reeve::scenarios
