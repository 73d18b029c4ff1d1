// The oracle's orders against examples that were worked out by hand.
#include "tests/rules/schedule/oracles/queue_oracle.hpp"

#include <gtest/gtest.h>

#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/backfill.hpp"
#include "tests/rules/schedule/oracles/dominant_share.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"
#include "tests/rules/schedule/oracles/least_attained.hpp"

namespace reeve::tests::oracle {
namespace queue_oracle_test {

using Spans = std::vector<Course::Span>;

/// In minutes.
constexpr Tick hour = 60;

Job gang(std::int64_t machines, Tick work, Tick submit = 0) {
  Job job;
  job.submit = submit;
  job.work = work;
  job.needs = {machines};
  return job;
}

std::vector<Tick> starts(const std::vector<Course>& courses) {
  std::vector<Tick> out;
  for (const Course& course : courses) out.push_back(course.first_start());
  return out;
}
Tick makespan(const std::vector<Course>& courses) {
  Tick last = 0;
  for (const Course& course : courses) last = std::max(last, course.done);
  return last;
}

/// The file `head-of-line`: a large job behind another, and nine small ones behind it.
std::vector<Job> head_of_line() {
  std::vector<Job> jobs{gang(40, 10 * hour), gang(70, 5 * hour)};
  jobs.insert(jobs.end(), 9, gang(5, 10 * hour));
  return jobs;
}

TEST(QueueOracle, FirstInFirstOutLetsTheHeadBlockTheLine) {
  InOrder order{by_submission(), Behind::waits};
  const auto courses = schedule(head_of_line(), {100}, order);
  const Tick late = 15 * hour;
  const Tick ten = 10 * hour;
  EXPECT_EQ(starts(courses),
            (std::vector<Tick>{0, ten, ten, ten, ten, ten, ten, ten, late, late, late}));
  EXPECT_EQ(makespan(courses), 25 * hour);
}

TEST(QueueOracle, FirstInFirstOutMakesTheReturningOwnerWait) {
  // The story of two shares without shares (F94): A to D, X1, B1; then B2 and E.
  std::vector<Job> jobs(5, gang(15, 10 * hour));
  jobs.push_back(gang(25, 12 * hour));
  jobs.push_back(gang(15, 6 * hour, 4 * hour + 15));
  jobs.push_back(gang(15, 3 * hour, 6 * hour + 30));
  InOrder order{by_submission(), Behind::waits};
  const auto courses = schedule(jobs, {100}, order);
  EXPECT_EQ(courses[6].first_start() - jobs[6].submit, 5 * hour + 45);
  EXPECT_EQ(courses[7].first_start() - jobs[7].submit, 3 * hour + 30);
}

TEST(QueueOracle, WhoFitsMayPassTheHead) {
  InOrder order{by_submission(), Behind::may_pass};
  const auto courses = schedule(head_of_line(), {100}, order);
  EXPECT_EQ(courses[1].first_start(), 10 * hour);
  EXPECT_EQ(courses[10].first_start(), 0);
  EXPECT_EQ(makespan(courses), 15 * hour);
}

TEST(QueueOracle, ShortestFirstBlocksOrIsPassed) {
  // All wait until 10: the one of 3, the large one of 5, the one of 8.
  const std::vector<Job> jobs{gang(4, 10), gang(4, 5, 1), gang(1, 8, 1), gang(1, 3, 1)};
  InOrder strict{by_estimate(), Behind::waits};
  EXPECT_EQ(starts(schedule(jobs, {4}, strict)), (std::vector<Tick>{0, 13, 18, 10}));
  InOrder any_fit{by_estimate(), Behind::may_pass};
  EXPECT_EQ(starts(schedule(jobs, {4}, any_fit)), (std::vector<Tick>{0, 18, 10, 10}));
}

TEST(QueueOracle, ShortestFirstBelievesTheEstimate) {
  std::vector<Job> jobs{gang(1, 10), gang(1, 2, 1), gang(1, 5, 1)};
  jobs[1].estimate = 6;
  InOrder order{by_estimate(), Behind::waits};
  EXPECT_EQ(starts(schedule(jobs, {1}, order)), (std::vector<Tick>{0, 15, 10}));
}

TEST(QueueOracle, LargerPrioritiesRunFirst) {
  // F97: with priorities 5, 3, 1 for low, mid and high, low runs first.
  std::vector<Job> jobs(3, gang(1, 10));
  jobs[0].priority = 1;
  jobs[1].priority = 3;
  jobs[2].priority = 5;
  InOrder order{by_priority(), Behind::waits};
  EXPECT_EQ(starts(schedule(jobs, {1}, order)), (std::vector<Tick>{20, 10, 0}));
}

TEST(QueueOracle, ShortestRemainingFirstPreempts) {
  const std::vector<Job> jobs{gang(1, 10), gang(1, 3, 2), gang(1, 8, 4)};
  Preempting order{by_remaining()};
  const auto courses = schedule(jobs, {1}, order);
  EXPECT_EQ(courses[0].held, (Spans{{0, 2}, {5, 13}})) << "8 are left, and it came first";
  EXPECT_EQ(courses[1].held, (Spans{{2, 5}}));
  EXPECT_EQ(courses[2].held, (Spans{{13, 21}}));
}

TEST(QueueOracle, APreemptedJobGoesOnFromItsLastCheckpoint) {
  std::vector<Job> jobs{gang(1, 10), gang(1, 2, 5)};
  jobs[0].checkpoint_every = 3;
  Preempting order{by_remaining()};
  const auto courses = schedule(jobs, {1}, order);
  EXPECT_EQ(courses[0].held, (Spans{{0, 5}, {7, 14}}));
  EXPECT_EQ(courses[0].lost, 2);
  jobs[0].max_preemptions = 0;
  Preempting again{by_remaining()};
  const auto ended = schedule(jobs, {1}, again);
  EXPECT_EQ(ended[0].held, (Spans{{0, 5}}));
  EXPECT_EQ(ended[0].done, never);
  EXPECT_EQ(ended[0].lost, 5);
}

TEST(QueueOracle, EasyBackfillKeepsThePromiseOfTheHead) {
  Backfill order{Promised::first};
  const auto courses = schedule(head_of_line(), {100}, order);
  EXPECT_EQ(courses[1].first_start(), 10 * hour);
  EXPECT_EQ(courses[10].first_start(), 0) << "all of them are over when the head starts";
}

TEST(QueueOracle, ConservativeBackfillKeepsThePromiseOfAll) {
  // Six of ten are taken until 10.  The second waits for 10, the third would start at 20: the last
  // fits beside the second, but not beside the third.
  const std::vector<Job> jobs{gang(6, 10), gang(8, 10), gang(9, 5), gang(2, 30)};
  Backfill easy{Promised::first};
  EXPECT_EQ(starts(schedule(jobs, {10}, easy)), (std::vector<Tick>{0, 10, 30, 0}));
  Backfill conservative{Promised::all};
  EXPECT_EQ(starts(schedule(jobs, {10}, conservative)), (std::vector<Tick>{0, 10, 20, 25}));
}

TEST(QueueOracle, BackfillPromisesAnewWhenAJobEndsEarly) {
  std::vector<Job> jobs{gang(6, 10), gang(8, 10), gang(4, 11)};
  jobs[0].estimate = 20;
  // The head is promised 20; the last would end at 11, so it starts at once and the head, which
  // could have gone at 10, waits for it.
  Backfill order{Promised::first};
  EXPECT_EQ(starts(schedule(jobs, {10}, order)), (std::vector<Tick>{0, 11, 0}));
}

TEST(QueueOracle, LeastAttainedServiceStopsWhoHadMore) {
  const std::vector<Job> jobs{gang(1, 30), gang(1, 5, 12)};
  LeastAttained order{{10}};
  const auto courses = schedule(jobs, {1}, order);
  EXPECT_EQ(courses[0].held, (Spans{{0, 12}, {17, 35}}))
      << "fell at 10, and no other job was there";
  EXPECT_EQ(courses[1].held, (Spans{{12, 17}}));
}

TEST(QueueOracle, AttainedServiceCountsMachines) {
  // Four machines attain 10 in the third minute; one would need ten.
  const std::vector<Job> jobs{gang(4, 10), gang(4, 1, 1), gang(4, 1, 2)};
  LeastAttained order{{10}};
  const auto courses = schedule(jobs, {4}, order);
  EXPECT_EQ(courses[0].held, (Spans{{0, 3}, {5, 12}}));
  EXPECT_EQ(courses[1].held, (Spans{{3, 4}}));
  EXPECT_EQ(courses[2].held, (Spans{{4, 5}}));
}

TEST(QueueOracle, WhoWaitedAsLongAsItRanBeginsAnew) {
  const std::vector<Job> jobs{gang(1, 20), gang(1, 9, 10), gang(1, 9, 19)};
  LeastAttained starving{{10}};
  EXPECT_EQ(schedule(jobs, {1}, starving)[0].held, (Spans{{0, 10}, {28, 38}}));
  LeastAttained promoting{{10}, 1};
  const auto courses = schedule(jobs, {1}, promoting);
  EXPECT_EQ(courses[0].held, (Spans{{0, 10}, {20, 30}}));
  EXPECT_EQ(courses[2].held, (Spans{{19, 20}, {30, 38}}));
}

TEST(QueueOracle, DominantSharesAreTheExampleOfThePaper) {
  // 9 processors and 18 GB; tasks of <1, 4> and of <3, 1>: three of the first share, two of the
  // other.
  std::vector<Job> jobs;
  for (std::size_t task = 0; task < 10; ++task) {
    Job job;
    job.work = 100;
    job.share = task % 2;
    job.needs = job.share == 0 ? Amounts{1, 4} : Amounts{3, 1};
    jobs.push_back(job);
  }
  for (const Behind behind : {Behind::waits, Behind::may_pass}) {
    DominantShare order{{}, behind};
    std::array<int, 2> started{};
    const auto courses = schedule(jobs, {9, 18}, order);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (courses[job].first_start() == 0) ++started[jobs[job].share];
    }
    EXPECT_EQ(started, (std::array<int, 2>{3, 2}));
  }
}

TEST(QueueOracle, WeightedMaxMinSplitsASaturatedPoolByWeight) {
  // F95: 15 : 5 : 3 of 23 machines.
  std::vector<Job> jobs(90, gang(1, 100));
  for (std::size_t job = 0; job < jobs.size(); ++job) jobs[job].share = job / 30;
  DominantShare order{{{0, 15}, {1, 5}, {2, 3}}};
  std::array<int, 3> started{};
  const auto courses = schedule(jobs, {23}, order);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (courses[job].first_start() == 0) ++started[jobs[job].share];
  }
  EXPECT_EQ(started, (std::array<int, 3>{15, 5, 3}));
}

