// YARN's capacity scheduler against a plain oracle, in random worlds: no job waits for capacity
// that is guaranteed to it.
#include <map>

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/capacity_queues.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace capacity_queues_oracle_test {

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

std::vector<Spans> played(const QueueWorld& world, const std::string& more) {
  RuleAsOrder rule{world, R"({"algorithm": "capacity")" + more + "}"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

struct Drawn {
  QueueWorld world;
  oracle::CapacityQueues::Model model;
  std::string options;
};

Drawn drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
  Drawn out;
  for (std::int64_t left = number(1, 5); left > 0; --left) {
    const std::int64_t quota = number(0, 12);
    ShareFacts facts;
    facts.sharing = number(0, 3) == 0 ? Sharing::lend : Sharing::lend_and_borrow;
    if (number(0, 2) == 0) facts.borrow_limit_pct = static_cast<std::int32_t>(number(0, 200));
    oracle::CapacityQueues::Queue queue{quota, quota};
    if (facts.sharing == Sharing::lend_and_borrow) {
      const std::int64_t pct = facts.borrow_limit_pct;
      queue.most = pct < 0 ? 1000 : quota * (100 + pct) / 100;
    }
    out.world.machines += quota;
    out.world.shares.push_back(facts);
    out.world.quotas.push_back(quota);
    out.model.queues.push_back(queue);
  }
  const std::int64_t users = number(1, 4);
  for (std::int64_t left = number(2, 60); left > 0; --left) {
    const auto share = static_cast<std::size_t>(number(1, 1000)) % out.world.shares.size();
    const Tick submit = number(0, 200);
    out.world.jobs.push_back(job(share, submit, number(1, 60), number(1, 6), number(0, 3)));
    out.world.jobs.back().checkpoint_every = number(0, 3);
    const auto user = static_cast<std::size_t>(number(0, 1000) % users);
    out.model.users.push_back(user);
    out.world.users.push_back(user == 0 ? "" : "user-" + std::to_string(user));
  }
  out.model.user_limit_pct = number(0, 3) * 50;
  const bool reclaims = number(0, 4) > 0;
  const Tick grace = number(0, 2) * number(0, 10);
  out.model.grace = reclaims ? grace : oracle::never;
  out.options = R"({"algorithm": "capacity", "user_limit": )" +
                std::to_string(out.model.user_limit_pct) + R"(, "reclaims": )" +
                (reclaims ? "true" : "false") + R"(, "grace": ")" + std::to_string(grace) + "m\"}";
  return out;
}

TEST(CapacityQueues, InRandomWorldsEachHoldsItsMachinesWhenTheOracleSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(1000);
  std::size_t preempted = 0;
  for (const std::uint32_t seed : seeds) {
    const Drawn of = drawn(seed);
    oracle::CapacityQueues plain{of.model};
    RuleAsOrder rule{of.world, of.options};
    const auto expected = oracle::schedule(of.world.jobs, {of.world.machines}, plain);
    const auto courses = oracle::schedule(of.world.jobs, {of.world.machines}, rule);
    for (std::size_t one = 0; one < of.world.jobs.size(); ++one) {
      ASSERT_EQ(spans(courses[one]), spans(expected[one]))
          << of.options << ": seed " << seed << ", job " << one;
      preempted += spans(courses[one]).size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, seeds.size() / 10);
}

bool holds_at(const Spans& spans, Tick at) {
  return std::any_of(spans.begin(), spans.end(),
                     [at](const auto& span) { return span.first <= at && at < span.second; });
}

/// The first of each share who waits within what it is guaranteed while another is above that.
std::vector<std::size_t> kept_waiting(const QueueWorld& world, const std::vector<Spans>& held,
                                      Tick at) {
  std::vector<std::int64_t> used(world.shares.size());
  std::vector<std::size_t> heads(world.shares.size(), world.jobs.size());
  const auto place = [&](std::size_t of) {
    return std::pair{-world.jobs[of].priority, world.jobs[of].submit};
  };
  for (std::size_t one = 0; one < world.jobs.size(); ++one) {
    const oracle::Job& each = world.jobs[one];
    const bool holds = holds_at(held[one], at);
    if (holds) used[each.share] += each.needs.front();
    const bool waits =
        each.submit <= at && !holds && !held[one].empty() && held[one].back().second > at;
    std::size_t& head = heads[each.share];
    if (waits && (head == world.jobs.size() || place(one) < place(head))) head = one;
  }
  std::vector<std::size_t> within;
  bool any_over = false;
  for (std::size_t share = 0; share < used.size(); ++share) {
    any_over = any_over || used[share] > world.quotas[share];
    if (heads[share] == world.jobs.size()) continue;
    const std::int64_t with = used[share] + world.jobs[heads[share]].needs.front();
    if (with <= world.quotas[share]) within.push_back(heads[share]);
  }
  return any_over ? within : std::vector<std::size_t>{};
}

// Whoever got its machines at an instant keeps them for a minute at least: never for two.
TEST(CapacityQueues, NobodyGuaranteedMachinesWaitsLongerThanGraceWhileOthersBorrow) {
  const std::vector<std::uint32_t> seeds = tests::seeds(300);
  std::size_t preempted = 0;
  for (const std::uint32_t seed : seeds) {
    const QueueWorld world = drawn(seed).world;
    for (const Tick grace : {0, 4}) {
      const std::vector<Spans> held =
          played(world, R"(, "user_limit": 0, "grace": ")" + std::to_string(grace) + "m\"");
      std::map<std::size_t, Tick> kept;
      for (Tick at = 0; at < 400; ++at) {
        const std::map<std::size_t, Tick> before = std::exchange(kept, {});
        for (const std::size_t one : kept_waiting(world, held, at)) {
          const auto known = before.find(one);
          kept[one] = known == before.end() ? 1 : known->second + 1;
          EXPECT_LE(kept[one], grace + 1) << "seed " << seed << ", job " << one << " at " << at;
        }
      }
      for (const Spans& spans : held) preempted += spans.size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, seeds.size() / 3);
}

}  // namespace capacity_queues_oracle_test
}  // namespace reeve::policies
