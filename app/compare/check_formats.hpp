// Findings in the forms that code hosts read: GitHub's workflow commands, and SARIF.
#pragma once

#include <span>
#include <string>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

/// One `::error` or `::warning` line each (GitHub Docs, "Workflow commands for GitHub Actions").
std::string github_commands(std::span<const scenarios::Diagnostic> findings);

/// A log of SARIF 2.1.0 (OASIS), one run; each code that occurs is one of its rules.
std::string sarif_log(std::span<const scenarios::Diagnostic> findings);

}  // namespace reeve::app
