#include "scenarios/lints/lint.hpp"

#include <algorithm>
#include <array>

#include "policies/registry.hpp"
#include "scenarios/lints/handlers.hpp"
#include "scenarios/load/rules/builtin_presets.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array tables{alarm_lints,         missing_metrics_lints,
                            handler_lints,       clone_name_lints,
                            restart_limit_lints, lost_setting_lints,
                            run_time_lints,      orphan_lints,
                            wait_lints,          stop_lints,
                            own_machine_lints,   idle_rule_lints,
                            blind_rule_lints,    condition_lints,
                            destination_lints,   unmet_need_lints,
                            platform_key_lints,  clock_lints,
                            job_key_lints,       spot_lints,
                            share_lints,         never_started_lints,
                            priority_lints,      turn_lints,
                            estimate_lints,      comparison_lints,
                            coarse_trace_lints};

/// The keys of a scenario that say nothing of its fleets and jobs.
constexpr std::array<std::string_view, 5> beside_the_world{"/policies", "/rules", "/alerts",
                                                           "/guards", "/expect"};

/// The checks of that kind, each once, with when they run.
template <class Check>
std::vector<std::pair<Check, RunIf>> checks() {
  std::vector<std::pair<Check, RunIf>> all;
  for (const auto& table : tables) {
    for (const Lint& row : table()) {
      const auto* check = std::get_if<Check>(&row.check);
      if (check == nullptr) continue;
      const std::pair one{*check, row.run_if};
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

bool is_due(RunIf run_if, const SeatSpec& seat, bool errors) {
  if (run_if == RunIf::always) return true;
  if (seat.mode == host::Mode::off || (errors && run_if == RunIf::no_errors)) return false;
  return run_if != RunIf::handler_runs || !does_nothing(seat);
}

bool has_plugins() {
  const auto kinds = policies::kinds();
  return std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.is_plugin; });
}

/// A rule of a plug-in may have some of the options that a check reads, and lack others: the check
/// does not apply to it.
template <class Check>
void run_check(const Check& check) {
  static const bool may_lack_options = has_plugins();
  if (!may_lack_options) return check();
  try {
    check();
  } catch (const policy::MissingOption&) {
  } catch (const std::bad_variant_access&) {
  }
}

void lint_seat(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
               const OptionPlaces& places, bool whole, bool errors, Findings& findings) {
  static const auto seat_checks = checks<SeatCheck>();
  static const auto policy_checks = checks<PolicyCheck>();
  for (const auto& [check, run_if] : seat_checks) {
    if (!is_due(run_if, seat, errors)) continue;
    run_check([&, check = check] { check(resolved, seat, places, findings); });
  }
  for (const auto& [check, run_if] : policy_checks) {
    if (!whole || !is_due(run_if, seat, errors)) continue;
    run_check([&, check = check] { check(resolved, policy, seat, places, findings); });
  }
}

void lint_policies(const Resolved& resolved, bool errors, Findings& findings) {
  for (std::size_t i = 0; i < resolved.written_policies.size(); ++i) {
    const PolicySpec& policy = resolved.scenario.policies[i];
    const WrittenPolicy& written = resolved.written_policies[i];
    for (std::size_t seat = 0; seat < written.seats.size(); ++seat) {
      const WrittenSeat& places = written.seats[seat];
      const std::size_t first = findings.count();
      lint_seat(resolved, policy, policy.seats[seat], places.places, written.whole, errors,
                findings);
      tell_at_use(places.places, places.use, first, findings);
    }
  }
}

}  // namespace

void lint(const Resolved& resolved, Findings& findings) {
  static const auto scenario_checks = checks<ScenarioCheck>();
  static const auto job_checks = checks<JobCheck>();
  const bool errors = findings.errors() > 0;
  const bool world_is_read = findings.errors_only_in(beside_the_world);
  for (const WrittenJob& job : resolved.written_jobs) {
    for (const auto& [check, run_if] : job_checks) {
      run_check([&, check = check] { check(resolved, job, findings); });
    }
  }
  lint_policies(resolved, errors, findings);
  for (const auto& [check, run_if] : scenario_checks) {
    if (errors && run_if == RunIf::no_errors) continue;
    if (!world_is_read && run_if == RunIf::world_is_read) continue;
    run_check([&, check = check] { check(resolved, findings); });
  }
}

std::vector<Lint> all_lints() {
  std::vector<Lint> all;
  for (const auto& table : tables) all.insert(all.end(), table().begin(), table().end());
  return all;
}

}  // namespace reeve::scenarios
