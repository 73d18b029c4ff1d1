// Where every billed second went: exact totals by use, and the bill they must sum to.
#pragma once

#include <array>
#include <cstdint>
#include <reeve/policy/units.hpp>
#include <span>
#include <string_view>

namespace reeve::models {

/// Every billed second of every instance is in exactly one.
enum class Use : std::uint8_t {
  productive,
  startup,
  checkpoint,
  stalled,
  lost_work,  ///< redone after an interruption, failure or stop
  drain,      ///< between a stop and the end of billing
  orphan,
  idle_reserved,
  false_stop,  ///< what a wrong stop destroyed: its drain, redone work and the start-up after it
};
inline constexpr std::size_t use_count = 9;

/// As in tables: "lost_work".
std::string_view name(Use use);

/// True for the uses that are waste; startup and checkpoints are overhead, not waste.
constexpr bool is_waste(Use use) {
  return use >= Use::stalled;
}

/// Exact money: nano-dollars per hour x nanoseconds, unrounded.  128 bits hold 10^20 dollars.
__extension__ using Charge = __int128;

/// The exact charge of `instances` machines for `held` >= 0.
constexpr Charge charge(policy::UsdPerHour rate, std::uint64_t instances, policy::Duration held) {
  return Charge{rate.nanos} * static_cast<Charge>(instances) * held.count();
}

/// To micro-dollars, half to even.  The only rounding of money in reeve.  Throws
/// std::overflow_error beyond 9.2e12 dollars.
policy::Usd to_usd(Charge amount);

using UseCharges = std::array<Charge, use_count>;

/// Rounds parts so that they sum to the rounded whole: running sums are rounded, then differenced.
std::array<policy::Usd, use_count> apportion(const UseCharges& parts);

/// Rounds the amounts that `parts` consist of, one after the other, so that those of one use sum to
/// what `apportion` makes of it.
class LineRounding {
 public:
  explicit LineRounding(const UseCharges& parts);
  /// The next amount of a use, in micro-dollars; less than one from exact.
  policy::Usd next(Use use, Charge amount);
  /// Whether each use has come to its part.
  bool complete() const { return running_ == ends_; }

 private:
  UseCharges running_{};  ///< by use: the parts before it, and its own amounts until now
  UseCharges ends_{};
};

/// The bill and the uses, accumulated by different hands: `bill` from what machines were held,
/// `attribute` from what they did.  `residual()` is zero or reeve has a bug.
class Ledger {
 public:
  void bill(Charge amount);
  /// The part of the bill that was for first attempts; reserved machines are billed as a whole.
  void bill_first_attempt(Charge amount) { first_billed_ += amount; }
  void attribute(Use use, Charge amount, bool first_attempt);
  /// What rules cost beside the machines, and the part of it that was for first attempts.
  void guardrail(Charge amount, Charge first_attempt) {
    guardrail_ += amount;
    first_guardrail_ += first_attempt;
  }

  Charge billed() const { return billed_; }
  Charge guardrail() const { return guardrail_; }
  Charge residual() const;
  /// To micro-dollars, but never 0 unless it is: one nano-dollar off is a bug that must show.
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
