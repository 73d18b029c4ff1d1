#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace long_wait_test {

constexpr JobId kJob{2};

TEST(LongWait, AWaitIsToldOnceAndTheNextOneAgain) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.tick(30min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(30min).all<Notify>().at(0).incident, 1);
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "once";
  bench.at(9h, {changed(kJob, 1, Secondary::starting)});
  bench.at(10h, {changed(kJob, 2, Secondary::interrupted)});
  EXPECT_TRUE(bench.tick(10h + 29min).verbs.empty());
  EXPECT_EQ(bench.tick(10h + 30min).all<Notify>().at(0).incident, 2);
}

TEST(LongWait, WhoStartsInTimeIsNotToldOf) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  bench.at(29min, {changed(kJob, 1, Secondary::starting)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  bench.at(3h, {submitted(kJob, 2)});
  bench.at(3h + 1min, {changed(kJob, 1, Secondary::stopped, 2)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "nor a job that no longer waits";
}

TEST(LongWait, ThatItHadMachinesInBetweenNeedNotBeToldFirst) {
  RuleBench bench{"long_wait", R"({"after": "65m"})"};
  bench.at(0s, {submitted(kJob)});
  const JobChanged interrupted{
      kJob, 1, 4, Primary::in_progress, Secondary::interrupted, FailureClass::none, 1};
  bench.at(50min, {interrupted});
  bench.at(51min, {changed(kJob, 1, Secondary::starting), changed(kJob, 3, Secondary::training)});
  EXPECT_TRUE(bench.tick(50min + 65min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(50min + 65min).all<Notify>().at(0).incident, 2);
}

TEST(LongWait, AMessageThatFailedIsSentAgain) {
  RuleBench bench{"long_wait", R"({"after": "30m"})"};
  bench.at(0s, {submitted(kJob)});
  bench.tick(30min);
  bench.at(31min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(bench.tick(32min).all<Notify>().at(0).incident, 1) << "as the same message";
}

}  // namespace long_wait_test
}  // namespace reeve::policies
