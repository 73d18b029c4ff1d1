// Backfilling by hand, and where the forecast turns out wrong.

#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies {
namespace backfill_test {

constexpr PoolId kPool{0};

JobDescription work(std::uint32_t instances, Duration expected = 1h) {
  JobDescription description;
  description.instances = instances;
  description.expected_work = expected;
  description.pool = kPool;
  return description;
}

using Jobs = std::vector<std::uint32_t>;

Jobs started(const Wishes& wishes) {
  Jobs jobs;
  for (const StartJob& start : wishes.all<StartJob>()) jobs.push_back(start.job.index);
  return jobs;
}

Fact over(std::uint32_t job) {
  return changed({job}, 9, Secondary::completed);
}

const char* const kEasy = R"({"backfill": "easy"})";
const char* const kConservative = R"({"backfill": "conservative"})";

// Eight machines, six of them until 4 h.  The first in line wants all eight then; who is over by
// then may pass, and the last would be too long.
TEST(Backfill, WhoIsOverWhenTheFirstCanStartPasses) {
  for (const char* const options : {kEasy, kConservative}) {
    RuleBench bench{"schedule", options};
    EXPECT_EQ(started(bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(6, 4h))})),
              (Jobs{0}));
    EXPECT_EQ(started(bench.at(1h, {submitted({1}, 1, work(8)), submitted({2}, 1, work(1, 3h + 1s)),
                                    submitted({3}, 1, work(1, 3h))})),
              (Jobs{3}));
    EXPECT_EQ(started(bench.at(4h, {over(0), over(3)})), (Jobs{1}));
  }
}

// At 4 h the first leaves one machine over: a long job may have it from now on.
TEST(Backfill, WhatTheFirstLeavesOverMayBeHadForLong) {
  RuleBench bench{"schedule", kEasy};
  bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(6, 4h))});
  EXPECT_EQ(started(bench.at(1h, {submitted({1}, 1, work(7)), submitted({2}, 1, work(1, 99h)),
                                  submitted({3}, 1, work(1, 99h))})),
            (Jobs{2}));
}

// The second in line has a promise only if everybody has: at 5 h, when the first is over.
TEST(Backfill, EasyDelaysTheSecondAndConservativeDoesNot) {
  for (const bool all : {false, true}) {
    RuleBench bench{"schedule", all ? kConservative : kEasy};
    bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(6, 4h))});
    const Wishes now = bench.at(1h, {submitted({1}, 1, work(7)), submitted({2}, 1, work(8)),
                                     submitted({3}, 1, work(1, 99h))});
    EXPECT_EQ(started(now), all ? Jobs{} : Jobs{3});
    EXPECT_EQ(started(bench.at(4h, {over(0)})), (Jobs{1}));
    EXPECT_EQ(started(bench.at(5h, {over(1)})), all ? Jobs{2} : Jobs{});
  }
}

// One machine until 100 s, and then for the second: whoever comes has what that leaves over, though
// it is shorter, or more urgent.
TEST(Backfill, WhoComesLaterDelaysNobodyWhoHasAPromise) {
  for (const char* const algorithm : {"fifo", "sjf", "priority"}) {
    RuleBench bench{"schedule", std::string{R"({"backfill": "conservative", "algorithm": ")"} +
                                    algorithm + R"("})"};
    bench.at(0s, {CapacityChanged{kPool, 1}, submitted({0}, 1, work(1, 100s))});
    bench.at(10s, {submitted({1}, 1, work(1, 100s))});
    JobDescription urgent = work(1, 50s);
    urgent.priority = 9;
    bench.at(20s, {submitted({2}, 1, urgent)});
    EXPECT_EQ(started(bench.at(100s, {over(0)})), (Jobs{1})) << algorithm;
    EXPECT_EQ(started(bench.at(200s, {over(1)})), (Jobs{2})) << algorithm;
  }
}

