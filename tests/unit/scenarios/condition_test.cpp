#include "scenarios/load/keys/condition.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace condition_test {

std::string page() {
  std::ifstream file{std::string{REEVE_SOURCE_DIR} + "/policies/governance/rule.md"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

Scenario load_with(const std::string& rules) {
  const std::string text = R"({ "reeve": 1, "name": "stated",
    "prices": { "instances": { "demo": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "pool", "instance_type": "demo", "capacity": 16 } ],
    "jobs": [ { "name": "train", "work": "1h" } ], "policies": { "p": [ )" +
                           rules + " ] } }";
  return load(SourceFile::from_text("stated.jsonc", text), ".").scenario;
}

policy::Condition condition(const std::string& when) {
  const Scenario scenario = load_with(R"({ "rule": "rule", "do": "stop", "when": )" + when + " }");
  return scenario.policies.at(0).seats.at(0).options.condition("when");
}

TEST(Condition, ItsNotesNameEveryFieldWithItsMarksAndWords) {
  const std::string text = page();
  const std::size_t table = text.find("| Field | Meaning |");
  ASSERT_NE(table, std::string::npos);
  for (const policy::ConditionFieldSpec& spec : policy::condition_fields) {
    const std::size_t name = text.find('`' + std::string{spec.name} + '`', table);
    ASSERT_NE(name, std::string::npos) << "no row " << spec.name;
    const std::string rest = text.substr(name, text.find('\n', name) - name);
    const std::string marks = rest.substr(0, rest.find(" | "));
    EXPECT_EQ(marks.find("†") != std::string::npos, spec.submitted) << rest;
    EXPECT_EQ(marks.find("°") != std::string::npos, spec.may_lack) << rest;
    if (spec.field == policy::ConditionField::status) continue;
    for (const std::string_view word : spec.words) {
      EXPECT_NE(rest.find('`' + std::string{word} + '`'), std::string::npos) << rest << word;
    }
  }
  for (const std::string_view comparison : policy::comparison_names) {
    EXPECT_NE(text.find('`' + std::string{comparison} + '`'), std::string::npos) << comparison;
  }
}

TEST(Condition, TheTableIsInTheOrderOfItsValues) {
  for (std::size_t i = 0; i < policy::condition_fields.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(policy::condition_fields.at(i).field), i);
  }
}

TEST(Condition, IsReadAsItIsWritten) {
  const policy::Condition all = condition(
      R"({ "all": [ { "field": "training_time", "op": ">=", "value": "1h30m" },
                    { "not": { "field": "attempt", "op": "in", "value": [1, 3] } },
                    { "any": [ { "field": "tag:team", "op": "matches", "value": "v.*" } ] } ] })");
  using Kind = policy::Condition::Kind;
  ASSERT_EQ(all.kind, Kind::all);
  ASSERT_EQ(all.parts.size(), 3U);
  EXPECT_EQ(all.parts[0].kind, Kind::test);
  EXPECT_EQ(all.parts[0].field, policy::ConditionField::training_time);
  EXPECT_EQ(all.parts[0].comparison, policy::Comparison::at_least);
  EXPECT_EQ(all.parts[0].duration, std::chrono::minutes{90});
  ASSERT_EQ(all.parts[1].kind, Kind::none);
  EXPECT_EQ(all.parts[1].parts.at(0).numbers, (std::vector<std::int64_t>{1, 3}));
  ASSERT_EQ(all.parts[2].kind, Kind::any);
  const policy::Condition& tag = all.parts[2].parts.at(0);
  EXPECT_EQ(tag.key, "team");
  EXPECT_TRUE(tag.pattern.value().matches("vision"));
  EXPECT_FALSE(tag.pattern.value().matches("a vision"));
}

TEST(Condition, MayBeNestedSixteenDeep) {
  const std::string test = R"({ "field": "attempt", "op": "==", "value": 1 })";
  const auto nested = [&](std::size_t depth) {
    std::string text = test;
    for (std::size_t i = 1; i < depth; ++i) text = R"({ "not": )" + text + " }";
    return text;
  };
  EXPECT_NO_THROW(condition(nested(16)));
  EXPECT_THROW(condition(nested(17)), InputError);
}

}  // namespace condition_test
}  // namespace reeve::scenarios
