// The rule `schedule` with quota shares against a plain oracle of them, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace quota_oracle_test {

struct World {
  std::vector<oracle::Share> shares;
  std::vector<oracle::Job> jobs;
  oracle::QuotaModel model;
  std::vector<oracle::LimitChange> limits;
  std::vector<oracle::PriorityChange> priorities;
  std::int64_t machines = 0;
};

World drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  World world;
  for (std::int64_t left = number(1, 5); left > 0; --left) {
    oracle::Share share;
    share.limit = number(1, 12);
    share.sharing = static_cast<oracle::Sharing>(std::min<std::int64_t>(number(0, 4), 2));
    if (number(0, 2) == 0) share.borrow_pct = number(0, 200);
    share.in_share_preemption = number(0, 1) == 0;
    world.machines += share.limit;
    world.shares.push_back(share);
  }
  const std::int64_t count = number(2, 60);
  for (std::int64_t left = count; left > 0; --left) {
    oracle::Job job;
    job.submit = number(0, 200);
    job.work = number(1, 60);
    job.needs = {number(1, 6)};
    job.priority = number(0, 4);
    job.share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    job.checkpoint_every = number(0, 3);
    world.jobs.push_back(job);
  }
  world.model.blocked_borrower_blocks = number(0, 2) == 0;
  world.model.surplus_at_once = number(0, 1) == 0;
  for (std::int64_t left = number(0, 2); left > 0; --left) {
    const std::size_t share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    world.limits.push_back({number(1, 200), share, number(0, 12)});
  }
  for (std::int64_t left = number(0, 3); left > 0; --left) {
    const std::size_t job = static_cast<std::size_t>(number(1, 1000)) % world.jobs.size();
    world.priorities.push_back({number(1, 200), job, number(0, 5)});
  }
  return world;
}

std::string options_of(const oracle::QuotaModel& model) {
  return std::string{R"({"algorithm": "quota", "blocked_borrower": ")"} +
         (model.blocked_borrower_blocks ? "blocks_others" : "waits_alone") +
         R"(", "lowered_quota": ")" + (model.surplus_at_once ? "at_once" : "when_wanted") + "\"}";
}

QueueWorld queue_of(const World& world) {
  QueueWorld queue{.machines = world.machines,
                   .jobs = world.jobs,
                   .limits = world.limits,
                   .priorities = world.priorities};
  for (const oracle::Share& terms : world.shares) {
    ShareFacts facts;
    facts.sharing = static_cast<Sharing>(terms.sharing);
    facts.borrow_limit_pct = static_cast<std::int32_t>(terms.borrow_pct);
    facts.in_share_preemption = terms.in_share_preemption;
    queue.shares.push_back(facts);
    queue.quotas.push_back(terms.limit);
  }
  return queue;
}

TEST(QuotaShares, InRandomWorldsEachHoldsItsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(1000);
  std::size_t preempted = 0;
  for (const std::uint32_t seed : seeds) {
    const World world = drawn(seed);
    oracle::QuotaShares plain{world.shares, world.model, world.limits, world.priorities};
    const QueueWorld queue = queue_of(world);
    RuleAsOrder rule{queue, options_of(world.model)};
    const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
    const auto courses = oracle::schedule(world.jobs, {world.machines}, rule);
    for (std::size_t job = 0; job < world.jobs.size(); ++job) {
      ASSERT_EQ(spans(courses[job]), spans(expected[job])) << "seed " << seed << ", job " << job;
      preempted += spans(courses[job]).size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, seeds.size() / 10);
}

}  // namespace quota_oracle_test
}  // namespace reeve::policies
