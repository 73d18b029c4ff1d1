#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace max_instances_test {

constexpr JobId kJob{0};

std::size_t stops(const std::string& options, std::uint32_t instances,
                  Duration max_runtime = Duration::max()) {
  RuleBench bench{"max_instances", options};
  JobDescription description;
  description.instances = instances;
  description.max_runtime = max_runtime;
  bench.at(0s, {submitted(kJob, 1, description)});
  return bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>();
}

// F22
TEST(MaxInstances, EightPassAndNineAreStopped) {
  EXPECT_EQ(stops(R"({"limit": 8})", 8), 0U);
  EXPECT_EQ(stops(R"({"limit": 8})", 9), 1U);
}

TEST(MaxInstances, AJobThatWasPlacedIntoTheScopeIsJudged) {
  RuleBench bench{"max_instances", R"({"limit": 8})"};
  JobDescription nine;
  nine.instances = 9;
  // The submission, outside of the scope, was kept from the rule; the belief has it all the same.
  bench.fleet.fold({kStart, submitted(kJob, 1, nine)});
  bench.at(1s, {JobPlaced{kJob, 1, PoolId{0}}});
  EXPECT_EQ(bench.at(2s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>(), 1U);
}

// By the job's own cap, the only length that is known when it starts.
TEST(MaxInstances, InstanceHoursAreThoseThatTheJobMayTake) {
  const std::string options = R"({"limit": 100, "instance_hours": 96})";
  EXPECT_EQ(stops(options, 4, 24h), 0U);
  EXPECT_EQ(stops(options, 4, 24h + 1s), 1U);
  EXPECT_EQ(stops(options, 5, 24h), 1U);
  EXPECT_EQ(stops(options, 1), 1U) << "no cap at all";
  EXPECT_EQ(stops(R"({"limit": 8, "instance_hours": 0.3})", 3, 6min), 0U) << "exactly as many";
  EXPECT_EQ(stops(R"({"limit": 8, "instance_hours": 19.8})", 3, 6h + 36min), 0U);
  EXPECT_EQ(stops(R"({"limit": 8, "instance_hours": 19.8})", 3, 6h + 36min + 1ns), 1U);
}

}  // namespace max_instances_test
}  // namespace reeve::policies
