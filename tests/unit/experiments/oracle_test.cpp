// The clairvoyant bound by hand: work that counts, at the lowest price, and nothing else.
#include "experiments/oracle.hpp"

#include <gtest/gtest.h>

#include <string>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace oracle_test {

scenarios::Scenario scenario_of(const std::string& fleet, const std::string& jobs) {
  return scenarios::load(scenarios::SourceFile::from_text("bound.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "20h" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "platform": { "model": "sagemaker-training", "startup": "5m" },
    "fleet": [ )" + fleet + R"( ], "jobs": [ )" + jobs + " ] }"),
                         ".")
      .scenario;
}

policy::Usd bound_of(const std::string& fleet, const std::string& jobs) {
  const scenarios::Scenario scenario = scenario_of(fleet, jobs);
  const RunResult result = run(scenario, scenario.policies.front(), 0);
  const auto bound = clairvoyant_bill(scenario.world, result.record);
  EXPECT_TRUE(bound);
  return bound.value_or(policy::Usd{});
}

constexpr auto on_demand = R"({ "instance_type": "t", "capacity": 4 })";

TEST(OracleTest, WorkThatCountsIsAllThatIsLeft) {
  // 2 instances x 2 h x $30: no stall, no startup.
  EXPECT_EQ(bound_of(on_demand, R"({ "name": "a", "work": "2h", "instances": 2,
      "faults": [ { "at": "1h", "kind": "stall", "lasts": "30m" } ] })"),
            policy::Usd::from_micros(120'000'000));
}

TEST(OracleTest, AJobWithoutAResultCostsNothing) {
  EXPECT_EQ(bound_of(on_demand, R"({ "name": "a", "work": "2h",
      "faults": [ { "at": "1h", "kind": "failure", "class": "code" } ] })"),
            policy::Usd{});
}

TEST(OracleTest, ReservedInstancesAreBilledInAnyCaseAndHoldWhatFits) {
  // 20 h x $30 of one reserved instance. Of 30 h of work it holds 20; the rest costs $30 an hour.
  const std::string fleet =
      R"({ "name": "r", "instance_type": "t", "capacity": 1, "market": "reserved" },
         { "name": "d", "instance_type": "t", "capacity": 4 })";
  EXPECT_EQ(bound_of(fleet, R"({ "name": "a", "work": "15h", "fleet": "d" },
                               { "name": "b", "work": "15h", "fleet": "d" })"),
            policy::Usd::from_micros((600 + 300) * 1'000'000LL));
}

TEST(OracleTest, ReservedInstancesThatAreExactlyFullHaveABound) {
  const std::string fleet =
      R"({ "name": "r", "instance_type": "t", "capacity": 1, "market": "reserved" })";
  EXPECT_EQ(bound_of(fleet, R"({ "name": "a", "work": "7h1s" }, { "name": "b", "work": "6h7s" },
                               { "name": "c", "work": "6h3s" })"),
            policy::Usd::from_micros(600'000'000));
}

TEST(OracleTest, ACheaperMarketOfTheTypeLowersTheBound) {
  const std::string fleet =
      std::string{on_demand} +
      R"(, { "name": "s", "instance_type": "t", "capacity": 4, "market": "spot" })";
  EXPECT_EQ(bound_of(fleet, R"({ "name": "a", "work": "2h", "fleet": "t" })"),
            policy::Usd::from_micros(18'000'000));
}

}  // namespace oracle_test
}  // namespace reeve::experiments
