#include "tests/rules/rule_options.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reeve::policies {

namespace {

/// "90s", "5m", "2h", "1d"; tests need no more.
policy::Duration parse_duration(const std::string& text) {
  std::size_t used = 0;
  const double amount = std::stod(text, &used);
  const std::string unit = text.substr(used);
  const double seconds = unit == "s"   ? 1
                         : unit == "m" ? 60
                         : unit == "h" ? 3600
                         : unit == "d" ? 86400
                                       : throw std::invalid_argument("no unit in " + text);
  return std::chrono::duration_cast<policy::Duration>(
      std::chrono::duration<double>(amount * seconds));
}

/// Tests' own matcher: what a scenario gives is compiled elsewhere.
policy::Pattern pattern_of(const std::string& text) {
  return policy::Pattern{[regex = std::regex{text}](auto whole) {
    return std::regex_match(whole.begin(), whole.end(), regex);
  }};
}

std::vector<policy::KeyPattern> patterns_of(const nlohmann::json& json) {
  std::vector<policy::KeyPattern> patterns;
  for (const auto& [key, values] : json.items()) {
    for (const auto& value : values) {
      const auto text = value.get<std::string>();
      patterns.emplace_back(key, pattern_of(text));
    }
  }
  return patterns;
}

void compare_with(const nlohmann::json& value, policy::Condition& test) {
  if (value.is_array()) {
    for (const auto& one : value) compare_with(one, test);
  } else if (value.is_number()) {
    test.numbers.push_back(value.get<std::int64_t>());
  } else if (policy::spec_of(test.field).type == policy::ConditionType::duration) {
    test.duration = parse_duration(value.get<std::string>());
  } else {
    test.texts.push_back(value.get<std::string>());
  }
}

policy::Condition condition_of(const nlohmann::json& json) {
  using Kind = policy::Condition::Kind;
  policy::Condition condition;
  for (const auto& [key, kind] : {std::pair{"all", Kind::all}, {"any", Kind::any}}) {
    if (!json.contains(key)) continue;
    condition.kind = kind;
    for (const auto& part : json[key]) condition.parts.push_back(condition_of(part));
    return condition;
  }
  if (json.contains("not")) {
    condition.kind = Kind::none;
    condition.parts = {condition_of(json["not"])};
    return condition;
  }
  condition.kind = Kind::test;
  const auto field = json["field"].get<std::string>();
  condition.field = policy::condition_field_named(field).value();
  if (field.starts_with(policy::tag_prefix)) condition.key = field.substr(4);
  const auto* const op = std::find(policy::comparison_names.begin(), policy::comparison_names.end(),
                                   json["op"].get<std::string>());
  condition.comparison = static_cast<policy::Comparison>(op - policy::comparison_names.begin());
  if (!json.contains("value")) return condition;
  if (condition.comparison == policy::Comparison::matches) {
    condition.texts = {json["value"].get<std::string>()};
    condition.pattern = pattern_of(condition.texts.front());
  } else {
    compare_with(json["value"], condition);
  }
  return condition;
}

policy::OptionValue option_value(policy::OptionType type, const nlohmann::json& json) {
  using policy::OptionType;
  switch (type) {
    case OptionType::flag:
      return json.get<bool>();
    case OptionType::integer:
      return json.get<std::int64_t>();
    case OptionType::number:
      return json.get<double>();
    case OptionType::duration:
      return parse_duration(json.get<std::string>());
    case OptionType::choice:
    case OptionType::text:
      return json.get<std::string>();
    case OptionType::texts:
      return json.get<std::vector<std::string>>();
    case OptionType::integers:
      return json.get<std::vector<std::int64_t>>();
    case OptionType::pattern_map:
      return patterns_of(json);
    case OptionType::condition:
      return condition_of(json);
    case OptionType::text_map:
      break;
  }
  std::vector<policy::Tag> tags;
  for (const auto& [key, values] : json.items()) {
    for (const auto& value : values) tags.emplace_back(key, value.get<std::string>());
  }
  return tags;
}

}  // namespace

policy::Options options_of(std::string_view rule, const std::string& json) {
  const policy::PolicyKind* const kind = find_kind(rule);
  if (kind == nullptr) throw std::invalid_argument("no such rule");
  const nlohmann::json given = nlohmann::json::parse(json);
  policy::Options options;
  std::size_t taken = 0;
  for (const policy::OptionSpec& row : kind->options) {
    const auto found = given.find(std::string{row.name});
    if (found != given.end()) ++taken;
    if (found == given.end() && row.default_json.empty()) {
      throw std::invalid_argument("required: " + std::string{row.name});
    }
    options.set(row.name, option_value(row.type, found != given.end()
                                                     ? *found
                                                     : nlohmann::json::parse(row.default_json)));
  }
  if (taken != given.size()) throw std::invalid_argument("unknown option in " + json);
  return options;
}

}  // namespace reeve::policies
