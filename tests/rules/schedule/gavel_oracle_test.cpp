// Gavel's rounds on machines of several kinds against a plain oracle in random worlds, and in the
// long run.

#include "policies/scheduling/gavel/max_min_lp.hpp"
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

/// Several jobs of one kind fail at about the same time.  They are submitted again while jobs of
/// another kind come, so that their kind is due less of each round than before.
World drawn_with_absences(std::uint32_t seed) {
  SeededNumbers number{seed};
  World world;
  world.round = number(2, 6) * 5;
  world.machines = {number(1, 2)};
  const bool is_second_kind = number(0, 1) == 1;
  if (is_second_kind) world.machines.push_back(number(1, 2));
  const std::int64_t empties = number(60, 200);
  for (const std::int64_t speed : {1, 2}) {
    MovingJob job{.work = kLong, .speeds = {speed}};
    if (is_second_kind) job.speeds.push_back(number(0, 3));
    for (std::int64_t jobs = number(2, 6); jobs > 0; --jobs) {
      job.submit = speed == 1 ? number(0, 50) : empties + number(0, 40);
      const std::int64_t fails = speed == 1 ? empties + number(0, 2) : number(250, 300);
      job.absences = {{fails, fails + number(1, 40)}};
      world.jobs.push_back(job);
    }
  }
  return world;
}

/// The jobs are where the oracle says.  Returns where they are.
Whereabouts expect_oracle(const World& world, Machines& machines, std::uint32_t seed) {
  const std::int64_t begin = kStart.time_since_epoch() / std::chrono::minutes{1};
  const Whereabouts mine = machines.until(400);
  const Whereabouts expected =
      GavelOracle{world.jobs, world.machines, world.round, begin % world.round}.until(400);
  for (std::size_t job = 0; job < mine.size(); ++job) {
    for (std::size_t minute = 0; minute < mine[job].size(); ++minute) {
      if (mine[job][minute] == expected[job][minute]) continue;
      ADD_FAILURE() << "seed " << seed << ", job " << job << ", minute " << minute;
      return mine;
    }
  }
  return mine;
}

TEST(Gavel, InRandomWorldsEachIsWhereTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t preempted = 0;
  std::size_t moved = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const World world = drawn(seed, false);
    Machines machines{world};
    const Whereabouts mine = expect_oracle(world, machines, seed);
    for (std::size_t job = 0; job < mine.size(); ++job) {
      moved += part(mine[job], world.jobs[job].asks_for) == 0 ? 1U : 0U;
    }
    preempted += machines.preempted();
  }
  EXPECT_GT(preempted, 4 * seeds.size());
  EXPECT_GT(moved, seeds.size() / 5);
}

// What a kind is due by the end of a round may be less than in the round before, if the kind had no
// job for a while.
TEST(Gavel, AKindThatWasEmptyKeepsTheOrderOfTheOracle) {
  std::vector<std::uint32_t> seeds = tests::seeds(200);
  seeds.push_back(976);  // where such a kind has a different order at the two amounts
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const World world = drawn_with_absences(seed);
    Machines machines{world};
    expect_oracle(world, machines, seed);
  }
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
