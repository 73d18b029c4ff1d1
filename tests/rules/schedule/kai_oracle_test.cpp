// KAI's fair shares, reclaiming and preemption against a plain oracle, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/kai.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace kai_oracle_test {

using Spans = std::vector<std::pair<Tick, Tick>>;

oracle::Job job(std::size_t share, Tick submit, Tick work, std::int64_t machines,
                std::int64_t priority = 0) {
  oracle::Job made;
  made.share = share;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  made.priority = priority;
  return made;
}

std::vector<Spans> played(const QueueWorld& world) {
  RuleAsOrder rule{world, R"({"algorithm": "kai"})"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

struct Drawn {
  QueueWorld world;
  std::vector<oracle::Kai::Queue> queues;
};

Drawn drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  Drawn out;
  for (std::int64_t left = number(1, 5); left > 0; --left) {
    const std::int64_t quota = number(0, 10);
    const std::int64_t weight = number(1, 4);
    ShareFacts facts;
    facts.sharing = number(0, 3) == 0 ? Sharing::lend : Sharing::lend_and_borrow;
    facts.weight = static_cast<std::uint32_t>(weight) * weight_one / 2;
    if (number(0, 2) == 0) facts.borrow_limit_pct = static_cast<std::int32_t>(number(0, 200));
    oracle::Kai::Queue queue{quota, quota, 12 / weight};
    if (facts.sharing == Sharing::lend_and_borrow) {
      const std::int64_t pct = facts.borrow_limit_pct;
      queue.limit = pct < 0 ? 1000 : quota * (100 + pct) / 100;
    }
    out.world.machines += quota;
    out.world.shares.push_back(facts);
    out.world.quotas.push_back(quota);
    out.queues.push_back(queue);
  }
  out.world.machines = std::max<std::int64_t>(out.world.machines + number(0, 8) - 2, 1);
  for (std::int64_t left = number(2, 60); left > 0; --left) {
    const auto share = static_cast<std::size_t>(number(1, 1000)) % out.world.shares.size();
    const Tick submit = number(0, 200);
    oracle::Job one = job(share, submit, number(1, 60), number(1, 6), number(0, 3));
    one.keeps = number(0, 4) == 0;
    out.world.jobs.push_back(one);
  }
  return out;
}

TEST(Kai, InRandomWorldsEachHoldsItsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(2000);
  std::size_t preempted = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const Drawn one = drawn(seed);
    oracle::Kai plain{one.queues};
    const auto expected = oracle::schedule(one.world.jobs, {one.world.machines}, plain);
    const std::vector<Spans> mine = played(one.world);
    for (std::size_t of = 0; of < mine.size(); ++of) {
      ASSERT_EQ(mine[of], spans(expected[of])) << "seed " << seed << ", job " << of;
      preempted += mine[of].size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, seeds.size() / 2);
}

}  // namespace kai_oracle_test
}  // namespace reeve::policies
