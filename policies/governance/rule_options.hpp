// The options of `rule`: what they are, which are wrong together, and which leave nothing to do.
#pragma once

#include <cstdint>
#include <reeve/policy/options.hpp>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// What the rule does, as the option "do" names it.
enum class Deed : std::uint8_t { stop, notify, clone, limit_runtime, save };
Deed deed_named(std::string_view name);

/// What a stop accuses the attempt of.  By the alarm: of a stall if the condition tests an
/// alarm, else of a broken rule alone.
inline constexpr std::string_view kByAlarm = "by_alarm";

std::vector<policy::OptionSpec> rule_options();
policy::OptionProblem check_rule(const policy::Options& options);
/// The rule is sound, and does nothing.
policy::OptionProblem doubt_rule(const policy::Options& options,
                                 const policy::Directory& directory);
std::vector<policy::VerbKind> rule_verbs(const policy::Options& options);

}  // namespace reeve::policies
