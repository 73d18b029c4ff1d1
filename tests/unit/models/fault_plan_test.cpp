// Trouble: who meets which fault, in which order, drawn by address.
#include "models/fault_plan.hpp"

#include <gtest/gtest.h>

namespace reeve::models {
namespace fault_plan_test {

using namespace std::chrono_literals;

DurationLaw exponential(Duration mean) {
  return {.shape = Shape::exponential, .scale = mean, .parameter = 0, .high = 0h};
}

DrawnFault drawn(FaultKind kind, double probability, Duration mean) {
  DrawnFault fault;
  fault.kind = kind;
  fault.probability = probability;
  fault.after = exponential(mean);
  return fault;
}

Fault fixed(FaultKind kind, Duration at, policy::AttemptNumber attempt = 1) {
  Fault fault;
  fault.kind = kind;
  fault.at = at;
  fault.attempt = attempt;
  return fault;
}

std::vector<Duration> times(const std::vector<Fault>& plan) {
  std::vector<Duration> at;
  for (const Fault& fault : plan) at.push_back(fault.at);
  return at;
}

TEST(FaultPlan, AFaultRecoversOnRestartUnlessItSaysOtherwise) {
  World world;
  JobProfile profile;
  profile.faults = {fixed(FaultKind::stall, 1h), fixed(FaultKind::stall, 2h, 2),
                    fixed(FaultKind::failure, 3h, 2)};
  profile.faults[2].recovers_on_restart = false;
  EXPECT_EQ(times(fault_plan(world, 0, {0}, profile, {1})), std::vector<Duration>({1h}));
  EXPECT_EQ(times(fault_plan(world, 0, {0}, profile, {2})), std::vector<Duration>({2h, 3h}));
  EXPECT_EQ(times(fault_plan(world, 0, {0}, profile, {3})), std::vector<Duration>({3h}));
}

// Half of the attempts fail, however short they are, and each of these before its work is done.
TEST(FaultPlan, AShareOfAttemptsFailsWithinThem) {
  World world;
  JobProfile profile;
  DrawnFault bug = drawn(FaultKind::failure, 0.5, 1h);
  bug.after = {Shape::weibull, 6h, 0.5, 0h};
  bug.within_attempt = true;
  profile.drawn_faults = {bug};
  for (const Duration trains : {Duration{1min}, Duration{1h}, Duration{48h}}) {
    int fail = 0;
    for (std::uint32_t job = 0; job < 4000; ++job) {
      for (const Fault& fault : fault_plan(world, 0, {job}, profile, {1, trains})) {
        EXPECT_LT(fault.at, trains);
        ++fail;
      }
    }
    EXPECT_NEAR(fail, 2000, 150);
  }
}

TEST(FaultPlan, IsOrderedByTimeAndEqualTimesKeepTheOrderOfTheFile) {
  World world;
  JobProfile profile;
  profile.faults = {fixed(FaultKind::stall, 2h), fixed(FaultKind::metrics_lost, 1h),
                    fixed(FaultKind::failure, 1h)};
  DrawnFault at_one = drawn(FaultKind::interruption, 1, 1h);
  at_one.after = {.shape = Shape::fixed, .scale = 1h, .parameter = 0, .high = 0h};
  profile.drawn_faults = {at_one};
  const auto plan = fault_plan(world, 0, {0}, profile, {1});
  ASSERT_EQ(plan.size(), 4u);
  EXPECT_EQ(plan[0].kind, FaultKind::metrics_lost);
  EXPECT_EQ(plan[1].kind, FaultKind::failure);
  EXPECT_EQ(plan[2].kind, FaultKind::interruption);
  EXPECT_EQ(plan[3].kind, FaultKind::stall);
}

TEST(FaultPlan, TroubleOfAnotherJobOrAFurtherFaultChangesNoDraw) {
  World world;
  JobProfile few;
  few.drawn_faults = {drawn(FaultKind::stall, 0.5, 4h)};
  JobProfile more = few;
  more.drawn_faults.push_back(drawn(FaultKind::failure, 1, 9h));
  std::size_t met = 0;
  for (std::uint32_t job = 0; job < 200; ++job) {
    const auto alone = fault_plan(world, 0, {job}, few, {1});
    (void)fault_plan(world, 0, {job + 1}, more, {1});
    EXPECT_EQ(times(alone), times(fault_plan(world, 0, {job}, few, {1})));
    std::vector<Fault> stalls;
    for (const Fault& fault : fault_plan(world, 0, {job}, more, {1})) {
      if (fault.kind == FaultKind::stall) stalls.push_back(fault);
    }
    EXPECT_EQ(times(alone), times(stalls));
    met += alone.size();
  }
  EXPECT_NEAR(static_cast<double>(met), 100, 30) << "half of the jobs meet it";
}

TEST(FaultPlan, AttemptsAndReplicationsAndSeedsDrawAnewUnlessItRepeats) {
  World world;
  World other = world;
  other.seed = 2;
  JobProfile profile;
  profile.drawn_faults = {drawn(FaultKind::stall, 1, 4h)};
  const auto first = times(fault_plan(world, 0, {0}, profile, {1}));
  EXPECT_NE(first, times(fault_plan(world, 0, {0}, profile, {2})));
  EXPECT_NE(first, times(fault_plan(world, 1, {0}, profile, {1})));
  EXPECT_NE(first, times(fault_plan(other, 0, {0}, profile, {1})));
  EXPECT_NE(first, times(fault_plan(world, 0, {1}, profile, {1})));
  profile.drawn_faults[0].repeats = true;
  EXPECT_EQ(first, times(fault_plan(world, 0, {0}, profile, {7})));
}

TEST(FaultPlan, ClassesOfFailureComeInProportionToTheirWeights) {
  World world;
  JobProfile profile;
  profile.drawn_faults = {drawn(FaultKind::failure, 1, 4h)};
  profile.drawn_faults[0].classes = {{policy::FailureClass::code, 3},
                                     {policy::FailureClass::infrastructure, 0},
                                     {policy::FailureClass::out_of_memory, 1}};
  int code = 0;
  for (std::uint32_t job = 0; job < 1000; ++job) {
    const auto failure = fault_plan(world, 0, {job}, profile, {1}).at(0).failure;
    ASSERT_NE(failure, policy::FailureClass::infrastructure);
    if (failure == policy::FailureClass::code) ++code;
  }
  EXPECT_NEAR(code, 750, 60);
}

TEST(DrawDuration, IsNeverNegativeGrowsWithItsLuckAndIsCutOff) {
  for (const Shape shape : {Shape::fixed, Shape::uniform, Shape::exponential, Shape::lognormal,
                            Shape::weibull, Shape::pareto}) {
    DurationLaw law{.shape = shape, .scale = 1h, .parameter = 1.5, .high = 3h};
    Duration before{0};
    for (const double uniform : {1e-9, 0.2, 0.5, 0.9, 0.999999, 1.0}) {
      const Duration value = draw(law, uniform);
      EXPECT_GE(value, before);
      EXPECT_LE(value, 3h);
      before = value;
    }
  }
}

/// A stall that no restart mends after half an hour, and many others a day later.
FaultCursor one_that_stays() {
  std::vector<Fault> plan{fixed(FaultKind::stall, 30min)};
  plan.front().recovers_on_restart = false;
  plan.resize(501, fixed(FaultKind::stall, 24h));
  return FaultCursor{std::move(plan)};
}

TEST(FaultCursor, NoRestartMakesThePlanLonger) {
  FaultCursor faults = one_that_stays();
  policy::Instant now{};
  for (int run = 0; run < 2'000; ++run, now += 31min) {
    faults.train(now, run % 2 == 1);
    if (now > policy::Instant{} + 23h) continue;
    ASSERT_EQ(faults.next_at(), now + 30min);
    ASSERT_EQ(faults.meet(), 0u);
  }
  EXPECT_EQ(faults.add(fixed(FaultKind::node_lost, 0s)), 501u);
}

TEST(FaultCursor, WhatWasMetComesAgainBesideWhatIsToCome) {
  FaultCursor faults = one_that_stays();
  const policy::Instant start{};
  faults.train(start, false);
  EXPECT_EQ(faults.meet(), 0u);
  faults.train(start + 23h + 45min, false);
  EXPECT_EQ(faults.next_at(), start + 24h) << "the others come first, at their own time";
  for (std::uint32_t nth = 1; nth <= 500; ++nth) ASSERT_EQ(faults.meet(), nth);
  EXPECT_EQ(faults.next_at(), start + 24h + 15min);
  EXPECT_EQ(faults.meet(), 0u);
  EXPECT_EQ(faults.next_at(), policy::never);
}

TEST(FaultCursor, ARetryMeetsEvenWhatWasPassedBefore) {
  FaultCursor faults = one_that_stays();
  const policy::Instant start{};
  faults.train(start, false);
  faults.train(start + 40min, false);  // nothing ran at 30 min
  EXPECT_EQ(faults.next_at(), start + 24h);
  faults.train(start + 50min, true);
  EXPECT_EQ(faults.next_at(), start + 80min);
}

}  // namespace fault_plan_test
}  // namespace reeve::models
