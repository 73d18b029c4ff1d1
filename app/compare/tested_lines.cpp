#include "app/compare/tested_lines.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/compare/check_formats.hpp"
#include "app/compare/comparison_table.hpp"

namespace reeve::app {
namespace {

std::string untrue_text(const Study& study, const ExpectLine& line) {
  std::string text;
  for (const Verdict& verdict : line.verdicts) {
    if (!verdict.held) text += (text.empty() ? "" : "; ") + actual_text(study, verdict);
  }
  return text;
}

/// The findings of `reeve check` as test cases.
std::vector<TestedFile> checked_files(std::span<const std::string> files,
                                      std::span<const scenarios::Diagnostic> findings,
                                      bool strict) {
  std::vector<TestedFile> out;
  for (const std::string& name : files) {
    TestedFile file;
    file.name = name;
    for (const scenarios::Diagnostic& finding : findings) {
      const bool here = finding.file == name || (finding.file.empty() && &name == &files.front());
      if (!here) continue;
      TestedLine line;
      line.held = finding.severity == scenarios::Severity::warning && !strict;
      line.line = finding.position.line;
      line.policy = finding.code;
      line.that = finding.message;
      line.actual = finding.label.empty() ? finding.message : finding.label;
      file.lines.push_back(std::move(line));
    }
    if (file.lines.empty())
      file.lines.push_back({.held = true, .policy = "check", .that = "valid"});
    out.push_back(std::move(file));
  }
  return out;
}

}  // namespace

void add_lines(const Study& study, TestedFile& file) {
  for (const ExpectLine& line : study.lines()) {
    TestedLine tested;
    tested.held = line.held();
    tested.line = line.expect->position.line;
    tested.column = line.expect->position.column;
    tested.policy = line.expect->policy;
    tested.that = line.expect->line();
    tested.actual = untrue_text(study, line);
    file.lines.push_back(std::move(tested));
  }
  TestedLine ledger;
  ledger.held = study.unbalanced == 0;
  ledger.policy = "*";
  ledger.that = "every run's ledger sums to its bill";
  ledger.actual = ledger.held ? "" : fmt::format("{} runs do not", study.unbalanced);
  file.lines.push_back(std::move(ledger));
  for (const std::string& muted : study.muted) {
    TestedLine line;
    line.policy = "*";
    line.that = "no rule fails";
    line.actual = muted;
    file.lines.push_back(std::move(line));
  }
}

std::vector<scenarios::Diagnostic> untrue_findings(std::span<const TestedFile> files) {
  std::vector<scenarios::Diagnostic> found;
  for (const TestedFile& file : files) {
    found.insert(found.end(), file.found.begin(), file.found.end());
    for (const TestedLine& line : file.lines) {
      if (line.held) continue;
      scenarios::Diagnostic untrue;
      untrue.code = "expect";
      untrue.file = file.name;
      untrue.position.line = line.line;
      untrue.position.column = line.column;
      untrue.message = fmt::format("{}: {}", line.policy, line.that);
      untrue.label = line.actual;
      found.push_back(std::move(untrue));
    }
  }
  return found;
}

std::string findings_text(std::string_view format, std::span<const std::string> files,
                          std::span<const scenarios::Diagnostic> findings, bool strict,
                          int exit_code) {
  if (format == "github") return github_commands(findings);
  if (format == "sarif") return sarif_log(findings);
  if (format == "junit") return junit_xml(checked_files(files, findings, strict));
  nlohmann::ordered_json out{{"files", std::vector<std::string>{files.begin(), files.end()}}};
  auto& list = out["diagnostics"] = nlohmann::ordered_json::array();
  for (const auto& found : findings) list.push_back(scenarios::diagnostic_json(found));
  out["exit"] = exit_code;
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string tested_text(std::string_view format, const std::vector<TestedFile>& files) {
  if (format == "junit") return junit_xml(files);
  const std::vector<scenarios::Diagnostic> found = untrue_findings(files);
  return format == "sarif" ? sarif_log(found) : github_commands(found);
}

}  // namespace reeve::app
