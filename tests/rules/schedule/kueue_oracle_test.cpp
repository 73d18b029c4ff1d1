// The rule `schedule` as Kueue schedules, against a plain oracle of it, in random worlds.

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/kueue.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace kueue_oracle_test {

struct World {
  std::vector<oracle::Share> shares;
  oracle::KueueModel model;
  QueueWorld queue;
};

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : number{seed} {}
  SeededNumbers number;
  std::size_t place(std::size_t count) {
    return static_cast<std::size_t>(number(0, static_cast<std::int64_t>(count) - 1));
  }
};

void draw_shares(Draw& draw, World& world) {
  for (std::int64_t left = draw.number(1, 5); left > 0; --left) {
    oracle::Share share;
    share.limit = draw.number(1, 12);
    share.sharing = static_cast<oracle::Sharing>(std::min<std::int64_t>(draw.number(0, 4), 2));
    if (draw.number(0, 2) == 0) share.borrow_pct = draw.number(0, 200);
    world.shares.push_back(share);
    world.queue.machines += share.limit;
    world.queue.quotas.push_back(share.limit);
    ShareFacts facts;
    facts.sharing = static_cast<Sharing>(share.sharing);
    facts.borrow_limit_pct = static_cast<std::int32_t>(share.borrow_pct);
    facts.weight = static_cast<std::uint32_t>(draw.number(1, 4)) * weight_one / 2;
    world.model.weights.push_back(facts.weight);
    world.queue.shares.push_back(facts);
  }
  // Quotas need not cover the pool, nor the pool the quotas.
  if (draw.number(0, 3) == 0) world.queue.machines += draw.number(-3, 3);
  world.queue.machines = std::max<std::int64_t>(world.queue.machines, 1);
}

void draw_jobs(Draw& draw, World& world) {
  for (std::int64_t left = draw.number(2, 60); left > 0; --left) {
    oracle::Job job;
    job.submit = draw.number(0, 200);
    job.work = draw.number(1, 60);
    job.needs = {draw.number(1, 6)};
    job.priority = draw.number(0, 4);
    job.share = draw.place(world.shares.size());
    job.checkpoint_every = draw.number(0, 3);
    world.queue.jobs.push_back(job);
  }
  for (std::int64_t left = draw.number(0, 2); left > 0; --left) {
    const std::size_t share = draw.place(world.shares.size());
    world.queue.limits.push_back({draw.number(1, 200), share, draw.number(0, 12)});
  }
  for (std::int64_t left = draw.number(0, 3); left > 0; --left) {
    const std::size_t job = draw.place(world.queue.jobs.size());
    world.queue.priorities.push_back({draw.number(1, 200), job, draw.number(0, 5)});
  }
}

World drawn(std::uint32_t seed) {
  Draw draw{seed};
  World world;
  draw_shares(draw, world);
  draw_jobs(draw, world);
  world.model.strict = draw.number(0, 2) == 0;
  world.model.within = static_cast<oracle::Within>(draw.number(0, 2));
  world.model.reclaim = static_cast<oracle::Reclaim>(draw.number(0, 2));
  const bool may_reclaim = world.model.reclaim != oracle::Reclaim::none;
  world.model.borrow_within = may_reclaim && draw.number(0, 1) == 0;
  if (draw.number(0, 1) == 0) world.model.threshold = draw.number(0, 4);
  using oracle::Strategy;
  const std::int64_t strategies = draw.number(0, 2);
  if (strategies == 1) world.model.strategies = {Strategy::final_share};
  if (strategies == 2) world.model.strategies = {Strategy::initial_share};
  return world;
}

std::string strategies_of(const oracle::KueueModel& model) {
  std::string list;
  for (const oracle::Strategy each : model.strategies) {
    const bool final_share = each == oracle::Strategy::final_share;
    list +=
        std::string{list.empty() ? "" : ", "} +
        (final_share ? R"("less_than_or_equal_to_final_share")" : R"("less_than_initial_share")");
  }
  return list;
}

std::string options_of(const oracle::KueueModel& model) {
  constexpr std::array<const char*, 3> within{"never", "lower_priority",
                                              "lower_or_newer_equal_priority"};
  constexpr std::array<const char*, 3> reclaim{"never", "lower_priority", "any"};
  const std::string algorithm = model.fair ? "kueue_fair" : "kueue";
  return R"({"algorithm": ")" + algorithm + R"(", "preemption_strategies": [)" +
         strategies_of(model) + R"(], "queueing_strategy": ")" +
         (model.strict ? "strict_fifo" : "best_effort_fifo") + R"(", "within_cluster_queue": ")" +
         within.at(static_cast<std::size_t>(model.within)) + R"(", "reclaim_within_cohort": ")" +
         reclaim.at(static_cast<std::size_t>(model.reclaim)) + R"(", "borrow_within_cohort": ")" +
         (model.borrow_within ? "lower_priority" : "never") + R"(", "max_priority_threshold": )" +
         std::to_string(model.threshold) + "}";
}

/// How many lost their machines at least once.
std::size_t compare(const World& world, std::uint32_t seed) {
  const QueueWorld& queue = world.queue;
  oracle::Kueue plain{world.shares, world.model, queue.limits, queue.priorities};
  RuleAsOrder rule{queue, options_of(world.model)};
  const auto expected = oracle::schedule(queue.jobs, {queue.machines}, plain);
  const auto courses = oracle::schedule(queue.jobs, {queue.machines}, rule);
  std::size_t preempted = 0;
  for (std::size_t job = 0; job < queue.jobs.size(); ++job) {
    EXPECT_EQ(spans(courses[job]), spans(expected[job]))
        << "seed " << seed << ", job " << job << ": " << options_of(world.model);
    preempted += spans(courses[job]).size() > 1 ? 1U : 0U;
  }
  return preempted;
}

TEST(Kueue, InRandomWorldsEachHoldsItsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(2000);
  for (const bool fair : {false, true}) {
    std::size_t preempted = 0;
    for (const std::uint32_t seed : seeds) {
      if (testing::Test::HasFailure()) return;
      World world = drawn(seed);
      world.model.fair = fair;
      preempted += compare(world, seed);
    }
    EXPECT_GT(preempted, seeds.size() / 2);
  }
}

}  // namespace kueue_oracle_test
}  // namespace reeve::policies