// The forecast has changed: all promises are made anew, in order.
TEST(Backfill, WhereTheForecastChangesTheOrderCountsAgain) {
  RuleBench bench{"schedule", R"({"backfill": "conservative", "algorithm": "sjf"})"};
  bench.at(0s, {CapacityChanged{kPool, 1}, submitted({0}, 1, work(1, 100s))});
  bench.at(10s, {submitted({1}, 1, work(1, 100s))});
  bench.at(20s, {submitted({2}, 1, work(1, 50s))});
  EXPECT_EQ(started(bench.at(99s, {over(0)})), (Jobs{2}));
}

TEST(Backfill, WhoEndsEarlyMovesAllPromises) {
  RuleBench bench{"schedule", kConservative};
  bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(8, 9h)),
                submitted({1}, 1, work(8, 1h)), submitted({2}, 1, work(8, 1h))});
  EXPECT_EQ(started(bench.at(2h, {over(0)})), (Jobs{1}));
  EXPECT_EQ(started(bench.at(2h + 30min, {over(1)})), (Jobs{2}));
}

// It may end at any moment: the first keeps its promise, and no job that delays it passes.
TEST(Backfill, WhoRunsLongerThanItSaidIsExpectedToEndAtOnce) {
  for (const char* const options : {kEasy, kConservative}) {
    RuleBench bench{"schedule", options};
    bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(6, 1h)),
                  submitted({1}, 1, work(8))});
    EXPECT_TRUE(bench.at(5h, {submitted({2}, 1, work(1, 1s))}).verbs.empty());
    EXPECT_EQ(started(bench.at(6h, {over(0)})), (Jobs{1}));
  }
}

TEST(Backfill, WhoIsLargerThanThePoolKeepsNothingFromOthersUntilThePoolGrows) {
  for (const char* const options : {kEasy, kConservative}) {
    RuleBench bench{"schedule", options};
    EXPECT_EQ(started(bench.at(0s, {CapacityChanged{kPool, 4}, submitted({0}, 1, work(5)),
                                    submitted({1}, 1, work(4))})),
              (Jobs{1}));
    EXPECT_EQ(started(bench.at(1h, {over(1), CapacityChanged{kPool, 5}})), (Jobs{0}));
  }
}

// Who was refused has no machines, and no promise either: the next may have them.
TEST(Backfill, OthersPassWhoseStartWasRefused) {
  for (const char* const options : {kEasy, kConservative}) {
    RuleBench bench{"schedule", options};
    EXPECT_EQ(started(bench.at(0s, {CapacityChanged{kPool, 4}, submitted({0}, 1, work(4, 9h)),
                                    submitted({1}, 1, work(4, 9h))})),
              (Jobs{0}));
    const Fact refused = settled({0}, VerbKind::start_job, Outcome::refused);
    EXPECT_EQ(started(bench.at(1s, {refused})), (Jobs{1}));
    EXPECT_TRUE(bench.tick(2min).verbs.empty());
    EXPECT_EQ(started(bench.at(3h, {over(1)})), (Jobs{0}));
  }
}

// Somebody started it by hand: what was promised before is not what will be.
TEST(Backfill, WhatOthersStartCounts) {
  for (const char* const options : {kEasy, kConservative}) {
    RuleBench bench{"schedule", options};
    bench.at(0s, {CapacityChanged{kPool, 8}, submitted({0}, 1, work(6, 4h)),
                  submitted({1}, 1, work(4, 1h))});
    EXPECT_TRUE(bench.at(1h, {changed({1}, 1, Secondary::starting), submitted({2}, 1, work(3))})
                    .verbs.empty());
    EXPECT_TRUE(bench.at(2h, {over(1)}).verbs.empty()) << "only two are free";
    EXPECT_EQ(started(bench.at(3h, {over(0)})), (Jobs{2}));
  }
}

}  // namespace backfill_test
}  // namespace reeve::policies
