#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace failure_rate_test {

Fact over(std::uint32_t job, Secondary how, FailureClass failure = FailureClass::none) {
  return changed(JobId{job}, 9, how, 1, failure);
}

TEST(FailureRate, TheJobThatTipsItIsNamedOncePerIncident) {
  RuleBench bench{"failure_rate", R"({"failures": 2, "last": 3})"};
  for (std::uint32_t job = 0; job < 9; ++job) bench.at(0s, {submitted(JobId{job})});
  EXPECT_TRUE(bench.at(1h, {over(0, Secondary::failed, FailureClass::code)}).verbs.empty());
  EXPECT_TRUE(bench.at(2h, {over(1, Secondary::completed)}).verbs.empty());
  const auto told = bench.at(3h, {over(2, Secondary::failed, FailureClass::data)}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
  EXPECT_TRUE(bench.at(3h, {over(2, Secondary::failed, FailureClass::data)}).verbs.empty());
  EXPECT_TRUE(bench.at(4h, {over(3, Secondary::failed)}).verbs.empty()) << "the same incident";
  bench.at(5h, {over(4, Secondary::completed)});
  bench.at(6h, {over(5, Secondary::stopped)});  // 1 of 3: armed again
  EXPECT_EQ(bench.at(7h, {over(6, Secondary::failed)}).count<Notify>(), 0U) << "1 of 3";
  EXPECT_EQ(bench.at(8h, {over(7, Secondary::failed)}).all<Notify>().at(0).job, JobId{7});
}

TEST(FailureRate, AMessageOfAnIncidentThatIsOverDoesNotBringBackThatOfTheNext) {
  RuleBench bench{"failure_rate", R"({"failures": 1, "last": 1})"};
  const auto ends = [&bench](std::uint32_t job, Duration when, Secondary how) {
    return bench.at(when, {submitted({job}), changed({job}, 1, how)});
  };
  EXPECT_EQ(ends(0, 1h, Secondary::failed).count<Notify>(), 1U);
  bench.at(1h, {KillSwitchChanged{true}});
  bench.at(1h, {refused_by(Refusal::kill_switch, {0}, VerbKind::notify)});
  ends(1, 2h, Secondary::completed);
  EXPECT_EQ(ends(2, 3h, Secondary::failed).count<Notify>(), 1U);
  bench.at(3h, {refused_by(Refusal::kill_switch, {2}, VerbKind::notify)});
  const auto told = bench.at(4h, {KillSwitchChanged{false}}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
}

/// A queue tries again at once: the end and the next submission are one step's news.
TEST(FailureRate, AnEndThatAnotherAttemptHasFollowedCountsOnce) {
  RuleBench bench{"failure_rate", R"({"failures": 2, "last": 3})"};
  bench.at(0s, {submitted({0})});
  const auto fails = [](AttemptNumber attempt) {
    return changed({0}, 9, Secondary::failed, attempt);
  };
  EXPECT_TRUE(bench.at(1h, {fails(1), submitted({0}, 2)}).verbs.empty());
  EXPECT_TRUE(bench.at(1h, {fails(1)}).verbs.empty()) << "told twice";
  const auto told = bench.at(2h, {fails(2), submitted({0}, 3)}).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].attempt, 2);
}

TEST(FailureRate, OtherClassesDoNotCount) {
  RuleBench bench{"failure_rate", R"({"failures": 1, "classes": ["data"]})"};
  for (std::uint32_t job = 0; job < 2; ++job) bench.at(0s, {submitted(JobId{job})});
  EXPECT_TRUE(bench.at(1h, {over(0, Secondary::failed, FailureClass::code)}).verbs.empty());
  EXPECT_EQ(bench.at(2h, {over(1, Secondary::failed, FailureClass::data)}).count<Notify>(), 1U);
}

}  // namespace failure_rate_test
}  // namespace reeve::policies
