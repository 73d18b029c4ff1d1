#include "host/host.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "scripted_host.hpp"

namespace reeve::host {
namespace host_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<Seat> only(Seat seat) {
  std::vector<Seat> seats;
  seats.push_back(std::move(seat));
  return seats;
}
std::vector<Seat> both(Seat first, Seat second) {
  std::vector<Seat> seats;
  seats.push_back(std::move(first));
  seats.push_back(std::move(second));
  return seats;
}
Reply reply(std::uint64_t id, ReplyKind kind, std::uint32_t number = 1) {
  return {{id}, number, kind};
}

TEST(HostTest, AStopIsSettledWhenItsEffectIsSeenNotWhenTheApiSaysDone) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  const auto sent = rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].action, action(1));
  EXPECT_EQ(sent[0].number, 1U);
  EXPECT_TRUE(rig.status(0).busy);
  rig.step(1s, {}, {reply(1, ReplyKind::done)});
  EXPECT_THAT(puppet.settled(), IsEmpty());
  EXPECT_TRUE(rig.status(0).busy);
  rig.step(2s, {stopping(0, 2s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  const auto settled = puppet.settled()[0];
  EXPECT_EQ(settled.action, action(1));
  EXPECT_EQ(settled.outcome, Outcome::done);
  EXPECT_EQ(settled.verb, policy::VerbKind::stop_job);
  EXPECT_EQ(settled.job, JobId{0});
  EXPECT_EQ(settled.attempt, 1);
  EXPECT_FALSE(rig.status(0).busy);
}

TEST(HostTest, TheEffectSettlesEvenIfTheReplyNeverCame) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StartJob{{0}, 1});
  rig.step(0s, {submitted(0)});
  rig.step(2s, {training(0, 2s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  rig.step(3s, {}, {reply(1, ReplyKind::done)});
  EXPECT_THAT(puppet.settled(), IsEmpty()) << "the late reply settles nothing twice";
  EXPECT_EQ(rig.host->next_deadline(), policy::never);
}

TEST(HostTest, ACloneIsSettledWhenItsAttemptIsSeen) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::CloneJob{{0}, 2});
  ASSERT_THAT(rig.step(0s, {submitted(0), failed(0)}), SizeIs(1));
  rig.step(1s, {}, {reply(1, ReplyKind::done)});
  EXPECT_THAT(puppet.settled(), IsEmpty());
  rig.step(2s, {submitted(0, 2s, 2)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::done);
  EXPECT_FALSE(rig.status(0).busy);
}

TEST(HostTest, AStopThatIsPartlyDoneWaitsForItsEffectAsADoneOneDoes) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  ASSERT_THAT(rig.step(0s, {submitted(0), training(0)}), SizeIs(1));
  rig.step(1s, {}, {reply(1, ReplyKind::partly_done)});
  EXPECT_THAT(puppet.settled(), IsEmpty());
  EXPECT_TRUE(rig.status(0).busy);
  rig.step(2s, {stopping(0, 2s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::done);
}

TEST(HostTest, AlarmsMessagesAndLimitsAreSettledByTheReply) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::PutAlarm{{{0}, 1, 9}, 1, {}});
  puppet.wants(policy::DeleteAlarm{{{0}, 2, 9}});
  puppet.wants(policy::Notify{{0}, 1});
  puppet.wants(policy::LimitRuntime{{0}, 1, 1h});
  ASSERT_THAT(rig.step(0s, {submitted(0), training(0)}), SizeIs(4));
  rig.step(1s, {},
           {reply(1, ReplyKind::done), reply(2, ReplyKind::done), reply(3, ReplyKind::done),
            reply(4, ReplyKind::partly_done)});
  ASSERT_THAT(puppet.settled(), SizeIs(4));
  EXPECT_EQ(puppet.settled()[2].outcome, Outcome::done);
  EXPECT_EQ(puppet.settled()[3].outcome, Outcome::partly_done);
  EXPECT_EQ(rig.host->actions_in_flight(), 0U);
}

TEST(HostTest, TheHostStampsTheSeatOfAnAlarm) {
  Puppet first;
  Puppet second;
  Rig rig{both(first.in("a"), second.in("b"))};
  second.wants(policy::PutAlarm{{{0}, 1, 9}, 1, {}});
  const auto sent = rig.step(0s, {submitted(0)});
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(std::get<policy::PutAlarm>(sent[0].verb).alarm.seat, 1);
}

TEST(HostTest, TwoThrottlesThenSuccessWaitOneAndTwoSeconds) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  EXPECT_THAT(rig.step(0s, {}, {reply(1, ReplyKind::throttled, 1)}), IsEmpty());
  EXPECT_EQ(rig.host->next_deadline(), at(1s));
  auto sent = rig.step(1s);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].action, action(1)) << "the same id";
  EXPECT_EQ(sent[0].number, 2U);
  rig.step(1s, {}, {reply(1, ReplyKind::unknown, 2)});
  EXPECT_EQ(rig.host->next_deadline(), at(3s));
  sent = rig.step(3s);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].number, 3U);
  rig.step(3s, {stopping(0, 3s)}, {reply(1, ReplyKind::done, 3)});
  EXPECT_THAT(puppet.settled(), SizeIs(1));
}

