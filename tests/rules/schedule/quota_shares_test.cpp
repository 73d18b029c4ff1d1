#include "tests/rules/schedule/share_story.hpp"

namespace reeve::policies {
namespace quota_shares_test {

std::string quota_rule(const std::string& more = "") {
  return R"({"algorithm": "quota")" + (more.empty() ? "" : ", " + more) + "}";
}

/// 60 of 100 machines are one's, 40 the other's (Amazon Search and AWS Batch, figures 1 and 2).
struct TwoShares : ShareStory {
  explicit TwoShares(const std::string& options = quota_rule(), std::uint32_t x1_instances = 15,
                     std::uint32_t d_instances = 15, std::int32_t borrow_pct = -1)
      : ShareStory{100, options} {
    first = share(60, Sharing::lend_and_borrow, true, borrow_pct);
    second = share(40, Sharing::lend_and_borrow, true);
    a = job(first, 80, 15);
    b = job(first, 50, 15);
    c = job(first, 30, 15);
    d = job(first, 10, d_instances);
    x1 = job(first, 5, x1_instances);
    b1 = job(second, 50, 25);
  }
  JobId comes(std::int32_t priority, std::uint32_t instances) {
    const JobId e = job(first, priority, instances, 6h + 30min);
    at(6h + 30min);
    return e;
  }
  ShareId first, second;
  JobId a, b, c, d, x1, b1;
};

TEST(QuotaShares, BorrowsWhatIsIdleAndGivesBackToTheOwnerAndToPriority) {
  TwoShares story;
  story.at(0s);
  EXPECT_EQ(story.used(story.first), 75U);
  EXPECT_EQ(story.used(story.second), 25U);
  const JobId b2 = story.job(story.second, 50, 15, 4h + 15min);
  story.at(4h + 15min);
  EXPECT_EQ(story.used(story.first), 60U);
  EXPECT_EQ(story.used(story.second), 40U);
  ASSERT_EQ(victims(story), (Jobs{story.x1.index}));
  EXPECT_EQ(story.preempted[0].cause, PreemptCause::reclaim);
  EXPECT_EQ(story.preempted[0].to, b2);
  const JobId e = story.comes(90, 15);
  EXPECT_TRUE(story.runs(e));
  EXPECT_EQ(victims(story), (Jobs{story.d.index, story.x1.index}));
  EXPECT_EQ(story.preempted[1].cause, PreemptCause::in_share);
  // When E is done D goes before X1, though X1 was preempted before.
  story.ends(e);
  story.at(9h + 30min);
  EXPECT_TRUE(story.runs(story.d));
  EXPECT_FALSE(story.runs(story.x1));
}

TEST(QuotaShares, ReservedSharesLendNothing) {
  TwoShares story{
      quota_rule(R"("override.sharing": "reserve", "override.in_share_preemption": false)")};
  story.at(0s);
  EXPECT_EQ(story.used(story.first), 60U);
  story.comes(90, 15);
  EXPECT_EQ(story.preempted.size(), 0U);
}

TEST(QuotaShares, ABorrowLimitIsAPercentageOfTheOwnQuota) {
  TwoShares tight{quota_rule(), 15, 15, 20};
  tight.at(0s);
  EXPECT_FALSE(tight.runs(tight.x1)) << "20 % of 60 are 12";
  TwoShares fits{quota_rule(), 12, 15, 20};
  fits.at(0s);
  EXPECT_EQ(fits.used(fits.first), 72U);
}

TEST(QuotaShares, LowerPrioritiesOfAFullShareMakeRoom) {
  const auto stopped_by = [](std::int32_t priority, std::uint32_t instances) {
    TwoShares story{quota_rule(), 100};
    story.at(0s);
    story.job(story.second, 1, 15, 1h);
    story.at(1h);
    story.comes(priority, instances);
    EXPECT_LE(story.used(story.first), 60U);
    return victims(story);
  };
  const TwoShares names;
  EXPECT_EQ(stopped_by(90, 15), (Jobs{names.d.index}));
  EXPECT_EQ(stopped_by(90, 30), (Jobs{names.c.index, names.d.index}));
  EXPECT_EQ(stopped_by(90, 20), (Jobs{names.c.index, names.d.index}));
  EXPECT_EQ(stopped_by(10, 15), Jobs{});
}

TEST(QuotaShares, NobodyIsPreemptedWhereTheShareHasRoom) {
  TwoShares story{quota_rule(), 1000, 1000};
  story.at(0s);
  EXPECT_TRUE(story.runs(story.comes(90, 15)));
  EXPECT_EQ(story.preempted.size(), 0U);
}

TEST(QuotaShares, WhoMayNotBePreemptedAgainIsGone) {
  TwoShares story;
  story.requeues = false;
  story.at(0s);
  const JobId b2 = story.job(story.second, 50, 15, 4h);
  story.at(4h);
  EXPECT_TRUE(story.runs(b2));
  story.ends(b2);
  story.at(5h);
  EXPECT_FALSE(story.runs(story.x1));
}

TEST(QuotaShares, ALoweredQuotaCostsOneVictimAtOnceOrWhenWanted) {
  TwoShares story;
  story.at(0s);
  story.at(1h, {QuotaChanged{story.first, kPool, 45}});
  ASSERT_EQ(victims(story), (Jobs{story.x1.index}));
  EXPECT_EQ(story.preempted[0].cause, PreemptCause::lowered_quota);
  EXPECT_EQ(story.preempted[0].to, story.x1);
  EXPECT_EQ(story.used(story.first), 60U) << "15 are borrowed of the other share";

  TwoShares patient{quota_rule(R"("lowered_quota": "when_wanted")")};
  patient.at(0s);
  patient.at(1h, {QuotaChanged{patient.first, kPool, 45}});
  EXPECT_EQ(victims(patient), Jobs{});
  patient.job(patient.second, 50, 15, 4h);
  patient.at(4h);
  EXPECT_EQ(victims(patient), (Jobs{patient.x1.index}));
}

// AWS's notebook: one machine each, which lends and borrows, lends, and reserves.
TEST(QuotaShares, AChangedPriorityPreemptsAndTheOwnerTakesBackWhatItLent) {
  ShareStory story{3, quota_rule()};
  const ShareId first = story.share(1, Sharing::lend_and_borrow, true, 200);
  const ShareId second = story.share(1, Sharing::lend);
  story.share(1, Sharing::reserve);
  const JobId high = story.job(first, 3, 1);
  const JobId med = story.job(first, 2, 1);
  const JobId low = story.job(first, 1, 1);
  story.at(0s);
  EXPECT_TRUE(story.runs(high) && story.runs(med) && !story.runs(low));
  const JobId owners = story.job(second, 1, 1, 10min);
  story.at(10min);
  EXPECT_TRUE(story.runs(owners) && story.runs(high) && !story.runs(med));
  story.jobs[low.index].description.priority = 4;
  story.at(20min, {PriorityChanged{low, 1, 4}});
  EXPECT_TRUE(story.runs(low) && !story.runs(high) && !story.runs(med));
}

TEST(QuotaShares, ABlockedBorrowerBlocksOthersOnlyIfTheModelSaysSo) {
  const auto used = [](const std::string& options) {
    ShareStory story{100, options};
    const ShareId first = story.share(40);
    const ShareId second = story.share(30);
    const ShareId third = story.share(30);
    story.job(first, 0, 40);
    story.job(second, 0, 70);
    for (int i = 0; i < 9; ++i) story.job(third, 0, 5);
    story.at(0s);
    return story.used(first) + story.used(second) + story.used(third);
  };
  EXPECT_EQ(used(quota_rule()), 85U);
  EXPECT_EQ(used(quota_rule(R"("blocked_borrower": "blocks_others")")), 70U);
}

TEST(QuotaShares, SparesWhoTurnsOutToBeSuperfluousAndWhoKeepsItsMachines) {
  ShareStory story{10, quota_rule()};
  const ShareId first = story.share(6);
  const ShareId second = story.share(4);
  story.job(first, 9, 3);
  story.job(first, 1, 1);
  const JobId six = story.job(first, 2, 6);
  story.at(0s);
  story.job(second, 0, 4, 5min);
  story.at(5min);
  EXPECT_EQ(victims(story), (Jobs{six.index}));

  ShareStory kept{10, quota_rule()};
  const ShareId borrows = kept.share(6);
  const ShareId owns = kept.share(4);
  const JobId old = kept.job(borrows, 9, 4);
  kept.job(borrows, 1, 6, 0s, true);
  kept.at(0s);
  const JobId owner = kept.job(owns, 0, 4, 5min);
  kept.at(5min);
  EXPECT_EQ(victims(kept), (Jobs{old.index}));
  EXPECT_TRUE(kept.runs(owner));
}

TEST(QuotaShares, WhatIsTakenAwayIsForNobodyElseWhileItsOwnerWaits) {
  TwoShares story;
  story.at(0s);
  story.drains = true;
  const JobId b2 = story.job(story.second, 50, 15, 4h);
  story.at(4h);
  EXPECT_FALSE(story.runs(b2)) << "its machines are not free yet";
  // Ten of the borrower's are as good as gone: what ends now leaves room for a small one.
  const JobId late = story.job(story.first, 99, 1, 4h + 1s);
  story.drains = false;
  story.at(4h + 1s);
  EXPECT_TRUE(story.runs(late)) << "it takes the place of D";
  std::vector<Fact> facts;
  story.gone(story.x1, facts);
  story.at(4h + 2min, facts);
  EXPECT_TRUE(story.runs(b2));
  EXPECT_EQ(victims(story), (Jobs{story.d.index, story.x1.index}));
}

TEST(QuotaShares, ARefusedPreemptionIsAskedForAgainLaterAndGivesNothingAway) {
  TwoShares story;
  story.at(0s);
  story.refuses = true;
  const JobId b2 = story.job(story.second, 50, 15, 4h);
  story.at(4h);
  // X1 cannot be had, so the next in order is asked for, until none is left.
  EXPECT_EQ(story.preempted.front().job, story.x1);
  EXPECT_FALSE(story.runs(b2));
  EXPECT_EQ(story.used(story.first), 75U);
  const std::size_t before = story.preempted.size();
  story.refuses = false;
  story.at(4h + 30s);
  EXPECT_EQ(story.preempted.size(), before);
  story.at(4h + 1min, {TimerFired{(std::uint64_t{1} << 33U) + story.x1.index}});
  EXPECT_TRUE(story.runs(b2));
  EXPECT_EQ(story.preempted.size(), before + 1);
  EXPECT_EQ(story.preempted.back().job, story.x1);
}

TEST(QuotaShares, VictimsGoByTheKeysInTheirOrder) {
  const auto victim = [](const std::string& keys) {
    ShareStory story{10, quota_rule(R"("victims": ")" + keys + '"')};
    const ShareId first = story.share(6);
    const ShareId second = story.share(4);
    story.job(first, 3, 5);
    story.at(0s);
    story.job(first, 1, 3, 1min);
    story.at(1min);
    story.job(first, 2, 2, 2min);
    story.at(2min);
    story.job(second, 0, 2, 5min);
    story.at(5min);
    return victims(story);
  };
  EXPECT_EQ(victim("borrowed,lowest_priority,latest_start"), (Jobs{1}));
  EXPECT_EQ(victim("latest_start"), (Jobs{2}));
  EXPECT_EQ(victim("earliest_start,lowest_priority"), (Jobs{0}));
  EXPECT_EQ(victim("most_instances"), (Jobs{0}));
  EXPECT_EQ(victim("borrowed"), (Jobs{2})) << "the smallest that is enough";
  for (const char* const wrong :
       {"", "borrowed,", "oldest", "latest_start,latest_start", "lowest_priority,borrowed"}) {
    const std::string options = quota_rule(R"("victims": ")" + std::string{wrong} + '"');
    EXPECT_EQ(check_rule("schedule", options).option, "victims") << wrong;
  }
}

TEST(QuotaShares, RepeatedAndLateNewsTakesNothingTwice) {
  TwoShares story;
  story.at(0s);
  story.job(story.second, 50, 15, 4h);
  story.at(4h);
  const std::size_t before = story.preempted.size();
  const Fact late = changed(story.x1, 9, Secondary::stopped, 1);
  story.at(4h + 1s, {late, late, changed(story.x1, 1, Secondary::training, 1)});
  EXPECT_EQ(story.preempted.size(), before);
  story.ends(story.a);
  story.at(5h);
  EXPECT_TRUE(story.runs(story.x1)) << "as attempt 2, within the quota";
  EXPECT_EQ(story.used(story.first), 60U);
}

}  // namespace quota_shares_test
}  // namespace reeve::policies
