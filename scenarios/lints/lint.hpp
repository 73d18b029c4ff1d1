// Lints: what is doubtful in a scenario that is resolved.  Each is a row of one table, with its
// code, its text, an example and its check.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "scenarios/load/resolved/resolved.hpp"
#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

using ScenarioCheck = void (*)(const Resolved&, Findings&);
/// Of an entry of `jobs`, or of the workload.
using JobCheck = void (*)(const Resolved&, const WrittenJob&, Findings&);
/// Of a rule.
using SeatCheck = void (*)(const Resolved&, const SeatSpec&, const OptionPlaces&, Findings&);
/// Of a rule in a policy of which each rule was understood.
using PolicyCheck = void (*)(const Resolved&, const PolicySpec&, const SeatSpec&,
                             const OptionPlaces&, Findings&);

enum class RunIf : std::uint8_t {
  in_use,  ///< of a rule: it is not off
  always,
  no_errors,      ///< what is wrong may be why something looks doubtful
  world_is_read,  ///< no errors but in rules and expectations, on which the check does not depend
  handler_runs,   ///< the rule's handler is none that does nothing at all
};

/// Several rows may share a check, which then finds several codes; it runs once.
struct Lint {
  ErrorCode code;
  std::variant<ScenarioCheck, JobCheck, SeatCheck, PolicyCheck> check;
  RunIf run_if = RunIf::in_use;
};

/// One more check of a code that another row, or a reader, explains.
constexpr ErrorCode also(std::string_view code) {
  return {code, {}, {}, {}, {}};
}

/// Runs all lints.
void lint(const Resolved& resolved, Findings& findings);

/// All rows, also those without a text.
std::vector<Lint> all_lints();

// Their tables, one for each subject.
std::span<const Lint> alarm_lints();
std::span<const Lint> missing_metrics_lints();
std::span<const Lint> handler_lints();
std::span<const Lint> clone_name_lints();
std::span<const Lint> restart_limit_lints();
std::span<const Lint> lost_setting_lints();
std::span<const Lint> run_time_lints();
std::span<const Lint> orphan_lints();
std::span<const Lint> wait_lints();
std::span<const Lint> stop_lints();
std::span<const Lint> own_machine_lints();
std::span<const Lint> idle_rule_lints();
std::span<const Lint> blind_rule_lints();
std::span<const Lint> condition_lints();
std::span<const Lint> destination_lints();
std::span<const Lint> unmet_need_lints();
std::span<const Lint> platform_key_lints();
std::span<const Lint> clock_lints();
std::span<const Lint> job_key_lints();
std::span<const Lint> spot_lints();
std::span<const Lint> share_lints();
std::span<const Lint> never_started_lints();
std::span<const Lint> priority_lints();
std::span<const Lint> turn_lints();
std::span<const Lint> estimate_lints();
std::span<const Lint> comparison_lints();
std::span<const Lint> coarse_trace_lints();

}  // namespace reeve::scenarios
