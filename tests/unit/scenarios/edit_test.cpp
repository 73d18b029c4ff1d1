// Changes of one value in a text of JSON with comments.
#include "scenarios/text/edit.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace edit_test {

Document parsed(std::string text) {
  return Document::parse(SourceFile::from_text("edit.jsonc", std::move(text)));
}

constexpr const char* scenario = R"({
  // A comment stays.
  "prices": { "instances": { "ml.demo.8gpu": { "usd_per_hour": 30.00, }, }, },
  "policies": {
    "none": [],
    "alarm": [ { "rule": "stalled_gpu", "period": "5m" }, { "rule": "resume", "label": "again" } ]
  }
})";

TEST(WithValue, ReplacesWhatIsThereAndNothingElse) {
  const std::string text = with_value(parsed(scenario), "policies.alarm.stalled_gpu.period", "10m");
  std::string expected = scenario;
  expected.replace(expected.find("\"5m\""), 4, "\"10m\"");
  EXPECT_EQ(text, expected);
}

TEST(WithValue, ReadsKeysWithDots) {
  const std::string path = "prices.instances.ml.demo.8gpu.usd_per_hour";
  EXPECT_EQ(value_at(parsed(scenario), path), "30.00");
  EXPECT_EQ(value_at(parsed(with_value(parsed(scenario), path, "12.5")), path), "12.5");
}

TEST(WithValue, AddsWhatIsMissing) {
  for (const char* path : {"policies.alarm.again.max_resumes", "platform.metrics.period", "clock",
                           "policies.alarm.1.when", "prices.instances.new.gpus"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(value_at(parsed(scenario), path), std::nullopt);
    EXPECT_EQ(value_at(parsed(with_value(parsed(scenario), path, "3")), path), "3");
  }
  EXPECT_EQ(with_value(parsed("{}"), "a.b", "x y"), R"({ "a": { "b": "x y" }})");
  EXPECT_EQ(with_value(parsed("{ // empty\n}"), "a", "[1, 2]"), "{ \"a\": [1, 2] // empty\n}");
}

TEST(WithValue, TakesWholeObjectsAndArrays) {
  EXPECT_EQ(with_value(parsed(R"({"a": [1, {"b": 2}], "c": 3})"), "a", "null"),
            R"({"a": null, "c": 3})");
}

TEST(WithValue, SaysWhatIsWrongWithAPath) {
  const auto refusal = [](const char* path) -> std::string {
    try {
      with_value(parsed(scenario), path, "1");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_NE(refusal("policies.alarm.stalled_gup.period").find("\"stalled_gpu\""),
            std::string::npos);
  EXPECT_NE(refusal("policies.alarm.2").find("one of \"stalled_gpu\""), std::string::npos);
  EXPECT_NE(refusal("policies.alarm.0.period.x").find("without members"), std::string::npos);
  EXPECT_EQ(refusal(""), refusal("a..b"));
}

}  // namespace edit_test
}  // namespace reeve::scenarios
