// Kueue's scheduling in small worlds that were worked out by hand, each after the page or the KEP
// that states the rule.
#include "tests/rules/schedule/share_story.hpp"

namespace reeve::policies {
namespace kueue_test {

std::string kueue_rule(const std::string& more = "") {
  return R"({"algorithm": "kueue")" + (more.empty() ? "" : ", " + more) + "}";
}
const std::string reclaims = R"("reclaim_within_cohort": "any")";
const std::string within_lower = R"("within_cluster_queue": "lower_priority")";
const std::string borrows_too = reclaims + R"(, "borrow_within_cohort": "lower_priority")";

// Cluster Queue, "Borrowing example" and "BorrowingLimit": 9 and 12 of 21.
TEST(Kueue, BorrowsWhatOthersHaveIdleUpToItsLimit) {
  const auto used = [](std::int32_t borrow_pct) {
    ShareStory story{21, kueue_rule()};
    const ShareId a = story.share(9, Sharing::lend_and_borrow, false, borrow_pct);
    story.share(12);
    story.job(a, 0, 9);
    for (int i = 0; i < 12; ++i) story.job(a, 0, 1);
    story.at(0s);
    return story.used(a);
  };
  EXPECT_EQ(used(borrow_without_limit), 21U);
  EXPECT_EQ(used(12), 10U) << "one more than its own";
}

// The API's lendingLimit of 0: no other share gets what a share reserves.
TEST(Kueue, WhatIsReservedIsNotLent) {
  const auto used = [](Sharing sharing) {
    ShareStory story{8, kueue_rule()};
    story.share(4, sharing);
    const ShareId b = story.share(4);
    for (int i = 0; i < 2; ++i) story.job(b, 0, 4);
    story.at(0s);
    return story.used(b);
  };
  EXPECT_EQ(used(Sharing::reserve), 4U);
  EXPECT_EQ(used(Sharing::lend), 8U);
}

// Classic order of the nominated: who borrows is last, then priority, then submission.
TEST(Kueue, WhoIsWithinItsQuotaGoesBeforeWhoBorrows) {
  ShareStory story{8, kueue_rule()};
  const ShareId a = story.share(4);
  const ShareId b = story.share(4);
  const JobId urgent = story.job(a, 9, 6);
  const JobId own = story.job(b, 0, 4);
  story.at(0s);
  EXPECT_TRUE(story.runs(own) && !story.runs(urgent));
}

TEST(Kueue, AmongBorrowersTheHighestPriorityAndThenTheEarliestIsFirst) {
  const auto first = [](std::int32_t priority_a, std::int32_t priority_b) {
    ShareStory story{8, kueue_rule()};
    const ShareId a = story.share(2);
    const ShareId b = story.share(2);
    story.share(4);
    const JobId late = story.job(a, priority_a, 5, 1s);
    const JobId early = story.job(b, priority_b, 5);
    story.at(1s);
    EXPECT_NE(story.runs(late), story.runs(early));
    return story.runs(early);
  };
  EXPECT_TRUE(first(1, 2));
  EXPECT_FALSE(first(2, 1));
  EXPECT_TRUE(first(1, 1));
}

// Cluster Queue, "Queueing strategy".
TEST(Kueue, TheFirstOfAStrictLineBlocksItsShare) {
  const auto second_runs = [](const std::string& strategy) {
    ShareStory story{8, kueue_rule(R"("queueing_strategy": ")" + strategy + '"')};
    const ShareId a = story.share(4);
    const ShareId b = story.share(4);
    story.job(b, 0, 4);
    story.job(a, 0, 6);
    const JobId second = story.job(a, 0, 2);
    story.at(0s);
    return story.runs(second);
  };
  EXPECT_TRUE(second_runs("best_effort_fifo"));
  EXPECT_FALSE(second_runs("strict_fifo"));
}

// No share borrows what the first of a strict line waits for and could not take back.
TEST(Kueue, NobodyBorrowsFromUnderTheFirstOfAStrictLine) {
  const auto borrows = [](const std::string& strategy) {
    ShareStory story{8, kueue_rule(R"("queueing_strategy": ")" + strategy + '"')};
    const ShareId a = story.share(4);
    const ShareId b = story.share(4);
    story.job(b, 0, 6);
    story.at(0s);
    story.job(a, 0, 4, 1min);
    story.job(b, 9, 2, 1min);
    story.at(1min);
    return story.used(b) == 8;
  };
  EXPECT_TRUE(borrows("best_effort_fifo"));
  EXPECT_FALSE(borrows("strict_fifo"));
}

// Cluster Queue, "Preemption", reclaimWithinCohort; Preemption, "Candidates": lowest first.
TEST(Kueue, TakesBackWhatIsLentAsThePolicySays) {
  const auto taken = [](const std::string& policy, std::int32_t priority) {
    ShareStory story{8, kueue_rule(R"("reclaim_within_cohort": ")" + policy + '"')};
    const ShareId a = story.share(4);
    const ShareId b = story.share(4);
    story.job(b, 6, 4);
    story.job(b, 5, 4);
    story.at(0s);
    EXPECT_EQ(story.used(b), 8U);
    story.job(a, priority, 4, 1h);
    story.at(1h);
    for (const PreemptJob& verb : story.preempted) EXPECT_EQ(verb.cause, PreemptCause::reclaim);
    return victims(story);
  };
  EXPECT_EQ(taken("never", 9), Jobs{});
  EXPECT_EQ(taken("lower_priority", 5), Jobs{});
  EXPECT_EQ(taken("lower_priority", 6), Jobs{1});
  EXPECT_EQ(taken("any", 0), Jobs{1});
}

// Cluster Queue, "Preemption", withinClusterQueue.
TEST(Kueue, PreemptsInsideItsShareAsThePolicySays) {
  const auto taken = [](const std::string& policy, std::int32_t priority) {
    ShareStory story{4, kueue_rule(R"("within_cluster_queue": ")" + policy + '"')};
    const ShareId a = story.share(4);
    const JobId older = story.job(a, 3, 4);
    story.job(a, 5, 4, 1min);
    story.at(1min);
    story.jobs[older.index].description.priority = priority;
    story.at(1h, {PriorityChanged{older, 1, priority}});
    for (const PreemptJob& verb : story.preempted) EXPECT_EQ(verb.cause, PreemptCause::in_share);
    return victims(story);
  };
  EXPECT_EQ(taken("never", 9), Jobs{});
  EXPECT_EQ(taken("lower_priority", 5), Jobs{});
  EXPECT_EQ(taken("lower_priority", 6), Jobs{1});
  EXPECT_EQ(taken("lower_or_newer_equal_priority", 5), Jobs{1});
  EXPECT_EQ(taken("lower_or_newer_equal_priority", 4), Jobs{});
}

// Preemption, "Candidates": of equal priorities who was admitted last.
TEST(Kueue, OfEqualsTheLastAdmittedGoes) {
  ShareStory story{8, kueue_rule(reclaims)};
  const ShareId a = story.share(4);
  const ShareId b = story.share(4);
  story.job(b, 5, 4);
  story.at(0s);
  const JobId late = story.job(b, 5, 4, 1min);
  story.at(1min);
  story.job(a, 0, 1, 1h);
  story.at(1h);
  EXPECT_EQ(victims(story), Jobs{late.index});
}

// Preemption, "Candidates": others that borrow before its own, whatever the priorities.
TEST(Kueue, BorrowersGoBeforeItsOwn) {
  ShareStory story{8, kueue_rule(reclaims + ", " + within_lower)};
  const ShareId a = story.share(4);
  const ShareId b = story.share(4);
  story.job(a, 0, 2);
  story.job(b, 5, 4);
  const JobId borrower = story.job(b, 4, 2);
  story.at(0s);
  story.job(a, 7, 2, 1h);
  story.at(1h);
  EXPECT_EQ(victims(story), Jobs{borrower.index});
}

// Preemption, "Targets": whoever turns out not to be needed is added back, in reverse.
TEST(Kueue, SparesWhoTurnsOutToBeSuperfluous) {
  ShareStory story{10, kueue_rule(reclaims)};
  const ShareId a = story.share(6);
  const ShareId b = story.share(4);
  story.job(a, 9, 3);
  story.job(a, 1, 1);
  const JobId six = story.job(a, 2, 6);
  story.at(0s);
  story.job(b, 0, 4, 5min);
  story.at(5min);
  EXPECT_EQ(victims(story), Jobs{six.index}) << "the one of 1 is chosen first, and spared";
}

// Preemption, "Targets", 3: below its quota, but not with what it wants: its own make room, and no
// borrower of another share that this alone would not help.
TEST(Kueue, WhoWouldBorrowGetsRoomWithinItsQuotaOnly) {
  ShareStory story{8, kueue_rule(reclaims + ", " + within_lower)};
  const ShareId a = story.share(4);
  const ShareId b = story.share(4);
  const JobId own = story.job(a, 0, 3);
  story.job(b, 5, 4);
  story.job(b, 4, 1);
  story.at(0s);
  story.job(a, 7, 2, 1h);
  story.at(1h);
  EXPECT_EQ(victims(story), Jobs{own.index});
  EXPECT_EQ(story.used(a), 2U);
}

// KEP-1337: with borrowWithinCohort lower priorities that borrow make room for who borrows as well,
// up to the threshold.
TEST(Kueue, WhoBorrowsPreemptsOthersOnlyIfItMay) {
  const auto taken = [](const std::string& more) {
    ShareStory story{8, kueue_rule(more)};
    const ShareId a = story.share(4);
    const ShareId b = story.share(2);
    story.share(2);
    story.job(a, 9, 4);
    story.job(b, 5, 2);
    story.job(b, 1, 2);
    story.at(0s);
    story.job(a, 7, 2, 1h);
    story.at(1h);
    return victims(story);
  };
  EXPECT_EQ(taken(reclaims), Jobs{});
  EXPECT_EQ(taken(borrows_too), Jobs{2});
  EXPECT_EQ(taken(borrows_too + R"(, "max_priority_threshold": 1)"), Jobs{2});
  EXPECT_EQ(taken(borrows_too + R"(, "max_priority_threshold": 0)"), Jobs{});
}

// Preemption, "Classic Preemption": what is wanted is within the quota, or borrowWithinCohort is
// on.
TEST(Kueue, WhoWantsMoreThanTheQuotaPreemptsNobodyUnlessItMayBorrowBySo) {
  const auto taken = [](const std::string& more) {
    ShareStory story{8, kueue_rule(within_lower + ", " + more)};
    const ShareId a = story.share(4);
    story.share(4);
    for (int i = 0; i < 2; ++i) story.job(a, 1, 4);
    story.at(0s);
    story.job(a, 9, 6, 1h);
    story.at(1h);
    return victims(story);
  };
  EXPECT_EQ(taken(reclaims), Jobs{});
  EXPECT_EQ(taken(borrows_too), (Jobs{0, 1}));
}

TEST(Kueue, BorrowingByPreemptionNeedsThatOthersMayBePreempted) {
  const std::string alone = kueue_rule(R"("borrow_within_cohort": "lower_priority")");
  EXPECT_EQ(check_rule("schedule", alone).option, "borrow_within_cohort");
  EXPECT_EQ(check_rule("schedule", kueue_rule(borrows_too)).option, "");
}

/// 60 of 100 machines are one's, 40 the other's; X1 has 15 of the second's.
struct Lent : ShareStory {
  Lent() : ShareStory{100, kueue_rule(reclaims + ", " + within_lower)} {
    first = share(60);
    second = share(40);
    for (const std::int32_t priority : {80, 50, 30, 10}) job(first, priority, 15);
    x1 = job(first, 5, 15);
    job(second, 50, 25);
    at(0s);
  }
  ShareId first, second;
  JobId x1;
};

TEST(Kueue, WhatIsTakenAwayIsForNobodyElseWhileItsOwnerWaits) {
  Lent story;
  EXPECT_EQ(story.used(story.first), 75U);
  story.drains = true;
  const JobId owner = story.job(story.second, 50, 15, 4h);
  story.at(4h);
  EXPECT_EQ(victims(story), Jobs{story.x1.index});
  EXPECT_FALSE(story.runs(owner)) << "its machines are not free yet";
  story.job(story.first, 99, 1, 4h + 1s);
  story.at(4h + 1s);
  EXPECT_EQ(victims(story), (Jobs{3, story.x1.index})) << "nothing of X1's is free for it";
  std::vector<Fact> facts;
  story.gone(story.x1, facts);
  story.at(4h + 2min, facts);
  EXPECT_TRUE(story.runs(owner));
}

TEST(Kueue, ARefusedPreemptionIsAskedForAgainLaterAndGivesNothingAway) {
  Lent story;
  story.refuses = true;
  const JobId owner = story.job(story.second, 50, 15, 4h);
  story.at(4h);
  EXPECT_EQ(story.preempted.front().job, story.x1);
  EXPECT_FALSE(story.runs(owner));
  EXPECT_EQ(story.used(story.first), 75U);
  const std::size_t before = story.preempted.size();
  story.refuses = false;
  story.at(4h + 1min, {TimerFired{(std::uint64_t{1} << 33U) + story.x1.index}});
  EXPECT_EQ(story.preempted.size(), before + 1);
  EXPECT_TRUE(story.runs(owner));
}

TEST(Kueue, NobodyIsPreemptedWhoKeepsItsMachinesOrJustGotThem) {
  ShareStory story{8, kueue_rule(reclaims)};
  const ShareId a = story.share(4);
  const ShareId b = story.share(4);
  story.job(b, 0, 2, 0s, true);
  story.job(b, 9, 4);
  const JobId last = story.job(b, 8, 2);
  story.at(0s);
  story.job(a, 0, 2);
  story.at(0s);
  EXPECT_EQ(victims(story), Jobs{});
  story.at(1ns, story.bench.fired(1ns));
  EXPECT_EQ(victims(story), Jobs{last.index});
}

}  // namespace kueue_test
}  // namespace reeve::policies
