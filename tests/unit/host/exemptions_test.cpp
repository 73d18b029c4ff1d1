// Guards: exemptions, what protected tags spare, office hours and dry start.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/confirm_first.hpp"
#include "host/guards.hpp"
#include "scripted_host.hpp"
#include "tests/unit/host/guard_cases.hpp"

namespace reeve::host {
namespace guards_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ExemptionsTest, AJobIsLeftAloneByTheNamedSeatUntilTheDate) {
  Puppet one;
  Puppet two;
  Rig rig{both(one.in("one"), two.in("two")),
          guards_of(std::make_unique<Exemptions>(
              std::vector<Exemptions::Exemption>{{TagPattern{"reeve:protect"}, {"one"}, at(100s)},
                                                 {TagPattern{"reeve:protect=no"}, {}, at(900s)}}))};
  rig.step(0s, jobs(1, 1));
  one.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1s), IsEmpty());
  EXPECT_EQ(rig.host->next_deadline(), at(100s)) << "the seat is told by then";
  rig.step(2s);
  EXPECT_EQ(one.settled().at(0).room_at, at(100s));
  one.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(100s), SizeIs(1)) << "the end date is not part of it";
}

// The tags of a job are known from its submission on: unknown is not missing.
TEST(ProtectedTagsTest, AJobNotYetDescribedIsLeftAlone) {
  for (const bool exempt : {false, true}) {
    Puppet puppet;
    std::vector<Seat> seats;
    seats.push_back(puppet.in("stopper"));
    std::unique_ptr<Guard> guard = std::make_unique<ProtectedTags>(std::vector<std::string>{"x"});
    if (exempt) {
      guard = std::make_unique<Exemptions>(
          std::vector<Exemptions::Exemption>{{TagPattern{"x"}, {}, at(100s)}});
    }
    Rig rig{std::move(seats), guards_of(std::move(guard))};
    rig.step(0s, {training(0)});
    puppet.wants(policy::StopJob{{0}, 1});
    EXPECT_THAT(rig.step(1s), IsEmpty());
    rig.step(2s, {submitted(0)});
    EXPECT_EQ(puppet.settled().at(0).refusal, policy::Refusal::conflict) << "ask with its news";
    puppet.wants(policy::StopJob{{0}, 1});
    EXPECT_THAT(rig.step(3s), SizeIs(1));
  }
}

// What another rule watches a job by is not a seat's own: guards see it taken away.
TEST(ProtectedTagsTest, AnAlarmOfAnotherRuleIsNotTakenFromAJob) {
  for (const bool is_protected : {false, true}) {
    Puppet puppet;
    Rig rig{only(puppet.in("sweeper")),
            guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect"}))};
    Observation news = submitted(0);
    std::get<policy::JobSubmitted>(news.fact).description.tags = {is_protected ? 1U : 0U};
    rig.step(0s, {news, training(0)});
    const policy::AlarmId of_other{.job = {0}, .host = 1, .seat = 0};
    puppet.wants(policy::DeleteAlarm{of_other, 1, true});
    EXPECT_THAT(rig.step(1s), IsEmpty()) << "the attempt runs, and somebody watches it";
    rig.step(2s, {failed(0, 2s)});
    puppet.wants(policy::DeleteAlarm{of_other, 1, true});
    EXPECT_THAT(rig.step(3s), SizeIs(is_protected ? 0 : 1));
    puppet.wants(policy::DeleteAlarm{of_other, 1, false});
    EXPECT_THAT(rig.step(4s), SizeIs(1)) << "its own alarm is a seat's own business";
  }
}

// Sending a queued job elsewhere changes it; choosing machines for one that has none does not.
TEST(ProtectedTagsTest, AJobIsNotSentElsewhereButItsFirstMachinesAreChosen) {
  for (const bool awaits : {false, true}) {
    Puppet puppet;
    Rig rig{only(puppet.in("placer")),
            guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect"}))};
    Observation news = submitted(0);
    auto& description = std::get<policy::JobSubmitted>(news.fact).description;
    description.tags = {1};
    description.awaits_placement = awaits;
    rig.step(0s, {news});
    puppet.wants(policy::PlaceJob{{0}, 1, {0}});
    EXPECT_THAT(rig.step(1s), SizeIs(awaits ? 1 : 0));
  }
}

TEST(StopsPctPerHourTest, WhoWaitsForMachinesIsNotOfTheFleet) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<StopsPctPerHour>(10))};
  std::vector<Observation> news = jobs(10);
  for (std::uint32_t job = 10; job < 100; ++job) {
    news.push_back(submitted(job));
    news.push_back(changed(job, 1, Primary::in_progress, Secondary::pending));
  }
  rig.step(0s, news);
  for (std::uint32_t job = 0; job < 10; ++job) puppet.wants(policy::StopJob{{job}, 1});
  EXPECT_THAT(rig.step(1s), SizeIs(1));
}

