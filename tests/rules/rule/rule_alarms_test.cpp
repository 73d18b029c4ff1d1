// rule: alarms, markets, and options that are refused.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/rules/rule/rule_cases.hpp"
#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace rule_test {

/// A job on two instances that begins to train.
Wishes train(RuleBench& bench) {
  JobDescription description;
  description.instances = 2;
  bench.at(0s, {submitted(kJob, 1, description), changed(kJob, 1, Secondary::starting)});
  return bench.at(1min, {changed(kJob, 2, Secondary::training)});
}

const std::string kAlarmStands =
    R"({"all": [{"field": "alarm", "op": "==", "value": "alarm"},
                {"field": "primary_status", "op": "==", "value": "InProgress"}]})";

TEST(StatedRule, AnAlarmIsPutWhileTheJobTrainsAndStopsItWhenItGoesOff) {
  StatedBench bench{kAlarmStands, R"("do": "stop", "alarm.period": "1m", "alarm.hosts": ["all"])"};
  const auto put = train(bench).all<PutAlarm>();
  ASSERT_EQ(put.size(), 2U);
  EXPECT_EQ(put[1].alarm.host, 2U);
  EXPECT_EQ(put[0].rule.period, 1min);
  EXPECT_TRUE(bench.at(5min, {alarm(AlarmState::ok)}).verbs.empty());
  const auto stop = bench.at(9min, {alarm(AlarmState::alarm, 2)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].cause, StopCause::standing_still);
  EXPECT_EQ(stop[0].incident, 1);
  const Wishes end = bench.at(10min, {changed(kJob, 3, Secondary::stopped)});
  EXPECT_EQ(end.count<DeleteAlarm>(), 2U);
  EXPECT_EQ(end.count<StopJob>(), 0U);
}

TEST(StatedRule, WithoutATestOfItThereIsNoAlarm) {
  StatedBench bench{R"({"field": "age", "op": ">", "value": "9h"})"};
  EXPECT_TRUE(train(bench).verbs.empty());
}

TEST(StatedRule, WhatTheAlarmSaysIsAText) {
  const auto stops = [](const std::string& test, const std::vector<Fact>& news) {
    StatedBench bench{R"({"all": [{"field": "time_since_start", "op": ">=", "value": "2m"}, )" +
                      test + "]}"};
    train(bench);
    if (!news.empty()) bench.at(90s, news);
    return bench.tick(5min).count<StopJob>();
  };
  const std::string is = R"({"field": "alarm", "op": "==", "value": )";
  EXPECT_EQ(stops(is + R"("insufficient_data"})", {}), 1U);
  EXPECT_EQ(stops(is + R"("ok"})", {alarm(AlarmState::ok)}), 1U);
  EXPECT_EQ(stops(is + R"("ok"})", {}), 0U);
  EXPECT_EQ(stops(R"({"field": "alarm", "op": "exists"})", {}), 1U);
}

TEST(StatedRule, WhatWasRefusedOnItsMeritsIsAskedForWhenAnAlarmGoesOffAgain) {
  StatedBench bench{kAlarmStands, R"("do": "stop")"};
  train(bench);
  ASSERT_EQ(bench.at(9min, {alarm(AlarmState::alarm)}).count<StopJob>(), 1U);
  bench.at(9min, {settled(kJob, VerbKind::stop_job, Outcome::refused)});
  EXPECT_EQ(bench.at(20min, {changed(kJob, 3, Secondary::training)}).count<StopJob>(), 0U);
  bench.at(30min, {alarm(AlarmState::ok)});
  const auto second = bench.at(1h, {alarm(AlarmState::alarm)}).all<StopJob>();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].incident, 2);
}

