// What a fleet means that says little of its machines' faults.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace node_faults_test {

using namespace std::chrono_literals;

models::World world_of(const std::string& fleet, const std::string& job = "") {
  const std::string text =
      R"({ "reeve": 1, "clock": { "start": "2026-05-22T18:00:00Z", "horizon": "1d" },
      "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "instance_type": "m", "capacity": 4, )" +
      fleet + R"( } ], "jobs": [ { "name": "train", "work": "8h")" + job + " } ] }";
  return load(SourceFile::from_text("test.jsonc", text), ".").scenario.world;
}

TEST(NodeFaultsOfAFleet, ReservedMachinesAreRepairedAndOthersReplacedAtOnce) {
  const auto own = world_of(R"("market": "reserved", "node_faults": {})").pools[0].node_faults;
  ASSERT_TRUE(own);
  EXPECT_EQ(own->per_1000_node_days, 3.8);
  EXPECT_EQ(own->hangs, 0.12);
  EXPECT_FALSE(own->replaced);
  EXPECT_NEAR(static_cast<double>(mean(own->repair).count()) / 8.64e13, 6.40, 0.05);
  const auto cloud = world_of(R"("node_faults": {})").pools[0].node_faults;
  EXPECT_TRUE(cloud->replaced);
  EXPECT_EQ(mean(cloud->repair), 0s);
}

TEST(NodeFaultsOfAFleet, AreNoneUnlessTheyAreStated) {
  EXPECT_FALSE(world_of(R"("market": "reserved")").pools[0].node_faults);
}

TEST(NodeFaultsOfAFleet, WrittenOnesStandInOrder) {
  const auto world = world_of(R"("node_faults": { "down": [
      { "machine": 4, "at": "2h", "for": "1h" }, { "machine": 1, "at": "1h", "for": "0s" } ] })");
  const auto& stated = world.pools[0].node_faults->stated;
  ASSERT_EQ(stated.size(), 2u);
  EXPECT_EQ(stated[0].machine, 0u);
  EXPECT_EQ(stated[0].at, 1h);
  EXPECT_EQ(stated[1].machine, 3u);
  EXPECT_EQ(stated[1].lasts, 1h);
}

/// The codes found in a world without an end of eight machines that break, and a gang of eight.
std::vector<std::string> found_of_gang(const std::string& elastic) {
  const std::string text =
      R"({ "reeve": 1, "clock": { "start": "2026-05-22T18:00:00Z" },
      "prices": { "instances": { "m": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "instance_type": "m", "capacity": 8, "node_faults": { "hangs": 0 } } ],
      "platform": { "model": "ec2" },
      "jobs": [ { "name": "train", "work": "8h", "checkpoint": { "every": "1h" },
                  "instances": 8)" +
      elastic + R"( } ], "policies": { "none": [] } })";
  std::vector<std::string> codes;
  try {
    load(SourceFile::from_text("test.jsonc", text), ".");
  } catch (const InputError& error) {
    for (const Diagnostic& found : error.diagnostics()) codes.push_back(found.code);
  }
  return codes;
}

TEST(NodeFaultsOfAFleet, WhereAnyMachineGoesOnAloneNobodyWaitsForEver) {
  using Codes = std::vector<std::string>;
  EXPECT_EQ(found_of_gang(""), Codes{"E0272"});
  EXPECT_EQ(found_of_gang(R"(, "elastic": { "min": 2, "resize": "5m" })"), Codes{"E0272"});
  EXPECT_EQ(found_of_gang(R"(, "elastic": { "min": 1, "resize": "5m" })"), Codes{});
}

TEST(SoftwareFailures, AreADrawnFailureWithDefaults) {
  const auto world = world_of(R"("market": "on_demand")", R"(, "software_failures": {})");
  const auto& drawn = world.profiles.at(world.jobs.specs.at(0).profile).drawn_faults;
  ASSERT_EQ(drawn.size(), 1u);
  EXPECT_EQ(drawn[0].kind, models::FaultKind::failure);
  EXPECT_EQ(drawn[0].probability, 0.05);
  // Half of them within 2.9 hours: 6 h x (ln 2)^2.
  EXPECT_NEAR(static_cast<double>(draw(drawn[0].after, 0.5).count()) / 3.6e12, 2.88, 0.01);
  EXPECT_EQ(drawn[0].classes.size(), 4u);
}

}  // namespace node_faults_test
}  // namespace reeve::scenarios
