#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace spot_fallback_test {

constexpr JobId kJob{3};
constexpr PoolId kOnDemand{1};

Fact interrupted(std::uint16_t times, AttemptNumber attempt = 1) {
  return JobChanged{kJob,
                    attempt,
                    static_cast<std::uint16_t>(10 * times),
                    Primary::in_progress,
                    Secondary::interrupted,
                    FailureClass::none,
                    times};
}

struct FallbackBench : RuleBench {
  explicit FallbackBench(const std::string& options = "{}") : RuleBench{"spot_fallback", options} {
    directory.pools[0].market = Market::spot;
    directory.pools.push_back({.name = "od", .size = 2});
  }
  /// The fourth interruption, and the stop that it brings.
  void leave_spot() {
    at(0s, {submitted(kJob)});
    ASSERT_EQ(at(1h, {interrupted(4)}).count<StopJob>(), 1U);
  }
  Wishes stopped_by_rule(Duration when) {
    fleet.grow(kJob).stopped_by = static_cast<std::uint8_t>(kOwnSeat.index + 1);
    return at(when, {changed(kJob, 90, Secondary::stopped)});
  }
};

TEST(SpotFallback, TheFourthInterruptionTriggersTheThirdDoesNot) {
  FallbackBench bench;
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1h, {interrupted(3)}).verbs.empty());
  const auto stop = bench.at(2h, {interrupted(4)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].cause, StopCause::rule_broken);
  EXPECT_TRUE(bench.at(2h, {interrupted(4)}).verbs.empty()) << "told twice";
}

TEST(SpotFallback, WhatItStoppedIsClonedOnDemandOnce) {
  FallbackBench bench;
  bench.leave_spot();
  const auto clone = bench.stopped_by_rule(1h).all<CloneJob>();
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].attempt, 2);
  EXPECT_EQ(clone[0].pool, kOnDemand);
  EXPECT_EQ(clone[0].from, ResumeFrom::last_checkpoint);
  EXPECT_TRUE(bench.stopped_by_rule(1h).verbs.empty());
}

TEST(SpotFallback, WhatSomebodyElseStoppedOrWhatCompletedIsNotCloned) {
  FallbackBench stopped;
  stopped.leave_spot();
  EXPECT_TRUE(stopped.at(2h, {changed(kJob, 90, Secondary::stopped)}).verbs.empty());
  FallbackBench completed;
  completed.leave_spot();
  EXPECT_TRUE(completed.at(2h, {changed(kJob, 90, Secondary::completed)}).verbs.empty());
}

TEST(SpotFallback, WithoutMachinesElsewhereTheJobStays) {
  FallbackBench bench{R"({"market": "reserved"})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1h, {interrupted(9)}).verbs.empty());
}

TEST(SpotFallback, WhereItDoesNotFitElsewhereTheJobStays) {
  for (const std::uint32_t instances : {2U, 3U}) {
    FallbackBench bench;
    JobDescription description;
    description.instances = instances;
    bench.at(0s, {submitted(kJob, 1, description)});
    EXPECT_EQ(bench.at(1h, {interrupted(4)}).count<StopJob>(), instances == 2 ? 1U : 0U);
  }
}

TEST(SpotFallback, WhatIsNotOnOfferElsewhereForTheMomentIsWaitedForThere) {
  FallbackBench bench;
  bench.at(0s, {submitted(kJob), CapacityChanged{kOnDemand, 0}});
  EXPECT_EQ(bench.at(1h, {interrupted(4)}).count<StopJob>(), 1U);
}

TEST(SpotFallback, AWarningThatExpiredIsAskedForAgain) {
  FallbackBench bench;
  bench.leave_spot();
  bench.at(2h, {refused_by(Refusal::seat_mode, kJob, VerbKind::stop_job)});
  EXPECT_TRUE(bench.at(2h, {settled(kJob, VerbKind::notify, Outcome::expired)}).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 1min).count<StopJob>(), 1U);
}

