// The control plane: calls are slow, throttled, refused, lost; events late, doubled, reordered.
#include <gtest/gtest.h>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_api_test {

using host::ReplyKind;
using policy::Notify;
using policy::PutAlarm;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

ScriptedApiFault scripted(ScriptedApiFault::Kind kind, policy::VerbKind verb,
                          std::uint32_t times = 1) {
  ScriptedApiFault fault;
  fault.kind = kind;
  fault.verb = verb;
  fault.times = times;
  return fault;
}

TEST(FleetApi, EffectAndReplyComeAfterTheLatency) {
  FleetRig rig;
  rig.world.platform.api.latency = 5s;
  const auto job = rig.job(3600s);
  rig.call(1000s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(42, 13), "stopping 1005");
  ASSERT_EQ(rig.answers.size(), 1u);
  EXPECT_EQ(rig.answers[0].after, 1005s);
  EXPECT_EQ(rig.answers[0].kind, ReplyKind::done);
}

TEST(FleetApi, ScriptedTroubleMeetsTheNextCallsOfItsVerbAndJob) {
  using Kind = ScriptedApiFault::Kind;
  for (const Duration latency : {0s, 5s}) {
    FleetRig rig;
    rig.world.platform.api.latency = latency;
    const auto job = rig.job(3600s);
    const auto other = rig.job(3600s);
    rig.world.platform.api.scripted = {
        scripted(Kind::throttled, policy::VerbKind::stop_job, 2),
        scripted(Kind::rejected, policy::VerbKind::notify),
    };
    rig.world.platform.api.scripted[0].job = job;
    const auto stop = rig.call(1000s, StopJob{job, 1});
    rig.call(1010s, StopJob{other, 1});
    rig.retry(1020s, stop, 2);
    rig.retry(1030s, stop, 3);
    rig.call(1040s, Notify{job, 1});
    rig.call(1050s, Notify{job, 1});
    rig.run();
    EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::throttled, ReplyKind::done, ReplyKind::throttled,
                                  ReplyKind::done, ReplyKind::rejected, ReplyKind::done}));
    EXPECT_EQ(rig.record.notifications, 1u);
    EXPECT_EQ(rig.answers[0].after, 1000s + latency) << "a refusal takes its time, too";
  }
}

TEST(FleetApi, ALostReplyHidesAnEffectThatHappened) {
  for (const Duration latency : {0s, 5s}) {
    FleetRig rig;
    rig.world.platform.api.latency = latency;
    rig.world.platform.api.scripted = {
        scripted(ScriptedApiFault::Kind::lost_reply, policy::VerbKind::notify)};
    const auto job = rig.job(3600s);
    const auto notice = rig.call(1000s, Notify{job, 1});
    rig.retry(1100s, notice, 2);
    rig.run();
    EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done}));
    EXPECT_EQ(rig.record.notifications, 1u) << "the repeat of a message that came through";
  }
}

TEST(FleetApi, ACallMayBeRefusedForGood) {
  FleetRig rig;
  rig.world.platform.api.rejected = 1;
  const auto job = rig.job(3600s);
  rig.call(1000s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected}));
  EXPECT_EQ(rig.row(job).status, policy::Primary::completed);
}

TEST(FleetApi, RatesAreLimitedPerVerbAndRefusedTriesCostNothing) {
  FleetRig rig;
  rig.world.platform.api.calls_per_s = 1;
  const auto job = rig.job(3600s);
  rig.call(1000s, Notify{job, 1});
  for (int tenth = 1; tenth <= 10; ++tenth) rig.call(1000s + tenth * 100ms, Notify{job, 1});
  rig.call(1000s, StopJob{job, 1});
  rig.run();
  Kinds expected(12, ReplyKind::throttled);
  expected[0] = expected[1] = expected[11] = ReplyKind::done;  // the stop is another verb
  EXPECT_EQ(rig.kinds(), expected);
}

TEST(FleetApi, ABurstOfOneSecondPasses) {
  FleetRig rig;
  rig.world.platform.api.calls_per_s = 3;
  const auto job = rig.job(3600s);
  for (int call = 0; call < 5; ++call) rig.call(1000s, Notify{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::done,
                                ReplyKind::throttled, ReplyKind::throttled}));
}

