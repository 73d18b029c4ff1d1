#include "models/ledger.hpp"

#include <limits>
#include <stdexcept>

namespace reeve::models {

std::string_view name(Use use) {
  static constexpr std::array<std::string_view, use_count> names{
      "productive", "startup", "checkpoint",    "stalled",   "lost_work",
      "drain",      "orphan",  "idle_reserved", "false_stop"};
  return names[static_cast<std::size_t>(use)];
}

policy::Usd to_usd(Charge amount) {
  // nano-dollars per hour x nanoseconds -> micro-dollars
  constexpr Charge divisor = Charge{3'600'000'000'000} * 1'000;
  const bool negative = amount < 0;
  const Charge magnitude = negative ? -amount : amount;
  Charge whole = magnitude / divisor;
  const Charge twice_rest = 2 * (magnitude % divisor);
  if (twice_rest > divisor || (twice_rest == divisor && whole % 2 != 0)) ++whole;
  if (whole > std::numeric_limits<std::int64_t>::max()) {
    throw std::overflow_error{"a sum of more than 9.2 million million dollars: check the prices"};
  }
  const auto micros = static_cast<std::int64_t>(whole);
  return policy::Usd::from_micros(negative ? -micros : micros);
}

std::array<policy::Usd, use_count> apportion(const UseCharges& parts) {
  std::array<policy::Usd, use_count> rounded;
  Charge running = 0;
  policy::Usd before;
  for (std::size_t use = 0; use < use_count; ++use) {
    running += parts[use];
    const policy::Usd now = to_usd(running);
    rounded[use] = now - before;
    before = now;
  }
  return rounded;
}

LineRounding::LineRounding(const UseCharges& parts) {
  Charge sum = 0;
  for (std::size_t use = 0; use < use_count; ++use) {
    running_[use] = sum;
    sum += parts[use];
    ends_[use] = sum;
  }
}

policy::Usd LineRounding::next(Use use, Charge amount) {
  Charge& running = running_[static_cast<std::size_t>(use)];
  const policy::Usd before = to_usd(running);
  running += amount;
  return to_usd(running) - before;
}

void Ledger::bill(Charge amount) {
  billed_ += amount;
}

void Ledger::attribute(Use use, Charge amount, bool first_attempt) {
  uses_[static_cast<std::size_t>(use)] += amount;
  if (first_attempt) first_uses_[static_cast<std::size_t>(use)] += amount;
}

Charge Ledger::residual() const {
  Charge rest = billed_;
  for (const Charge part : uses_) rest -= part;
  return rest;
}

policy::Usd Ledger::residual_usd() const {
  const Charge rest = residual();
  const policy::Usd rounded = to_usd(rest);
  if (rest == 0 || rounded != policy::Usd{}) return rounded;
  return policy::Usd::from_micros(rest < 0 ? -1 : 1);
}

}  // namespace reeve::models
