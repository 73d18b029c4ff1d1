#include "registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/rules/rule_options.hpp"

namespace reeve::policies {
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
    ASSERT_NE(kind.verbs, nullptr) << kind.name << ": states nothing, so it gets every permission";
    EXPECT_FALSE(kind.verbs(options).empty()) << kind.name;
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

TEST(Registry, AlertsSetOptionsOfTheRulesThatTheyAdd) {
  std::set<std::string_view> alerts;
  for (const policy::PolicyKind& kind : kinds()) {
    EXPECT_EQ(kind.alert.empty(), kind.alert_keys.empty()) << kind.name;
    if (kind.alert.empty()) continue;
    EXPECT_TRUE(alerts.insert(kind.alert).second) << kind.name;
    std::set<std::string_view> options;
    for (const policy::OptionSpec& row : kind.options) options.insert(row.name);
    for (const policy::AlertKey& key : kind.alert_keys) {
      EXPECT_TRUE(key.option.empty() || options.contains(key.option)) << kind.name << key.name;
    }
  }
  EXPECT_EQ(alerts, (std::set<std::string_view>{"allocated_pct", "failures", "job_wait"}));
}

TEST(Registry, SourcesAreNamedInWordsNotByNumbersOfATableThatNobodyHas) {
  const std::regex row_number{"\\bF[0-9]+\\b"};
  for (const policy::PolicyKind& kind : kinds()) {
    EXPECT_FALSE(std::regex_search(std::string{kind.source}, row_number)) << kind.source;
  }
  std::size_t pages = 0;
  const std::filesystem::path folder = REEVE_SOURCE_DIR "/policies";
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".md") continue;
    std::ifstream file{entry.path()};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_FALSE(std::regex_search(page, row_number)) << entry.path();
    ++pages;
  }
  EXPECT_EQ(pages, kinds().size());
}

TEST(Registry, EachRuleHasAFolderOfTests) {
  const std::filesystem::path rules = REEVE_SOURCE_DIR "/tests/rules";
  for (const policy::PolicyKind& kind : kinds()) {
    const std::string name{kind.name};
    EXPECT_TRUE(std::filesystem::exists(rules / name / (name + "_test.cpp"))) << name;
  }
}

}  // namespace registry_test
}  // namespace reeve::policies