TEST(HostTest, BackOffDoublesUpToItsLimit) {
  Puppet puppet;
  Rig rig{only(puppet.in("a")), {}, Retry{.attempts_max = 8, .backoff_max = 5s}};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  Duration now = 0s;
  std::uint32_t number = 0;
  for (const Duration wait : std::vector<Duration>{1s, 2s, 4s, 5s, 5s, 5s}) {
    rig.step(now, {}, {reply(1, ReplyKind::throttled, ++number)});
    now += wait;
    EXPECT_EQ(rig.host->next_deadline(), at(now));
    EXPECT_THAT(rig.step(now), SizeIs(1));
  }
}

/// Answers calls at once: `rate` of them in each second, the others are throttled.
class BusyApi final : public Feed, public Actuator {
 public:
  explicit BusyApi(double rate) : rate_{rate}, tokens_{rate} {}
  Instant advance(Instant deadline, Intake& out) override {
    if (!next_.empty()) {
      std::swap(out, next_);
      next_.clear();
      return now_;
    }
    now_ = deadline;
    return now_;
  }
  void submit(const Attempt& attempt) override {
    ++calls;
    tokens_ =
        std::min(rate_, tokens_ + rate_ * std::chrono::duration<double>(now_ - filled_).count());
    filled_ = now_;
    const bool works = tokens_ >= 1.0;
    if (works) tokens_ -= 1.0;
    next_.replies.push_back(
        {attempt.action, attempt.number, works ? ReplyKind::done : ReplyKind::throttled});
    const auto* stop = std::get_if<policy::StopJob>(&attempt.verb);
    if (works && stop != nullptr) next_.observations.push_back(stopping(stop->job.index));
  }
  void say(Observation seen) { next_.observations.push_back(std::move(seen)); }
  std::size_t calls = 0;

 private:
  double rate_;
  double tokens_;
  Instant now_ = at(0s);
  Instant filled_ = at(0s);
  Intake next_;
};

/// Two hundred stops wanted at once.
struct Crowd {
  static constexpr std::uint32_t jobs = 200;
  Puppet puppet;
  std::map<Outcome, std::size_t> outcomes;
  Instant last = at(0s);
  std::unique_ptr<Rig> rig;