TEST(UndoneTest, WhatIsLeftOutIsNotMadeUpForByItsSeat) {
  Puppet mine;
  Puppet other;
  Rig rig{both(mine.in("mine"), other.in("other")), guards_of(std::make_unique<Undone>(action(1)))};
  rig.step(0s, {submitted(0), training(0), submitted(1), training(1)});
  mine.wants(policy::StopJob{{0}, 1});  // decision 1
  EXPECT_THAT(rig.step(1s), IsEmpty());
  mine.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(2s), IsEmpty()) << "a minute later is no other world";
  mine.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(3s), SizeIs(1));
  other.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(4s), SizeIs(1));
}

TEST(ExemptionsTest, AnotherSeatMayAct) {
  Puppet one;
  Puppet two;
  Rig rig{both(one.in("one"), two.in("two")),
          guards_of(std::make_unique<Exemptions>(std::vector<Exemptions::Exemption>{
              {TagPattern{"reeve:protect"}, {"one"}, at(100s)}}))};
  rig.step(0s, jobs(1, 1));
  two.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1s), SizeIs(1));
}

/// 1970-01-01 was a Thursday.
policy::WeeklyHours office(Duration from, Duration length, Duration ahead = {}) {
  policy::WeeklyHours hours{.days = {}, .from = from, .length = length, .ahead = ahead};
  hours.days.set(3).set(4);  // Thursday and Friday
  return hours;
}

TEST(WeeklyHoursTest, OpensAndClosesByTheClockOfThePlace) {
  const auto hours = office(8h, 10h, -5h);  // 13:00 to 23:00 UTC
  EXPECT_EQ(hours.opens(at(0s)), at(13h));
  EXPECT_TRUE(hours.open(at(13h)));
  EXPECT_EQ(hours.open_until(at(13h)), at(23h));
  EXPECT_FALSE(hours.open(at(23h)));
  EXPECT_EQ(hours.opens(at(23h)), at(24h + 13h)) << "Friday";
  EXPECT_EQ(hours.opens(at(48h)), at(7 * 24h + 13h)) << "not at the weekend";
}

TEST(WeeklyHoursTest, AShiftMayReachIntoTheNextDayAndTwoMayTouch) {
  const auto nights = office(22h, 8h);
  EXPECT_TRUE(nights.open(at(24h + 5h))) << "Friday morning, of Thursday's shift";
  EXPECT_EQ(nights.open_until(at(48h)), at(48h + 6h)) << "Saturday, of Friday's";
  EXPECT_FALSE(nights.open(at(5h))) << "Wednesday has none";
  EXPECT_EQ(office(6h, 24h).open_until(at(6h)), at(54h)) << "two days without a gap";
  policy::WeeklyHours always{.days = {}, .from = 0h, .length = 24h, .ahead = {}};
  always.days.set();
  EXPECT_EQ(always.open_until(at(1h)), policy::never);
  EXPECT_EQ(policy::WeeklyHours{}.opens(at(1h)), policy::never);
}

TEST(OfficeHoursTest, WhatIsRefusedAtNightIsToldOfTheMorning) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<OfficeHours>(office(8h, 10h)))};
  rig.step(0s, jobs(2));
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1h), IsEmpty());
  EXPECT_EQ(rig.host->next_deadline(), at(8h));
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(8h), SizeIs(1));
}

TEST(DryStartTest, NothingIsChangedBeforeItsEnd) {
  Puppet puppet;
  Rig rig{only(puppet.in("stopper")), guards_of(std::make_unique<DryStart>(at(1h)))};
  rig.step(0s, jobs(1));
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::Notify{{0}, 1});
  EXPECT_THAT(rig.step(1s), SizeIs(1)) << "people are told";
  EXPECT_THAT(rig.lines(), HasSubstr("guard=\"dry_start\""));
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1h, {}, {{action(2), 1, ReplyKind::done}}), SizeIs(1)) << "the stop";
}

}  // namespace guards_test
}  // namespace reeve::host
