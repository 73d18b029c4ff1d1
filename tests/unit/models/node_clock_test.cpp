#include "models/node_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <vector>

namespace reeve::models {
namespace node_clock_test {

using namespace std::chrono_literals;
using Kind = NodeClock::Change::Kind;

constexpr Duration day = 24h;

World world_of(std::uint32_t capacity, NodeFaults faults, std::uint64_t seed = 1) {
  World world;
  world.seed = seed;
  Pool pool;
  pool.capacity = capacity;
  pool.node_faults = std::move(faults);
  world.pools = {std::move(pool)};
  return world;
}

DurationLaw fixed(Duration length) {
  return {Shape::fixed, length, 0, 0s};
}

struct Seen {
  Duration at;
  Kind kind;
  std::vector<std::uint32_t> machines;
  std::uint32_t up;
};

std::vector<Seen> seen_until(const World& world, Duration until) {
  NodeClock clock{world, 0, {0}};
  std::vector<Seen> all;
  while (clock.next_at() < until) {
    const Duration at = clock.next_at();
    const NodeClock::Change change = clock.advance();
    all.push_back({at, change.kind, change.machines, clock.up()});
  }
  return all;
}

std::size_t count(const std::vector<Seen>& all, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Seen& one) { return one.kind == kind; }));
}

TEST(NodeClock, BreaksMachinesAtTheStatedRateAndBringsThemBack) {
  NodeFaults faults;
  faults.per_1000_node_days = 10;
  faults.repair = fixed(1h);
  const auto all = seen_until(world_of(1000, faults), 100 * day);
  // 10 in 1,000 days, 100,000 machine days: 1,000, standard deviation 32.
  const std::size_t broken = count(all, Kind::breaks);
  EXPECT_NEAR(static_cast<double>(broken), 1000, 4 * 32);
  std::map<std::uint32_t, Duration> away;
  for (const Seen& one : all) {
    ASSERT_EQ(one.machines.size(), 1u);
    const std::uint32_t machine = one.machines[0];
    if (one.kind == Kind::breaks) {
      EXPECT_TRUE(away.emplace(machine, one.at).second) << "broke twice";
    } else {
      ASSERT_TRUE(away.contains(machine));
      EXPECT_EQ(one.at - away[machine], 1h);
      away.erase(machine);
    }
    EXPECT_EQ(one.up + away.size(), 1000u);
  }
}

TEST(NodeClock, LemonsTakeTheirShareOfTheFaultsAndLeaveTheRate) {
  NodeFaults faults;
  faults.per_1000_node_days = 50;
  faults.lemon_share = 0.05;
  faults.lemon_factor = 10;
  const auto all = seen_until(world_of(2000, faults), 100 * day);
  EXPECT_NEAR(static_cast<double>(all.size()), 10'000, 1'500);  // 5 % of lemons: 100 +- 10
  std::map<std::uint32_t, int> times;
  for (const Seen& one : all) ++times[one.machines.at(0)];
  // Sound: 50 / 1.45 = 34.5 in 1,000 days, 3.4 in 100; a lemon 34.5.  Nobody else has 20.
  int lemons = 0;
  int of_lemons = 0;
  for (const auto& [machine, faults_of] : times) {
    if (faults_of < 20) continue;
    ++lemons;
    of_lemons += faults_of;
  }
  EXPECT_NEAR(lemons, 100, 40);
  EXPECT_NEAR(of_lemons, 34.5 * lemons, 4 * std::sqrt(34.5 * lemons));
}

TEST(NodeClock, AReplacedMachineIsALemonOrNotAnew) {
  NodeFaults faults;
  faults.per_1000_node_days = 50;
  faults.lemon_share = 0.05;
  faults.lemon_factor = 1000;  // who is one breaks within the day
  faults.replaced = true;
  const auto all = seen_until(world_of(2000, faults), 100 * day);
  std::map<std::uint32_t, int> times;
  for (const Seen& one : all) ++times[one.machines.at(0)];
  for (const auto& [machine, faults_of] : times) EXPECT_LT(faults_of, 20) << machine;
}

TEST(NodeClock, ARackIsLostAsOneAndComesBackAsOne) {
  NodeFaults faults;
  faults.per_1000_node_days = 20;
  faults.repair = fixed(2h);
  faults.rack = 4;
  faults.whole = 1;
  const auto all = seen_until(world_of(10, faults), 100 * day);
  ASSERT_GT(count(all, Kind::breaks), 5u);
  for (const Seen& one : all) {
    if (one.kind != Kind::breaks) continue;
    const std::uint32_t first = one.machines.at(0) / 4 * 4;
    EXPECT_EQ(one.machines.size(), first == 8 ? 2u : 4u);  // 10 machines: the last rack has two
    EXPECT_EQ(one.machines.back() / 4 * 4, first);
  }
}

TEST(NodeClock, HangsAreAShareOfTheFaultsAndTakeNothingAway) {
  NodeFaults faults;
  faults.per_1000_node_days = 20;
  faults.repair = fixed(2h);
  faults.hangs = 0.25;
  const auto all = seen_until(world_of(1000, faults), 100 * day);
  const auto hangs = static_cast<double>(count(all, Kind::hangs));
  const auto breaks = static_cast<double>(count(all, Kind::breaks));
  EXPECT_NEAR(hangs / (hangs + breaks), 0.25, 0.04);  // of 2,000: standard deviation 0.01
}

TEST(NodeClock, BreaksWhatIsWrittenDownWhenItIs) {
  NodeFaults faults;
  faults.stated = {{1, 1h, 3h}, {1, 2h, 3h}, {0, 3h, 0s}};
  const auto all = seen_until(world_of(2, faults), day);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].at, 1h);
  EXPECT_EQ(all[0].machines, std::vector<std::uint32_t>{1});
  EXPECT_EQ(all[0].up, 1u);
  EXPECT_TRUE(all[1].machines.empty()) << "it was broken already";
  EXPECT_EQ(all[2].machines, std::vector<std::uint32_t>{0});
  EXPECT_EQ(all[2].up, 1u) << "another one takes its place at once";
  EXPECT_EQ(all[3].kind, Kind::returns);
  EXPECT_EQ(all[3].at, 5h) << "the later of the two";
}

TEST(NodeClock, NeverSaysAnythingWhereNothingBreaks) {
  const World world = world_of(3, {});
  EXPECT_EQ((NodeClock{world, 0, {0}}.next_at()), Duration::max());
}

}  // namespace node_clock_test
}  // namespace reeve::models
