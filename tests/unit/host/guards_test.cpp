#include "host/guards.hpp"

#include <gmock/gmock.h>

#include "scripted_host.hpp"

namespace reeve::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Observation> jobs(std::uint32_t count, std::uint32_t tags = 0) {
  std::vector<Observation> news;
  for (std::uint32_t job = 0; job < count; ++job) {
    auto fact = std::get<policy::JobSubmitted>(submitted(job).fact);
    fact.description.tags = {tags};
    news.push_back({at(0s), fact});
    news.push_back(training(job));
  }
  return news;
}

TEST(StopsPerHourTest, TheFourthStopInAnHourIsRefused) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig limited{std::move(seats), guards_of(std::make_unique<StopsPerHour>(3))};
  for (std::uint32_t job = 0; job < 4; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(limited.step(0s, jobs(6)), SizeIs(3));
  EXPECT_THAT(limited.lines(),
              HasSubstr("verb=stop_job job=3 attempt=1 cause=rule_broken incident=1 "
                        "reason=\"test\" why=guard "
                        "guard=\"stops_per_hour\""));
  puppet.wants(policy::StopJob{{4}, 1});
  EXPECT_THAT(limited.step(3599s), SizeIs(3)) << "three retries, no new stop";
  puppet.wants(policy::StopJob{{5}, 1});
  EXPECT_THAT(limited.step(3600s), SizeIs(1)) << "the hour has slid on";
}

TEST(StopsPerHourTest, WhoIsRefusedIsToldWhenThereIsRoomAndByThen) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<StopsPerHour>(2))};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, jobs(3));
  puppet.wants(policy::StopJob{{1}, 1});
  rig.step(60s, {stopped(0, 60s)});
  puppet.wants(policy::StopJob{{2}, 1});
  rig.step(120s, {stopped(1, 120s)});
  EXPECT_EQ(rig.host->next_deadline(), at(3600s)) << "nothing else is going to happen";
  rig.step(3600s);
  const policy::ActionSettled told = puppet.settled().back();
  EXPECT_EQ(told.refusal, policy::Refusal::rate_limit);
  EXPECT_EQ(told.room_at, at(3600s));
  EXPECT_EQ(rig.host->next_deadline(), policy::never);
  puppet.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(3600s), SizeIs(1));
}

TEST(StopsPerHourTest, ALimitOfNoneRefusesEveryStopAndNothingElse) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<StopsPerHour>(0))};
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::Notify{{0}, 1});
  const auto sent = rig.step(0s, jobs(1));
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<policy::Notify>(sent[0].verb));
  rig.step(1s);
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].refusal, policy::Refusal::guard) << "there will be no room";
}

TEST(StopsPerHourTest, StopsInShadowDoNotCount) {
  Puppet shadow;
  Puppet real;
  std::vector<Seat> seats;
  seats.push_back(shadow.in("shadow", Mode::shadow, 1));
  seats.push_back(real.in("real"));
  Rig rig{std::move(seats), guards_of(std::make_unique<StopsPerHour>(1))};
  shadow.wants(policy::StopJob{{0}, 1});
  real.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(0s, jobs(2)), SizeIs(1));
}

TEST(StopsPerHourTest, WhatIsOnlyWarnedOfOrShadowedNeedsNoRoom) {
  for (const Mode mode : {Mode::warn, Mode::shadow}) {
    Puppet real;
    Puppet looks_on;
    std::vector<Seat> seats;
    seats.push_back(real.in("real", Mode::enforce, 1));
    seats.push_back(looks_on.in("looks_on", mode));
    Rig rig{std::move(seats), guards_of(std::make_unique<StopsPerHour>(1))};
    real.wants(policy::StopJob{{0}, 1});
    looks_on.wants(policy::StopJob{{1}, 1});
    rig.step(0s, jobs(2));
    EXPECT_THAT(rig.lines(), Not(HasSubstr("guard=\"stops_per_hour\"")));
    EXPECT_THAT(rig.lines(), HasSubstr(mode == Mode::warn ? "warn " : "shadow "));
    rig.step(1s);
    ASSERT_THAT(looks_on.settled(), SizeIs(1));
    EXPECT_EQ(looks_on.settled()[0].refusal, policy::Refusal::seat_mode);
  }
}

TEST(ProtectedTagsTest, AProtectedMatchIsLoggedNotActedOn) {
  for (const char* pattern : {"reeve:protect", "reeve:protect=yes"}) {
    Puppet puppet;
    std::vector<Seat> seats;
    seats.push_back(puppet.in("stopper"));
    Rig rig{std::move(seats),
            guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"other", pattern}))};
    puppet.wants(policy::StopJob{{0}, 1});
    puppet.wants(policy::LimitRuntime{{0}, 1, 1h});
    EXPECT_THAT(rig.step(0s, jobs(1, 1)), IsEmpty());
    EXPECT_THAT(rig.lines(), HasSubstr("why=guard guard=\"protected_tags\""));
    EXPECT_FALSE(rig.status(0).busy);
    puppet.wants(policy::Notify{{0}, 1});
    EXPECT_THAT(rig.step(1s), SizeIs(1)) << "telling people changes no job";
  }
}

