// The ledger: exact totals of billed time by use, and the bill that they must sum to.
#pragma once

#include <array>
#include <cstdint>
#include <reeve/policy/units.hpp>
#include <span>
#include <string_view>

namespace reeve::models {

/// Every billed second of every instance has exactly one use.
enum class Use : std::uint8_t {
  productive,
  startup,
  checkpoint,
  stalled,
  lost_work,  ///< redone after an interruption, failure or stop
  drain,      ///< between a stop and the end of billing
  orphan,
  idle_reserved,
  false_stop,  ///< destroyed by a false stop: its drain, redone work and the startup after it
};
inline constexpr std::size_t use_count = 9;

/// As in tables: "lost_work".
std::string_view name(Use use);

/// True for waste; startup and checkpoints are overhead, not waste.
constexpr bool is_waste(Use use) {
  return use >= Use::stalled;
}

/// Exact money: nano-dollars per hour x nanoseconds, unrounded.  128 bits hold 10^20 dollars.
__extension__ using Charge = __int128;

/// The exact charge of `instances` instances for `held` >= 0.
constexpr Charge charge(policy::UsdPerHour rate, std::uint64_t instances, policy::Duration held) {
  return Charge{rate.nanos} * static_cast<Charge>(instances) * held.count();
}

/// To micro-dollars, half to even.  The only rounding of money in reeve.  Throws
/// std::overflow_error beyond 9.2e12 dollars.
policy::Usd to_usd(Charge amount);

using UseCharges = std::array<Charge, use_count>;

/// Rounds parts so that they sum to the rounded total: rounds running sums and takes differences.
std::array<policy::Usd, use_count> apportion(const UseCharges& parts);

/// Rounds the amounts that make up `parts` one by one, so that those of one use sum to its part in
/// `apportion`.
class LineRounding {
 public:
  explicit LineRounding(const UseCharges& parts);
  /// The next amount of a use in micro-dollars; less than one from exact.
  policy::Usd next(Use use, Charge amount);
  /// Whether each use has reached its part.
  bool complete() const { return running_ == ends_; }

 private:
  UseCharges running_{};  ///< by use: the earlier parts, and its own amounts so far
  UseCharges ends_{};
};

/// The bill and the uses, computed independently: `bill` from the instances that were held,
/// `attribute` from what they did.  A nonzero `residual()` is a bug of reeve.
class Ledger {
 public:
  void bill(Charge amount);
  /// The part of the bill for first attempts.  Reserved instances are billed as a whole.
  void bill_first_attempt(Charge amount) { first_billed_ += amount; }
  void attribute(Use use, Charge amount, bool first_attempt);
  /// The cost of rules besides instances, and the part of it for first attempts.
  void guardrail(Charge amount, Charge first_attempt) {
    guardrail_ += amount;
    first_guardrail_ += first_attempt;
  }

  Charge billed() const { return billed_; }
  Charge guardrail() const { return guardrail_; }
  Charge residual() const;
  /// In micro-dollars, but 0 only if it is exactly 0: an error of one nano-dollar must show.
  policy::Usd residual_usd() const;
  const UseCharges& uses() const { return uses_; }
  Charge first_attempt_billed() const { return first_billed_; }
  const UseCharges& first_attempt_uses() const { return first_uses_; }
  Charge first_attempt_guardrail() const { return first_guardrail_; }

 private:
  Charge billed_ = 0;
  Charge first_billed_ = 0;
  Charge guardrail_ = 0;
  Charge first_guardrail_ = 0;
  UseCharges uses_{};
  UseCharges first_uses_{};
};

}  // namespace reeve::models
