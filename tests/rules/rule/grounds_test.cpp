#include "governance/grounds.hpp"

#include <reeve/policy/options.hpp>

#include "tests/rules/rule_bench.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace grounds_test {

constexpr JobId kJob{1};

/// What is told of a job that trains on 9 instances since 1 h 8 min 20 s.
std::string told(const std::string& when, bool submission_known = true) {
  const Directory directory;
  TestFleet fleet{directory};
  JobDescription nine;
  nine.instances = 9;
  if (submission_known) fleet.fold({kStart, submitted(kJob, 1, nine)});
  fleet.fold({kStart, changed(kJob, 1, Secondary::training)});
  const Options options = options_of("rule", R"({"do": "stop", "when": )" + when + "}");
  return grounds(options.condition("when"),
                 {.fleet = fleet, .job = kJob, .now = kStart + 1h + 8min + 20s});
}

const std::string kTrains = R"({"field": "status", "op": "==", "value": "Training"})";
const std::string kLong = R"({"field": "training_time", "op": ">=", "value": "1h"})";
const std::string kMany = R"({"field": "instances", "op": ">", "value": 12})";

TEST(Grounds, EachTestIsToldWithWhatItsFieldWas) {
  EXPECT_EQ(told(R"({"all": [)" + kTrains + ", " + kLong + "]}"),
            "all of: status == Training (it was Training), training_time >= 1h (it was 1h8m20s)");
  EXPECT_EQ(told(R"({"field": "attempt", "op": "in", "value": [1, 2]})"),
            "attempt in [1, 2] (it was 1)");
  EXPECT_EQ(told(R"({"field": "status", "op": "matches", "value": "Tr.*"})"),
            "status matches \"Tr.*\" (it was Training)");
}

TEST(Grounds, OnlyWhatDecidesIsTold) {
  EXPECT_EQ(told(R"({"any": [)" + kMany + ", " + kLong + "]}"),
            "training_time >= 1h (it was 1h8m20s)");
  EXPECT_EQ(told(R"({"not": {"all": [)" + kTrains + ", " + kMany + "]}}"),
            "not (instances > 12 (it was 9))");
  EXPECT_EQ(told(R"({"not": {"any": [)" + kMany + R"(, {"field": "tag:team", "op": "exists"}]}})"),
            "not (any of: instances > 12 (it was 9), tag:team exists (it was none))");
  EXPECT_EQ(told(R"({"all": [)" + kTrains + R"(, {"any": [)" + kLong + ", " + kTrains + "]}]}"),
            "all of: status == Training (it was Training), any of (training_time >= 1h (it was "
            "1h8m20s), status == Training (it was Training))");
}

TEST(Grounds, WhatIsUnknownIsToldAsUnknown) {
  EXPECT_EQ(told(kMany, false), "instances > 12 (it was unknown)");
}

TEST(Grounds, LengthsAreWrittenAsInAScenario) {
  EXPECT_EQ(length_text(0s), "0s");
  EXPECT_EQ(length_text(25h + 35s + 500ms), "1d1h35.5s");
  EXPECT_EQ(length_text(1ns), "0.000000001s");
  EXPECT_EQ(length_text(Duration::max()), "longer than any");
}

}  // namespace grounds_test
}  // namespace reeve::policies
