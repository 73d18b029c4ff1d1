// Themis' auctions and leases against a plain oracle, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/themis.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace themis_oracle_test {

using Spans = std::vector<std::pair<Tick, Tick>>;

oracle::Job job(Tick submit, Tick work, std::int64_t machines) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  return made;
}

std::vector<Spans> played(const QueueWorld& world, const std::string& more) {
  RuleAsOrder rule{world, R"({"algorithm": "themis")" + more + "}"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

struct Drawn {
  QueueWorld world;
  Tick lease = 0;
  std::int64_t fairness_pct = 0;
};

Drawn drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  Drawn out;
  out.lease = number(5, 40);
  out.fairness_pct = number(6, 10) * 10;
  out.world.machines = number(1, 20);
  for (std::int64_t left = number(2, 24); left > 0; --left) {
    oracle::Job one = job(number(0, 200), number(1, 120),
                          number(1, std::min<std::int64_t>(6, out.world.machines)));
    if (number(0, 3) == 0) one.estimate = number(1, 120);
    out.world.jobs.push_back(one);
  }
  return out;
}

TEST(Themis, InRandomWorldsEachHoldsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t preempted = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const Drawn one = drawn(seed);
    const Tick started = kStart.time_since_epoch() / std::chrono::minutes{1};
    oracle::Themis plain{one.lease, started % one.lease, one.fairness_pct};
    const auto expected = oracle::schedule(one.world.jobs, {one.world.machines}, plain);
    const std::vector<Spans> mine =
        played(one.world, R"(, "lease": ")" + std::to_string(one.lease) +
                              R"(m", "fairness_knob": )" + std::to_string(one.fairness_pct));
    for (std::size_t of = 0; of < mine.size(); ++of) {
      ASSERT_EQ(mine[of], spans(expected[of])) << "seed " << seed << ", job " << of;
      preempted += mine[of].size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, seeds.size());
}

}  // namespace themis_oracle_test
}  // namespace reeve::policies