  Crowd(BusyApi& api, bool ask_again, Guards guards = {}) {
    puppet.look = [this, ask_again](const policy::Step& step) {
      for (const Observation& seen : step.observed) {
        const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
        if (settled == nullptr) continue;
        ++outcomes[settled->outcome];
        last = step.now;
        if (ask_again && settled->outcome == Outcome::expired) {
          puppet.wants(policy::StopJob{settled->job, 1});
        }
      }
    };
    rig = std::make_unique<Rig>(only(puppet.in("a")), std::move(guards));
    for (std::uint32_t job = 0; job < jobs; ++job) {
      api.say(submitted(job));
      api.say(training(job));
      puppet.wants(policy::StopJob{{job}, 1});
    }
  }
};

TEST(HostTest, TwoHundredStopsThrottledAtOnceAllSucceedWithinTheirTries) {
  BusyApi api{10};
  Crowd crowd{api, false};
  run(*crowd.rig->host, api, api, at(1h));
  EXPECT_EQ(crowd.outcomes[Outcome::done], Crowd::jobs);
  EXPECT_EQ(crowd.outcomes[Outcome::expired], 0U);
  EXPECT_LE(crowd.last, at(31s)) << "1 + 2 + 4 + 8 s and as much again; 20 s is the least possible";
}

TEST(HostTest, WhatASlowApiLetsExpireIsToldAndSucceedsWhenAskedForAgain) {
  BusyApi api{2};
  Crowd crowd{api, true};
  run(*crowd.rig->host, api, api, at(1h));
  EXPECT_EQ(crowd.outcomes[Outcome::done], Crowd::jobs);
  EXPECT_GT(crowd.outcomes[Outcome::expired], 0U);
  EXPECT_LE(crowd.last, at(200s)) << "100 s is the least possible";
  EXPECT_THAT(crowd.rig->lines(), HasSubstr("outcome=expired\n"));
}

TEST(HostTest, TheSpreadIsTheSameInEveryRun) {
  std::vector<std::string> journals;
  for (int time = 0; time < 2; ++time) {
    BusyApi api{3};
    Crowd crowd{api, true};
    run(*crowd.rig->host, api, api, at(1h));
    journals.push_back(crowd.rig->lines());
  }
  EXPECT_EQ(journals[0], journals[1]);
}

TEST(HostTest, AThrottleOfAnEarlierTryDoesNotDelayTheNewestOne) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  ASSERT_THAT(rig.step(30s), SizeIs(1));
  rig.step(31s, {}, {reply(1, ReplyKind::throttled, 1), reply(1, ReplyKind::rejected, 1)});
  EXPECT_EQ(rig.host->next_deadline(), at(60s));
  EXPECT_EQ(rig.host->actions_in_flight(), 1U);
}

TEST(HostTest, ALostReplyIsRetriedAndAfterTheLastTryTheActionExpires) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  for (std::uint32_t number = 2; number <= 5; ++number) {
    EXPECT_EQ(rig.host->next_deadline(), at(30s * (number - 1)));
    const auto sent = rig.step(30s * (number - 1));
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].number, number);
    EXPECT_THAT(puppet.settled(), IsEmpty());
  }
  EXPECT_THAT(rig.step(150s), IsEmpty());
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::expired);
  EXPECT_FALSE(rig.status(0).busy);
  EXPECT_EQ(rig.host->next_deadline(), policy::never);
}

