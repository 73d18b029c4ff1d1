#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace idle_capacity_test {

struct IdleBench : RuleBench {
  explicit IdleBench(const std::string& options = "{}") : RuleBench{"idle_capacity", options} {
    JobDescription three;
    three.instances = 3;
    at(0s, {CapacityChanged{{0}, 10}, submitted(JobId{0}, 1, three)});
    at(0s, {changed(JobId{0}, 1, Secondary::starting)});
  }
};

TEST(IdleCapacity, LittleInUseWhileJobsWaitIsToldOfTheFirstOfThem) {
  IdleBench bench;
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "no job is pending";
  bench.at(10h, {submitted(JobId{2})});
  bench.at(11h, {submitted(JobId{1})});
  EXPECT_TRUE(bench.tick(12h - 1ns).verbs.empty());
  const auto told = bench.tick(12h).all<Notify>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].job, JobId{2});
  EXPECT_TRUE(bench.tick(20h).verbs.empty()) << "once";
}

TEST(IdleCapacity, ABreakBeginsTheTimeAnew) {
  IdleBench bench;
  bench.at(10h, {submitted(JobId{1})});
  bench.at(11h, {changed(JobId{1}, 1, Secondary::starting)});  // 4 of 10 are not less than 40 %
  bench.at(11h + 30min, {submitted(JobId{2})});
  bench.at(12h, {changed(JobId{1}, 2, Secondary::completed)});
  EXPECT_TRUE(bench.tick(14h - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(14h).count<Notify>(), 1U);
  bench.at(15h, {changed(JobId{2}, 1, Secondary::starting)});
  bench.at(16h, {submitted(JobId{3})});
  bench.at(16h, {changed(JobId{2}, 2, Secondary::completed)});
  EXPECT_EQ(bench.tick(18h).all<Notify>().at(0).job, JobId{3}) << "another incident";
}

}  // namespace idle_capacity_test
}  // namespace reeve::policies
