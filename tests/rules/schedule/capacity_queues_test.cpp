// YARN's capacity scheduler: each rule by hand.

#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/share_story.hpp"

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
  std::vector<Fact> facts;
  story.gone(borrower, facts);
  story.at(62min, facts);
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
  EXPECT_EQ(played(world, "")[1], (Spans{{0, 10}})) << "its user is unknown";
}

}  // namespace capacity_queues_test
}  // namespace reeve::policies