TEST(HostTest, TheLastTryThrottledExpiresAtOnceButUnknownWaitsForItsEffect) {
  Puppet puppet;
  Rig rig{only(puppet.in("a")), {}, Retry{.attempts_max = 1}};
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{1}, 1});
  rig.step(0s, {submitted(0), training(0), submitted(1), training(1)});
  rig.step(1s, {}, {reply(1, ReplyKind::throttled), reply(2, ReplyKind::unknown)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::expired);
  rig.step(20s, {stopping(1, 19s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::done);
}

// The first try may have worked, so a throttled last one proves nothing.
TEST(HostTest, TheLastTryThrottledAfterATryOfWhichNobodyKnowsWaitsForItsEffect) {
  Puppet puppet;
  Rig rig{only(puppet.in("a")), {}, Retry{.attempts_max = 2}};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  rig.step(1s, {}, {reply(1, ReplyKind::unknown)});
  ASSERT_THAT(rig.step(1h), SizeIs(1));
  rig.step(1h + 1s, {}, {reply(1, ReplyKind::throttled, 2)});
  EXPECT_THAT(puppet.settled(), IsEmpty());
  rig.step(1h + 20s, {stopping(0, 2s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::done);
}

TEST(HostTest, DoneWithoutAnEffectIsTriedAgainAfterTheConfirmTimeout) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  rig.step(0s, {submitted(0), training(0)});
  rig.step(10s, {}, {reply(1, ReplyKind::done)});
  EXPECT_EQ(rig.host->next_deadline(), at(310s));
  rig.step(20s, {}, {reply(1, ReplyKind::done)});
  EXPECT_EQ(rig.host->next_deadline(), at(310s)) << "a repeated reply does not put it off";
  const auto sent = rig.step(310s);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].number, 2U);
}

TEST(HostTest, ARejectionSettlesAsRefusedUnlessTheStopsEffectIsVisible) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{1}, 1});
  rig.step(0s, {submitted(0), training(0), submitted(1), training(1)});
  rig.step(1s, {stopped(1)}, {reply(1, ReplyKind::rejected), reply(2, ReplyKind::rejected)});
  ASSERT_THAT(puppet.settled(), SizeIs(2));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::refused);
  EXPECT_EQ(puppet.settled()[1].outcome, Outcome::done);
}

TEST(HostTest, ARejectionAfterATryOfWhichNobodyKnowsIsNoProofThatNothingHappened) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{1}, 1});
  puppet.wants(policy::DeleteAlarm{{{0}, 1, 0}, 1});
  rig.step(0s, {submitted(0), training(0), submitted(1), training(1)});
  rig.step(
      1s, {},
      {reply(1, ReplyKind::unknown), reply(2, ReplyKind::unknown), reply(3, ReplyKind::unknown)});
  EXPECT_THAT(rig.step(60s), SizeIs(3));
  EXPECT_THAT(rig.step(100s, {},
                       {reply(1, ReplyKind::rejected, 2), reply(2, ReplyKind::rejected, 2),
                        reply(3, ReplyKind::rejected, 2)}),
              IsEmpty());
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::expired) << "the alarm may be there";
  rig.step(200s, {stopped(0, 1s)});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::done);
  EXPECT_EQ(rig.host->belief().stopped_by({0}), "a_rule");
  EXPECT_THAT(rig.step(400s), IsEmpty()) << "it is not tried again";
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::expired);
  puppet.wants(policy::StopJob{{1}, 1});
  const auto sent = rig.step(500s);
  ASSERT_THAT(sent, SizeIs(1));
  rig.step(501s, {}, {{sent[0].action, 1, ReplyKind::rejected}});
  ASSERT_THAT(puppet.settled(), SizeIs(1));
  EXPECT_EQ(puppet.settled()[0].outcome, Outcome::refused) << "another action: its first try";
}

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

TEST(HostTest, ASeatIsToldOfTheJobsInItsScopeAndActsOnNoOther) {
  Puppet puppet;
  Seat scoped = puppet.in("scoped");
  scoped.scope = Scope{{TagPattern{"reeve:protect=yes"}}, {}};
  Rig rig{only(std::move(scoped))};
  auto inside = submitted(0);
  std::get<policy::JobSubmitted>(inside.fact).description.tags = {1};
  rig.step(0s, {training(0)});
  EXPECT_THAT(puppet.saw, IsEmpty()) << "before its submission is known it is in no scope";
  rig.step(1s, {inside, submitted(1), training(1)});
  ASSERT_THAT(puppet.saw, SizeIs(2)) << "what came before it is told with it";
  EXPECT_TRUE(std::holds_alternative<policy::JobChanged>(puppet.saw[0].fact));
  puppet.wants(policy::StopJob{{0}, 1});
  puppet.wants(policy::StopJob{{1}, 1});
  EXPECT_THAT(rig.step(2s), SizeIs(1));
  EXPECT_THAT(rig.lines(), HasSubstr("job=1 attempt=1 cause=rule_broken incident=1 "
                                     "reason=\"test\" why=guard guard=\"scope\""));
}

