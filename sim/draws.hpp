// Random draws by address: a draw depends on its purpose, never on earlier draws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/philox.hpp"

namespace reeve::sim {

using Duration = std::chrono::nanoseconds;

/// The purpose of a draw.  Append only, from 23: a renumbering changes every recorded result.
enum class Cause : std::uint32_t {
  arrival = 0,
  size = 1,
  work = 2,
  stall = 3,
  failure = 4,
  event_delay = 7,
  event_duplicate = 8,
  api_throttle = 9,
  alarm_offset = 13,
  tag_missing = 14,
  scenario_fuzz = 16,
  market_up = 17,
  market_down = 18,
  market_shock = 19,
  market_lost = 20,
  reclaim_victim = 21,
  capacity_wait = 22,
  utilization = 30,
  notice = 40,
  rebalance = 41,
  hook = 42,
  rendezvous = 43,
  self_destruct = 44,
  event_lost = 50,
  alarm_link = 51,
  watchdog = 52,
  cluster_repair = 53,
  late_upload = 54,
  failure_text = 55,
  false_rebalance = 56,
  straggler = 60,
  loss_noise = 61,
  resize = 62,
  broken_host = 63,
  straggler_launch = 64,
  watchdog_launch = 65,
  node_fault = 70,
  node_repair = 71,
  node_lemon = 72,
  node_hang = 73,
  node_rack = 74,
  job_tag_missing = 80,
  week = 81,
  event_lacks_tags = 81,
  look_up = 82,
  packing_task = 90,
  packing_order = 91,
  packing_lot = 92,
  design_point = 100,
  design_order = 101,
  fit_tail = 110,
  fit_rounding = 112,
  forecast_record = 120,
  forecast_law = 121,
  forecast_work = 122,
  forecast_rate = 123,
  forecast_level = 124,
  forecast_order = 125,
  forecast_end = 126,
};

/// Names one draw: the `nth` of one cause for one entity in one replication of one seed.
struct Address {
  std::uint64_t seed;
  std::uint32_t replication;
  Cause cause;
  std::uint32_t entity;
  std::uint32_t nth;
};

/// 64 random bits, different for each address of a seed.
constexpr std::uint64_t random_bits(const Address& address) {
  const PhiloxCounter bits = philox(
      {address.nth, address.entity, static_cast<std::uint32_t>(address.cause), address.replication},
      {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32)});
  return std::uint64_t{bits[0]} << 32 | bits[1];
}

/// A multiple of 2^-53 in (0, 1]; never zero, so that its logarithm is finite.
constexpr double uniform(const Address& address) {
  return (static_cast<double>(random_bits(address) >> 11) + 1.0) * 0x1p-53;
}

// Each variate below is the inverse distribution function at one such uniform `u`, so it never
// decreases as u grows.  One draw therefore moves the same way in two compared runs.  Parameters
// out of range throw std::invalid_argument.

/// The standard normal quantile of a `p` in (0, 1), to 1e-15 relative (Wichura, AS 241, 1988).
double normal_quantile(double p);

double exponential(double mean, double u);
double lognormal(double median, double sigma, double u);
double weibull(double shape, double scale, double u);
/// At least `scale`; infinite mean if `shape` <= 1 (Pareto I).
double pareto(double shape, double scale, double u);
/// In (low, high].
double uniform_between(double low, double high, double u);

// The same as durations: rounded to the nearest nanosecond, at most Duration::max().

Duration exponential(Duration mean, double u);
Duration lognormal(Duration median, double sigma, double u);
Duration weibull(double shape, Duration scale, double u);
Duration pareto(double shape, Duration scale, double u);
Duration uniform_between(Duration low, Duration high, double u);

/// The nearest duration within the range of Duration.
Duration nearest(double nanoseconds);

/// One of the choices, with probability proportional to its weight; weight 0 is never chosen.  If
/// choices are ascending, the result never decreases as u grows.  Throws std::invalid_argument
/// unless the weights have a positive sum and u is in (0, 1].
template <class T>
const T& discrete(const std::vector<std::pair<T, double>>& choices, double u) {
  double total = 0;
  for (const auto& [choice, weight] : choices) total += weight;
  if (!(total > 0 && u > 0 && u <= 1)) {
    throw std::invalid_argument{"weights have a positive sum, a uniform lies in (0, 1]"};
  }
  const T* chosen = nullptr;
  double below = 0;
  for (const auto& [choice, weight] : choices) {
    if (weight == 0) continue;
    chosen = &choice;
    below += weight;
    if (u * total <= below) break;
  }
  return *chosen;
}

}  // namespace reeve::sim