TEST(StatedRule, WhatAFunctionWasCalledForIsDoneAllTheSame) {
  StatedBench latent{kAlarmStands, R"("do": "stop", "latency": "2s")"};
  train(latent);
  EXPECT_EQ(latent.at(9min, {alarm(AlarmState::alarm)}).count<StopJob>(), 0U);
  EXPECT_EQ(latent.at(9min + 1s, {alarm(AlarmState::ok)}).count<StopJob>(), 0U);
  EXPECT_EQ(latent.tick(9min + 2s).count<StopJob>(), 1U);

  StatedBench patient{kAlarmStands, R"("do": "stop", "after": "2s")"};
  train(patient);
  EXPECT_EQ(patient.at(9min, {alarm(AlarmState::alarm)}).count<StopJob>(), 0U);
  patient.at(9min + 1s, {alarm(AlarmState::ok)});
  EXPECT_EQ(patient.tick(9min + 2s).count<StopJob>(), 0U) << "it must have held as long";
}

TEST(StatedRule, WhatCeasedWhileTheActionWasOnItsWayBeginsAnew) {
  StatedBench bench{kAlarmStands, R"("do": "stop", "latency": "41s")"};
  train(bench);
  bench.at(9min, {alarm(AlarmState::alarm)});
  ASSERT_EQ(bench.tick(9min + 41s).count<StopJob>(), 1U);
  bench.at(10min, {alarm(AlarmState::ok)});
  bench.at(11min,
           {alarm(AlarmState::alarm), refused_by(Refusal::conflict, kJob, VerbKind::stop_job)});
  EXPECT_EQ(bench.tick(11min + 40s).count<StopJob>(), 0U);
  EXPECT_EQ(bench.tick(11min + 41s).count<StopJob>(), 1U);
}

TEST(StatedRule, ACloneGoesToTheMarketIfTheJobFitsThere) {
  for (const std::uint32_t size : {0U, 1U}) {
    StatedBench bench{R"({"all": [{"field": "primary_status", "op": "==", "value": "Stopped"},
                                  {"field": "market", "op": "==", "value": "spot"}]})",
                      R"("do": "clone", "override.market": "on_demand")"};
    bench.directory.pools[0].market = Market::spot;
    bench.directory.pools.push_back({.name = "od", .size = size});
    bench.at(0s, {submitted(kJob)});
    const auto made =
        bench.at(1h, {changed(kJob, 1, Secondary::max_wait_time_exceeded)}).all<CloneJob>();
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].pool, size == 1 ? std::optional{PoolId{1}} : std::nullopt);
  }
}

TEST(StatedRule, AMarketIsAFieldWhereTheJobFits) {
  for (const std::uint32_t size : {0U, 1U}) {
    StatedBench bench{R"({"field": "on_demand_fleet", "op": "==", "value": "od"})"};
    bench.directory.pools[0].market = Market::spot;
    bench.directory.pools.push_back({.name = "od", .size = size});
    EXPECT_EQ(bench.at(0s, {submitted(kJob)}).count<StopJob>(), size);
  }
}

TEST(StatedRule, TellsTheRulesApartWhoseStopsTheyWere) {
  const auto clones = [](const std::string& name) {
    StatedBench bench{R"({"field": "stopped_by_name", "op": "==", "value": ")" + name + "\"}",
                      R"("do": "clone")"};
    bench.at(0s, {submitted(kJob)});
    bench.fleet.grow(kJob).stopped_by = 2;
    return bench.at(1h, {changed(kJob, 1, Secondary::stopped)}).count<CloneJob>();
  };
  EXPECT_EQ(clones("gpus"), 1U);
  EXPECT_EQ(clones("cap"), 0U);
}