/// It is judged anew when it may be stopped: who trains again stays until the next interruption.
TEST(SpotFallback, WhatAGuardKeptBackIsJudgedAsThingsStandThen) {
  for (const bool is_back : {false, true}) {
    FallbackBench bench{R"({"interruptions_above": 65535, "rate_above": 0.9})"};
    bench.at(0s, {submitted(kJob)});
    bench.at(30min, {interrupted(1)});
    EXPECT_EQ(bench.at(1h, {interrupted(2)}).count<StopJob>(), 1U);
    bench.at(1h, {KillSwitchChanged{true}});
    bench.at(1h, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
    if (is_back) {
      bench.at(70min, {JobChanged{kJob, 1, 25, Primary::in_progress, Secondary::training,
                                  FailureClass::none, 2}});
    }
    const Wishes wishes = bench.at(80min, {KillSwitchChanged{false}});
    EXPECT_EQ(wishes.count<StopJob>(), is_back ? 0U : 1U);
    if (!is_back) continue;
    EXPECT_EQ(bench.at(2h, {interrupted(3)}).count<StopJob>(), 1U);
  }
}

TEST(SpotFallback, JobsOnDemandAreNoneOfItsBusiness) {
  FallbackBench bench;
  JobDescription description;
  description.pool = kOnDemand;
  bench.at(0s, {submitted(kJob, 1, description)});
  EXPECT_TRUE(bench.at(1h, {interrupted(9)}).verbs.empty());
}

TEST(SpotFallback, ACloneForWhichThereIsNoRoomIsAskedForLaterEachTime) {
  FallbackBench bench;
  bench.leave_spot();
  ASSERT_EQ(bench.stopped_by_rule(1h).count<CloneJob>(), 1U);
  const Fact full = refused_by(Refusal::no_room, kJob, VerbKind::clone_job, 2);
  EXPECT_TRUE(bench.at(2h, {full}).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 1min).count<CloneJob>(), 1U);
  EXPECT_TRUE(bench.at(3h, {full}).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 2min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(3h + 2min).count<CloneJob>(), 1U);
}

TEST(SpotFallback, AStopThatExpiredIsAskedForAgainAndACloneToo) {
  FallbackBench bench;
  bench.leave_spot();
  bench.at(2h, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_EQ(bench.tick(2h + 1min).count<StopJob>(), 1U);
  EXPECT_EQ(bench.stopped_by_rule(3h).count<CloneJob>(), 1U);
  bench.at(4h, {settled(kJob, VerbKind::clone_job, Outcome::expired, kOwnSeat, 2)});
  EXPECT_EQ(bench.tick(4h + 1min).count<CloneJob>(), 1U);
}

TEST(SpotFallback, ALossyCloneStartsFromScratch) {
  FallbackBench bench{R"({"clone_keeps_checkpoint": false})"};
  bench.leave_spot();
  const auto clone = bench.stopped_by_rule(1h).all<CloneJob>();
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].from, ResumeFrom::scratch);
}

// ---- how often, of one attempt -------------------------------------------------------------

constexpr const char* kRate =
    R"({"interruptions_above": 65535, "rate_above": 1, "rate_window": "3h"})";

TEST(SpotFallback, FourInterruptionsInTwoHoursAreTooManyAndFourInFourDaysAreNot) {
  FallbackBench fast{kRate};
  fast.at(0s, {submitted(kJob)});
  for (const std::uint16_t times : std::initializer_list<std::uint16_t>{1, 2, 3}) {
    EXPECT_TRUE(fast.at(times * 40min, {interrupted(times)}).verbs.empty()) << times;
  }
  EXPECT_EQ(fast.at(160min, {interrupted(4)}).count<StopJob>(), 1U) << "4 in 3 h are 1.33 an hour";
  FallbackBench slow{kRate};
  slow.at(0s, {submitted(kJob)});
  for (const std::uint16_t times : std::initializer_list<std::uint16_t>{1, 2, 3, 4, 5}) {
    EXPECT_TRUE(slow.at(times * 24h, {interrupted(times)}).verbs.empty()) << times;
  }
}

TEST(SpotFallback, InterruptionsOfTheAttemptBeforeAreNotOfThisRate) {
  FallbackBench bench{kRate};
  bench.at(0s, {submitted(kJob)});
  bench.at(1h, {interrupted(3)});
  bench.at(2h, {changed(kJob, 90, Secondary::stopped), submitted(kJob, 2)});
  EXPECT_TRUE(bench.at(2h + 1min, {interrupted(1, 2)}).verbs.empty());
}

// ---- how often, of all jobs of a type --------------------------------------------------------

constexpr const char* kPooled = R"({"pooled_above": 1.5})";

Fact status_of(JobId job, std::uint32_t revision, Secondary status, std::uint16_t interruptions) {
  return JobChanged{job,          1, revision, Primary::in_progress, status, FailureClass::none,
                    interruptions};
}

