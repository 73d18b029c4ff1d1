// What policies are told in a step, and what becomes of their decisions.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/host.hpp"
#include "scripted_host.hpp"

namespace reeve::host {
namespace host_steps_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(HostTest, OneMutatingActionPerJobTheLoserIsRefusedAndTheWinnerNamed) {
  Puppet low;
  Puppet high;
  Rig rig{both(low.in("low", Mode::enforce, 1), high.in("high", Mode::enforce, 2))};
  low.wants(policy::LimitRuntime{{0}, 1, 1h});
  high.wants(policy::StopJob{{0}, 1}, "stalled");
  const auto sent = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<policy::StopJob>(sent[0].verb));
  EXPECT_THAT(rig.lines(),
              HasSubstr("accept action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken "
                        "incident=1 reason=\"stalled\"\n"));
  EXPECT_THAT(rig.lines(), HasSubstr("why=conflict winner=1\n"));
  rig.step(1s);
  for (const Puppet* puppet : {&low, &high}) {
    ASSERT_THAT(puppet->settled(), SizeIs(1)) << "every seat hears of it, in the next step";
    EXPECT_EQ(puppet->settled()[0].outcome, Outcome::refused);
    EXPECT_EQ(puppet->settled()[0].seat, policy::SeatId{1});
  }
  low.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(2s), IsEmpty()) << "still in flight";
}

TEST(HostTest, EqualPrioritiesKeepTheOrderOfTheList) {
  Puppet first;
  Puppet second;
  Rig rig{both(first.in("first"), second.in("second"))};
  second.wants(policy::StopJob{{0}, 1});
  first.wants(policy::LimitRuntime{{0}, 1, 1h});
  const auto sent = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<policy::LimitRuntime>(sent[0].verb));
}

TEST(HostTest, SeatsOfOneStepSeeTheSameBelief) {
  Puppet first;
  Puppet second;
  bool busy_seen = false;
  second.look = [&](const policy::Step& step) { busy_seen |= step.fleet.status({0}).busy; };
  Rig rig{both(first.in("first"), second.in("second"))};
  first.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  EXPECT_FALSE(busy_seen) << "arbitration comes after all were consulted";
  rig.step(1s);
  EXPECT_TRUE(busy_seen);
}

TEST(HostTest, EachEventTwiceGivesOneStopAndOneClone) {
  int accepted = 0;
  Rig rig{only(seat("naive", [](const policy::Step& step, policy::Decisions& out) {
    for (const Observation& seen : step.observed) {
      const auto* news = std::get_if<policy::JobChanged>(&seen.fact);
      if (news == nullptr) continue;
      if (news->secondary == Secondary::training) out.propose(policy::StopJob{news->job, 1}, "s");
      if (news->primary == Primary::stopped) out.propose(policy::CloneJob{news->job, 2}, "c");
    }
  }))};
  for (const auto& news : {std::pair{0s, training(0)}, {1s, stopped(0, 1s)}}) {
    accepted +=
        static_cast<int>(rig.step(news.first, {submitted(0), news.second, news.second}).size());
    accepted += static_cast<int>(rig.step(news.first, {news.second}).size());
  }
  EXPECT_EQ(accepted, 2);
}

TEST(HostTest, AMootDecisionIsRefusedAndToldInTheNextStep) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  EXPECT_THAT(rig.step(0s, {submitted(0), stopped(0)}), IsEmpty());
  EXPECT_THAT(rig.lines(), HasSubstr("reason=\"test\" why=moot\n"));
  EXPECT_THAT(puppet.settled(), IsEmpty());
  EXPECT_EQ(rig.host->next_deadline(), policy::never) << "no step of its own";
  rig.step(1s);
  EXPECT_THAT(puppet.settled(), SizeIs(1));
  rig.step(2s);
  EXPECT_THAT(puppet.settled(), IsEmpty()) << "told once";
}

TEST(HostTest, OneMessagePerJobAttemptAndSeat) {
  Puppet first;
  Puppet second;
  Rig rig{both(first.in("first"), second.in("second"))};
  first.wants(policy::Notify{{0}, 1});
  first.wants(policy::Notify{{0}, 1});
  second.wants(policy::Notify{{0}, 1});
  EXPECT_THAT(rig.step(0s, {submitted(0), stopped(0)}), SizeIs(2));
  first.wants(policy::Notify{{0}, 1});
  EXPECT_THAT(rig.step(1s), IsEmpty());
  first.wants(policy::Notify{{0}, 2});
  EXPECT_THAT(rig.step(2s, {submitted(0, 2s, 2)}), SizeIs(1));
}