/// Of a seat whose scope is reeve:protect=yes.
Seat protecting(Puppet& puppet, Mode mode = Mode::enforce) {
  Seat scoped = puppet.in("scoped", mode);
  scoped.scope = Scope{{TagPattern{"reeve:protect=yes"}}, {}};
  return scoped;
}
Observation tagged(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  Observation news = submitted(job, when, attempt);
  std::get<policy::JobSubmitted>(news.fact).description.tags = {1};
  return news;
}
Observation machines_left(std::uint32_t job, AttemptNumber attempt, std::uint32_t instances) {
  return {at(0s), policy::MachinesLeft{{job}, attempt, instances}};
}
std::vector<std::uint32_t> machines_told(const Puppet& puppet) {
  std::vector<std::uint32_t> told;
  for (const Observation& seen : puppet.saw) {
    const auto* left = std::get_if<policy::MachinesLeft>(&seen.fact);
    if (left != nullptr) told.push_back(left->instances);
  }
  return told;
}

TEST(HostTest, NewsFromBeforeALateSubmissionIsToldWithItInTheOrderInWhichItCame) {
  Puppet puppet;
  Rig rig{only(protecting(puppet))};
  rig.step(0s, {machines_left(0, 1, 8), machines_left(1, 1, 7), machines_left(2, 1, 6)});
  rig.step(1s, {machines_left(0, 1, 5)});
  EXPECT_THAT(puppet.saw, IsEmpty());
  rig.step(2s, {tagged(2), tagged(0), submitted(1), machines_left(0, 1, 4)});
  EXPECT_THAT(machines_told(puppet), ElementsAre(8, 6, 5, 4));
  rig.step(3s, {tagged(0)});
  EXPECT_THAT(machines_told(puppet), IsEmpty()) << "told once";
}

TEST(HostTest, NewsOfAnEarlierAttemptIsOfTheScopeOfThatAttempt) {
  Puppet puppet;
  Rig rig{only(protecting(puppet))};
  rig.step(0s, {tagged(0), failed(0), submitted(1), failed(1)});
  rig.step(1s, {submitted(0, 1s, 2), tagged(1, 1s, 2)});  // one leaves the scope, one enters it
  rig.step(2s, {machines_left(0, 1, 8), machines_left(0, 2, 7), machines_left(1, 1, 6),
                machines_left(1, 2, 5), machines_left(1, 3, 4)});
  EXPECT_THAT(machines_told(puppet), ElementsAre(8, 5));
  rig.step(3s, {tagged(1, 3s, 3)});
  EXPECT_THAT(machines_told(puppet), ElementsAre(4));
}

TEST(HostTest, WhatIsWantedOfAnAttemptWhoseScopeIsUnknownMayBeAskedForWhenItIsKnown) {
  Puppet puppet;
  Rig rig{only(protecting(puppet))};
  rig.step(0s, {tagged(0), failed(0)});
  rig.step(1s, {training(0, 1s, 2)});
  puppet.wants(policy::StopJob{{0}, 2});
  EXPECT_THAT(rig.step(2s, {nudge(2s)}), IsEmpty());
  rig.step(3s, {nudge(3s)});
  ASSERT_THAT(puppet.saw, SizeIs(1));
  EXPECT_EQ(puppet.settled().at(0).refusal, policy::Refusal::conflict);
  rig.step(4s, {tagged(0, 4s, 2)});
  puppet.wants(policy::StopJob{{0}, 2});
  EXPECT_THAT(rig.step(5s, {nudge(5s)}), SizeIs(1));
}

