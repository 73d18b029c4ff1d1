// Kueue's fair sharing in small worlds that were worked out by hand, each after the section of
// KEP-1714 that states the rule.
#include "tests/rules/schedule/share_story.hpp"

namespace reeve::policies {
namespace kueue_fair_test {

std::string fair_rule(const std::string& more = "") {
  return R"({"algorithm": "kueue_fair")" + (more.empty() ? "" : ", " + more) + "}";
}
const std::string reclaims = R"("reclaim_within_cohort": "any")";
constexpr auto final_share = R"(["less_than_or_equal_to_final_share"])";
constexpr auto initial_share = R"(["less_than_initial_share"])";
constexpr auto both = R"(["less_than_or_equal_to_final_share", "less_than_initial_share"])";

std::string by(const std::string& strategies) {
  return fair_rule(reclaims + R"(, "preemption_strategies": )" + strategies);
}

// "During admission, prioritize ... the lowest share value": a has borrowed 3 and wants 2 more, b
// wants 2 more than its own: 5 of 6 that are lent, or 2.
TEST(KueueFair, WhoIsToBorrowLeastGoesFirstWhateverThePriorities) {
  const auto runs_first = [](const std::string& rule) {
    ShareStory story{10, rule};
    const ShareId a = story.share(2);
    const ShareId b = story.share(2);
    story.share(6);
    story.job(a, 0, 5);
    story.at(0s);
    const JobId urgent = story.job(a, 9, 2, 1min);
    const JobId fair = story.job(b, 0, 4, 1min);
    story.at(1min);
    EXPECT_NE(story.runs(urgent), story.runs(fair));
    return story.runs(fair);
  };
  EXPECT_TRUE(runs_first(fair_rule()));
  EXPECT_FALSE(runs_first(R"({"algorithm": "kueue"})"));
}

// "Divided by the weight": ours multiplies, so a lower one gets more.  Each cycle serves both; then
// who has less for its weight takes from the other.
TEST(KueueFair, HalfTheWeightBorrowsTwiceAsMuch) {
  ShareStory story{12, by(both)};
  const ShareId a = story.share(0);
  story.bench.directory.shares.back().weight = weight_one / 2;
  const ShareId b = story.share(0);
  story.share(12);
  for (int i = 0; i < 12; ++i) story.job(a, 0, 1);
  for (int i = 0; i < 12; ++i) story.job(b, 0, 1);
  story.at(0s);
  EXPECT_EQ(story.used(a), 6U);
  story.at(1min, story.bench.fired(1min));
  EXPECT_EQ(story.used(a), 8U);
  EXPECT_EQ(story.used(b), 4U);
}

/// One share has borrowed all six in jobs of a size; another wants some.
struct Borrowed : ShareStory {
  Borrowed(const std::string& rule, std::uint32_t size) : ShareStory{6, rule} {
    a = share(0);
    b = share(0);
    share(6);
    for (std::uint32_t left = 6; left > 0; left -= size) job(a, 0, size);
    at(0s);
    EXPECT_EQ(used(a), 6U);
  }
  ShareId a, b;
};

// S2-a: with three each, a fourth of b's would leave a with less than b.
TEST(KueueFair, PreemptsUntilBothHaveTheSame) {
  for (const auto* const strategies : {final_share, initial_share, both}) {
    Borrowed story{by(strategies), 1};
    for (int i = 0; i < 6; ++i) story.job(story.b, 0, 1, 1h);
    story.at(1h);
    EXPECT_EQ(story.used(story.a), 3U) << strategies;
    EXPECT_EQ(story.used(story.b), 3U) << strategies;
    story.at(2h);
    EXPECT_EQ(story.preempted.size(), 3U) << strategies << ": no share takes them back";
  }
}

// S2-b: "prevents huge workloads from taking the whole unused capacity".
TEST(KueueFair, OneThatHasAllOfItGoesForASmallerOneByTheSecondStrategyOnly) {
  const auto taken = [](const std::string& strategies) {
    Borrowed story{by(strategies), 6};
    story.job(story.b, 0, 2, 1h);
    story.at(1h);
    story.at(2h);
    return story.preempted.size();
  };
  EXPECT_EQ(taken(final_share), 0U);
  EXPECT_EQ(taken(initial_share), 1U);
  EXPECT_EQ(taken(both), 1U);
}

// S2-b is strict: who is to have as much as the other has preempts no job.
TEST(KueueFair, WhoIsToHaveAsMuchPreemptsNobody) {
  Borrowed story{by(both), 6};
  story.job(story.b, 9, 6, 1h);
  story.at(1h);
  EXPECT_EQ(victims(story), Jobs{});
}

// LessThanOrEqualToFinalShare "might favor preemption of smaller workloads in the target
// ClusterQueue, regardless of priority": b's 2 count twice, 4 of 6; without the large one a has 2.
TEST(KueueFair, TheFirstStrategyTakesTheSmallOneThoughItsPriorityIsHigher) {
  const auto taken = [](const std::string& strategies) {
    ShareStory story{6, by(strategies)};
    const ShareId a = story.share(0);
    const ShareId b = story.share(0);
    story.bench.directory.shares.back().weight = 2 * weight_one;
    story.share(6);
    story.job(a, 0, 4);
    story.job(a, 1, 2);
    story.at(0s);
    story.job(b, 0, 2, 1h);
    story.at(1h);
    return victims(story);
  };
  EXPECT_EQ(taken(final_share), Jobs{1});
  EXPECT_EQ(taken(initial_share), Jobs{0});
}

// S1: who is within its quota takes from borrowers, the biggest offender first.
TEST(KueueFair, AnOwnerTakesFromWhoBorrowsMost) {
  ShareStory story{8, by(both)};
  const ShareId a = story.share(0);
  const ShareId b = story.share(0);
  const ShareId owner = story.share(8);
  for (int i = 0; i < 5; ++i) story.job(a, 9, 1);
  for (int i = 0; i < 3; ++i) story.job(b, 0, 1);
  story.at(0s);
  const JobId own = story.job(owner, 0, 2, 1h);
  story.at(1h);
  EXPECT_TRUE(story.runs(own));
  EXPECT_EQ(story.used(a), 3U);
  EXPECT_EQ(story.used(b), 3U);
}

// Among equals the page's order of candidates: the lowest priority, who was admitted last.
TEST(KueueFair, OfSharesThatBorrowTheSameTheLowestPriorityGoes) {
  ShareStory story{4, by(both)};
  const ShareId a = story.share(0);
  const ShareId b = story.share(0);
  const ShareId owner = story.share(4);
  for (int i = 0; i < 2; ++i) story.job(a, 5, 1);
  for (int i = 0; i < 2; ++i) story.job(b, 4 - i, 1);
  story.at(0s);
  story.job(owner, 0, 1, 1h);
  story.at(1h);
  EXPECT_EQ(victims(story), Jobs{3});
}

// "The maximum among the values for each resource": here pools.
TEST(KueueFair, WhatAShareBorrowsElsewhereCounts) {
  ShareStory story{2, fair_rule()};
  const PoolId other{1};
  story.bench.directory.pools.push_back({.name = "other"});
  const ShareId a = story.share(0);
  const ShareId b = story.share(0);
  const ShareId lends = story.share(2);
  story.later.push_back(CapacityChanged{other, 10});
  story.later.push_back(QuotaChanged{lends, other, 10});
  story.job(a, 0, 9, 0s, false, other);
  story.at(0s);
  EXPECT_EQ(story.used(a), 9U);
  const JobId more = story.job(a, 9, 2, 1min);
  const JobId fair = story.job(b, 0, 1, 1min);
  story.at(1min);
  EXPECT_TRUE(story.runs(fair)) << "half of what is lent here, against nine tenths there";
  EXPECT_FALSE(story.runs(more));
}

TEST(KueueFair, StrategiesAreTheListsThatKueueKnows) {
  EXPECT_EQ(check_rule("schedule", by(both)).option, "");
  for (const auto* const wrong :
       {"[]", R"(["less_than_initial_share", "less_than_or_equal_to_final_share"])",
        R"(["less_than_initial_share", "less_than_initial_share"])"}) {
    EXPECT_EQ(check_rule("schedule", by(wrong)).option, "preemption_strategies") << wrong;
  }
}

}  // namespace kueue_fair_test
}  // namespace reeve::policies
