// Stops that came on top of those of an hour are asked for again when the hour has room for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "host/target.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace stops_per_hour_test {

/// One rule that wants to stop all three jobs at about the same time.
struct Case {
  std::string name;
  std::string seat;  ///< the policy, in JSON
  std::string jobs;  ///< members of each job
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Rationed : public testing::TestWithParam<Case> {
 protected:
  static RunResult run_with(const std::string& more, int jobs = 3) {
    std::string text =
        R"({ "reeve": 1, "name": "rationed",
  "clock": { "start": "2026-05-22T18:00:00-04:00", "horizon": "2d" },
  "prices": { "instances": { "ml.demo.8gpu": {
    "usd_per_hour": 30.00, "spot_usd_per_hour": 9.00, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.demo.8gpu", "capacity": 32 },
    { "name": "spot", "instance_type": "ml.demo.8gpu", "capacity": 32, "market": "spot",
      "reclaim": { "every": "80m", "away": "5m" } } ],
  "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
  "jobs": [ )";
    for (int job = 0; job < jobs; ++job) {
      text += (job > 0 ? R"(, { "name": "job-)" : R"({ "name": "job-)") + std::to_string(job) +
              R"(", "work": "30h", )" + GetParam().jobs + " }";
    }
    text += R"( ], "policies": { "p": [ )" + GetParam().seat + " ] }, " + more + " }";
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("rationed.jsonc", text), ".").scenario;
    return run(scenario, scenario.policies.back(), 0,
               {.keep = {true, true, true, true, true}, .decisions = true});
  }

  static std::vector<policy::Instant> stops(const RunResult& result) {
    std::vector<policy::Instant> found;
    for (const DecisionRow& row : result.decisions) {
      const bool is_stop = host::kind_of(row.verb) == policy::VerbKind::stop_job;
      if (is_stop && row.verdict == "accepted") found.push_back(row.at);
    }
    return found;
  }
};

TEST_P(Rationed, OneStopAnHourIsThreeStopsInTwoHours) {
  using std::chrono::hours;
  const RunResult result = run_with(R"("guards": { "stops_per_hour": 1 })");
  const std::vector<policy::Instant> at = stops(result);
  ASSERT_EQ(at.size(), 3U);
  EXPECT_EQ(at[1], at[0] + hours{1});
  EXPECT_EQ(at[2], at[0] + hours{2});
  const auto refused =
      std::count_if(result.decisions.begin(), result.decisions.end(),
                    [](const DecisionRow& row) { return row.verdict == "refused"; });
  EXPECT_EQ(refused, 3) << "two at first, one an hour later: nobody asks over and over";
}

TEST_P(Rationed, ManyAskAboutAsOftenAsTheyAreHoweverManyHoursTheyWait) {
  using std::chrono::hours;
  const RunResult result = run_with(R"("guards": { "stops_per_hour": 2 })", 24);
  const std::vector<policy::Instant> at = stops(result);
  ASSERT_EQ(at.size(), 24U);
  for (std::size_t stop = 2; stop < at.size(); ++stop) {
    EXPECT_EQ(at[stop], at[stop - 2] + hours{1}) << "all the room is used at once";
  }
  const auto refused =
      std::count_if(result.decisions.begin(), result.decisions.end(),
                    [](const DecisionRow& row) { return row.verdict == "refused"; });
  EXPECT_LE(refused, 2 * 24) << "not each of those that wait, in each hour";
}

TEST_P(Rationed, RoomThatComesWhileTheKillSwitchIsEngagedIsUsedAtItsRelease) {
  using std::chrono::hours;
  const policy::Instant start{std::chrono::seconds{1779487200}};  // as the clock says
  const std::vector<policy::Instant> at = stops(run_with(
      R"("guards": { "stops_per_hour": 1 }, "kill_switch": { "engaged": [["2h", "5h"]] })"));
  ASSERT_EQ(at.size(), 3U);
  EXPECT_LT(at[0], start + hours{2});
  EXPECT_EQ(at[1], start + hours{5});
  EXPECT_EQ(at[2], start + hours{6});
}

TEST_P(Rationed, NoStopsAtAllIsAnAnswerForGood) {
  const RunResult result = run_with(R"("guards": { "stops_per_hour": 0 })");
  EXPECT_TRUE(stops(result).empty());
  EXPECT_LE(result.decisions.size(), 12U);
}

INSTANTIATE_TEST_SUITE_P(
    EveryRuleThatStops, Rationed,
    testing::Values(
        Case{"stalled_gpu", R"({ "rule": "stalled_gpu" })",
             R"("market": "on_demand", "faults": [ { "at": "1h10m", "kind": "stall" } ])"},
        Case{"max_runtime", R"({ "rule": "max_runtime", "limit": "80m", "enforce_by": "clock" })",
             R"("market": "on_demand", "checkpoint": { "every": "30m" })"},
        Case{"required_tags", R"({ "rule": "required_tags", "keys": ["k"], "latency": "80m" })",
             R"("market": "on_demand", "checkpoint": { "every": "30m" })"},
        Case{"spot_fallback", R"({ "rule": "spot_fallback", "interruptions_above": 0 })",
             R"("market": "spot", "max_wait": "3d", "max_runtime": "2d",
                            "checkpoint": { "every": "30m" })"}),
    [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

}  // namespace stops_per_hour_test
}  // namespace reeve::experiments
