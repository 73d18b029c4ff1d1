// Timers, and policies that the host mutes.
#include <gmock/gmock.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/host.hpp"
#include "scripted_host.hpp"

namespace reeve::host {
namespace host_muting_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(HostTest, TimersFireForTheirSeatOnlyAndCanBeRearmed) {
  Puppet first;
  Puppet second;
  Rig rig{both(first.in("first"), second.in("second"))};
  first.timers = {{7, at(10s)}, {8, at(5s)}, {9, at(20s)}};
  second.timers = {{7, at(30s)}};
  rig.step(0s);
  EXPECT_EQ(rig.host->next_deadline(), at(5s));
  first.timers = {{8, at(12s)}, {9, policy::never}};
  rig.step(1s);
  EXPECT_EQ(rig.host->next_deadline(), at(10s));
  rig.step(15s);
  EXPECT_THAT(first.fired(), ElementsAre(7, 8));
  EXPECT_THAT(second.fired(), IsEmpty());
  EXPECT_EQ(rig.host->next_deadline(), at(30s));
  rig.step(30s);
  EXPECT_THAT(first.fired(), IsEmpty());
  EXPECT_THAT(second.fired(), ElementsAre(7));
}

TEST(HostTest, ATimerInThePastFiresInTheNextStepWithoutTurningTimeBack) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.timers = {{1, at(3s)}};
  rig.step(10s);
  EXPECT_EQ(rig.host->next_deadline(), at(10s));
  rig.step(10s);
  EXPECT_THAT(puppet.fired(), ElementsAre(1));
}

TEST(HostTest, APolicyThatThrowsMutesItsSeatAndTheOthersGoOn) {
  Puppet puppet;
  std::vector<Seat> seats =
      only(seat("fragile", [](const policy::Step& step, policy::Decisions& out) {
        out.propose(policy::StopJob{{0}, 1}, "test");
        if (step.now == at(2s)) throw std::runtime_error{"boom"};
      }));
  seats.push_back(puppet.in("other"));
  Rig rig{std::move(seats)};
  rig.step(1s, {submitted(1), training(1)});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(2s, {submitted(0), training(0)}), SizeIs(1)) << "the other seat's";
  rig.step(3s);
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].seat, policy::SeatId{0});
  EXPECT_EQ(rig.host->muted()[0].step, 2U);
  EXPECT_EQ(rig.host->muted()[0].why, "boom");
  EXPECT_THAT(rig.lines(), HasSubstr("mute seat=0 why=\"boom\"\n"));
  EXPECT_EQ(rig.status(0).busy, false) << "what it proposed before it threw came to nothing";
}

// It is never asked again: what it keeps would only be in the way of the others.
TEST(HostTest, WhoIsMutedKeepsNothing) {
  const auto kept = std::make_shared<int>(0);
  std::vector<Seat> seats = only(seat("fragile", [kept](const policy::Step&, policy::Decisions&) {
    throw std::runtime_error{"boom"};
  }));
  Rig rig{std::move(seats)};
  EXPECT_GT(kept.use_count(), 1);
  rig.step(1s, {submitted(0)});
  EXPECT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(kept.use_count(), 1);
  rig.step(2s, {submitted(1)});
}

/// Steps at one instant until the host has nothing more to do there.
void settle_down(Rig& rig, Duration now) {
  for (int steps = 0; steps < 20'000 && rig.host->next_deadline() <= at(now); ++steps) {
    rig.step(now);
  }
}

TEST(HostTest, WhatCannotBeMutesItsSeat) {
  const auto why = [](const policy::Verb& verb) {
    Puppet puppet;
    Rig rig{only(puppet.in("odd"))};
    rig.step(0s, {submitted(0), training(0)});
    puppet.wants(verb);
    EXPECT_THAT(rig.step(1s), IsEmpty());
    return rig.host->muted().empty() ? std::string{} : rig.host->muted()[0].why;
  };
  EXPECT_EQ(why(policy::CloneJob{.job = {0}, .attempt = 2, .pool = policy::PoolId{7}}),
            "proposed a clone in a fleet that does not exist");
  EXPECT_EQ(why(policy::PlaceJob{{0}, 1, {7}}),
            "proposed to place a job in a fleet that does not exist");
  EXPECT_EQ(why(policy::MoveJob{{0}, 1, true, {7}}),
            "proposed to move a job to a fleet that does not exist");
  EXPECT_EQ(why(policy::LimitRuntime{{0}, 1, 0s}), "proposed a runtime limit that is not positive");
  policy::AlarmRule rule;
  rule.datapoints_to_alarm = 4;
  EXPECT_EQ(why(policy::PutAlarm{{{0}}, 1, rule}), "proposed an alarm without valid settings");
  rule = {};
  rule.threshold = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(why(policy::PutAlarm{{{0}}, 1, rule}), "proposed an alarm without valid settings");
  EXPECT_EQ(why(policy::StopJob{{5}, 1}), "proposed an action on an unknown job");
  EXPECT_EQ(why(policy::StopJob{{0}, 2}), "") << "moot, for the attempt may be told of later";
}