TEST(HostTest, AVerbIsJudgedByTheScopeAndTheTagsOfTheAttemptThatItIsAbout) {
  Puppet puppet;
  Rig rig{only(protecting(puppet))};
  rig.step(0s, {tagged(0), failed(0), submitted(1), failed(1)});
  rig.step(1s, {submitted(0, 1s, 2), tagged(1, 1s, 2)});
  puppet.wants(policy::TerminateInstances{{0}, 1});
  puppet.wants(policy::TerminateInstances{{1}, 1});
  puppet.wants(policy::DeleteAlarm{{{1}, 1, 0}, 1, true});
  const auto sent = rig.step(2s);
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(target(sent[0].verb).job, JobId{0});

  Rig guarded{
      only(puppet.in("all")),
      guards_of(std::make_unique<ProtectedTags>(std::vector<std::string>{"reeve:protect"}))};
  guarded.step(0s, {tagged(0), failed(0), submitted(1), failed(1)});
  guarded.step(1s, {submitted(0, 1s, 2), tagged(1, 1s, 2)});
  puppet.wants(policy::TerminateInstances{{0}, 1});
  puppet.wants(policy::TerminateInstances{{1}, 1});
  const auto unprotected = guarded.step(2s);
  ASSERT_THAT(unprotected, SizeIs(1));
  EXPECT_EQ(target(unprotected[0].verb).job, JobId{1});
}

TEST(HostTest, ACloneIsOfTheScopeOfTheAttemptBeforeIt) {
  Puppet puppet;
  Puppet other;
  Rig rig{both(protecting(puppet), other.in("other"))};
  rig.step(0s, {tagged(0), failed(0)});
  puppet.wants(policy::CloneJob{{0}, 2});
  ASSERT_THAT(rig.step(1s), SizeIs(1));
  rig.step(2s, {}, {reply(1, ReplyKind::rejected)});
  other.wants(policy::CloneJob{{0}, 2});
  ASSERT_THAT(rig.step(3s), SizeIs(1));
  rig.step(4s, {}, {reply(2, ReplyKind::rejected)});
  EXPECT_THAT(puppet.settled(), SizeIs(1)) << "what became of another seat's clone of its job";
}

TEST(HostTest, WhatMayYetBePlacedInAFleetOfTheScopeIsToldThen) {
  Puppet puppet;
  Seat scoped = puppet.in("scoped");
  scoped.scope = Scope{{}, {{1}}};
  Rig rig{only(std::move(scoped))};
  rig.directory.pools.push_back({.name = "other"});
  const auto waiting = [](std::uint32_t job) {
    Observation news = submitted(job);
    std::get<policy::JobSubmitted>(news.fact).description.awaits_placement = true;
    return news;
  };
  rig.step(0s, {waiting(0), waiting(1), machines_left(0, 1, 8), machines_left(1, 1, 7)});
  EXPECT_THAT(puppet.saw, IsEmpty());
  rig.step(1s,
           {{at(1s), policy::JobPlaced{{0}, 1, {1}}}, {at(1s), policy::JobPlaced{{1}, 1, {0}}}});
  EXPECT_THAT(machines_told(puppet), ElementsAre(8));
}

TEST(UnjudgedObservationsTest, BeyondItsMeasureTheOldestGoes) {
  UnjudgedObservations kept;
  for (std::uint32_t job = 0; job < UnjudgedObservations::at_most + 2; ++job) {
    kept.keep({{job}, 1}, machines_left(job, 1, job));
  }
  EXPECT_EQ(kept.size(), UnjudgedObservations::at_most);
  std::vector<Observation> told;
  for (const std::uint32_t job : {2U, 1U}) kept.call({{job}, 1});
  kept.judge_called([](const Observation&) { return true; }, told);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(std::get<policy::MachinesLeft>(told[0].fact).instances, 2U);
}

