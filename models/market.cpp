#include "models/market.hpp"

#include <algorithm>
#include <limits>

namespace reeve::models {
namespace {

using policy::Duration;

/// The first step after `at`.
std::vector<PriceStep>::const_iterator after(const std::vector<PriceStep>& steps, Duration at) {
  return std::upper_bound(steps.begin(), steps.end(), at,
                          [](Duration value, const PriceStep& step) { return value < step.at; });
}

/// Scenarios with prices beyond what 64 bits count are refused: nothing wraps meanwhile.
policy::UsdPerHour countable(Charge nanos) {
  constexpr Charge most = std::numeric_limits<std::int64_t>::max();
  return {static_cast<std::int64_t>(std::min(nanos, most))};
}

}  // namespace

policy::UsdPerHour price_at(const std::vector<PriceStep>& steps, Duration at) {
  return std::prev(after(steps, at))->price;
}

Duration next_price_change(const std::vector<PriceStep>& steps, Duration at) {
  const auto next = after(steps, at);
  return next == steps.end() ? Duration::max() : next->at;
}

Charge cost(const std::vector<PriceStep>& steps, Duration from, Duration until) {
  Charge sum = 0;
  for (auto step = std::prev(after(steps, from)); step != steps.end() && step->at < until; ++step) {
    const auto next = std::next(step);
    const Duration begin = std::max(step->at, from);
    const Duration end = next == steps.end() ? until : std::min(next->at, until);
    sum += charge(step->price, 1, end - begin);
  }
  return sum;
}

Duration time_within(const std::vector<TimeSpan>& windows, Duration until) {
  if (windows.empty()) return until;
  Duration sum{0};
  for (const auto& [from, to] : windows) {
    if (from < until) sum += std::min(to, until) - from;
  }
  return sum;
}

policy::UsdPerHour upfront_price(const Commitment& commitment, std::uint32_t capacity) {
  // Usd per (nanoseconds x instances) -> nano-dollars per hour
  const Charge paid = Charge{commitment.upfront.micros()} * 1'000 * 3'600'000'000'000;
  const Charge spread = Charge{commitment.term.count()} * capacity;
  return countable((paid + spread / 2) / spread);
}

policy::UsdPerHour amortized_price(const Commitment& commitment, std::uint32_t capacity) {
  return countable(Charge{commitment.hourly.nanos} + upfront_price(commitment, capacity).nanos);
}

}  // namespace reeve::models