TEST(HostTest, AMessageThatFailedMayBeSentAgain) {
  for (const ReplyKind failure : {ReplyKind::rejected, ReplyKind::throttled}) {
    Puppet puppet;
    Rig rig{only(puppet.in("a")), {}, Retry{.attempts_max = 1}};
    puppet.wants(policy::Notify{{0}, 1, 1});
    rig.step(0s, {submitted(0), training(0)});
    puppet.wants(policy::Notify{{0}, 1, 2});
    EXPECT_THAT(rig.step(1s), SizeIs(1));
    rig.step(2s, {}, {reply(1, failure), reply(2, ReplyKind::done)});
    puppet.wants(policy::Notify{{0}, 1, 1});
    ASSERT_THAT(rig.step(3s), SizeIs(1)) << "the later message does not say what the first did";
    rig.step(4s, {}, {reply(3, ReplyKind::done)});
    puppet.wants(policy::Notify{{0}, 1, 1});
    puppet.wants(policy::Notify{{0}, 1, 2});
    EXPECT_THAT(rig.step(5s), IsEmpty()) << "both are told now";
  }
}

// The reply to the first try was lost, so somebody may have read it; the second was throttled.
TEST(HostTest, AMessageThatIsSentAgainUnderAnotherIdSaysThatItIsTheSame) {
  Puppet puppet;
  Rig rig{only(puppet.in("a")), {}, Retry{.attempts_max = 2}};
  puppet.wants(policy::Notify{{0}, 1, 1});
  const auto first = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(first, SizeIs(1));
  rig.step(1s, {}, {reply(1, ReplyKind::unknown)});
  ASSERT_THAT(rig.step(1h), SizeIs(1)) << "the same message again";
  rig.step(2h, {}, {Reply{policy::ActionId{1}, 2, ReplyKind::throttled}});
  EXPECT_EQ(rig.host->actions_in_flight(), 0U);
  puppet.wants(policy::Notify{{0}, 1, 1});
  puppet.wants(policy::Notify{{0}, 1, 2});
  const auto again = rig.step(3h);
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_NE(again[0].action, first[0].action);
  EXPECT_EQ(again[0].incident, first[0].incident);
  EXPECT_NE(again[1].incident, first[0].incident);
}

TEST(HostTest, ARuleThatWarnsMayWarnAgainIfTheMessageExpired) {
  Puppet puppet;
  Rig rig{only(puppet.in("warn", Mode::warn)), {}, Retry{.attempts_max = 1}};
  puppet.wants(policy::StopJob{{0}, 1});
  ASSERT_THAT(rig.step(0s, {submitted(0), training(0)}), SizeIs(1));
  rig.step(1s, {}, {reply(2, ReplyKind::throttled)});
  puppet.wants(policy::StopJob{{0}, 1});
  const auto sent = rig.step(2s);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<policy::Notify>(sent[0].verb));
}

TEST(HostTest, ARefusalSaysWhoRefused) {
  using policy::Refusal;
  std::vector<Refusal> said;
  const auto hear = [&](Puppet& puppet) {
    puppet.look = [&said](const policy::Step& step) {
      for (const Observation& seen : step.observed) {
        const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
        if (settled != nullptr && settled->seat == step.seat) said.push_back(settled->refusal);
      }
    };
  };
  Puppet puppet;
  Puppet shadow;
  hear(puppet);
  hear(shadow);
  Guards guards;
  guards.push_back(stops_per_hour(1));
  guards.push_back(std::make_unique<KillSwitch>());
  Rig rig{both(puppet.in("a"), shadow.in("shadow", Mode::shadow)), std::move(guards)};
  const Observation engaged{at(4s), policy::KillSwitchChanged{true}};
  std::vector<Observation> jobs;
  for (std::uint32_t job = 0; job < 3; ++job) {
    jobs.push_back(submitted(job));
    jobs.push_back(training(job));
  }
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{0}, 1});  // conflict
  puppet.wants(policy::StopJob{{1}, 1});  // one stop per hour
  puppet.wants(policy::StopJob{{1}, 2});  // no such attempt
  shadow.wants(policy::LimitRuntime{{2}, 1, 1h});
  rig.step(0s, jobs);
  rig.step(1s, {}, {reply(1, ReplyKind::rejected)});
  EXPECT_THAT(said, ElementsAre(Refusal::conflict, Refusal::rate_limit, Refusal::moot,
                                Refusal::platform, Refusal::seat_mode));
  said.clear();
  puppet.wants(policy::StopJob{{1}, 1});  // by two guards
  puppet.wants(policy::PutAlarm{{{1}, 7, 0}, 1, {}});
  rig.step(4s, {engaged});
  rig.step(5s);
  EXPECT_THAT(said, ElementsAre(Refusal::kill_switch, Refusal::kill_switch));
  EXPECT_EQ(puppet.settled()[0].host, 0);
  EXPECT_EQ(puppet.settled()[1].host, 7);
}