TEST(HostTest, ARuleThatWarnsTellsOfEachThingThatItWouldDoToAnAttempt) {
  Puppet puppet;
  Rig rig{only(puppet.in("warn", Mode::warn))};
  rig.step(0s, {submitted(0), failed(0)});
  const std::vector<policy::Verb> verbs{
      policy::TerminateInstances{{0}, 1}, policy::DeleteAlarm{{{0}, 1, 0}, 1, true},
      policy::DeleteAlarm{{{0}, 2, 0}, 1, true}, policy::CloneJob{{0}, 2}};
  for (const policy::Verb& verb : verbs) puppet.wants(verb);
  EXPECT_THAT(rig.step(1s), SizeIs(3)) << "alarms of one seat are one thing";
  rig.step(2s, {submitted(0, 2s, 2), failed(0, 2s, 2)});
  for (const policy::Verb& verb : verbs) puppet.wants(verb);
  EXPECT_THAT(rig.step(3s), IsEmpty()) << "each once, also when a later attempt was told of";
  puppet.wants(policy::TerminateInstances{{0}, 2});
  EXPECT_THAT(rig.step(4s), SizeIs(1));
}

TEST(HostTest, AMessageAboutAnEarlierAttemptIsNoneThatWasToldOfALaterOne) {
  Puppet puppet;
  Rig rig{only(puppet.in("a"))};
  rig.step(0s, {submitted(0), failed(0), submitted(0, 0s, 2)});
  puppet.wants(policy::Notify{{0}, 2});
  EXPECT_THAT(rig.step(1s), SizeIs(1));
  puppet.wants(policy::Notify{{0}, 1});
  EXPECT_THAT(rig.step(2s), SizeIs(1));
  puppet.wants(policy::Notify{{0}, 1});
  puppet.wants(policy::Notify{{0}, 2});
  EXPECT_THAT(rig.step(3s), IsEmpty());
}

TEST(HostDeathTest, TimeRunningBackwardsAbortsWithTheStep) {
  Rig rig{{}};
  rig.step(10s);
  EXPECT_DEATH(rig.step(9s), "a feed ran backwards.*step 2");
}

/// Says what it was told to say, when it was told to.
class ScriptedWorld final : public Feed, public Actuator {
 public:
  std::deque<std::pair<Instant, Intake>> news;
  std::vector<Attempt> sent;

  Instant advance(Instant deadline, Intake& out) override {
    if (news.empty() || news.front().first > deadline) return deadline;
    const Instant now = news.front().first;
    out = news.front().second;
    news.pop_front();
    return now;
  }
  void submit(const Attempt& attempt) override { sent.push_back(attempt); }
};

TEST(RunTest, EndsAtTheHorizonOrWhenNothingCanHappenAnyMore) {
  for (const Instant until : {at(1000s), policy::never}) {
    Puppet puppet;
    Rig rig{only(puppet.in("a"))};
    puppet.wants(policy::StopJob{{0}, 1});
    ScriptedWorld world;
    world.news.push_back({at(1s), {{submitted(0), training(0)}, {}}});
    world.news.push_back({at(40s), {{stopping(0, 40s)}, {}}});
    run(*rig.host, world, world, until);
    EXPECT_THAT(world.sent, SizeIs(2)) << "one retry at 31 s";
    EXPECT_EQ(rig.host->now(), until == policy::never ? at(40s) : at(1000s));
  }
}

TEST(RunTest, StopsWhenInterrupted) {
  Rig rig{{}};
  ScriptedWorld world;
  for (int second = 1; second < 10; ++second) world.news.push_back({at(1s * second), {}});
  int steps = 0;
  run(*rig.host, world, world, policy::never, [&] { return ++steps > 3; });
  EXPECT_EQ(rig.host->steps(), 3U);
}

}  // namespace host_test
}  // namespace reeve::host
