// Backfilling against a plain oracle, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/backfill.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace backfill_oracle_test {

/// Every other world has jobs that say they take longer than they do.
QueueWorld drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  QueueWorld world;
  world.machines = number(1, 12);
  for (std::int64_t left = number(2, 80); left > 0; --left) {
    oracle::Job job;
    job.submit = number(0, 400);
    job.work = number(1, 60);
    job.needs = {number(1, std::min<std::int64_t>(6, world.machines))};
    job.priority = number(0, 8);
    if (seed % 2 == 0 && number(0, 3) == 0) job.estimate = job.work + number(1, 30);
    world.jobs.push_back(job);
  }
  return world;
}

TEST(Backfill, InRandomWorldsEachStartsWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(400);
  const std::vector<std::pair<std::string, oracle::Rank>> orders{
      {"fifo", oracle::by_submission()},
      {"sjf", oracle::by_estimate()},
      {"priority", oracle::by_priority()}};
  std::size_t waited = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const QueueWorld world = drawn(seed);
    for (const auto& [algorithm, rank] : orders) {
      for (const bool all : {false, true}) {
        oracle::Backfill plain{all ? oracle::Promised::all : oracle::Promised::first, rank};
        const std::string options = R"({"algorithm": ")" + algorithm + R"(", "backfill": ")" +
                                    (all ? "conservative" : "easy") + "\"}";
        RuleAsOrder rule{world, options};
        const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
        const auto courses = oracle::schedule(world.jobs, {world.machines}, rule);
        for (std::size_t one = 0; one < world.jobs.size(); ++one) {
          EXPECT_EQ(courses[one].first_start(), expected[one].first_start())
              << options << ": seed " << seed << ", job " << one;
          waited += courses[one].first_start() > world.jobs[one].submit ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(waited, 2 * seeds.size());
}

}  // namespace backfill_oracle_test
}  // namespace reeve::policies
