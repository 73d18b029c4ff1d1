// Shares in turn against plain oracles, in random worlds.
#include <map>

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/dominant_share.hpp"
#include "tests/rules/schedule/oracles/fair_share.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace share_order_oracle_test {

QueueWorld drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  QueueWorld world;
  world.machines = number(1, 20);
  for (std::int64_t left = number(1, 5); left > 0; --left) {
    ShareFacts facts;
    facts.weight = weight_one >> number(0, 3);
    world.shares.push_back(facts);
  }
  for (std::int64_t left = number(2, 60); left > 0; --left) {
    oracle::Job job;
    job.submit = number(0, 200);
    job.work = number(1, 60);
    job.needs = {number(1, std::min<std::uint32_t>(6, static_cast<std::uint32_t>(world.machines)))};
    job.priority = number(0, 2);
    job.share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    world.jobs.push_back(job);
  }
  return world;
}

std::size_t compare(const QueueWorld& world, oracle::Order& plain, const std::string& options,
                    std::uint32_t seed) {
  RuleAsOrder rule{world, options};
  const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
  const auto courses = oracle::schedule(world.jobs, {world.machines}, rule);
  std::size_t waited = 0;
  for (std::size_t job = 0; job < world.jobs.size(); ++job) {
    EXPECT_EQ(spans(courses[job]), spans(expected[job]))
        << options << ": seed " << seed << ", job " << job;
    waited += expected[job].first_start() > world.jobs[job].submit ? 1U : 0U;
  }
  return waited;
}

TEST(ShareOrder, InRandomWorldsEachStartsWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t waited = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const QueueWorld world = drawn(seed);
    oracle::FairShare::Model model;
    std::map<std::size_t, std::int64_t> more;
    for (std::size_t share = 0; share < world.shares.size(); ++share) {
      model.weights.push_back(static_cast<double>(world.shares[share].weight) / weight_one);
      more[share] = weight_one / world.shares[share].weight;
    }
    for (const bool strict : {true, false}) {
      const auto behind = strict ? oracle::Behind::waits : oracle::Behind::may_pass;
      const std::string passing =
          std::string{R"(, "backfill": ")"} + (strict ? "none" : "any_fit") + "\"}";
      for (const char* const algorithm : {"max_min", "drf"}) {
        oracle::DominantShare plain{more, behind};
        waited += compare(world, plain,
                          std::string{R"({"algorithm": ")"} + algorithm + '"' + passing, seed);
      }
      for (const int decay_min : {0, 10, 100}) {
        model.decay = decay_min;
        model.reservation = seed % 3 == 0 ? 0.5 : 0;
        model.behind = behind;
        oracle::FairShare plain{model};
        waited += compare(world, plain,
                          R"({"algorithm": "fair_share", "compute_reservation": )" +
                              std::to_string(seed % 3 == 0 ? 50 : 0) + R"(, "share_decay": ")" +
                              std::to_string(decay_min) + "m\"" + passing,
                          seed);
      }
    }
  }
  EXPECT_GT(waited, 2 * seeds.size());
}

}  // namespace share_order_oracle_test
}  // namespace reeve::policies
