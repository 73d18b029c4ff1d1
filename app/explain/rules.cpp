#include "app/explain/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <reeve/policy/condition.hpp>
#include <string>
#include <utility>

#include "scenarios/load/rules/builtin_presets.hpp"

namespace reeve::app {
namespace {

using policy::Comparison;
using policy::ConditionFieldSpec;
using policy::ConditionType;

constexpr std::string_view page = "docs/reference/rules/rule.md";

/// In the order of their values.
constexpr std::array<std::string_view, policy::comparison_names.size()> comparison_helps{
    "the field is the value; a field that has no value equals nothing",
    "the field is not the value; true for a field that has no value",
    "the field is less than the value",
    "the field is at most the value",
    "the field is more than the value",
    "the field is at least the value",
    "the field is one of the values of the list",
    "the whole text of the field matches a regular expression (RE2)",
    "the field has a value; it takes no value to compare with",
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> actions{{
    {"stop", "stops the attempt, if it is queued or in progress"},
    {"notify", "notifies the recipients, also about an attempt that has ended"},
    {"clone", "starts the job again when the attempt has ended"},
    {"limit_runtime",
     "lowers the maximum runtime of the attempt to `limit`; the platform enforces it"},
    {"save", "requests a checkpoint from the script of a running attempt (SaveCheckpoint)"},
}};

std::string field_type(const ConditionFieldSpec& spec) {
  std::string type = "a field of conditions, ";
  type += spec.type == ConditionType::text     ? "a text"
          : spec.type == ConditionType::number ? "a whole number"
                                               : "a duration (\"1h30m\")";
  if (!spec.words.empty()) type += fmt::format(": {}", fmt::join(spec.words, ", "));
  if (spec.may_lack) type += "; it may have no value";
  if (spec.submitted) type += "; unknown before the submission";
  return type;
}

std::vector<std::string_view> comparisons_of(const ConditionFieldSpec& spec) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < policy::comparison_names.size(); ++i) {
    const bool fits = policy::fits(static_cast<Comparison>(i), spec);
    if (fits) names.push_back(policy::comparison_names[i]);
  }
  return names;
}

/// On one line, as a scenario would have it.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (!space) out += c;
    if (space && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

}  // namespace

std::optional<KeyHelp> explain_field(std::string_view name) {
  const auto field = policy::condition_field_named(name);
  if (!field) return std::nullopt;
  const ConditionFieldSpec& spec = policy::spec_of(*field);
  KeyHelp help;
  help.path = name;
  help.help = spec.help;
  help.type = field_type(spec);
  help.facts = {{"compared", fmt::format("{}", fmt::join(comparisons_of(spec), ", "))},
                {"page", std::string{page}},
                {"next", "reeve policies rule"}};
  return help;
}

std::optional<KeyHelp> explain_word(std::string_view name) {
  KeyHelp help;
  help.path = name;
  help.facts = {{"page", std::string{page}}, {"next", "reeve policies rule"}};
  for (const auto& [action, text] : actions) {
    if (action != name) continue;
    help.help = text;
    help.type = "an action: \"do\" of `rule`";
    return help;
  }
  const auto& names = policy::comparison_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  const auto comparison = static_cast<std::size_t>(found - names.begin());
  help.help = comparison_helps[comparison];
  help.type = "an operator: \"op\" of a condition";
  std::string fields;
  for (const ConditionFieldSpec& spec : policy::condition_fields) {
    if (!policy::fits(static_cast<Comparison>(comparison), spec)) continue;
    fields += fmt::format("{}{}", fields.empty() ? "" : ", ", spec.name);
  }
  help.facts.insert(help.facts.begin(), {"fields", fields});
  return help;
}

std::optional<KeyHelp> explain_preset(std::string_view name) {
  const std::string_view summary = scenarios::summary_of_preset(name);
  if (summary.empty()) return std::nullopt;
  KeyHelp help;
  help.path = name;
  help.help = summary;
  help.type = fmt::format("a built-in preset: \"use\": \"{}\" of a rule", name);
  for (const scenarios::Node& rule : scenarios::rules_of_preset(name)) {
    std::string options;
    for (const scenarios::Node option : rule.as_object()) {
      options += fmt::format("{}\"{}\": {}", options.empty() ? "" : ", ", option.key(),
                             one_line(option.raw()));
    }
    help.columns.emplace_back(rule.key(), options.empty() ? "its defaults" : options);
  }
  help.list = "policies";
  help.facts = {{"page", "docs/how-to/article-code.md"}, {"next", "reeve init blog-naive"}};
  return help;
}

std::vector<std::string> words_of_rules() {
  std::vector<std::string> words;
  for (const ConditionFieldSpec& spec : policy::condition_fields) words.emplace_back(spec.name);
  for (const std::string_view name : policy::comparison_names) words.emplace_back(name);
  for (const auto& [action, text] : actions) words.emplace_back(action);
  for (const std::string_view preset : scenarios::builtin_presets()) words.emplace_back(preset);
  return words;
}

}  // namespace reeve::app