TEST(HostTest, EveryJobThatIsToldOfCanBeLookedUp) {
  std::vector<AttemptNumber> attempts;
  Rig rig{only(seat("reader", [&](const policy::Step& step, policy::Decisions& out) {
    for (const std::uint32_t job : {3U, 5U, 7U}) {
      attempts.push_back(step.fleet.status({job}).attempt);
      out.propose(policy::StopJob{{job}, 1}, "moot");
    }
  }))};
  EXPECT_THAT(rig.step(0s, {submitted(3, 0s, 0),
                            training(5, 0s, 0),
                            {at(0s), policy::AlarmChanged{{{7}, 1, 0}, 1, {}}}}),
              IsEmpty());
  EXPECT_THAT(attempts, ElementsAre(0, 0, 0));
}

TEST(HostTest, AJobThatIsToldOfBeforeItsSubmissionCanBeLookedUp) {
  const std::vector<policy::Fact> facts{
      policy::NodesLost{{3}, 1, 1, 3},
      policy::MachinesLeft{{3}, 1, 2},
      policy::SpotNotice{{3}, 1, policy::SpotSignal::interruption, at(9s), 1},
      policy::TrainingReported{{3}, 1, 1h},
      policy::ProgressReported{{3}, 1, 1h, 0s, true, {}},
      policy::QueueBlocked{{3}, 1, {0}}};
  for (const policy::Fact& fact : facts) {
    std::size_t jobs = 0;
    Rig rig{only(seat("reader", [&](const policy::Step& step, policy::Decisions&) {
      jobs = step.fleet.job_count();
    }))};
    rig.step(0s, {{at(0s), fact}});
    EXPECT_EQ(jobs, 4U) << fact.index();
  }
}

TEST(HostTest, ASeatThatIsOffIsNotConsulted) {
  int consulted = 0;
  Rig rig{only(seat(
      "off", [&](const policy::Step&, policy::Decisions&) { ++consulted; }, Mode::off))};
  rig.step(0s, {submitted(0)});
  EXPECT_EQ(consulted, 0);
}

TEST(HostTest, AShadowDecisionIsJournaledNeverSentAndLooksRefused) {
  Puppet shadow;
  Puppet real;
  Rig rig{both(shadow.in("shadow", Mode::shadow, 1), real.in("real"))};
  shadow.wants(policy::StopJob{{0}, 1}, "would stop");
  real.wants(policy::LimitRuntime{{0}, 1, 1h});
  const auto sent = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(sent, SizeIs(1)) << "a shadow takes nothing from the others";
  EXPECT_TRUE(std::holds_alternative<policy::LimitRuntime>(sent[0].verb));
  EXPECT_THAT(rig.lines(),
              HasSubstr("shadow action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken "
                        "incident=1 reason=\"would stop\"\n"));
  rig.step(1s);
  ASSERT_THAT(shadow.settled(), SizeIs(1));
  EXPECT_EQ(shadow.settled()[0].outcome, Outcome::refused);
}

TEST(HostTest, AnAlarmOfAShadowIsLocalAndNeedsNoReply) {
  Puppet shadow;
  Rig rig{only(shadow.in("shadow", Mode::shadow))};
  shadow.wants(policy::PutAlarm{{{0}, 1, 0}, 1, {}}, "watch");
  const auto put = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(put, SizeIs(1));
  EXPECT_TRUE(put[0].is_local);
  EXPECT_THAT(rig.lines(), HasSubstr("shadow action=1 seat=0 verb=put_alarm"));
  EXPECT_THAT(rig.lines(), Not(HasSubstr("accept")));
  EXPECT_EQ(rig.host->actions_in_flight(), 0U);
  shadow.wants(policy::StopJob{{0}, 1}, "fired");
  EXPECT_THAT(rig.step(1s), IsEmpty()) << "its stop is not sent";
  ASSERT_THAT(shadow.settled(), SizeIs(1));
  EXPECT_EQ(shadow.settled()[0].outcome, Outcome::done);
  shadow.wants(policy::DeleteAlarm{{{0}, 1, 0}, 1}, "enough");
  const auto deleted = rig.step(2s);
  ASSERT_THAT(deleted, SizeIs(1));
  EXPECT_TRUE(deleted[0].is_local);
}

