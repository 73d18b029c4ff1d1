// Measures: every documented name has a value of its unit, and exactly the documented names exist.
#include "experiments/measures.hpp"

#include <gtest/gtest.h>

#include <set>

#include "scenarios/load.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::experiments {
namespace measures_test {

scenarios::Scenario one_job() {
  return scenarios::load(scenarios::SourceFile::from_text("one.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 2 } ],
    "platform": { "model": "sagemaker-training", "startup": "5m" },
    "jobs": [ { "name": "a", "work": "2h", "instances": 2, "owner": "ada",
                "tags": { "project": "x" },
                "faults": [ { "at": "1h", "kind": "stall", "lasts": "30m" } ] } ] })"),
                         ".")
      .scenario;
}

TEST(MeasuresTest, TheDocumentedNamesAreExactlyThoseThatAreMeasured) {
  const scenarios::Scenario scenario = one_job();
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  std::set<std::string> measured;
  for (const Measure& known : measures(scenario, result)) {
    EXPECT_TRUE(measured.insert(known.name).second) << known.name << " is there twice";
  }
  std::set<std::string> documented;
  for (const scenarios::MetricSpec& spec : scenarios::metric_names()) {
    if (scenarios::family_of(spec.name).empty()) documented.emplace(spec.name);
  }
  EXPECT_EQ(measured, documented);
}

TEST(MeasuresTest, EachDocumentedNameOfAJobAndATagHasAValueOfItsUnit) {
  const scenarios::Scenario scenario = one_job();
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  std::size_t looked_at = 0;
  for (const scenarios::MetricSpec& spec : scenarios::metric_names()) {
    std::string name{spec.name};
    const bool of_owner = name.starts_with("owner.");
    if (!name.starts_with("job.") && !name.starts_with("tag.") && !of_owner) continue;
    const auto put = [&name](std::string_view place, std::string_view text) {
      const std::size_t at = name.find(place);
      if (at != std::string::npos) name.replace(at, place.size(), text);
    };
    put("NAME", of_owner ? "ada" : "a");
    put("KEY", "project");
    put("VALUE", "x");
    ++looked_at;
    const auto value = measure(scenario, result, name);
    if (name == "job.a.detected_after" || name == "job.a.ticks" || name == "job.a.preempted_at") {
      EXPECT_FALSE(value) << "nothing watched; a world without ticks; no queue";
      continue;
    }
    if (name == "tag.project.jain_index") {
      EXPECT_FALSE(value) << "one group alone is neither even nor uneven";
      continue;
    }
    ASSERT_TRUE(value) << name;
    using scenarios::MetricUnit;
    EXPECT_EQ(std::holds_alternative<policy::Usd>(*value), spec.unit == MetricUnit::usd) << name;
    EXPECT_EQ(std::holds_alternative<policy::Duration>(*value), spec.unit == MetricUnit::duration)
        << name;
  }
  EXPECT_GT(looked_at, 5u);
}

TEST(MeasuresTest, ADeadlineIsMissedByALateResultOrByNoneInTime) {
  // Two jobs of an hour on one machine, then one that the horizon finds at work.
  const auto scenario = scenarios::load(scenarios::SourceFile::from_text("late.jsonc", R"({
    "reeve": 1, "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "150m" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 1 } ], "platform": { "model": "ideal" },
    "jobs": [ { "name": "in-time", "work": "1h", "deadline": "60m" },
              { "name": "late", "work": "1h", "deadline": "119m" },
              { "name": "not-yet", "work": "1h", "deadline": "150m" },
              { "name": "never", "work": "1h", "deadline": "149m" },
              { "name": "whenever", "work": "1h" } ] })"),
                                        ".")
                            .scenario;
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  EXPECT_EQ(measure(scenario, result, "jobs_done"), Quantity{2.0});
  EXPECT_EQ(measure(scenario, result, "deadlines_missed"), Quantity{2.0});
}