/// Three jobs hold a machine each for half an hour, lose it, and do so again ten minutes later.
Wishes twice_each(FallbackBench& bench) {
  std::vector<Fact> submissions, starts, losses;
  for (const std::uint32_t job : {0U, 1U, 2U}) submissions.push_back(submitted({job}));
  bench.at(0s, submissions);
  for (const std::uint16_t times : std::initializer_list<std::uint16_t>{0, 1}) {
    const Duration begin = times * 40min;
    starts.clear();
    losses.clear();
    for (const std::uint32_t job : {0U, 1U, 2U}) {
      const std::uint32_t revision = 10U * times + 1;
      starts.push_back(status_of({job}, revision, Secondary::training, times));
      losses.push_back(status_of({job}, revision + 1, Secondary::interrupted,
                                 static_cast<std::uint16_t>(times + 1)));
    }
    bench.at(begin, starts);
    if (times == 1) break;
    EXPECT_TRUE(bench.at(begin + 30min, losses).verbs.empty());
  }
  return bench.at(70min, losses);
}

TEST(SpotFallback, SixInterruptionsInThreeInstanceHoursOfThreeJobsAreTooMany) {
  FallbackBench bench{kPooled};
  EXPECT_EQ(twice_each(bench).count<StopJob>(), 3U);
}

TEST(SpotFallback, OverALimitThatIsJustReachedNobodyLeaves) {
  FallbackBench bench{R"({"pooled_above": 2.0})"};
  EXPECT_TRUE(twice_each(bench).verbs.empty());
}

TEST(SpotFallback, TooFewInstanceHoursSayNothing) {
  FallbackBench bench{R"({"pooled_above": 1.5, "pooled_min_hours": 3.1})"};
  EXPECT_TRUE(twice_each(bench).verbs.empty());
}

TEST(SpotFallback, WhoRunsOnIsLeftAloneWhenOthersAreInterrupted) {
  FallbackBench bench{R"({"pooled_above": 0.1, "pooled_min_hours": 0})"};
  bench.at(0s, {submitted({0}), submitted({1}), status_of({0}, 1, Secondary::training, 0),
                status_of({1}, 1, Secondary::training, 0)});
  const auto stops = bench.at(1h, {status_of({0}, 2, Secondary::interrupted, 1)}).all<StopJob>();
  ASSERT_EQ(stops.size(), 1U);
  EXPECT_EQ(stops[0].job, JobId{0});
}

TEST(SpotFallback, WhatIsOlderThanTheWindowIsForgotten) {
  FallbackBench bench{R"({"pooled_above": 0.4, "pooled_window": "2h", "pooled_min_hours": 1})"};
  bench.at(0s, {submitted(kJob), status_of(kJob, 1, Secondary::training, 0)});
  bench.at(10min, {status_of(kJob, 2, Secondary::interrupted, 1)});
  bench.at(20min, {status_of(kJob, 3, Secondary::training, 1)});
  // 1 in the 2 h before: 0.5 an hour.  The first one, of which there is none, would make it 1.0.
  EXPECT_EQ(bench.at(4h, {status_of(kJob, 4, Secondary::interrupted, 2)}).count<StopJob>(), 1U);
  FallbackBench calm{R"({"pooled_above": 0.5, "pooled_window": "2h", "pooled_min_hours": 1})"};
  calm.at(0s, {submitted(kJob), status_of(kJob, 1, Secondary::training, 0)});
  calm.at(10min, {status_of(kJob, 2, Secondary::interrupted, 1)});
  calm.at(20min, {status_of(kJob, 3, Secondary::training, 1)});
  EXPECT_TRUE(calm.at(4h, {status_of(kJob, 4, Secondary::interrupted, 2)}).verbs.empty());
}

// ---- what lasts ------------------------------------------------------------------------------

/// Two launches of 90 minutes: 5 of start-up, 85 of training, of which 60 last.
struct ProgressBench : FallbackBench {
  explicit ProgressBench(double limit)
      : FallbackBench{R"({"interruptions_above": 65535, "min_progress": )" + std::to_string(limit) +
                      "}"} {
    at(0s, {submitted(kJob)});
  }
  void launch(std::uint16_t nth, bool trains = true) {
    const Duration begin = nth * 100min;
    const std::uint32_t revision = 10U * nth + 1;
    EXPECT_TRUE(at(begin, {status_of(kJob, revision, Secondary::downloading, nth)}).verbs.empty());
    if (!trains) return;
    at(begin + 5min, {status_of(kJob, revision + 1, Secondary::training, nth)});
    for (const Duration trained : {1min, 85min}) {
      at(begin + 5min + trained, {TrainingReported{kJob, 1, nth * 60min + trained}});
    }
  }
  Wishes loses_it(std::uint16_t nth) {
    return at(nth * 100min + 90min, {status_of(kJob, 10U * nth + 5, Secondary::interrupted,
                                               static_cast<std::uint16_t>(nth + 1))});
  }
};

