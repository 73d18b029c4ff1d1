#include "registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rule_options.hpp"

namespace reeve::policies {
namespace registry_test {

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

}  // namespace registry_test

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
    options.set(
        row.name,
        registry_test::option_value(
            row.type, found != given.end() ? *found : nlohmann::json::parse(row.default_json)));
  }
  if (taken != given.size()) throw std::invalid_argument("unknown option in " + json);
  return options;
}

namespace registry_test {

/// A value for every required option.
std::string required_options(const policy::PolicyKind& kind) {
  if (kind.name == "required_tags") return R"({"keys": ["model_name"]})";
  if (kind.name == "allowed_types") return R"({"allow": ["ml.g5*"]})";
  if (kind.name == "max_instances") return R"({"limit": 8})";
  if (kind.name == "budget") return R"({"limit_usd": 100})";
  if (kind.name == "uptime_cap") return R"({"limit": "24h"})";
  if (kind.name == "market") return R"({"use": "on_demand"})";
  if (kind.name == "alternatives") return R"({"fleets": ["b"]})";
  if (kind.name == "rule") {
    return R"({"when": {"field": "age", "op": ">", "value": "2d"}, "do": "stop"})";
  }
  if (kind.name == "long_wait") return R"({"after": "30m"})";
  if (kind.name == "startup_limit") return R"({"limit": "15m"})";
  if (kind.name == "strawman" || kind.name == "uniform_progress") {
    return R"({"tick": "10m", "restart_overhead": "6m"})";
  }
  return kind.name == "max_runtime" ? R"({"limit": "24h"})" : "{}";
}

TEST(Registry, KindsAreOrderedAndFound) {
  ASSERT_FALSE(kinds().empty());
  EXPECT_TRUE(std::is_sorted(kinds().begin(), kinds().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const policy::PolicyKind& kind : kinds()) EXPECT_EQ(find_kind(kind.name), &kind);
  EXPECT_EQ(find_kind("stalled"), nullptr);
}

TEST(Registry, EveryKindIsMadeFromItsDefaultsAndDoesWhatItSays) {
  for (const policy::PolicyKind& kind : kinds()) {
    const policy::Options options = options_of(kind.name, required_options(kind));
    if (kind.check != nullptr) {
      EXPECT_TRUE(kind.check(options).message.empty()) << kind.name;
    }
    EXPECT_NE(kind.make(options), nullptr) << kind.name;
    EXPECT_EQ(kind.schedules, kind.name == "schedule");
    EXPECT_EQ(kind.places, kind.name == "market");
    const bool moves = kind.name == "on_demand" || kind.name == "spot_only" ||
                       kind.name == "strawman" || kind.name == "uniform_progress";
    EXPECT_EQ(kind.moves, moves) << kind.name;
  }
}

TEST(Registry, TablesAreCompleteAndDefaultsInRange) {
  for (const policy::PolicyKind& kind : kinds()) {
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_FALSE(kind.source.empty());
    std::set<std::string_view> names;
    for (const policy::OptionSpec& row : kind.options) {
      EXPECT_TRUE(names.insert(row.name).second) << kind.name << " " << row.name;
      EXPECT_FALSE(row.help.empty()) << kind.name << " " << row.name;
      if (row.type == policy::OptionType::choice && !row.default_json.empty()) {
        const std::string value = nlohmann::json::parse(row.default_json);
        EXPECT_NE(std::find(row.choices.begin(), row.choices.end(), value), row.choices.end());
      }
      EXPECT_LE(row.min, row.max);
    }
  }
}

TEST(Registry, SourcesAreNamedInWordsNotByNumbersOfATableThatNobodyHas) {
  const std::regex row_number{"\\bF[0-9]+\\b"};
  for (const policy::PolicyKind& kind : kinds()) {
    EXPECT_FALSE(std::regex_search(std::string{kind.source}, row_number)) << kind.source;
  }
  std::size_t pages = 0;
  for (const char* family : {"governance", "scheduling", "spot"}) {
    const std::filesystem::path folder = REEVE_SOURCE_DIR "/policies";
    for (const auto& entry : std::filesystem::directory_iterator{folder / family}) {
      if (entry.path().extension() != ".md") continue;
      std::ifstream file{entry.path()};
      const std::string page{std::istreambuf_iterator<char>{file}, {}};
      EXPECT_FALSE(std::regex_search(page, row_number)) << entry.path();
      ++pages;
    }
  }
  EXPECT_EQ(pages, kinds().size());
}

}  // namespace registry_test
}  // namespace reeve::policies
