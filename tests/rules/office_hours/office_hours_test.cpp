#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace office_hours_test {

constexpr JobId kJob{1};

/// kStart is 2015-08-19T16:00Z, a Wednesday.
struct OfficeBench : RuleBench {
  explicit OfficeBench(const std::string& options = "{}") : RuleBench{"office_hours", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  }
};

TEST(OfficeHours, AJobIsStoppedWhenTheHoursEnd) {
  OfficeBench bench;
  EXPECT_TRUE(bench.tick(2h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(2h).count<StopJob>(), 1U) << "18:00";
  EXPECT_TRUE(bench.tick(3h).verbs.empty()) << "once";
}

TEST(OfficeHours, AJobThatStartsAtNightIsStoppedAtOnce) {
  RuleBench bench{"office_hours", R"({"utc_offset_h": 3})"};  // 19:00 there
  EXPECT_TRUE(bench.at(0s, {submitted(kJob)}).verbs.empty());
  EXPECT_EQ(bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.at(2s, {changed(kJob, 2, Secondary::training)}).verbs.empty()) << "once";
}

TEST(OfficeHours, WhatWasStoppedGoesOnInTheMorning) {
  OfficeBench bench{R"({"resume": true})"};
  bench.tick(2h);
  bench.at(2h + 1min, {settled(kJob, VerbKind::stop_job, Outcome::done)});
  bench.fleet.grow(kJob).stopped_by = kOwnSeat.index + 1;
  EXPECT_TRUE(bench.at(2h + 2min, {changed(kJob, 2, Secondary::stopped)}).verbs.empty());
  EXPECT_TRUE(bench.tick(16h - 1ns).verbs.empty());
  const auto clones = bench.tick(16h).all<CloneJob>();  // 08:00 on Thursday
  ASSERT_EQ(clones.size(), 1U);
  EXPECT_EQ(clones[0].attempt, 2U);
}

TEST(OfficeHours, WhatSomebodyElseStoppedDoesNot) {
  OfficeBench bench{R"({"resume": true})"};
  bench.at(1h, {changed(kJob, 2, Secondary::stopped)});
  EXPECT_TRUE(bench.tick(20h).verbs.empty());
}

TEST(OfficeHours, ACloneThatIsRejectedIsAskedForAgain) {
  OfficeBench bench{R"({"resume": true})"};
  bench.tick(2h);
  bench.at(2h + 1min, {settled(kJob, VerbKind::stop_job, Outcome::done)});
  bench.fleet.grow(kJob).stopped_by = kOwnSeat.index + 1;
  bench.at(2h + 2min, {changed(kJob, 2, Secondary::stopped)});
  const Fact rejected = refused_by(Refusal::platform, kJob, VerbKind::clone_job, 2);
  ASSERT_EQ(bench.tick(16h).count<CloneJob>(), 1U);  // 08:00 on Thursday
  EXPECT_TRUE(bench.at(16h, {rejected}).verbs.empty());
  EXPECT_TRUE(bench.tick(16h + 1min - 1ns).verbs.empty());
  ASSERT_EQ(bench.tick(16h + 1min).count<CloneJob>(), 1U);
  EXPECT_TRUE(bench.at(16h + 1min, {rejected}).verbs.empty());
  EXPECT_EQ(bench.tick(16h + 3min).count<CloneJob>(), 1U);
}

}  // namespace office_hours_test
}  // namespace reeve::policies