TEST(SpotFallback, SixtyUsefulMinutesOfNinetyAreEnoughForHalfAndNotForSevenTenths) {
  for (const double limit : {0.5, 0.66, 0.67, 0.7}) {
    ProgressBench bench{limit};
    bench.launch(0);
    EXPECT_TRUE(bench.loses_it(0).verbs.empty()) << "what it was worth is not known yet";
    bench.launch(1);
    EXPECT_EQ(bench.loses_it(1).count<StopJob>(), limit > 0.6667 ? 1U : 0U) << limit;
  }
}

TEST(SpotFallback, LaunchesThatNeverTrainMakeNothing) {
  ProgressBench bench{0.01};
  bench.launch(0, false);
  EXPECT_EQ(bench.loses_it(0).count<StopJob>(), 1U);
}

TEST(SpotFallback, AJobThatReportsNothingStays) {
  ProgressBench bench{1};
  for (const std::uint16_t nth : std::initializer_list<std::uint16_t>{0, 1, 2}) {
    bench.at(nth * 100min, {status_of(kJob, 10U * nth + 1, Secondary::training, nth)});
    EXPECT_TRUE(bench.loses_it(nth).verbs.empty());
  }
}

// ---- who waited in vain ----------------------------------------------------------------------

constexpr const char* kTimeouts = R"({"timeouts": 3})";

Fact timed_out(std::uint32_t job) {
  return changed({job}, 3, Secondary::max_wait_time_exceeded);
}

/// Jobs 0, 1 and 2 wait in vain until 2, 3 and 4 h.
void wait_in_vain(FallbackBench& bench) {
  for (const std::uint32_t job : {0U, 1U, 2U}) {
    bench.at(job * 1h, {submitted({job})});
  }
  for (const std::uint32_t job : {0U, 1U, 2U}) {
    EXPECT_TRUE(bench.at(2h + job * 1h, {timed_out(job), timed_out(job)}).verbs.empty());
  }
}

TEST(SpotFallback, AfterThreeTimeOutsInSixHoursTheNextJobDoesNotWaitForSpot) {
  FallbackBench bench{kTimeouts};
  wait_in_vain(bench);
  const auto places = bench.at(5h, {submitted(kJob)}).all<PlaceJob>();
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].pool, kOnDemand);
  const Wishes pending = bench.at(6h, {submitted({4}), changed({4}, 1, Secondary::pending)});
  ASSERT_EQ(pending.count<StopJob>(), 1U) << "lined up already";
  EXPECT_EQ(pending.all<StopJob>()[0].job, JobId{4});
}

TEST(SpotFallback, TwoTimeOutsInSixHoursAreTooFew) {
  FallbackBench bench{kTimeouts};
  wait_in_vain(bench);
  EXPECT_TRUE(bench.at(8h, {submitted(kJob)}).verbs.empty()) << "those at 3 and 4 h";
}

TEST(SpotFallback, WhoWaitsAlreadyOrHasMachinesStays) {
  FallbackBench bench{kTimeouts};
  bench.at(0s, {submitted({5})});
  wait_in_vain(bench);
  EXPECT_TRUE(bench.at(5h, {changed({5}, 1, Secondary::pending)}).verbs.empty());
  EXPECT_TRUE(bench.at(5h, {changed({6}, 1, Secondary::starting)}).verbs.empty());
}

TEST(SpotFallback, WhatWaitedInVainIsClonedOnlyIfAsked) {
  for (const bool asked : {false, true}) {
    FallbackBench bench{asked ? R"({"after_max_wait": true})" : "{}"};
    bench.at(0s, {submitted(kJob)});
    const auto clones = bench.at(2h, {timed_out(kJob.index)}).all<CloneJob>();
    ASSERT_EQ(clones.size(), asked ? 1U : 0U);
    EXPECT_TRUE(!asked || clones[0].pool == kOnDemand);
    EXPECT_TRUE(bench.at(2h, {timed_out(kJob.index)}).verbs.empty());
  }
}

}  // namespace spot_fallback_test
}  // namespace reeve::policies
