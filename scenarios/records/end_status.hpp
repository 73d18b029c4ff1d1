// How a job in a log ended, and the words that schedulers use for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reeve::scenarios {

/// How a job in a trace ended.  `running` and `pending`: it had not, when the log ended;
/// `killed_or_running`: the trace does not tell which.
enum class EndStatus : std::uint8_t {
  unknown,
  completed,
  failed,
  killed,
  timeout,
  out_of_memory,
  node_failure,
  never_started,
  killed_or_running,
  preempted,
  running,
  pending,
};
std::string_view name_of(EndStatus status);

/// The status of that name, in the spelling of reeve, Slurm, Philly, SageMaker or Kubernetes,
/// whatever its case ("CANCELLED by 4594"); nothing if it is none of them.
std::optional<EndStatus> end_status_named(std::string_view word);

/// What to write instead of an unknown word.
std::string help_for_end_status(std::string_view word);

/// Why a job in a trace ended.  `unknown`: the log has a reason that says none of these.
enum class EndCause : std::uint8_t {
  unknown,
  limit,     ///< its own time limit
  max_wait,  ///< its limit of the wait for Spot
  person,
  rule,  ///< a program that governs the fleet
  preempted,
  spot,
  hardware,
  out_of_memory,
  code,
  capacity,
  quota,
};
std::string_view name_of(EndCause cause);
/// The cause of that name, or nothing.
std::optional<EndCause> end_cause_named(std::string_view word);
/// What to write instead of an unknown word.
std::string help_for_end_cause(std::string_view word);

/// True if the texts differ at most in the case of ASCII letters.
bool same_word(std::string_view a, std::string_view b);

}  // namespace reeve::scenarios
