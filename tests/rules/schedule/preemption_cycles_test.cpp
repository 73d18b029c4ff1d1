// Which preemptions close a cycle, and that no others protect anybody.
#include "policies/scheduling/shares/preemption_cycles.hpp"

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"
#include "tests/rules/schedule/share_story.hpp"

namespace reeve::policies {
namespace preemption_cycles_test {

constexpr JobId kA{0};
constexpr JobId kB{1};
constexpr JobId kC{2};

TEST(PreemptionCycles, AreClosedByWhoTakesBackThroughOthersToo) {
  PreemptionCycles cycles;
  const std::uint32_t round = cycles.begin_round();
  cycles.preempts(kB, kA, round);
  cycles.preempts(kC, kB, round);
  EXPECT_EQ(cycles.closed(kA, round), 0);
  EXPECT_EQ(cycles.closed(kB, round), 0);
  cycles.preempts(kA, kC, round);
  EXPECT_EQ(cycles.closed(kC, round), 1);
  cycles.preempts(kB, kA, round);
  cycles.preempts(kC, kB, round);
  cycles.preempts(kA, kC, round);
  EXPECT_EQ(cycles.closed(kA, round), 1);
  EXPECT_EQ(cycles.closed(kB, round), 1);
  EXPECT_EQ(cycles.closed(kC, round), 2);
}

TEST(PreemptionCycles, AreOfOneRound) {
  PreemptionCycles cycles;
  const std::uint32_t first = cycles.begin_round();
  cycles.preempts(kB, kA, first);
  cycles.preempts(kA, kB, first);
  EXPECT_EQ(cycles.closed(kB, first), 1);
  const std::uint32_t second = cycles.begin_round();
  EXPECT_FALSE(cycles.takes_part(kA, second));
  EXPECT_EQ(cycles.closed(kB, second), 0);
  cycles.preempts(kB, kA, second);
  EXPECT_EQ(cycles.closed(kA, second), 0);
  EXPECT_TRUE(cycles.takes_part(kA, second));
  EXPECT_FALSE(cycles.takes_part(kB, second));
}

TEST(PreemptionCycles, AreCountedUpToACentury) {
  PreemptionCycles cycles;
  const std::uint32_t round = cycles.begin_round();
  for (int time = 0; time < 200; ++time) {
    cycles.preempts(kB, kA, round);
    cycles.preempts(kA, kB, round);
  }
  EXPECT_EQ(cycles.closed(kA, round), 62);
  EXPECT_EQ(cycles.closed(kB, round), 62);
}

const std::vector<std::string> kRules{
    R"({"algorithm": "kueue", "within_cluster_queue": "lower_priority",
        "reclaim_within_cohort": "any"})",
    R"({"algorithm": "kueue_fair", "within_cluster_queue": "lower_priority",
        "reclaim_within_cohort": "any"})",
    R"({"algorithm": "kai"})"};

void set_priority(ShareStory& story, JobId job, std::int32_t priority, Duration now) {
  ShareStory::Known& known = story.jobs[job.index];
  known.description.priority = priority;
  story.at(now, {PriorityChanged{job, known.attempt, priority}});
}

/// Priorities change, now and then twice in a nanosecond.  The most urgent job always has the only
/// machine, at most 2 ns later.
TEST(NoCycle, StrictPrioritiesAreNeverDelayed) {
  for (const std::string& rule : kRules) {
    for (const std::uint32_t seed : tests::seeds(20)) {
      SeededNumbers number{seed};
      ShareStory story{1, rule};
      const ShareId share = story.share(1, Sharing::lend_and_borrow, true);
      std::vector<JobId> jobs;
      for (std::int32_t job = 0; job < 3; ++job) jobs.push_back(story.job(share, job, 1));
      Duration now = 0s;
      story.at(now);
      for (std::int32_t priority = 3; priority < 150; ++priority) {
        now += number(0, 9) == 0 ? Duration{1} : Duration{std::chrono::minutes{number(1, 600)}};
        story.at(now, story.bench.fired(now));
        const JobId next = jobs[static_cast<std::size_t>(number(0, 2))];
        set_priority(story, next, priority, now);
        for (int ns = 1; ns <= 2 && !story.runs(next); ++ns) {
          story.at(now + Duration{ns}, story.bench.fired(now + Duration{ns}));
        }
        ASSERT_TRUE(story.runs(next)) << rule << ", seed " << seed << ", change " << priority;
        now += Duration{2};
      }
    }
  }
}

/// The quota of the only machine goes from share to share.  Its job always has it at once.
TEST(NoCycle, OwnersAreNeverDelayed) {
  for (const std::string& rule : kRules) {
    for (const std::uint32_t seed : tests::seeds(20)) {
      SeededNumbers number{seed};
      ShareStory story{1, rule};
      std::vector<ShareId> shares;
      std::vector<JobId> jobs;
      for (std::uint32_t share = 0; share < 3; ++share) {
        shares.push_back(story.share(share == 0 ? 1 : 0));
        jobs.push_back(story.job(shares.back(), 0, 1));
      }
      Duration now = 0s;
      story.at(now);
      std::size_t owner = 0;
      for (int change = 0; change < 150; ++change) {
        now += std::chrono::minutes{number(1, 600)};
        story.at(now, story.bench.fired(now));
        const auto next = (owner + static_cast<std::size_t>(number(1, 2))) % 3;
        story.at(now,
                 {QuotaChanged{shares[owner], kPool, 0}, QuotaChanged{shares[next], kPool, 1}});
        owner = next;
        ASSERT_TRUE(story.runs(jobs[owner])) << rule << ", seed " << seed << ", change " << change;
      }
    }
  }
}

/// The cycle of the scenario `kueue-comes-to-rest`.
struct CycleOfThree : ShareStory {
  CycleOfThree() : ShareStory{7, kRules[1]} {
    const ShareId a = share(4);
    b = share(3);
    within = job(a, 0, 4);
    job(a, 4, 6);
    job(b, 0, 4);
    at(0s);
  }
  void until(Duration end) {
    while (const auto timer = bench.next_timer()) {
      if (*timer > end) break;
      at(*timer, bench.fired(*timer));
    }
  }
  ShareId b;
  JobId within;
};

/// Each is protected for twice as long each time, but not from others when one of them has ended.
TEST(Cycle, EndsWithOneOfItsJobs) {
  CycleOfThree story;
  story.until(10s);
  EXPECT_GT(story.preempted.size(), 60U);
  EXPECT_LT(story.preempted.size(), 120U);
  Duration now = 10s;
  while (!story.runs(story.within)) story.until(now += 1s);
  story.ends(story.within);
  story.at(now);
  EXPECT_EQ(story.used(story.b), 4U);
  const JobId urgent = story.job(story.b, 9, 4, now);
  story.at(now + 1ms, story.bench.fired(now + 1ms));
  EXPECT_TRUE(story.runs(urgent));
}

}  // namespace preemption_cycles_test
}  // namespace reeve::policies