TEST(FleetApi, TheLuckOfOneHostsAlarmIsNotThatOfAnothers) {
  FleetRig rig;
  rig.world.platform.api.throttled = 0.5;
  const auto job = rig.job(3600s);
  for (std::uint16_t host = 1; host <= 64; ++host) {
    rig.call(1000s, PutAlarm{{job, host, 0}, 1, {}});
  }
  rig.run();
  const auto all = rig.kinds();
  EXPECT_NEAR(static_cast<double>(std::count(all.begin(), all.end(), ReplyKind::throttled)), 32,
              14);
}

TEST(FleetApi, TheLuckOfACallIsItsOwn) {
  const auto answer_to_the_last = [](int calls_before) {
    FleetRig rig;
    rig.world.platform.api.throttled = 0.5;
    const auto job = rig.job(3600s);
    const auto other = rig.job(3600s);
    for (int call = 0; call < calls_before; ++call) rig.call(500s, StopJob{other, 1});
    rig.call(1000s, StopJob{job, 1});
    rig.run();
    return rig.answers.back().kind;
  };
  EXPECT_EQ(answer_to_the_last(0), answer_to_the_last(1));
  EXPECT_EQ(answer_to_the_last(0), answer_to_the_last(7));
}

TEST(FleetApi, EventsComeLateTwiceAndOutOfOrderAndTellTheTruth) {
  FleetRig rig;
  rig.world.platform.events = {30s, 500s, 0.5, 60s};
  for (int nth = 0; nth < 20; ++nth) rig.job(400s, 1, nth * 10s);
  rig.run(20'000s);
  using News = std::tuple<std::uint32_t, std::uint16_t, Instant, Instant>;
  std::multiset<News> sent;
  std::multiset<News> got;
  std::size_t doubled = 0;
  for (const EventRow& event : rig.record.events) {
    const auto status = static_cast<std::uint16_t>(event.secondary);
    sent.insert({event.job.index, status, event.at, event.delivered});
    doubled += event.duplicate ? 1 : 0;
    EXPECT_GE(event.delivered, event.at + 30s);
    EXPECT_LE(event.delivered, event.at + 30s + 500s + (event.duplicate ? 60s : 0s));
  }
  bool reordered = false;
  std::map<std::uint32_t, std::uint32_t> newest;
  for (const auto& news : rig.seen) {
    const auto* change = std::get_if<policy::JobChanged>(&news.what.fact);
    if (change == nullptr) continue;
    got.insert({change->job.index, static_cast<std::uint16_t>(change->secondary),
                news.what.happened_at, news.delivered});
    std::uint32_t& seen = newest[change->job.index];
    reordered = reordered || change->revision < seen;
    seen = std::max(seen, change->revision);
  }
  EXPECT_EQ(sent, got) << "each copy is delivered once, when it was said to be";
  EXPECT_EQ(sent.size(), 100 + doubled + 20 - 4) << "16 jobs had to wait";
  EXPECT_NEAR(static_cast<double>(doubled), 58, 25);
  EXPECT_TRUE(reordered);
}

TEST(FleetApi, TheKillSwitchIsSeenWhenItIsTurned) {
  FleetRig rig;
  rig.world.kill_switch.engaged = {{100s, 200s}, {200s, 300s}};
  rig.job(1000s);
  rig.run();
  std::vector<std::pair<Duration, bool>> turns;
  for (const auto& news : rig.seen) {
    const auto* turn = std::get_if<policy::KillSwitchChanged>(&news.what.fact);
    if (turn != nullptr) turns.emplace_back(news.delivered - rig_start, turn->engaged);
  }
  EXPECT_EQ(turns, (std::vector<std::pair<Duration, bool>>{
                       {100s, true}, {200s, false}, {200s, true}, {300s, false}}));
}

TEST(FleetApi, CapacityIsKnownFromTheBeginning) {
  FleetRig rig;
  rig.run(10s);
  ASSERT_EQ(rig.seen.size(), 1u);
  EXPECT_EQ(std::get<policy::CapacityChanged>(rig.seen[0].what.fact).instances, 4u);
}

}  // namespace fleet_api_test
}  // namespace reeve::models
