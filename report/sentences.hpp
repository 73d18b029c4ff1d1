// The sentences after a comparison: the savings of each policy, and the parts of the waste.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "models/ledger.hpp"
#include "report/reach.hpp"

namespace reeve::report {

/// One policy against a baseline, over `runs` paired runs, with the confidence intervals.
struct Comparison {
  std::string policy;
  std::string baseline;
  policy::Usd spent;  ///< by the baseline
  policy::Usd saved;  ///< negative: it costs more
  Reach<policy::Usd> interval;
  policy::Usd guardrails_saved;            ///< not part of `spent`; shown if nothing else differs
  std::optional<policy::Duration> sooner;  ///< to the result; negative: later
  Reach<policy::Duration> sooner_interval;
  std::uint32_t runs = 1;
  /// "2 fewer jobs are done": jobs that only the baseline completes; the sentence begins with it.
  std::string undone;
  /// Reserved instances are paid for anyway: time is recovered, no dollars are saved.
  bool reserved = false;
  models::Charge recovered = 0;  ///< instance-nanoseconds; read only if `reserved`
  Reach<models::Charge> recovered_interval;
};

/// "alarm+resume saves $16,967.87 of $17,280.00 and finishes 70h41m58s sooner than none."
std::string sentence(const Comparison& comparison);

/// What stands behind a difference whose interval includes 0.
inline constexpr std::string_view not_significant = " (not significant)";

/// "1h02m00s ± 3m00s sooner", "1.5s ± 4s later (not significant)"; negative: later.
std::string sooner_or_later(policy::Duration sooner, const Reach<policy::Duration>& interval);

/// "wasted, gpu-alarm: stalled $64.13 + stop grace $8.00"; empty if nothing was wasted.  `drain`
/// names the time that instances are held beyond a job's work.
std::string waste_note(std::string_view policy, const models::UseCharges& uses,
                       std::string_view drain = "stop grace");

/// "9 of 9 expectations" with its mark before it.
std::string expectations(std::uint64_t held, std::uint64_t all);

}  // namespace reeve::report
