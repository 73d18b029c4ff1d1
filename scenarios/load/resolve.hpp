// From a scenario file to a world and its seats: everything wrong with it in one pass.
#pragma once

#include <filesystem>

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// The keys of a scenario, each by itself.  Throws InputError, with all findings so far, where what
/// follows would only be guessed.
ScenarioInput decode(const Document& document, Findings& findings);

/// What they mean together.  Traces are looked for in `folder`.  After an error in `findings` the
/// scenario is not complete.
Resolved resolve(const Document& document, ScenarioInput input, const std::filesystem::path& folder,
                 const LoadLimits& limits, Findings& findings);

}  // namespace reeve::scenarios