TEST(HostTest, APolicyThatWantsWithoutEndMutesItsSeat) {
  Rig rig{only(seat("greedy", [](const policy::Step&, policy::Decisions& out) {
    while (true) out.propose(policy::StopJob{{0}, 1}, "test");
  }))};
  EXPECT_THAT(rig.step(1s, {submitted(0), training(0)}), IsEmpty());
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].why, "too many decisions in one step");
}

#if REEVE_POLICY_IS_METERED
constexpr bool is_metered = true;
#else
constexpr bool is_metered = false;
#endif
constexpr std::string_view why_not_metered = "the address sanitizer has operators new of its own";

/// Nobody writes there, so that the machine need not have it.
void take_a_gibibyte(std::vector<std::vector<char>>& taken) {
  taken.emplace_back().reserve(std::size_t{1} << 30);
}

TEST(HostTest, APolicyThatTakesMemoryWithoutEndMutesItsSeat) {
  if (!is_metered) GTEST_SKIP() << why_not_metered;
  Puppet puppet;
  std::vector<Seat> seats = only(seat("greedy", [](const policy::Step&, policy::Decisions&) {
    std::vector<std::vector<char>> taken;
    while (true) take_a_gibibyte(taken);
  }));
  seats.push_back(puppet.in("other"));
  Rig rig{std::move(seats)};
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(1s, {submitted(0), training(0)}), SizeIs(1)) << "the other seat's";
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].why, "takes more memory than a rule may hold");
}

TEST(HostTest, WhatAPolicyKeepsFromStepToStepIsCountedAndWhatItFreesIsNot) {
  if (!is_metered) GTEST_SKIP() << why_not_metered;
  std::vector<std::vector<char>> kept;
  std::vector<Seat> seats = only(
      seat("hoarder", [&](const policy::Step&, policy::Decisions&) { take_a_gibibyte(kept); }));
  seats.push_back(seat("tidy", [](const policy::Step&, policy::Decisions&) {
    std::vector<std::vector<char>> taken;
    take_a_gibibyte(taken);
  }));
  Rig rig{std::move(seats)};
  for (int seconds = 1; seconds <= 3; ++seconds) {
    rig.step(std::chrono::seconds{seconds}, {submitted(0)});
    EXPECT_THAT(rig.host->muted(), IsEmpty()) << seconds << " GiB of less than 4";
  }
  for (int seconds = 4; seconds <= 9; ++seconds) {
    rig.step(std::chrono::seconds{seconds}, {submitted(0)});
  }
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].seat, policy::SeatId{0});
  EXPECT_EQ(rig.host->muted()[0].step, 4U);
}

TEST(HostTest, TextThatAPolicyHandsOverIsNoLongerItsOwn) {
  if (!is_metered) GTEST_SKIP() << why_not_metered;
  Rig rig{only(seat("talkative", [](const policy::Step&, policy::Decisions& out) {
    std::string basis;
    basis.reserve(std::size_t{1} << 30);  // nobody writes there either
    out.propose(policy::Notify{{0}, 1}, "test", std::move(basis));
  }))};
  for (int seconds = 1; seconds <= 9; ++seconds) {
    rig.step(std::chrono::seconds{seconds}, {submitted(0)});
  }
  EXPECT_THAT(rig.host->muted(), IsEmpty()) << "9 GiB, but never two of them at once";
}

TEST(HostTest, APolicyThatKeepsTimeFromGoingOnMutesItsSeat) {
  Rig rig{only(seat("restless", [](const policy::Step& step, policy::Decisions& out) {
    out.wake_at(1, step.now);
  }))};
  rig.step(1s);
  settle_down(rig, 1s);
  EXPECT_GT(rig.host->next_deadline(), at(1s));
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].why, "set a timer for the present too many times in a row");
}

TEST(HostTest, APolicyThatWantsOneThingWithoutEndAtOneInstantMutesItsSeat) {
  Rig rig{only(seat("stubborn", [](const policy::Step&, policy::Decisions& out) {
    out.propose(policy::StopJob{{0}, 7}, "test");
  }))};
  auto sent = rig.step(1s, {submitted(0), training(0)});
  constexpr int steps_at_most = 20'000;
  for (int steps = 0; steps < steps_at_most && rig.host->muted().empty(); ++steps) {
    std::vector<Reply> refusals;
    for (const Attempt& each : sent) {
      refusals.push_back({each.action, each.number, ReplyKind::rejected});
    }
    sent = rig.step(1s, {nudge(1s)}, refusals);
  }
  ASSERT_THAT(rig.host->muted(), SizeIs(1));
  EXPECT_EQ(rig.host->muted()[0].why, "made too many proposals at one instant");
}

}  // namespace host_muting_test
}  // namespace reeve::host