TEST(MeasuresTest, JobsThatNeverStartedAreCountedBesideTheMeanWait) {
  // One machine.  `a` holds it for 5 h; `b` waits from 1 h to 5 h; `c` gives up after 2 h; `d`
  // still waits when the run ends.
  const auto scenario = scenarios::load(scenarios::SourceFile::from_text("waits.jsonc", R"({
    "reeve": 1, "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "9h" },
    "prices": { "instances": { "g": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "g", "capacity": 1 } ],
    "jobs": [ { "name": "a", "work": "5h" }, { "name": "b", "work": "5h", "submit": "1h" },
              { "name": "c", "work": "5h", "submit": "1h", "max_pending": "2h" },
              { "name": "d", "work": "5h", "submit": "2h" } ] })"),
                                        ".")
                            .scenario;
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  EXPECT_EQ(measure(scenario, result, "jobs_never_started"), Quantity{2.0});
  EXPECT_EQ(measure(scenario, result, "mean_wait_s"), Quantity{7200.0});  // of 0 h and 4 h
  EXPECT_EQ(measure(scenario, result, "job.c.wait"), std::nullopt);
}

TEST(MeasuresTest, AJobThatStandsStillForHalfAnHourIsBilledForIt) {
  const scenarios::Scenario scenario = one_job();
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  const auto usd = [&](std::string_view name) {
    return std::get<policy::Usd>(*measure(scenario, result, name)).micros();
  };
  EXPECT_EQ(usd("startup_usd"), 5'000'000);  // 5 min x 2 x $30/h
  EXPECT_EQ(usd("productive_usd"), 120'000'000);
  EXPECT_EQ(usd("stalled_usd"), 30'000'000);
  EXPECT_EQ(usd("billed_usd"), 155'000'000);
  EXPECT_EQ(usd("tag.project.(untagged).billed_usd"), 0);
  EXPECT_EQ(std::get<policy::Duration>(*measure(scenario, result, "time_to_result")),
            std::chrono::minutes{155});
}

TEST(MeasuresTest, PeaksOfPoolsAtDifferentTimesDoNotAdd) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("two.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "a", "instance_type": "t", "capacity": 10 },
               { "name": "b", "instance_type": "t", "capacity": 10 } ],
    "platform": { "model": "ideal" },
    "jobs": [ { "name": "first", "fleet": "a", "work": "2h", "instances": 8 },
              { "name": "later", "fleet": "b", "submit": "2h", "work": "1h", "instances": 5 },
              { "name": "with", "fleet": "a", "submit": "2h", "work": "1h", "instances": 4 } ] })"),
                      ".")
          .scenario;
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  EXPECT_EQ(result.record.peak_instances, 9u);  // 8, then 5 + 4; never 8 + 5
  EXPECT_EQ(std::get<double>(*measure(scenario, result, "peak_allocated_pct")), 45.0);
  EXPECT_EQ(std::get<double>(*measure(scenario, result, "peak_used_pct")), 45.0);
}

/// Two of two are all that was there then; the six of ten of another hour are more, and not all.
TEST(MeasuresTest, PeaksAreOfWhatWasOnOfferThen) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("spot.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "plan", "instance_type": "t", "capacity": 8, "market": "reserved",
                 "windows": [["1h", "2h"]] },
               { "name": "od", "instance_type": "t", "capacity": 2 } ],
    "platform": { "model": "ideal" },
    "jobs": [ { "name": "long", "fleet": "od", "work": "4h" },
              { "name": "planned", "fleet": "plan", "submit": "1h", "work": "1h", "instances": 5 },
              { "name": "last", "fleet": "od", "submit": "3h", "work": "1h" } ] })"),
                      ".")
          .scenario;
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  EXPECT_EQ(result.record.peak_instances, 6u);  // of ten
  EXPECT_EQ(std::get<double>(*measure(scenario, result, "peak_allocated_pct")), 100.0);
  // 4 + 5 + 1 instance-hours, of 4 x 2 and of 8 while the plan was there.
  EXPECT_EQ(std::get<double>(*measure(scenario, result, "mean_allocated_pct")), 62.5);
}

}  // namespace measures_test
}  // namespace reeve::experiments
