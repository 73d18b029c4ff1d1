// Guards: limits of stops and actions, protected tags and the kill switch.
#include "host/guards.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/confirm_first.hpp"
#include "scripted_host.hpp"
#include "tests/unit/host/guard_cases.hpp"

namespace reeve::host {
namespace guards_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(StopsPerHourTest, TheFourthStopInAnHourIsRefused) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Rig limited{std::move(seats), guards_of(stops_per_hour(3))};
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

TEST(StopsPerHourTest, StopsOfAnEarlierRunCount) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  Guards guards = guards_of(stops_per_hour(3));
  guards.front()->recall(policy::SeatId{0}, policy::VerbKind::stop_job, at(-50min));
  guards.front()->recall(policy::SeatId{0}, policy::VerbKind::clone_job, at(-40min));
  guards.front()->recall(std::nullopt, policy::VerbKind::stop_job, at(-30min));
  Rig rig{std::move(seats), std::move(guards)};
  for (std::uint32_t job = 0; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(0s, jobs(4)), SizeIs(1)) << "two stops of the last hour were sent before";
}

TEST(StopsPerHourTest, WhoIsRefusedIsToldWhenThereIsRoomAndByThen) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(stops_per_hour(2))};
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
  Rig rig{only(puppet.in("stopper")), guards_of(stops_per_hour(0))};
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
  Rig rig{both(shadow.in("shadow", Mode::shadow, 1), real.in("real")),
          guards_of(stops_per_hour(1))};
  shadow.wants(policy::StopJob{{0}, 1});
  real.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(0s, jobs(2)), SizeIs(1));
}

TEST(StopsPerHourTest, WhatIsOnlyWarnedOfOrShadowedNeedsNoRoom) {
  for (const Mode mode : {Mode::warn, Mode::shadow}) {
    Puppet real;
    Puppet looks_on;
    Rig rig{both(real.in("real", Mode::enforce, 1), looks_on.in("looks_on", mode)),
            guards_of(stops_per_hour(1))};
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
    Rig rig{only(puppet.in("stopper")),
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
  Rig rig{only(puppet.in("scheduler")),
          guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect"}))};
  puppet.wants(policy::StartJob{{0}, 1});
  EXPECT_THAT(rig.step(0s, {jobs(1, 1).front()}), SizeIs(1));
}

TEST(ProtectedTagsTest, OtherValuesAndUntaggedJobsAreNotProtected) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")),
          guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect=no"}))};
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(0s, jobs(1, 1)), SizeIs(1));
}

TEST(KillSwitchTest, NothingLeavesWhileItIsEngaged) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<KillSwitch>())};
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
    Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<KillSwitch>())};
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
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<KillSwitch>())};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, jobs(1));
  rig.step(1s, {{at(1s), policy::KillSwitchChanged{true}}});
  rig.step(30s);
  rig.step(50s, {stopped(0, 20s)});
  EXPECT_EQ(rig.host->belief().stopped_by({0}), "stopper_rule");
}

TEST(KillSwitchTest, AnOlderReleaseToldLateDoesNotDisengage) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<KillSwitch>())};
  rig.step(0s, jobs(1));
  rig.step(20s, {{at(20s), policy::KillSwitchChanged{true}}});
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(21s, {{at(10s), policy::KillSwitchChanged{false}}}), IsEmpty());
}

TEST(KillSwitchTest, AnEffectStillSettlesWhatIsHeld) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<KillSwitch>())};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, jobs(1));
  rig.step(20s, {{at(20s), policy::KillSwitchChanged{true}}});
  rig.step(25s, {stopping(0, 25s)});
  EXPECT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_THAT(rig.step(50s, {{at(50s), policy::KillSwitchChanged{false}}}), IsEmpty());
}

TEST(ActionsPerHourTest, CountsInterventionsOfAllSeatsAndNoStarts) {
  Puppet one;
  Puppet two;
  Rig rig{both(one.in("one"), two.in("two")), guards_of(actions_per_hour(2))};
  one.wants(policy::LimitRuntime{{0}, 1, 3600s});
  two.wants(policy::StopJob{{1}, 1});
  two.wants(policy::StopJob{{2}, 1});
  one.wants(policy::StartJob{{3}, 1});
  std::vector<Observation> news = jobs(3);
  news.push_back(submitted(3));
  EXPECT_THAT(rig.step(0s, news), SizeIs(3)) << "a limit, a stop and a start";
  EXPECT_THAT(rig.lines(), HasSubstr("why=guard guard=\"actions_per_hour\""));
}

TEST(ActionsPerRuleTest, EachSeatHasItsOwnShareOfADay) {
  Puppet one;
  Puppet two;
  Rig rig{both(one.in("one"), two.in("two")), guards_of(actions_per_rule_per_day(1))};
  rig.step(0s, jobs(4));
  one.wants(policy::StopJob{{0}, 1});
  one.wants(policy::StopJob{{1}, 1});
  two.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(60s), SizeIs(2));
  rig.step(61s, {stopped(0, 61s), stopped(2, 61s)});
  one.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(24h + 59s), IsEmpty());
  one.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(24h + 60s), SizeIs(1));
}

