// KAI's fair shares, reclaiming and preemption: each rule by hand.
#include "tests/rules/schedule/oracles/kai.hpp"

#include <random>

#include "policies/scheduling/shares/fair_shares.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies {
namespace kai_test {

using Spans = std::vector<std::pair<Tick, Tick>>;

// ---- fair shares -----------------------------------------------------------------------------

// 20 are left over 10 + 10 of 40.  By weight 3 to 1 (1/w) that is 15 and 5; who wants no more than
// 12 has them, and the other the rest.
TEST(FairShares, GoByWeightBeyondWhatIsDeserved) {
  EXPECT_EQ(fair_shares({{10, 100, 1}, {10, 100, 3}}, 40), (std::vector<std::int64_t>{25, 15}));
  EXPECT_EQ(fair_shares({{10, 22, 1}, {10, 100, 3}}, 40), (std::vector<std::int64_t>{22, 18}));
  EXPECT_EQ(fair_shares({{10, 4, 1}, {10, 100, 3}}, 40), (std::vector<std::int64_t>{4, 36}));
  EXPECT_EQ(fair_shares({{10, 4, 1}, {10, 5, 3}}, 40), (std::vector<std::int64_t>{4, 5}));
}

// Thirds of 10 are 3 each; the tenth goes to the first.  More than there is may be deserved.
TEST(FairShares, AreWholeInstances) {
  EXPECT_EQ(fair_shares({{0, 9, 1}, {0, 9, 1}, {0, 9, 1}}, 10),
            (std::vector<std::int64_t>{4, 3, 3}));
  EXPECT_EQ(fair_shares({{8, 9, 1}, {8, 9, 1}}, 10), (std::vector<std::int64_t>{8, 8}));
  EXPECT_EQ(
      fair_shares({{0, 1'000'000, 9'999'999}, {0, 1'000'000, 9'999'998}, {0, 5, 1}}, 1'000'005),
      (std::vector<std::int64_t>{500'000, 500'000, 5}));
}

TEST(FairShares, AreThoseOfTheOracle) {
  std::mt19937 random{7};
  const auto draw = [&random] { return static_cast<std::uint32_t>(random()); };
  for (int world = 0; world < 20'000; ++world) {
    std::vector<Claim> claims;
    std::vector<oracle::Kai::Queue> queues;
    std::vector<std::int64_t> wants;
    const std::int64_t all = draw() % 100;
    for (auto left = 1 + draw() % 6; left > 0; --left) {
      const std::uint32_t weight = 1 + draw() % 6;
      claims.push_back(
          {static_cast<std::int64_t>(draw() % 20), static_cast<std::int64_t>(draw() % 60), weight});
      queues.push_back({claims.back().deserves, 1000, 60 / weight});
      wants.push_back(claims.back().wants);
    }
    ASSERT_EQ(fair_shares(claims, all), oracle::Kai::divided(queues, wants, all)) << world;
  }
}

// ---- the order -------------------------------------------------------------------------------

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

QueueWorld deserving(std::vector<std::int64_t> quotas, std::int64_t left_over,
                     std::vector<oracle::Job> jobs) {
  QueueWorld world;
  world.machines = left_over;
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

std::vector<Spans> played(const QueueWorld& world) {
  RuleAsOrder rule{world, R"({"algorithm": "kai"})"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

// Two shares that deserve 2 of 8 each.  The first has all of them; when the second wants 3 its fair
// share is 3, and the other's 5: above which it is, by its last jobs.  A fourth that the second
// wants at 20 makes it 4 each.
TEST(Kai, WhoIsAboveItsFairShareGivesMachinesBack) {
  std::vector<oracle::Job> jobs;
  for (int each = 0; each < 8; ++each) jobs.push_back(job(0, 0, 100, 1));
  for (int each = 0; each < 3; ++each) jobs.push_back(job(1, 10, 100, 1));
  jobs.push_back(job(1, 20, 100, 1));
  const auto courses = played(deserving({2, 2}, 4, jobs));
  EXPECT_EQ(courses[3], (Spans{{0, 100}}));
  EXPECT_EQ(courses[4], (Spans{{0, 20}, {100, 180}}));
  for (const std::size_t each : {5U, 6U, 7U})
    EXPECT_EQ(courses[each].front(), (std::pair<Tick, Tick>{0, 10}));
  EXPECT_EQ(courses[8], (Spans{{10, 110}}));
  EXPECT_EQ(courses[11], (Spans{{20, 120}}));
}

// Weights of 1/2 and 1: of 6 that no share deserves the first is to have 4.
TEST(Kai, WhatIsLeftOverGoesByWeight) {
  std::vector<oracle::Job> jobs;
  for (int each = 0; each < 6; ++each) jobs.push_back(job(0, 0, 10, 1));
  for (int each = 0; each < 6; ++each) jobs.push_back(job(1, 0, 10, 1));
  QueueWorld world = deserving({0, 0}, 6, jobs);
  world.shares[0].weight = weight_one / 2;
  const auto courses = played(world);
  const auto at_once = std::count(courses.begin(), courses.begin() + 6, Spans{{0, 10}});
  EXPECT_EQ(at_once, 4);
}

// What cannot be preempted has machines only within what its share deserves, however idle the rest
// is; one behind it that can be has more.
TEST(Kai, WhoCannotBePreemptedStaysWithinWhatItsShareDeserves) {
  std::vector<oracle::Job> jobs{job(0, 0, 10, 2), job(0, 0, 10, 2), job(0, 1, 10, 2)};
  jobs[0].keeps = jobs[1].keeps = true;
  EXPECT_EQ(played(deserving({2}, 6, jobs)),
            (std::vector<Spans>{{{0, 10}}, {{10, 20}}, {{1, 11}}}));
}

// In its share a higher priority takes machines of a lower one, never of an equal one, nor of
// another share that is not above its fair share.
TEST(Kai, AHigherPriorityPreemptsInItsShare) {
  const QueueWorld world = deserving(
      {2, 2}, 0, {job(0, 0, 50, 1), job(0, 0, 50, 1, 1), job(1, 0, 50, 2), job(0, 5, 10, 1, 1)});
  EXPECT_EQ(played(world),
            (std::vector<Spans>{{{0, 5}, {15, 60}}, {{0, 50}}, {{0, 50}}, {{5, 15}}}));
}

// Quotas of 8 and 8 on 12 machines: of the 12 that the first has, only the 4 beyond its quota are
// reclaimed.
TEST(Kai, WhatIsWithinAQuotaIsNeverReclaimed) {
  std::vector<oracle::Job> jobs;
  for (int each = 0; each < 12; ++each) jobs.push_back(job(0, 0, 100, 1));
  for (int each = 0; each < 8; ++each) jobs.push_back(job(1, 10, 100, 1));
  const auto courses = played(deserving({8, 8}, -4, jobs));
  EXPECT_EQ(courses[7], (Spans{{0, 100}}));
  EXPECT_EQ(courses[8], (Spans{{0, 10}, {100, 190}}));
  EXPECT_EQ(courses[15], (Spans{{10, 110}}));
  EXPECT_EQ(courses[16], (Spans{{100, 200}}));
}

// Of 4 machines 2 become free at 10.  Who wants all 4 takes the other 2 of a lower priority then
// and there: the last in line does not get machines that it would lose a moment later.
TEST(Kai, NobodyStartsInVain) {
  const QueueWorld world = deserving(
      {4}, 0, {job(0, 0, 10, 2, 9), job(0, 0, 50, 2, 0), job(0, 1, 10, 4, 5), job(0, 2, 10, 1, 0)});
  EXPECT_EQ(played(world),
            (std::vector<Spans>{{{0, 10}}, {{0, 10}, {20, 60}}, {{10, 20}}, {{20, 30}}}));
}

}  // namespace kai_test
}  // namespace reeve::policies
