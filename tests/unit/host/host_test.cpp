// How the host settles actions: effects, replies and further tries.
#include "host/host.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scripted_host.hpp"

namespace reeve::host {
namespace host_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

}  // namespace host_test
}  // namespace reeve::host