TEST(StopsPctPerHourTest, AThirdOfTenIsFourAndWhoIsStoppedStillCountsAsFleet) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<StopsPctPerHour>(33))};
  rig.step(0s, jobs(10));
  for (std::uint32_t job = 0; job < 2; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(1s), SizeIs(2));
  rig.step(10s, {stopped(0, 10s), stopped(1, 10s)});
  for (std::uint32_t job = 2; job < 8; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(20s), SizeIs(2)) << "33 % of 10, rounded up, less two";
  EXPECT_THAT(rig.lines(), HasSubstr("job=4 attempt=1 cause=rule_broken incident=1 reason=\"test\" "
                                     "why=guard guard=\"stops_pct_per_hour\""));
  rig.step(30s, {stopped(2, 30s), stopped(3, 30s)});
  for (std::uint32_t job = 4; job < 8; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(3601s), SizeIs(1)) << "six run, two went within the hour: three of eight";
}

TEST(StopsPctPerHourTest, NoneIsNoneAndOneOfFewIsPossible) {
  for (const std::uint32_t percent : {0U, 1U}) {
    Puppet puppet;
    Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<StopsPctPerHour>(percent))};
    rig.step(0s, jobs(3));
    for (std::uint32_t job = 0; job < 3; ++job) puppet.wants(policy::StopJob{{job}, 1});
    EXPECT_THAT(rig.step(1s), SizeIs(percent));
  }
}

TEST(StopsPctPerHourTest, CountsTheStopsOfAnEarlierRunForTheRestOfTheirHour) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  auto guard = std::make_unique<StopsPctPerHour>(20);
  const policy::Instant before = at(-10min);
  guard->recall(std::nullopt, policy::VerbKind::stop_job, before);
  guard->recall(std::nullopt, policy::VerbKind::clone_job, before);
  guard->recall(std::nullopt, policy::VerbKind::stop_job, before);
  Rig rig{std::move(seats), guards_of(std::move(guard))};
  rig.step(0s, jobs(8));
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1s), IsEmpty()) << "two of eight and two";
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{1}, 1});
  puppet.wants(policy::StopJob{{2}, 1});
  EXPECT_THAT(rig.step(50min), SizeIs(2)) << "20 % of eight, rounded up";
}

TEST(ConfirmFirstTest, WhatWaitsIsAskedAboutAgainAndOtherVerbsNeedNobody) {
  Puppet puppet;
  std::vector<Seat> seats;
  seats.push_back(puppet.in("stopper"));
  auto answer = ConfirmFirst::Answer::waits;
  Rig rig{std::move(seats),
          guards_of(std::make_unique<ConfirmFirst>([&](const policy::Verb&) { return answer; }))};
  rig.step(0s, jobs(2));
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::Notify{{1}, 1, 1});
  EXPECT_THAT(rig.step(1s), SizeIs(1)) << "the message";
  EXPECT_THAT(rig.lines(), HasSubstr("guard=\"confirm_first\""));
  answer = ConfirmFirst::Answer::refused;
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(2s), IsEmpty());
  answer = ConfirmFirst::Answer::may_act;
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(3s), SizeIs(1));
}

/// What the guard says, found anew for each wish: by the stops of the last hour, and by who of
/// those, and of all others, runs or does not.
class CountedAnew {
 public:
  explicit CountedAnew(std::uint32_t percent) : percent_{percent} {}

  bool allows(Duration now, const Belief& belief) const {
    std::uint64_t stopped = 0;
    std::uint64_t fleet = belief.running();
    for (const auto& [when, job] : stops_) {
      if (when + 1h <= now) continue;
      ++stopped;
      if (belief.status(job).primary != Primary::in_progress) ++fleet;
    }
    return stopped == 0 || stopped < (fleet * percent_ + 99) / 100;
  }
  void stops(Duration now, JobId job) { stops_.emplace_back(now, job); }

 private:
  std::uint32_t percent_;
  std::vector<std::pair<Duration, JobId>> stops_;
};

// What is counted once for many wishes is what each of them would have counted.
TEST(StopsPctPerHourTest, SaysWhatItWouldSayIfItCountedAnewForEachWish) {
  constexpr std::uint32_t fleet = 30;
  std::size_t allowed = 0;
  std::size_t refused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 draws{seed};
    const std::uint32_t percent = 5 + static_cast<std::uint32_t>(draws() % 60);
    StopsPctPerHour guard{percent};
    CountedAnew anew{percent};
    const policy::Directory directory{.types = {{}}, .pools = {{.name = "pool"}}};
    Belief belief{directory, fleet};
    std::vector<std::uint16_t> revisions(fleet, 0);
    const auto learn = [&](const Observation& seen) {
      belief.fold(seen);
      guard.learnt(seen, belief);
    };
    for (std::uint32_t job = 0; job < fleet; ++job) learn(submitted(job));
    Duration now{};
    for (int step = 0; step < 200; ++step) {
      now += std::chrono::minutes{draws() % 15};
      for (std::size_t news = draws() % 4; news > 0; --news) {
        const auto job = static_cast<std::uint32_t>(draws() % fleet);
        const bool runs = draws() % 3 != 0;
        learn(changed(job, ++revisions[job], runs ? Primary::in_progress : Primary::queued,
                      runs ? Secondary::training : Secondary::queued, now));
      }
      for (std::size_t wishes = draws() % 5; wishes > 0; --wishes) {
        const JobId job{static_cast<std::uint32_t>(draws() % fleet)};
        const policy::Verb verb = policy::StopJob{job, 1};
        const Wish wish{action(1), {0}, "stopper", verb, belief, at(now)};
        const bool allows = anew.allows(now, belief);
        ASSERT_EQ(!guard.refuses(wish).has_value(), allows) << "seed " << seed << " step " << step;
        ++(allows ? allowed : refused);
        if (!allows) continue;
        guard.passed(wish);
        anew.stops(now, job);
      }
    }
  }
  EXPECT_GT(allowed, 500U);
  EXPECT_GT(refused, 500U);
}

}  // namespace guards_test
}  // namespace reeve::host