TEST(StatedRule, OptionsThatTheActionHasNoUseForAreRefused) {
  const auto problem = [](const std::string& rest) {
    return check_rule("rule", stated(kStarted, rest)).option;
  };
  EXPECT_EQ(problem(R"("do": "stop")"), "");
  EXPECT_EQ(problem(R"("do": "limit_runtime")"), "limit");
  EXPECT_EQ(problem(R"("do": "limit_runtime", "limit": "1h")"), "");
  EXPECT_EQ(problem(R"("do": "stop", "limit": "1h")"), "limit");
  EXPECT_EQ(problem(R"("do": "clone", "from": "scratch")"), "");
  EXPECT_EQ(problem(R"("do": "stop", "from": "scratch")"), "from");
  EXPECT_EQ(problem(R"("do": "notify", "keep_tags": false)"), "keep_tags");
  EXPECT_EQ(problem(R"("do": "notify", "override.fleet": "a")"), "override.fleet");
  EXPECT_EQ(problem(R"("do": "notify", "override.market": "spot")"), "override.market");
  EXPECT_EQ(problem(R"("do": "clone", "override.market": "spot", "override.fleet": "a")"),
            "override.market");
  EXPECT_EQ(problem(R"("do": "stop", "alarm.datapoints": [4, 3])"), "alarm.datapoints");
  EXPECT_EQ(problem(R"("do": "stop", "alarm.hosts": ["algo-0"])"), "alarm.hosts");
  EXPECT_EQ(problem(R"("do": "stop", "reason": "")"), "reason");
  EXPECT_EQ(problem(R"("do": "stop", "accuses": "never_starting")"), "");
  EXPECT_EQ(problem(R"("do": "notify", "accuses": "never_starting")"), "accuses");
  EXPECT_EQ(problem(R"("do": "stop", "max_clones": 7)"), "max_clones");
  EXPECT_EQ(problem(R"("do": "clone", "max_clones": 7)"), "");
}

TEST(StatedRule, AConditionThatHoldsOnlyWhereTheActionHasNothingToDoIsADoubt) {
  const auto problem = [](const std::string& when, const std::string& action,
                          const std::string& rest = "") {
    const std::string json = stated(when, R"("do": ")" + action + '"' + rest);
    return find_kind("rule")->doubt(options_of("rule", json), Directory{}).option;
  };
  const auto is = [](const std::string& field, const std::string& value) {
    return R"({"field": ")" + field + R"(", "op": "==", "value": ")" + value + R"("})";
  };
  EXPECT_EQ(problem(is("status", "Failed"), "stop"), "when");
  EXPECT_EQ(problem(is("status", "Failed"), "notify"), "");
  EXPECT_EQ(problem(is("status", "Failed"), "clone"), "");
  EXPECT_EQ(problem(is("status", "Training"), "clone"), "when");
  EXPECT_EQ(problem(is("status", "Training"), "stop"), "");
  EXPECT_EQ(problem(is("primary_status", "Completed"), "stop"), "when");
  EXPECT_EQ(problem(is("primary_status", "InProgress"), "clone"), "when");
  EXPECT_EQ(problem(is("tag:team", "vision"), "stop"), "");
  const std::string both =
      R"({"all": [)" + is("status", "Stopped") + ", " + is("tag:team", "vision") + "]}";
  EXPECT_EQ(problem(both, "stop"), "when");
  const std::string either =
      R"({"any": [)" + is("status", "Stopped") + ", " + is("tag:team", "vision") + "]}";
  EXPECT_EQ(problem(either, "stop"), "");
  EXPECT_EQ(problem(R"({"not": )" + is("status", "Stopped") + "}", "stop"), "");
  EXPECT_EQ(problem(R"({"not": )" + is("tag:team", "vision") + "}", "stop"), "");
  EXPECT_EQ(problem(kStarted, "stop"), "");
  EXPECT_EQ(problem(is("status", "Failed"), "clone", R"(, "max_clones": 0)"), "max_clones");
  EXPECT_EQ(problem(is("status", "Failed"), "clone", R"(, "max_clones": -1)"), "");
}

TEST(Rule, WhatPeopleWereNotToldOfAnAttemptTheyAreToldOnceItIsFollowed) {
  RuleBench bench{"rule", R"({"do": "notify",
      "when": {"field": "status", "op": "==", "value": "Failed"}})"};
  constexpr JobId job{0};
  bench.at(0s, {submitted(job), changed(job, 1, Secondary::training)});
  EXPECT_EQ(bench.at(1h, {changed(job, 2, Secondary::failed)}).count<Notify>(), 1U);
  bench.at(1h, {submitted(job, 2), changed(job, 1, Secondary::training, 2)});
  bench.at(1h, {refused_by(Refusal::platform, job, VerbKind::notify)});
  const auto again = bench.tick(1h + 1min).all<Notify>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].attempt, 1);
  bench.at(1h + 1min, {settled(job, VerbKind::notify, Outcome::done)});
  EXPECT_TRUE(bench.tick(9h).verbs.empty()) << "once";
}

}  // namespace rule_test
}  // namespace reeve::policies
