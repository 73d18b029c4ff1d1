// Scopes of seats, and the end of a run.
#include <gmock/gmock.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/host.hpp"
#include "scripted_host.hpp"

namespace reeve::host {
namespace host_scopes_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

}  // namespace host_scopes_test
}  // namespace reeve::host
