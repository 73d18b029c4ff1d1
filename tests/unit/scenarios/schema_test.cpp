#include "scenarios/load/keys/schema.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "scenarios/load/keys/input.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace schema_test {

using Json = nlohmann::ordered_json;

/// Every schema of an object with fixed keys must refuse others and describe its own.
void check_objects(const Json& schema, const std::string& where, int& objects) {
  if (schema.is_object()) {
    const bool by_rule = schema.contains("allOf");
    if (schema.contains("properties") && !where.ends_with("/if") && !by_rule) {
      ++objects;
      EXPECT_EQ(schema.value("additionalProperties", true), false) << where;
      for (const auto& [key, value] : schema["properties"].items()) {
        EXPECT_FALSE(value.value("description", "").empty()) << where << "/" << key;
      }
    }
    for (const auto& [key, value] : schema.items()) {
      check_objects(value, where + "/" + key, objects);
    }
  } else if (schema.is_array()) {
    for (const Json& value : schema) check_objects(value, where, objects);
  }
}

TEST(Schema, RefusesUnknownKeysAndDescribesKnownOnes) {
  int objects = 0;
  check_objects(scenario_schema(), "", objects);
  EXPECT_GT(objects, 30);
}

TEST(Schema, KnowsEveryKeyOfTheDecoder) {
  const Json schema = scenario_schema();
  for (const FieldShape& row : scenario_table().shape()->fields) {
    EXPECT_TRUE(schema["properties"].contains(row.name)) << row.name;
  }
  EXPECT_EQ(schema["required"], (Json{"reeve", "prices", "fleet"}));
  EXPECT_EQ(schema["properties"]["jobs"]["items"]["required"], Json{"name"});
}

TEST(Schema, EachRuleHasItsOwnKeys) {
  const Json schema = scenario_schema();
  const Json& rule = schema["properties"]["policies"]["additionalProperties"]["items"];
  ASSERT_GE(rule["allOf"].size(), 5U);
  for (const Json& branch : rule["allOf"]) {
    const std::string name = branch["if"]["properties"]["rule"]["const"];
    EXPECT_EQ(branch["then"]["properties"].contains("threshold"), name == "stalled_gpu") << name;
    EXPECT_TRUE(branch["then"]["properties"].contains("mode")) << name;
  }
}

TEST(Schema, DurationsMatchWhatIsRead) {
  const Shape shape = duration().shape;
  const std::regex pattern{schema_of(shape)["pattern"].get<std::string>()};
  for (const std::string text : {"72h23m02s", "1.5h", "90m", "250ms", "7d", "0s", "1w2d", "5ns"}) {
    EXPECT_TRUE(std::regex_match(text, pattern)) << text;
    EXPECT_TRUE(parse_duration(text)) << text;
  }
  for (const std::string text : {"", "5", "-2h", "2 h", "h", "5m1h", "1h1h", "2hours"}) {
    EXPECT_FALSE(std::regex_match(text, pattern)) << text;
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Schema, InstantsAndComparisonsMatchWhatIsRead) {
  const std::regex instants{schema_of(instant().shape)["pattern"].get<std::string>()};
  for (const std::string text : {"2026-05-22T18:00:00-04:00", "2026-05-22T18:00:00.5Z"}) {
    EXPECT_TRUE(std::regex_match(text, instants)) << text;
    EXPECT_TRUE(parse_instant(text)) << text;
  }
  const Json expect = scenario_schema()["properties"]["expect"]["items"]["properties"]["that"];
  const std::regex lines{expect["pattern"].get<std::string>()};
  for (const std::string text : {"first_attempt.billed_usd == 312.13 +- 0.01", "detected_after<16m",
                                 "job.B2.wait == 0s", "tag.project.a.billed_usd >= $5"}) {
    EXPECT_TRUE(std::regex_match(text, lines)) << text;
    EXPECT_TRUE(parse_comparison(text)) << text;
  }
  EXPECT_FALSE(std::regex_match(std::string{"biled_usd == 5"}, lines));
}

}  // namespace schema_test
}  // namespace reeve::scenarios
