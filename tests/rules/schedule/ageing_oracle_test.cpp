// Priorities that grow while a job waits, against plain oracles in random worlds; no job starves.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/ageing_rig.hpp"
#include "tests/rules/schedule/oracles/backfill.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace ageing_oracle_test {

using ageing_rig::ageing;
using ageing_rig::job;
using ageing_rig::starts;

constexpr std::int64_t most_urgent = 8;

QueueWorld drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  QueueWorld world;
  world.machines = number(1, 12);
  for (std::int64_t left = number(2, 80); left > 0; --left) {
    world.jobs.push_back(job(number(0, 400), number(1, 60),
                             number(1, std::min<std::int64_t>(6, world.machines)),
                             number(0, most_urgent)));
  }
  return world;
}

oracle::Rank aged(Tick span) {
  return [span](const oracle::State& state, std::size_t one) {
    const Tick waited = state.now - state.job(one).submit;
    return oracle::Place{-(state.job(one).priority * span + waited), state.job(one).submit};
  };
}

TEST(Ageing, InRandomWorldsEachStartsWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t waited = 0;
  const auto compare = [&](const QueueWorld& world, oracle::Order& plain,
                           const std::string& options, std::uint32_t seed) {
    const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
    const std::vector<Tick> mine = starts(world, options);
    for (std::size_t one = 0; one < mine.size(); ++one) {
      EXPECT_EQ(mine[one], expected[one].first_start())
          << options << ": seed " << seed << ", job " << one;
      waited += mine[one] > world.jobs[one].submit ? 1U : 0U;
    }
  };
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const QueueWorld world = drawn(seed);
    const Tick span = 1 + seed % 40;
    const std::string text = std::to_string(span) + "m";
    oracle::InOrder strict{aged(span), oracle::Behind::waits};
    compare(world, strict, ageing(text), seed);
    oracle::InOrder any_fit{aged(span), oracle::Behind::may_pass};
    compare(world, any_fit, ageing(text, "any_fit"), seed);
    oracle::Backfill easy{oracle::Promised::first, aged(span)};
    compare(world, easy, ageing(text, "easy"), seed);
    oracle::Backfill conservative{oracle::Promised::all, aged(span)};
    compare(world, conservative, ageing(text, "conservative"), seed);
  }
  EXPECT_GT(waited, 2 * seeds.size());
}

/// How many jobs start before a pending job that has waited for so much longer.
std::size_t passed_by_far(const QueueWorld& world, const std::vector<Tick>& when, Tick longer) {
  std::size_t count = 0;
  for (std::size_t first = 0; first < when.size(); ++first) {
    for (std::size_t later = 0; later < when.size(); ++later) {
      const bool younger = world.jobs[later].submit > world.jobs[first].submit + longer;
      count += younger && when[later] < when[first] ? 1U : 0U;
    }
  }
  return count;
}

// Nobody is passed by one who came later by more than what the priorities are apart.
TEST(Ageing, NobodyStarves) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t without = 0;
  for (const std::uint32_t seed : seeds) {
    const QueueWorld world = drawn(seed);
    const Tick span = 1 + seed % 20;
    const Tick longer = span * most_urgent;
    EXPECT_EQ(passed_by_far(world, starts(world, ageing(std::to_string(span) + "m")), longer), 0U)
        << "seed " << seed;
    without += passed_by_far(world, starts(world, ageing("0s")), longer);
  }
  EXPECT_GT(without, 2 * seeds.size());
}

}  // namespace ageing_oracle_test
}  // namespace reeve::policies