TEST(QueueOracle, WhatIsLargerThanThePoolNeverLinesUp) {
  InOrder order{by_submission(), Behind::waits};
  const auto courses = schedule({gang(5, 1), gang(4, 1)}, {4}, order);
  EXPECT_EQ(starts(courses), (std::vector<Tick>{never, 0}));
}

/// Gangs whose estimates are exact.
class RandomGangs : private DrawnText {
 public:
  explicit RandomGangs(std::uint64_t seed) : DrawnText{seed, 14} {
    from_the_start();
    machines = number(2, 16);
    const std::uint64_t count = between(2, 50);
    for (std::uint64_t job = 0; job < count; ++job) {
      const std::int64_t size = chance(0.6) ? number(1, 2) : number(1, machines);
      const Tick work = number(1, 40);
      jobs.push_back(gang(size, work, number(0, 150)));
    }
  }

  std::vector<Job> jobs;
  std::int64_t machines = 0;

 private:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return static_cast<std::int64_t>(
        between(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)));
  }
};

class QueueOracleInRandomWorlds : public EachSeed {};

TEST_F(QueueOracleInRandomWorlds, ConservativeBackfillMakesNobodyStartLater) {
  std::size_t earlier = 0;
  each_seed([&](std::uint64_t seed) {
    const RandomGangs world{seed};
    InOrder in_order{by_submission(), Behind::waits};
    Backfill backfill{Promised::all};
    const auto without = starts(schedule(world.jobs, {world.machines}, in_order));
    const auto with = starts(schedule(world.jobs, {world.machines}, backfill));
    for (std::size_t job = 0; job < with.size(); ++job) {
      EXPECT_LE(with[job], without[job]) << "job " << job;
      earlier += with[job] < without[job] ? 1u : 0u;
    }
  });
  EXPECT_GT(earlier, 0u);
}

TEST_F(QueueOracleInRandomWorlds, PreemptionLosesNoWork) {
  std::size_t preempted = 0;
  each_seed([&](std::uint64_t seed) {
    const RandomGangs world{seed};
    Preempting shortest{by_remaining()};
    LeastAttained least{{20, 60}, 2};
    for (Order* const order : {static_cast<Order*>(&shortest), static_cast<Order*>(&least)}) {
      const auto courses = schedule(world.jobs, {world.machines}, *order);
      for (std::size_t job = 0; job < courses.size(); ++job) {
        Tick held = 0;
        for (const Course::Span& span : courses[job].held) held += span.until - span.from;
        EXPECT_EQ(held, world.jobs[job].work) << "job " << job;
        preempted += courses[job].preemptions();
      }
    }
  });
  EXPECT_GT(preempted, 0u);
}

}  // namespace queue_oracle_test
}  // namespace reeve::tests::oracle
