// Expectations of a study as other programs read them: JUnit, workflow commands and SARIF.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/compare/junit.hpp"
#include "app/study/study.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

/// Adds each `expect` line, and that ledgers sum to their bills and no rule fails.
void add_lines(const Study& study, TestedFile& file);

/// What is untrue in the files, each at its line, and the errors of invalid files.
std::vector<scenarios::Diagnostic> untrue_findings(std::span<const TestedFile> files);

/// Errors and warnings of scenarios in one of these formats: json, github, sarif or junit.
/// `strict`: as a test case, a warning fails too.
std::string findings_text(std::string_view format, std::span<const std::string> files,
                          std::span<const scenarios::Diagnostic> findings, bool strict,
                          int exit_code);

/// The files in one of these formats: github, sarif or junit.
std::string tested_text(std::string_view format, const std::vector<TestedFile>& files);

}  // namespace reeve::app
