#include "host/canary.hpp"

#include <gmock/gmock.h>

#include "scripted_host.hpp"

namespace reeve::host {
namespace canary_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Observation> jobs(std::uint32_t count) {
  std::vector<Observation> news;
  for (std::uint32_t job = 0; job < count; ++job) {
    news.push_back(submitted(job));
    news.push_back(training(job));
  }
  return news;
}

Observation by_a_rule(std::uint32_t job, Duration when, AttemptNumber attempt) {
  Observation news = submitted(job, when, attempt);
  std::get<policy::JobSubmitted>(news.fact).origin = policy::Origin::rule;
  return news;
}

struct CanaryTest : testing::Test {
  Rig rig_of(const Canary::Terms& terms) {
    std::vector<Seat> seats;
    seats.push_back(puppet.in("stopper"));
    seats.push_back(other.in("other"));
    return Rig{std::move(seats), guards_of(std::make_unique<Canary>(terms))};
  }
  Puppet puppet;
  Puppet other;
};

TEST_F(CanaryTest, TheOthersWaitUntilTheFirstWereWatchedEachRuleForItself) {
  Rig rig = rig_of({.first = 1, .watch = 2h});
  rig.step(0s, jobs(5));
  for (std::uint32_t job = 0; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
  other.wants(policy::StopJob{{3}, 1});
  EXPECT_THAT(rig.step(60s), SizeIs(2)) << "one of each rule";
  EXPECT_THAT(rig.lines(), HasSubstr("job=1 attempt=1 cause=rule_broken incident=1 reason=\"test\" "
                                     "why=guard guard=\"canary\""));
  rig.step(61s, {stopped(0, 61s), stopped(3, 61s)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(2h + 59s), IsEmpty());
  for (std::uint32_t job = 1; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(2h + 60s), SizeIs(2));
}

TEST_F(CanaryTest, WhatAPersonStartsAgainShutsItForGood) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(60s), SizeIs(1));
  rig.step(61s, {stopped(0, 61s)});
  auto again = submitted(0);
  std::get<policy::JobSubmitted>(again.fact).attempt = 2;
  rig.step(120s, {{at(120s), again.fact}});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), IsEmpty());
  rig.step(9h + 1s);
  EXPECT_EQ(puppet.settled().back().refusal, policy::Refusal::guard) << "not for a while: for good";
}

TEST_F(CanaryTest, WhatWasRefusedShowsNothingAndAnotherIsTried) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(61s, {}, {{action(1), 1, ReplyKind::rejected}});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(62s), SizeIs(1));
  puppet.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(63s), IsEmpty());
}

TEST_F(CanaryTest, APartOfThoseThatRunIsRoundedUp) {
  Rig rig = rig_of({.percent = 30, .watch = 1h});
  rig.step(0s, jobs(5));
  for (std::uint32_t job = 0; job < 5; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(60s), SizeIs(2)) << "30 % of 5";
}

TEST_F(CanaryTest, AComplaintIsNotForgottenWhenARuleSubmitsTheJobAgain) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(61s, {stopped(0, 61s), submitted(0, 61s, 2), training(0, 62s, 2)});
  rig.step(2h, {failed(0, 2h, 2), by_a_rule(0, 2h, 3)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), IsEmpty());
}

TEST_F(CanaryTest, AComplaintThatIsToldLateIsOne) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(2h, {by_a_rule(0, 2h, 3), submitted(0, 61s, 2)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), IsEmpty());
}

TEST_F(CanaryTest, WhatPeopleMakeOfAnotherRulesAttemptIsNoComplaint) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(61s, {stopped(0, 61s), by_a_rule(0, 61s, 2)});
  rig.step(1h, {failed(0, 1h, 2), submitted(0, 1h, 3)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), SizeIs(1));
}

TEST_F(CanaryTest, ACloneThatFailedIsNotForgottenWhenAnotherIsMade) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(61s, {stopped(0, 61s)});
  puppet.wants(policy::CloneJob{{0}, 2});
  EXPECT_THAT(rig.step(62s), SizeIs(1)) << "it is one of the first";
  rig.step(63s, {by_a_rule(0, 63s, 2)});
  rig.step(2h, {failed(0, 2h, 2), by_a_rule(0, 2h, 3)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), IsEmpty());
}

TEST_F(CanaryTest, ACloneOfAnotherRuleThatFailsIsNotHeldAgainstIt) {
  Rig rig = rig_of({.first = 1, .watch = 1h});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(60s);
  rig.step(61s, {stopped(0, 61s)});
  puppet.wants(policy::CloneJob{{0}, 2});
  rig.step(62s);
  rig.step(63s, {}, {{action(2), 1, ReplyKind::rejected}});
  rig.step(64s, {by_a_rule(0, 64s, 2), failed(0, 65s, 2)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(9h), SizeIs(1));
}

TEST_F(CanaryTest, WhatIsLeftOutOfARunKeepsItsPlace) {
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Guards guards = guards_of(std::make_unique<Canary>(Canary::Terms{.first = 1, .watch = 1h}));
  guards.push_back(std::make_unique<Undone>(action(1)));
  Rig rig{std::move(seats), std::move(guards)};
  rig.step(0s, jobs(3));
  for (std::uint32_t job = 0; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(60s), IsEmpty()) << "the others wait, as they did";
  rig.step(120s, {failed(0, 90s), submitted(0, 120s, 2)});  // it was not the rule
  for (std::uint32_t job = 1; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(1h + 60s), SizeIs(2));
}

TEST_F(CanaryTest, APlaceThatIsKeptIsTakenFromThenOn) {
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  const Canary::Terms terms{.first = 2, .watch = 1h};
  Rig rig{std::move(seats),
          guards_of(std::make_unique<Canary>(terms, Canary::Place{"stopper", {0}, at(60s)}))};
  rig.step(0s, jobs(4));
  puppet.wants(policy::LimitRuntime{{0}, 1, 9h});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(30s), SizeIs(2));
  rig.step(31s, {stopped(1, 31s)}, {{action(1), 1, ReplyKind::done}});
  for (std::uint32_t job = 2; job < 4; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(60s), IsEmpty()) << "jobs 0 and 1 are the first";
  puppet.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(1h + 59s), IsEmpty()) << "of job 0 the hour is counted from the minute";
  puppet.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(1h + 60s), SizeIs(1));
}

}  // namespace canary_test
}  // namespace reeve::host
