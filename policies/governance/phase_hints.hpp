// What a job says of phases in which it hardly uses its GPUs: data preparation, evaluation.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// The tag that has it: the one place where CreateTrainingJob has room for such a word.  Its value
/// is a list of phases with spaces between them, each `START+LENGTH` or, if it comes back,
/// `START+LENGTH/EVERY`, as in "0s+20m 4h+15m/4h".  Time counts from the start of Training.
inline constexpr std::string_view kHintsTag = "reeve:low-gpu";

/// One phase, since training began (or went on after an interruption).
struct PhaseHint {
  policy::Duration start{0};
  policy::Duration length{0};
  policy::Duration every{0};  ///< 0: once
};

/// Nothing if the value says no such thing.
std::optional<std::vector<PhaseHint>> read_phase_hints(std::string_view value);

/// When the phase that `at` lies in has ended, `tail` after its end included; nothing if it lies in
/// none.  `at` is since training began.
std::optional<policy::Duration> quiet_until(const std::vector<PhaseHint>& hints,
                                            policy::Duration at, policy::Duration tail);

/// Whether from some instant on they follow each other without an end: then nothing is ever said
/// again.
bool never_end(const std::vector<PhaseHint>& hints, policy::Duration tail);

}  // namespace reeve::policies