TEST(ProtectedTagsTest, ASchedulerStartsAProtectedJob) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("scheduler"));
  Rig rig{std::move(seats),
          guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect"}))};
  puppet.wants(policy::StartJob{{0}, 1});
  EXPECT_THAT(rig.step(0s, {jobs(1, 1).front()}), SizeIs(1));
}

TEST(ProtectedTagsTest, OtherValuesAndUntaggedJobsAreNotProtected) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats),
          guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect=no"}))};
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(0s, jobs(1, 1)), SizeIs(1));
}

TEST(KillSwitchTest, NothingLeavesWhileItIsEngaged) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<KillSwitch>())};
  puppet.wants(policy::StopJob{{0}, 1});
  ASSERT_THAT(rig.step(0s, jobs(2)), SizeIs(1));
  puppet.wants(policy::StopJob{{1}, 1});
  puppet.wants(policy::Notify{{1}, 1});
  EXPECT_THAT(rig.step(1s, {{at(1s), policy::KillSwitchChanged{true}}}), IsEmpty());
  EXPECT_THAT(rig.lines(), HasSubstr("why=guard guard=\"kill_switch\""));
  EXPECT_EQ(rig.host->next_deadline(), at(30s));
  EXPECT_THAT(rig.step(30s), IsEmpty()) << "an overdue attempt is not repeated";
  EXPECT_EQ(rig.host->next_deadline(), policy::never) << "no busy waiting while held";
  EXPECT_THAT(rig.step(1000s, {{at(1000s), policy::KillSwitchChanged{false}}}), IsEmpty());
}

TEST(KillSwitchTest, WhatFallsDueIsGivenUpAndItsRuleDecidesAnew) {
  for (const auto kind : {ReplyKind::throttled, ReplyKind::unknown, ReplyKind::done}) {
    Puppet puppet;
    std::vector<Seat> seats;
    seats.push_back(puppet.in("stopper"));
    Rig rig{std::move(seats), guards_of(std::make_unique<KillSwitch>())};
    puppet.wants(policy::StopJob{{0}, 1});
    rig.step(0s, jobs(1));
    rig.step(1s, {{at(1s), policy::KillSwitchChanged{true}}}, {{action(1), 1, kind}});
    EXPECT_THAT(puppet.settled(), IsEmpty()) << "its effect may still be seen";
    EXPECT_THAT(rig.step(400s), IsEmpty());
    ASSERT_THAT(puppet.settled(), SizeIs(1));
    EXPECT_EQ(puppet.settled()[0].outcome, Outcome::expired);
    EXPECT_EQ(puppet.settled()[0].refusal, policy::Refusal::kill_switch);
    EXPECT_FALSE(rig.status(0).busy);
    EXPECT_THAT(rig.step(2400s, {{at(2400s), policy::KillSwitchChanged{false}}}), IsEmpty())
        << "nobody asked for it again";
    puppet.wants(policy::StopJob{{0}, 1});
    EXPECT_THAT(rig.step(2401s), SizeIs(1));
  }
}

TEST(KillSwitchTest, AStopGivenUpThatWorkedAllTheSameIsStillItsRules) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<KillSwitch>())};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, jobs(1));
  rig.step(1s, {{at(1s), policy::KillSwitchChanged{true}}});
  rig.step(30s);
  rig.step(50s, {stopped(0, 20s)});
  EXPECT_EQ(rig.host->belief().stopped_by({0}), "stopper_rule");
}

TEST(KillSwitchTest, AnOlderReleaseToldLateDoesNotDisengage) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<KillSwitch>())};
  rig.step(0s, jobs(1));
  rig.step(20s, {{at(20s), policy::KillSwitchChanged{true}}});
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(21s, {{at(10s), policy::KillSwitchChanged{false}}}), IsEmpty());
}

TEST(KillSwitchTest, AnEffectStillSettlesWhatIsHeld) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig rig{std::move(seats), guards_of(std::make_unique<KillSwitch>())};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, jobs(1));
  rig.step(20s, {{at(20s), policy::KillSwitchChanged{true}}});
  rig.step(25s, {stopping(0, 25s)});
  EXPECT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_THAT(rig.step(50s, {{at(50s), policy::KillSwitchChanged{false}}}), IsEmpty());
}

}  // namespace
}  // namespace reeve::host
