// The steps of loading that read the rules, their guards, and who else acts or looks on.
#pragma once

#include <cstddef>
#include <vector>

#include "scenarios/load/resolved/loading.hpp"

namespace reeve::scenarios {

/// Of a policy, alerts included: the host numbers them in one byte.
inline constexpr std::size_t most_rules = 255;

void load_live(Loading& loading);    ///< what `reeve live` observes, and where messages go
void load_people(Loading& loading);  ///< humans and kill switch
void load_policies(Loading& loading);
void load_alerts(Loading& loading);  ///< as rules of every policy
GuardSpec resolve_guards(const Resolved& resolved, Findings& findings);
/// Scripted API faults, which name jobs.
std::vector<models::ScriptedApiFault> resolve_api_faults(const ScenarioInput& input,
                                                         const KnownNames& names,
                                                         Findings& findings);
std::vector<Expect> resolve_expects(const Resolved& resolved, const KnownNames& names,
                                    Findings& findings);

/// Reports a rule that has no meaning in this world, or says of it what is not so.
void check_tick_rule(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings);

/// Reports a policy that gets no job an instance; it stands at `node`.
void check_tick_policy(const PolicySpec& policy, const Node& node, Findings& findings);

}  // namespace reeve::scenarios