// Else a ladder in shadow would wait for its second step until something else happens.
TEST(HostTest, WhoOnlyLooksOnIsToldSoInTheSameInstant) {
  for (const Mode mode : {Mode::shadow, Mode::warn}) {
    Puppet puppet;
    Rig rig{only(puppet.in("looks on", mode))};
    puppet.wants(policy::StopJob{{0}, 1});
    rig.step(1h, {submitted(0), training(0)});
    ASSERT_EQ(rig.host->next_deadline(), at(1h));
    rig.host->step(at(1h), {});
    ASSERT_THAT(puppet.settled(), SizeIs(1));
    EXPECT_EQ(puppet.settled()[0].refusal, policy::Refusal::seat_mode);
  }
}

TEST(HostTest, WhoWishesForTheSameAgainAndAgainInShadowDoesNotKeepTimeFromGoingOn) {
  std::size_t asked = 0;
  std::vector<Seat> seats = only(seat(
      "again",
      [&asked](const policy::Step&, policy::Decisions& out) {
        ++asked;
        out.propose(policy::StopJob{{0}, 1}, "test");
      },
      Mode::shadow));
  Rig rig{std::move(seats)};
  rig.step(1h, {submitted(0), training(0)});
  while (rig.host->next_deadline() <= at(1h) && asked < 1000) rig.host->step(at(1h), {});
  EXPECT_EQ(asked, 9U);
  rig.step(2h);
  EXPECT_EQ(rig.host->next_deadline(), at(2h)) << "at another instant it is told at once again";
  EXPECT_THAT(rig.host->muted(), IsEmpty());
}

TEST(HostTest, AWarningTellsPeopleOnceInsteadOfActing) {
  Puppet puppet;
  Rig rig{only(puppet.in("warn", Mode::warn))};
  puppet.wants(policy::StopJob{{0}, 1}, "stalled");
  auto sent = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(sent, SizeIs(1));
  ASSERT_TRUE(std::holds_alternative<policy::Notify>(sent[0].verb));
  EXPECT_EQ(std::get<policy::Notify>(sent[0].verb).job, JobId{0});
  EXPECT_THAT(rig.lines(),
              HasSubstr("warn action=1 seat=0 verb=stop_job job=0 attempt=1 cause=rule_broken "
                        "incident=1 reason=\"stalled\"\naccept action=2 seat=0 verb=notify"));
  EXPECT_FALSE(rig.status(0).busy);
  puppet.wants(policy::StopJob{{0}, 1}, "stalled");
  sent = rig.step(1s, {}, {reply(2, ReplyKind::done)});
  EXPECT_THAT(sent, IsEmpty()) << "people know already";
  ASSERT_THAT(puppet.settled(), SizeIs(2)) << "the stop refused, the message done";
}

