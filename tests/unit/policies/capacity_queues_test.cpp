// YARN's capacity scheduler: each rule by hand, and all of them against a plain oracle in random
// worlds.
#include "tests/property/oracles/capacity_queues.hpp"

#include <random>

#include "rule_as_order.hpp"
#include "share_story.hpp"

namespace reeve::policies {
namespace capacity_queues_test {

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

/// Shares that borrow as much as there is.
QueueWorld guaranteed(std::vector<std::int64_t> quotas, std::vector<oracle::Job> jobs) {
  QueueWorld world;
  for (const std::int64_t quota : quotas) {
    ShareFacts facts;
    facts.sharing = Sharing::lend_and_borrow;
    world.shares.push_back(facts);
    world.machines += quota;
  }
  world.quotas = std::move(quotas);
  world.jobs = std::move(jobs);
  return world;
}

std::vector<Spans> played(const QueueWorld& world, const std::string& more) {
  RuleAsOrder rule{world, R"({"algorithm": "capacity")" + more + "}"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

// "Applications in the queue may consume more resources than the queue's capacity if there are free
// resources", and maximum-capacity "limits the elasticity".
TEST(CapacityQueues, AShareHasWhatOthersLeaveIdleUpToItsMaximum) {
  QueueWorld world = guaranteed({4, 6}, {job(0, 0, 10, 4), job(0, 0, 10, 3), job(0, 0, 10, 3)});
  EXPECT_EQ(played(world, ""), (std::vector<Spans>{{{0, 10}}, {{0, 10}}, {{0, 10}}}));
  world.shares[0].borrow_limit_pct = 75;  // 7 in all
  EXPECT_EQ(played(world, ""), (std::vector<Spans>{{{0, 10}}, {{0, 10}}, {{10, 20}}}));
  world.shares[0].sharing = Sharing::lend;
  EXPECT_EQ(played(world, ""), (std::vector<Spans>{{{0, 10}}, {{10, 20}}, {{20, 30}}}));
}

// The borrower leaves for one whose share has another first by then, that wants more than is
// guaranteed; and whose own place changes meanwhile.
TEST(CapacityQueues, WhomABorrowerLeavesForKeepsItsClaim) {
  ShareStory story{4, R"({"algorithm": "capacity", "grace": "0s"})"};
  story.drains = true;
  const ShareId owner = story.share(3);
  story.job(owner, 5, 1);
  const JobId borrower = story.job(story.share(1), 0, 2);
  story.at(0s);
  const JobId claims = story.job(owner, 2, 2, 1h);
  story.at(1h);
  ASSERT_EQ(victims(story), Jobs{borrower.index});
  const JobId larger = story.job(owner, 9, 4, 61min);
  story.jobs[claims.index].description.priority = 1;
  story.at(61min, {PriorityChanged{claims, 1, 1}});
  std::vector<Fact> news;
  story.gone(borrower, news);
  story.at(62min, news);
  EXPECT_TRUE(story.runs(claims));
  EXPECT_FALSE(story.runs(borrower));
  EXPECT_FALSE(story.runs(larger));
}

// The share that uses least of its capacity is next: 2 of 4 before 4 of 6, and what is left goes to
// the first, with 3 of 4 and 6 of 6.
TEST(CapacityQueues, WhoUsesLeastOfItsCapacityIsNext) {
  const QueueWorld world =
      guaranteed({4, 6}, {job(1, 0, 50, 4), job(0, 0, 50, 2), job(1, 0, 10, 4), job(1, 1, 10, 2),
                          job(0, 1, 10, 1), job(0, 1, 10, 1)});
  EXPECT_EQ(
      played(world, R"(, "reclaims": false)"),
      (std::vector<Spans>{{{0, 50}}, {{0, 50}}, {{0, 10}}, {{10, 20}}, {{10, 20}}, {{10, 20}}}));
}

// An owner waits for the time of grace; then the last of the borrowers gives its machines back, and
// no more of them than must.
TEST(CapacityQueues, WhatIsGuaranteedIsTakenBackAfterATimeOfGrace) {
  const QueueWorld world = guaranteed(
      {4, 6}, {job(0, 0, 100, 4), job(0, 0, 100, 3), job(0, 0, 100, 3), job(1, 10, 20, 3)});
  EXPECT_EQ(played(world, R"(, "grace": "5m")"),
            (std::vector<Spans>{{{0, 100}}, {{0, 100}}, {{0, 15}, {35, 120}}, {{15, 35}}}));
  EXPECT_EQ(played(world, R"(, "reclaims": false)"),
            (std::vector<Spans>{{{0, 100}}, {{0, 100}}, {{0, 100}}, {{100, 120}}}));
}

TEST(CapacityQueues, WhoIsServedInTimeTakesNothingBack) {
  const QueueWorld world =
      guaranteed({4, 6}, {job(0, 0, 100, 7), job(0, 0, 12, 3), job(1, 10, 20, 3)});
  EXPECT_EQ(played(world, R"(, "grace": "5m", "user_limit": 0)"),
            (std::vector<Spans>{{{0, 100}}, {{0, 12}}, {{12, 32}}}));
}

// A share that borrows itself takes nothing back, and one that has no more than its own gives
// nothing.
TEST(CapacityQueues, NobodyIsPreemptedForABorrower) {
  const QueueWorld world =
      guaranteed({4, 6}, {job(0, 0, 50, 4), job(1, 0, 50, 6), job(0, 5, 50, 1)});
  EXPECT_EQ(played(world, R"(, "grace": "0s")"),
            (std::vector<Spans>{{{0, 50}}, {{0, 50}}, {{50, 100}}}));
}

// user-limit-factor 1: "a single user can never take more than the queue's configured capacity
// irrespective of how idle the cluster is".
TEST(CapacityQueues, OneUserHasNoMoreThanItsLimit) {
  QueueWorld world = guaranteed({4, 6}, {job(0, 0, 10, 3), job(0, 0, 10, 3), job(0, 0, 10, 3)});
  world.users = {"ann", "ann", "bob"};
  EXPECT_EQ(played(world, ""), (std::vector<Spans>{{{0, 10}}, {{10, 20}}, {{0, 10}}}));
  EXPECT_EQ(played(world, R"(, "user_limit": 150)"),
            (std::vector<Spans>{{{0, 10}}, {{0, 10}}, {{0, 10}}}));
  world.users = {"", "", ""};
  EXPECT_EQ(played(world, "")[1], (Spans{{0, 10}})) << "whose user nobody knows";
}

struct Drawn {
  QueueWorld world;
  oracle::CapacityQueues::Model model;
  std::string options;
};

Drawn drawn(std::uint32_t seed) {
  std::mt19937 luck{seed};
  const auto number = [&luck](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(low + luck() % (high - low + 1));
  };
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
  std::size_t preempted = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
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
  EXPECT_GT(preempted, 100U);
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
  std::size_t preempted = 0;
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
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
  EXPECT_GT(preempted, 100U);
}

}  // namespace capacity_queues_test
}  // namespace reeve::policies
