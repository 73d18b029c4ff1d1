// The options of an alarm that a rule puts on each attempt, for every rule that has one.
#pragma once

#include <cstdint>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/options.hpp>
#include <string_view>
#include <vector>

#include "status_names.hpp"

namespace reeve::policies {

/// Where a rule's table has them.
enum class AlarmOptions : std::uint8_t {
  top,     ///< `period`, as `stalled_gpu` has them
  nested,  ///< `alarm.period`
};

std::vector<policy::OptionSpec> alarm_options(AlarmOptions where);

policy::OptionProblem check_alarm(const policy::Options& options, AlarmOptions where);

/// Hints that the rule reads and no job sets, hints that cannot be parsed, or that silence the rule
/// for ever.  `tail`: for how long an alarm's windows contain a part of a phase after its end.
policy::OptionProblem doubt_hints(const policy::Options& options,
                                  const policy::Directory& directory, policy::Duration tail);

/// One period more than an alarm looks at: for windows on the clock, and for samples that are
/// published late.
inline policy::Duration tail_of_phases(policy::Duration period, std::int64_t periods) {
  return period * (periods + 1);
}

/// The first of an option's hosts that is not "algo-1", "algo-2", ... or "all", or that there is
/// none; empty: neither.
policy::OptionProblem problem_of_hosts(std::string_view option,
                                       const std::vector<std::string>& hosts);

/// What they say.
struct AlarmSettings {
  policy::AlarmRule rule;
  StatusSet arm_on;
  StatusSet disarm_on;
  policy::Duration arm_delay{0};
  std::vector<std::uint32_t> hosts;  ///< ascending
  bool every_host = false;
  bool per_gpu = false;      ///< the threshold is for one GPU of an instance
  bool match_all = false;    ///< all of them must be in ALARM together
  bool lowest = false;       ///< one alarm on all hosts, of the lowest datapoint
  bool heeds_hints = false;  ///< of phases with little use (phase_hints.hpp)
  bool resets = false;       ///< deleted and put anew when training starts again
};

AlarmSettings read_alarm(const policy::Options& options, AlarmOptions where);

}  // namespace reeve::policies