TEST(HostTest, EveryIncidentThatAWarningRuleWouldStopForIsToldOnce) {
  Puppet puppet;
  Rig rig{only(puppet.in("warn", Mode::warn))};
  const auto stop_for = [](std::uint16_t incident) {
    return policy::StopJob{
        .job = {0}, .attempt = 1, .cause = policy::StopCause::standing_still, .incident = incident};
  };
  puppet.wants(stop_for(1));
  ASSERT_THAT(rig.step(0s, {submitted(0), training(0)}), SizeIs(1));
  puppet.wants(stop_for(2));
  puppet.wants(policy::Notify{{0}, 1, 2});
  puppet.wants(stop_for(2));
  const auto sent = rig.step(1h, {}, {reply(2, ReplyKind::done)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(std::get<policy::Notify>(sent[0].verb).incident, 2);
}

TEST(HostTest, ARuleThatWarnsStillGetsItsAlarms) {
  Puppet puppet;
  Rig rig{only(puppet.in("warn", Mode::warn))};
  puppet.wants(policy::PutAlarm{{{0}, 1, 0}, 1, {}});
  const auto sent = rig.step(0s, {submitted(0)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<policy::PutAlarm>(sent[0].verb));
}

TEST(HostTest, WhoStoppedAJobIsKnownInTheStepInWhichItIsSeenStopped) {
  Puppet stopper;
  Puppet other;
  std::string seen_in_step;
  other.look = [&](const policy::Step& step) {
    if (step.fleet.status({0}).primary == Primary::stopped) {
      seen_in_step = step.fleet.stopped_by({0});
    }
  };
  Rig rig{both(other.in("other", Mode::enforce, 5), stopper.in("stopper"))};
  stopper.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  rig.step(5s, {stopped(0, 4s)});
  EXPECT_EQ(seen_in_step, "stopper_rule");
  rig.step(6s, {submitted(0, 6s, 2)});
  EXPECT_EQ(rig.host->belief().stopped_by({0}), "");
}

TEST(HostTest, AJobThatEndedByItselfWasStoppedByNobody) {
  Puppet stopper;
  Rig rig{only(stopper.in("stopper"))};
  stopper.wants(policy::StopJob{{0}, 1});
  stopper.wants(policy::StopJob{{1}, 1});
  rig.step(0s, {submitted(0), training(0), submitted(1), training(1)});
  rig.step(5s, {failed(0, 4s), changed(1, 2, Primary::stopped, Secondary::max_runtime_exceeded)});
  EXPECT_THAT(stopper.settled(), SizeIs(2)) << "there is nothing left to stop";
  EXPECT_EQ(rig.status(0).stopped_by, 0);
  EXPECT_EQ(rig.status(1).stopped_by, 0);
}

TEST(HostTest, WhoHasNothingToBeToldIsNotAskedButInTheFirstStep) {
  std::vector<int> asked(2);
  const auto counts = [&](std::size_t seat) {
    return [&asked, seat](const policy::Step& step, policy::Decisions& out) {
      ++asked[seat];
      if (seat == 0 && asked[0] == 1) out.wake_at(7, step.now + 1min);
    };
  };
  std::vector<Seat> seats;
  seats.push_back(seat("clock", counts(0)));
  seats.push_back(seat("other", counts(1)));
  seats[1].reads_reports = false;
  Rig rig{std::move(seats)};
  rig.host->step(at(0s), {});
  EXPECT_EQ(asked, (std::vector{1, 1}));
  rig.host->step(at(1min), {});
  EXPECT_EQ(asked, (std::vector{2, 1}));  // its timer
  rig.host->step(at(2min), {});
  EXPECT_EQ(asked, (std::vector{2, 1}));
  rig.step(3min, {submitted(0)});
  EXPECT_EQ(asked, (std::vector{3, 2}));
  rig.step(4min, {{at(4min), policy::TrainingReported{{0}}}});
  EXPECT_EQ(asked, (std::vector{4, 2}));  // only who reads them
}

TEST(HostTest, NewsOfAnAlarmIsForItsOwnSeatAndForThoseThatMindAlarms) {
  Puppet owner;
  Puppet other;
  Puppet sweeper;
  std::vector<Seat> seats = both(owner.in("owner"), other.in("other"));
  seats.push_back(sweeper.in("sweeper"));
  seats[0].minds_alarms = seats[1].minds_alarms = false;
  Rig rig{std::move(seats)};
  owner.wants(policy::PutAlarm{{{0}, 1, 9}, 1, {}});
  rig.step(0s, {submitted(0), training(0)});
  rig.step(1s, {changed(0, 3, Primary::in_progress, Secondary::training)},
           {reply(1, ReplyKind::done)});
  EXPECT_THAT(owner.settled(), SizeIs(1));
  EXPECT_THAT(sweeper.settled(), SizeIs(1));
  EXPECT_THAT(other.saw, SizeIs(1)) << "the news of the job, and nothing of the alarm";
  EXPECT_THAT(other.settled(), IsEmpty());
  rig.step(2s, {{at(2s), policy::AlarmChanged{.alarm = {{0}, 1, 0}}}});
  const auto is_of_the_alarm = [](const Puppet& puppet) {
    return std::holds_alternative<policy::AlarmChanged>(puppet.saw.at(0).fact);
  };
  EXPECT_TRUE(is_of_the_alarm(owner));
  EXPECT_TRUE(is_of_the_alarm(sweeper));
  EXPECT_FALSE(is_of_the_alarm(other)) << "it is not even asked";
}

}  // namespace host_steps_test
}  // namespace reeve::host
