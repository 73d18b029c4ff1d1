// Reads a scenario file whole: everything wrong with it in one pass, or a complete scenario.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "scenarios/load/keys/scenario.hpp"
#include "scenarios/load/resolve.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

/// A scenario and what is doubtful about it, by position.
struct Loaded {
  Scenario scenario;
  std::vector<Diagnostic> warnings;
};

/// Decodes, resolves and lints.  Traces are looked for relative to the file.  Throws InputError
/// with everything that was found, errors and warnings, by position.
Loaded load(const std::filesystem::path& file, const LoadLimits& limits = {});

/// The same for a text in memory; its traces are looked for in `folder`.
Loaded load(std::shared_ptr<const SourceFile> source, const std::filesystem::path& folder,
            const LoadLimits& limits = {});

}  // namespace reeve::scenarios
