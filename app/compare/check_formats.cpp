#include "app/compare/check_formats.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "app/docs/error_codes.hpp"
#include "reeve/version.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;
using scenarios::Diagnostic;

bool is_error(const Diagnostic& finding) {
  return finding.severity == scenarios::Severity::error;
}

/// Message, label, notes and help, a line each.
std::string whole_text(const Diagnostic& finding) {
  std::string text = finding.message;
  if (!finding.label.empty()) text += ": " + finding.label;
  for (const std::string& note : finding.notes) text += "\nnote: " + note;
  if (!finding.help.empty()) text += "\nhelp: " + finding.help;
  return text;
}

/// As a workflow command wants it: a line break would end it, and in a property a comma or a colon.
std::string command_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// A path as a URI reference (RFC 3986): all but letters, digits and a few marks in percents.
std::string uri(std::string_view path) {
  constexpr std::string_view kept = "-._~/";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       kept.find(c) != std::string_view::npos;
    out += plain ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

ordered_json rule_json(const std::string& code) {
  ordered_json rule{{"id", code}};
  if (const ErrorCode* known = find_error_code(code)) {
    rule["shortDescription"] = {{"text", known->title}};
    rule["fullDescription"] = {{"text", known->text}};
  }
  rule["help"] = {{"text", "reeve explain " + code}};
  return rule;
}

ordered_json place_json(const std::string& file, const scenarios::Position& position) {
  ordered_json place{{"artifactLocation", {{"uri", uri(file)}}}};
  if (position.line > 0) {
    place["region"] = {{"startLine", position.line},
                       {"startColumn", position.column},
                       {"endColumn", position.column + position.length}};
  }
  return place;
}

ordered_json result_json(const Diagnostic& finding) {
  ordered_json result{{"ruleId", finding.code},
                      {"level", is_error(finding) ? "error" : "warning"},
                      {"message", {{"text", whole_text(finding)}}}};
  if (finding.file.empty()) return result;
  const ordered_json first = place_json(finding.file, finding.position);
  result["locations"] = ordered_json::array({{{"physicalLocation", first}}});
  for (std::size_t i = 0; i < finding.again.size(); ++i) {
    result["relatedLocations"].push_back(
        {{"id", i + 1},
         {"physicalLocation", place_json(finding.file, finding.again[i])},
         {"message", {{"text", "the same here"}}}});
  }
  return result;
}

std::string github_command(const Diagnostic& finding, const scenarios::Position& position) {
  std::string properties = fmt::format("title={}", command_escaped(finding.code, true));
  if (!finding.file.empty()) properties += ",file=" + command_escaped(finding.file, true);
  if (position.line > 0) {
    properties += fmt::format(",line={},col={},endColumn={}", position.line, position.column,
                              position.column + position.length);
  }
  return fmt::format("::{} {}::{}\n", is_error(finding) ? "error" : "warning", properties,
                     command_escaped(whole_text(finding), false));
}

}  // namespace

std::string github_commands(std::span<const Diagnostic> findings) {
  std::string out;
  for (const Diagnostic& finding : findings) {
    out += github_command(finding, finding.position);
    for (const scenarios::Position& other : finding.again) out += github_command(finding, other);
  }
  return out;
}

std::string sarif_log(std::span<const Diagnostic> findings) {
  std::set<std::string> codes;
  auto results = ordered_json::array();
  for (const Diagnostic& finding : findings) {
    codes.insert(finding.code);
    results.push_back(result_json(finding));
  }
  auto rules = ordered_json::array();
  for (const std::string& code : codes) rules.push_back(rule_json(code));
  const ordered_json driver{{"name", "reeve"}, {"version", kVersion}, {"rules", std::move(rules)}};
  const ordered_json run{{"tool", {{"driver", driver}}},
                         {"columnKind", "unicodeCodePoints"},
                         {"results", std::move(results)}};
  const ordered_json log{{"version", "2.1.0"}, {"runs", ordered_json::array({run})}};
  return log.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace reeve::app
