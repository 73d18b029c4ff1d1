// Orders that preempt against plain oracles, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/gittins.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"
#include "tests/rules/schedule/oracles/least_attained.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace preempting_order_oracle_test {

using Spans = std::vector<std::pair<Tick, Tick>>;

std::vector<Spans> played(const QueueWorld& world, const std::string& options) {
  RuleAsOrder rule{world, options};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

oracle::Job job(Tick submit, Tick work, std::int64_t machines) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  return made;
}

QueueWorld drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  QueueWorld world;
  world.machines = number(1, 20);
  for (std::int64_t left = number(2, 60); left > 0; --left) {
    oracle::Job one =
        job(number(0, 400), number(1, 120), number(1, std::min<std::int64_t>(6, world.machines)));
    world.jobs.push_back(one);
  }
  return world;
}

TEST(PreemptingOrder, InRandomWorldsEachHoldsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  std::size_t preempted = 0;
  const auto compare = [&](const QueueWorld& world, oracle::Order& plain,
                           const std::string& options, std::uint32_t seed) {
    const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
    const std::vector<Spans> mine = played(world, options);
    for (std::size_t of = 0; of < mine.size(); ++of) {
      ASSERT_EQ(mine[of], spans(expected[of])) << options << ": seed " << seed << ", job " << of;
      preempted += mine[of].size() > 1 ? 1U : 0U;
    }
  };
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    const QueueWorld world = drawn(seed);
    oracle::Preempting remaining{oracle::by_remaining()};
    compare(world, remaining, R"({"algorithm": "srtf"})", seed);
    oracle::Preempting service{oracle::by_remaining_service()};
    compare(world, service, R"({"algorithm": "srsf"})", seed);
    // Machine-minutes that every number of machines up to 6 divides: 8 GPUs each.
    oracle::LeastAttained attained{{60, 240}};
    compare(world, attained, R"({"algorithm": "las", "las_limits": [28800, 115200]})", seed);
    oracle::LeastAttained anew{{60, 240}, 2};
    compare(world, anew, R"({"algorithm": "las", "las_limits": [28800, 115200], "las_promote": 2})",
            seed);
    oracle::HighestGittins gittins{{60, 120, 240, 240, 480}};
    compare(
        world, gittins,
        R"({"algorithm": "gittins", "gittins_lengths": [28800, 57600, 115200, 115200, 230400]})",
        seed);
  }
  EXPECT_GT(preempted, 2 * seeds.size());
}

}  // namespace preempting_order_oracle_test
}  // namespace reeve::policies
