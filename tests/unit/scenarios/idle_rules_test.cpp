// Rules that never do anything are named where that is certain, and only there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace idle_rules_test {

/// Whether such a rule, first of its policy, is said to do nothing; of one job with these keys in
/// such a fleet.
std::ptrdiff_t idles(const std::string& rules, const std::string& platform,
                     const std::string& job = {}, const std::string& fleet = {}) {
  const Loaded loaded = load(SourceFile::from_text("idles.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "9d" },
    "prices": { "instances": {
      "ml.t": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "fleet": [ { "name": "p", "instance_type": "ml.t", "capacity": 8)" +
                                                                      fleet +
                                                                      R"( } ],
    "platform": { )" + platform + R"( },
    "policies": { "it": [ )" + rules + R"( ] },
    "jobs": [ { "name": "j", "work": "10h", "instances": 4)" + job + " } ] }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const Diagnostic& finding) { return finding.code == "W0565"; });
}

const std::string managed = R"("model": "sagemaker-training")";
const std::string own = R"("model": "ec2")";
const std::string spot = R"(, "market": "spot")";

TEST(IdleRules, NobodyIsWarnedOfALossButBySpotThatWarns) {
  const std::string notice = R"({ "rule": "notify", "events": ["spot_notice"] })";
  EXPECT_EQ(idles(notice, managed), 1);
  EXPECT_EQ(idles(notice, managed, "", spot), 1) << "managed Spot warns nobody";
  EXPECT_EQ(idles(notice, own), 1) << "on demand";
  EXPECT_EQ(idles(notice, own, "", spot), 0);
  EXPECT_EQ(idles(notice, own + R"(, "notice": "0s")", "", spot), 1);
  EXPECT_EQ(idles(R"({ "rule": "notify", "events": ["spot_notice", "failed"] })", managed), 0);
}

TEST(IdleRules, NobodyLosesSomeMachinesWhereGangsStandOrFallAsAWhole) {
  const std::string lost = R"({ "rule": "notify", "events": ["nodes_lost"] })";
  const std::string breaks = R"(, "node_faults": { "per_1000_node_days": 5 })";
  EXPECT_EQ(idles(lost, managed), 1);
  EXPECT_EQ(idles(lost, managed, "", breaks), 1) << "the cluster is repaired as a whole";
  EXPECT_EQ(idles(lost, own), 1);
  EXPECT_EQ(idles(lost, own, "", breaks), 0);
  EXPECT_EQ(
      idles(lost, own, R"(, "faults": [ { "at": "1h", "kind": "node_lost", "hosts": [2] } ])"), 0);
  EXPECT_EQ(idles(lost, own, R"(, "elastic": { "min": 2, "resize": "5m" })", spot), 0);
}

TEST(IdleRules, ACapAboveThePlatformsLimitIsNeverAskedFor) {
  const auto cap = [](const std::string& limit) {
    return R"({ "rule": "max_runtime", "limit": ")" + limit + R"(" })";
  };
  const std::string clones =
      R"(, { "rule": "resume", "when": ["failed"], "override": { "max_runtime": "72h" } })";
  EXPECT_EQ(idles(cap("48h"), managed), 1) << "a training job has 24 h if it says nothing";
  EXPECT_EQ(idles(cap("24h"), managed), 1);
  EXPECT_EQ(idles(cap("23h"), managed), 0);
  EXPECT_EQ(idles(cap("48h"), managed, R"(, "max_runtime": "50h")"), 0);
  EXPECT_EQ(idles(cap("48h"), managed, R"(, "max_runtime": "40h")"), 1);
  EXPECT_EQ(idles(cap("48h") + clones, managed), 0) << "a clone may run for longer";
  EXPECT_EQ(idles(cap("72h") + clones, managed), 1);
  EXPECT_EQ(idles(cap("48h"), R"("model": "ideal")"), 0) << "nothing else ends them";
}

TEST(IdleRules, AClockThatTheRuleReadsMayBeAheadOfThePlatforms) {
  const auto cap = [](const std::string& limit) {
    return R"({ "rule": "max_runtime", "enforce_by": "clock", "limit": ")" + limit + R"(" })";
  };
  EXPECT_EQ(idles(cap("48h"), managed), 1);
  EXPECT_EQ(idles(cap("24h"), managed), 0) << "both at once";
  EXPECT_EQ(idles(cap("24h1m"), managed), 0) << "it may still save";
  EXPECT_EQ(
      idles(cap("48h"), managed, "", spot + R"(, "reclaim": { "every": "9h", "away": "1h" })"), 0)
      << "an interruption stops the platform's clock alone";
  EXPECT_EQ(idles(cap("48h"), managed, R"(, "faults": [ { "at": "1h", "kind": "interruption",
                                            "lasts": "1h" } ])"),
            0);
  EXPECT_EQ(idles(cap("48h"), managed + R"(, "events": { "lost": 0.1, "jitter": "1m" })"), 0)
      << "an end that is not told";
  EXPECT_EQ(idles(cap("48h"), managed + R"(, "events": { "jitter": "30h" })"), 0);
}

}  // namespace idle_rules_test
}  // namespace reeve::scenarios
