#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace save_on_notice_test {

constexpr JobId kJob{3};

Fact notice(Duration loss, SpotSignal signal = SpotSignal::interruption,
            AttemptNumber attempt = 1) {
  return SpotNotice{kJob, attempt, signal, kStart + loss, 1};
}

struct SaveBench : RuleBench {
  explicit SaveBench(const std::string& options = R"({"lead": "90s"})")
      : RuleBench{"save_on_notice", options} {
    at(0s, {submitted(kJob)});
    at(1min, {changed(kJob, 1, Secondary::training)});
  }
};

TEST(SaveOnNotice, AsksOnceSoLongBeforeTheLoss) {
  SaveBench bench;
  EXPECT_TRUE(bench.at(1h, {notice(1h + 120s), notice(1h + 120s)}).verbs.empty());
  EXPECT_TRUE(bench.tick(1h + 30s - 1ns).verbs.empty());
  const auto asked = bench.tick(1h + 30s).all<SaveCheckpoint>();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].job, kJob);
  EXPECT_EQ(asked[0].attempt, 1);
  EXPECT_TRUE(bench.tick(1h + 60s).verbs.empty());
  EXPECT_TRUE(bench.at(1h + 61s, {notice(1h + 120s)}).verbs.empty()) << "told again";
}

TEST(SaveOnNotice, WhatIsToldLateIsAskedAtOnceAndWhatIsOverNever) {
  SaveBench bench;
  EXPECT_EQ(bench.at(1h, {notice(1h + 30s)}).count<SaveCheckpoint>(), 1U);
  EXPECT_TRUE(bench.at(2h, {notice(2h)}).verbs.empty());
}

TEST(SaveOnNotice, EachLossOfAGangIsAskedForByItself) {
  SaveBench bench;
  bench.at(1h, {notice(1h + 120s), notice(1h + 180s)});
  EXPECT_EQ(bench.tick(1h + 30s).count<SaveCheckpoint>(), 1U);
  EXPECT_TRUE(bench.tick(1h + 89s).verbs.empty());
  EXPECT_EQ(bench.tick(1h + 90s).count<SaveCheckpoint>(), 1U);
}

TEST(SaveOnNotice, WhoDoesNotTrainYetIsAskedWhenItDoes) {
  for (const Duration begins : {60s, 130s}) {
    SaveBench bench;
    bench.at(1h, {changed(kJob, 2, Secondary::interrupted)});
    bench.at(1h + 1s, {changed(kJob, 3, Secondary::downloading), notice(1h + 120s)});
    EXPECT_TRUE(bench.tick(1h + 40s).verbs.empty());
    EXPECT_EQ(bench.at(1h + begins, {changed(kJob, 4, Secondary::training)}).verbs.size(),
              begins < 120s ? 1U : 0U);
  }
}

TEST(SaveOnNotice, TheNextAttemptIsNotAskedBecauseOfALossOfTheLast) {
  SaveBench bench;
  bench.at(1h, {notice(1h + 120s)});
  bench.at(1h + 1s, {changed(kJob, 9, Secondary::stopped), submitted(kJob, 2),
                     changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.tick(1h + 60s).verbs.empty());
}

TEST(SaveOnNotice, WhichSignalsCountIsAnOption) {
  for (const bool on : {false, true}) {
    const std::string flag = on ? "true" : "false";
    SaveBench bench{R"({"block_end": )" + flag + R"(, "rebalance": )" + flag + "}"};
    EXPECT_EQ(bench.at(1h, {notice(1h, SpotSignal::rebalance)}).verbs.size(), on ? 1U : 0U);
    bench.at(2h, {notice(2h + 10min, SpotSignal::block_end)});
    EXPECT_EQ(bench.tick(2h + 8min).verbs.size(), on ? 1U : 0U);
  }
}

TEST(SaveOnNotice, WhatExpiredIsAskedForAgainIfThereIsTime) {
  SaveBench bench{R"({"lead": "10m"})"};
  ASSERT_EQ(bench.at(1h, {notice(1h + 5min)}).count<SaveCheckpoint>(), 1U);
  bench.at(1h + 1min, {settled(kJob, VerbKind::save_checkpoint, Outcome::expired)});
  EXPECT_EQ(bench.tick(1h + 2min).count<SaveCheckpoint>(), 1U);
  bench.at(1h + 4min + 30s, {settled(kJob, VerbKind::save_checkpoint, Outcome::expired)});
  EXPECT_TRUE(bench.tick(1h + 6min).verbs.empty());
}

}  // namespace save_on_notice_test
}  // namespace reeve::policies
