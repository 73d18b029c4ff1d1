// Gavel's rounds on machines of several kinds against a plain oracle in random worlds, and in the
// long run.

#include "policies/scheduling/max_min_lp.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/gavel_machines.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace gavel_oracle_test {

using namespace gavel_machines;  // NOLINT: its bench

using tests::oracle::GavelOracle;

World drawn(std::uint32_t seed, bool stays) {
  SeededNumbers number{seed};
  World world;
  world.round = number(1, 4) * 5;
  for (std::int64_t pools = number(1, 3); pools > 0; --pools) {
    world.machines.push_back(number(1, 6));
  }
  for (std::int64_t left = number(1, 8); left > 0; --left) {
    MovingJob job;
    job.submit = stays ? 0 : number(0, 150);
    job.work = stays ? kLong : number(5, 200);
    job.asks_for = static_cast<std::size_t>(number(0, std::ssize(world.machines) - 1));
    job.instances = number(1, std::min<std::int64_t>(3, world.machines[job.asks_for]));
    for (std::size_t pool = 0; pool < world.machines.size(); ++pool) {
      job.speeds.push_back(pool == job.asks_for ? number(1, 3) : number(0, 3));
    }
    world.jobs.push_back(job);
  }
  return world;
}

TEST(Gavel, InRandomWorldsEachIsWhereTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t preempted = 0;
  std::size_t moved = 0;
  const std::int64_t begin = kStart.time_since_epoch() / std::chrono::minutes{1};
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const World world = drawn(seed, false);
    Machines machines{world};
    const Whereabouts mine = machines.until(400);
    const Whereabouts expected =
        GavelOracle{world.jobs, world.machines, world.round, begin % world.round}.until(400);
    for (std::size_t job = 0; job < mine.size(); ++job) {
      for (std::size_t minute = 0; minute < mine[job].size(); ++minute) {
        ASSERT_EQ(mine[job][minute], expected[job][minute])
            << "seed " << seed << ", job " << job << ", minute " << minute;
      }
      moved += part(mine[job], world.jobs[job].asks_for) == 0 ? 1U : 0U;
    }
    preempted += machines.preempted();
  }
  EXPECT_GT(preempted, 4 * seeds.size());
  EXPECT_GT(moved, seeds.size() / 5);
}

// If no job comes or goes, each has, in the long run, what the programme says; more only where
// machines would be idle.
TEST(Gavel, InTheLongRunEachHasTheTimeOfTheProgramme) {
  const std::vector<std::uint32_t> seeds = tests::seeds(60);
  std::size_t looked_at = 0;
  for (const std::uint32_t seed : seeds) {
    World world = drawn(seed, true);
    std::vector<TimeClaim> claims;
    for (MovingJob& job : world.jobs) {
      job.instances = 1;  // gangs leave machines that no job fits on
      claims.push_back({.speeds = {job.speeds.begin(), job.speeds.end()}});
    }
    const std::vector<double> capacity{world.machines.begin(), world.machines.end()};
    const TimeShares shares = max_min_time(claims, capacity);
    const std::int64_t rounds = 300;
    const Whereabouts where = Machines{world}.until(rounds * world.round);
    for (std::size_t job = 0; job < where.size(); ++job) {
      double served = 0;
      double due = 0;
      for (std::size_t pool = 0; pool < capacity.size(); ++pool) {
        const auto speed = static_cast<double>(world.jobs[job].speeds[pool]);
        served += part(where[job], pool) * speed;
        due += shares.fractions[job][pool] * speed;
      }
      ++looked_at;
      EXPECT_GE(served, due * 0.97) << "seed " << seed << ", job " << job;
    }
  }
  EXPECT_GT(looked_at, 3 * seeds.size());
}

}  // namespace gavel_oracle_test
}  // namespace reeve::policies
