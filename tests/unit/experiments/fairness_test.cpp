#include "experiments/fairness.hpp"

#include <gtest/gtest.h>

#include "experiments/finish_time.hpp"
#include "experiments/measures.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace fairness_test {

using namespace std::chrono_literals;

TEST(Fairness, ASlowdownIsBoundedOnBothSides) {
  EXPECT_EQ(slowdown(300s, 100s), 3);
  EXPECT_EQ(slowdown(100s, 100s), 1);
  EXPECT_EQ(slowdown(30s, 1s), 3) << "of ten seconds";
  EXPECT_EQ(slowdown(2s, 1s), 1);
}

TEST(Fairness, AGroupWithoutResultsHasWaitsAlone) {
  GroupTimes group;
  EXPECT_FALSE(group.any());
  EXPECT_FALSE(group.value("mean_wait_s"));
  models::Record record;
  models::JobRow& row = record.job_rows.emplace_back();
  row.first_start = policy::Instant{} + 20s;
  row.status = policy::Primary::in_progress;
  record.jobs.specs.emplace_back().submit = policy::Instant{} + 5s;
  group.add(record, {0}, 0);
  EXPECT_EQ(group.value("mean_wait_s"), 15);
  EXPECT_EQ(group.value("p99_wait_s"), 15);
  EXPECT_FALSE(group.value("mean_slowdown"));
  EXPECT_FALSE(group.value("worst_finish_time_fairness"));
}

scenarios::Scenario two_teams(const std::string& weight) {
  return scenarios::load(scenarios::SourceFile::from_text("teams.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 1 } ], "platform": { "model": "ideal" },
    "jobs": [ { "name": "a", "work": "1h", "tags": { "team": "x", "tier": "1" } },
              { "name": "b", "work": "1h", "owner": "ada l", "tags": { "team": "y" } },
              { "name": "c", "work": "1h" )" + weight + "} ] }"),
                         ".")
      .scenario;
}

/// What stands in metrics.csv is what an `expect` line compares.
TEST(Fairness, EachGroupIsExportedAsItIsAsked) {
  const scenarios::Scenario scenario = two_teams("");
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  std::size_t groups = 0;
  for (const Measure& exported : named_measures(scenario, result)) {
    const bool of_group =
        exported.name.ends_with(".mean_wait_s") || exported.name.ends_with(".mean_slowdown");
    if (!of_group) continue;
    ++groups;
    const auto asked = measure(scenario, result, exported.name);
    ASSERT_TRUE(asked && exported.value) << exported.name;
    EXPECT_EQ(*asked, *exported.value) << exported.name;
  }
  EXPECT_EQ(groups, 2U * (3 + 2 + 1)) << "team x, y, none; tier 1, none; one owner";
  EXPECT_EQ(measure(scenario, result, "owner.ada%20l.mean_wait_s"), Quantity{3600.0});
  EXPECT_EQ(measure(scenario, result, "tag.tier.(untagged).mean_wait_s"), Quantity{5400.0});
}

TEST(Fairness, AJobIsComparedWithItsPartOfTheFleet) {
  const scenarios::Scenario scenario = two_teams("");
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  // One after the other on one machine.  While the first is there, there are 3: alone it has a
  // third of the machine and takes 3 h, not 1.  Then 2.5 on the mean of 2 h, and 2 on that of 3 h.
  const std::vector<double> fairness = finish_time_fairness(scenario.world, result.record);
  ASSERT_EQ(fairness.size(), 3U);
  EXPECT_DOUBLE_EQ(fairness[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(fairness[1], 2 / 2.5);
  EXPECT_DOUBLE_EQ(fairness[2], 3.0 / 2);
  EXPECT_EQ(measure(scenario, result, "worst_finish_time_fairness"), Quantity{1.5});
  EXPECT_EQ(measure(scenario, result, "owner.ada%20l.mean_finish_time_fairness"), Quantity{0.8});
  EXPECT_EQ(measure(scenario, result, "tag.team.(untagged).worst_finish_time_fairness"),
            Quantity{1.5});
}

TEST(Fairness, WhoFitsIntoItsPartTakesItsWorkAlone) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("roomy.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 4 } ], "platform": { "model": "ideal" },
    "jobs": [ { "name": "a", "work": "2h" }, { "name": "b", "work": "1h", "instances": 3 },
              { "name": "c", "work": "1h", "instances": 2 } ] })"),
                      ".")
          .scenario;
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  const std::vector<double> fairness = finish_time_fairness(scenario.world, result.record);
  // a: 2.5 on the mean, 1 of 4 machines is less than its part.  b: 3 machines of 4/3.  c: from 0
  // to 2 h, 2.5 on the mean, 2 machines of 1.6.
  EXPECT_DOUBLE_EQ(fairness[0], 1);
  EXPECT_DOUBLE_EQ(fairness[1], 1 / (3 * 3 / 4.0));
  EXPECT_DOUBLE_EQ(fairness[2], 2 / (2.5 * 2 / 4));
}

TEST(Fairness, WeightedMeansNeedAWeight) {
  const scenarios::Scenario plain = two_teams("");
  const RunResult one = run(plain, plain.policies.front(), 0);
  EXPECT_FALSE(weighted_means(plain.world, one.record).wait_s);
  const scenarios::Scenario weighted = two_teams(", \"weight\": 2");
  const RunResult two = run(weighted, weighted.policies.front(), 0);
  // waits 0, 1h and twice 2h of four jobs
  EXPECT_EQ(weighted_means(weighted.world, two.record).wait_s, 4500.0);
  EXPECT_EQ(weighted_means(weighted.world, two.record).time_to_result_s, 8100.0);
}

}  // namespace fairness_test
}  // namespace reeve::experiments
