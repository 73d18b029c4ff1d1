#include "host/belief.hpp"

#include <gmock/gmock.h>

#include "scripted_host.hpp"

namespace reeve::host {
namespace belief_test {

class BeliefTest : public testing::Test {
 protected:
  policy::Directory directory{.types = {{}}, .pools = {{.name = "a"}, {.name = "b"}}};
  Belief belief{directory};
  const policy::JobStatus& status(std::uint32_t job) { return belief.status({job}); }
};

TEST_F(BeliefTest, JobsInBetweenStayUnknown) {
  belief.fold(submitted(3, 5s));
  EXPECT_EQ(belief.job_count(), 4U);
  EXPECT_FALSE(belief.knows({2}));
  EXPECT_EQ(status(2).attempt, 0);
  EXPECT_TRUE(belief.knows({3}));
  EXPECT_EQ(status(3).requested_at, at(5s));
  EXPECT_EQ(status(3).training_since, policy::never);
}

TEST_F(BeliefTest, WhoeverIsToldOfAJobMayLookItUp) {
  const auto jobs_after = [&](const policy::Fact& fact) {
    Belief fresh{directory};
    fresh.fold({at(0s), fact});
    return fresh.job_count();
  };
  EXPECT_EQ(jobs_after(policy::SignsSeen{{7}}), 8U);
  EXPECT_EQ(jobs_after(policy::TrainingReported{{7}}), 8U);
  EXPECT_EQ(jobs_after(policy::MachinesLeft{{7}}), 8U);
  EXPECT_EQ(jobs_after(policy::NodesLost{{7}}), 8U);
  EXPECT_EQ(jobs_after(policy::SpotNotice{{7}, 1, {}, at(0s), 1}), 8U);
  EXPECT_EQ(jobs_after(policy::JobPlaced{{7}, 1, {0}}), 8U);
  EXPECT_EQ(jobs_after(policy::AlarmChanged{{{7}, 1, 0}}), 8U);
}

TEST_F(BeliefTest, OlderNewsDoesNotTakeBeliefBack) {
  belief.fold(submitted(0));
  belief.fold(stopped(0, 30s));
  belief.fold(stopping(0, 20s));
  belief.fold(submitted(0));
  EXPECT_EQ(status(0).primary, Primary::stopped);
  EXPECT_EQ(status(0).since, at(30s));
  EXPECT_EQ(status(0).ended_at, at(30s));
}

TEST_F(BeliefTest, LateNewsOfTrainingStillSaysSinceWhen) {
  belief.fold(submitted(0));
  belief.fold(stopped(0, 30s));
  EXPECT_EQ(status(0).training_since, policy::never);
  belief.fold(training(0, 10s));
  EXPECT_EQ(status(0).training_since, at(10s));
  EXPECT_EQ(status(0).primary, Primary::stopped);
}

TEST_F(BeliefTest, TrainingSinceIsTheFirstOfTheAttempt) {
  belief.fold(submitted(0));
  belief.fold(training(0, 10s));
  belief.fold(changed(0, 2, Primary::in_progress, Secondary::interrupted, 20s));
  belief.fold(changed(0, 3, Primary::in_progress, Secondary::training, 30s));
  EXPECT_EQ(status(0).training_since, at(10s));
  EXPECT_EQ(status(0).since, at(30s));
}

TEST_F(BeliefTest, AStopThatIsSeenLongAfterItWasGivenUpIsStillTheRulesStop) {
  belief.fold(submitted(0));
  belief.fold(training(0, 10s));
  belief.expect_stop({0}, 1, {2});
  belief.fold(stopped(0, 3600s));
  EXPECT_EQ(status(0).stopped_by, 3);
}

TEST_F(BeliefTest, AStopThatWasRefusedIsNobodysDoing) {
  belief.fold(submitted(0));
  belief.fold(training(0, 10s));
  belief.expect_stop({0}, 1, {2});
  belief.expect_no_stop({0});
  belief.fold(stopped(0, 3600s));
  EXPECT_EQ(status(0).stopped_by, 0);
}

TEST_F(BeliefTest, ANewAttemptStartsAfresh) {
  belief.fold(submitted(0));
  belief.fold(training(0, 10s));
  belief.expect_stop({0}, 1, {4});
  belief.fold(stopped(0, 30s));
  EXPECT_EQ(status(0).stopped_by, 5) << "1 + the seat";
  belief.fold(submitted(0, 40s, 2));
  EXPECT_EQ(status(0).attempt, 2);
  EXPECT_EQ(status(0).primary, Primary::queued);
  EXPECT_EQ(status(0).secondary, Secondary::queued);
  EXPECT_EQ(status(0).training_since, policy::never);
  EXPECT_EQ(status(0).ended_at, policy::never);
  EXPECT_EQ(status(0).stopped_by, 0);
  EXPECT_EQ(status(0).revision, 0);
  belief.fold(stopped(0, 30s));  // of attempt 1
  EXPECT_EQ(status(0).primary, Primary::queued);
}

TEST_F(BeliefTest, AChangeMayComeBeforeItsSubmission) {
  belief.fold(training(0, 10s));
  EXPECT_EQ(status(0).attempt, 1);
  auto news = std::get<policy::JobSubmitted>(submitted(0, 5s).fact);
  news.description.instances = 8;
  news.origin = policy::Origin::rule;
  belief.fold(Observation{at(5s), news});
  EXPECT_EQ(status(0).secondary, Secondary::training);
  EXPECT_EQ(status(0).requested_at, at(5s));
  EXPECT_EQ(status(0).origin, policy::Origin::rule);
  EXPECT_EQ(belief.description({0}).instances, 8U);
}

TEST_F(BeliefTest, TheDescriptionMayComeWithAnOlderAttempt) {
  belief.fold(training(0, 50s, 2));
  auto news = std::get<policy::JobSubmitted>(submitted(0, 5s).fact);
  news.description.instances = 8;
  belief.fold(Observation{at(5s), news});
  EXPECT_EQ(belief.description({0}).instances, 8U);
  EXPECT_EQ(status(0).attempt, 2);
  EXPECT_EQ(status(0).requested_at, at(50s));
}

TEST_F(BeliefTest, APlacementMayComeBeforeItsSubmission) {
  for (const bool before : {false, true}) {
    Belief told{directory};
    policy::JobSubmitted news{.job = {0}, .attempt = 1, .description = {}};
    news.description.awaits_placement = true;
    const Observation placed{at(1s), policy::JobPlaced{{0}, 1, {1}}};
    const policy::Verb verb = policy::PlaceJob{{0}, 1, {1}};
    if (before) told.fold(placed);
    told.fold({at(0s), news});
    if (!before) {
      EXPECT_FALSE(told.shows_effect(verb));
      told.fold(placed);
    }
    EXPECT_EQ(told.description({0}).pool.index, 1U) << before;
    EXPECT_FALSE(told.description({0}).awaits_placement) << before;
    EXPECT_TRUE(told.shows_effect(verb)) << before;
  }
}

TEST_F(BeliefTest, AnOlderPlacementDoesNotTakeTheNewerBack) {
  belief.fold(submitted(0));
  for (const auto& [when, pool] : {std::pair{1s, 0U}, std::pair{2s, 1U}, std::pair{1s, 0U}}) {
    belief.fold({at(when), policy::JobPlaced{{0}, 1, {pool}}});
  }
  EXPECT_EQ(belief.description({0}).pool.index, 1U);
}

TEST(Queues, ChangesOfQuotasAndPrioritiesAreBelievedInTheOrderInWhichTheyHappened) {
  policy::Directory directory;
  directory.pools = {{.name = "a"}, {.name = "b"}};
  directory.shares = {{.name = "s", .quota = {{{1}, 60}}}};
  Belief belief{directory};
  EXPECT_EQ(belief.quota({0}, {0}), 0U);
  EXPECT_EQ(belief.quota({0}, {1}), 60U);
  belief.fold({at(20s), policy::QuotaChanged{{0}, {1}, 45}});
  belief.fold({at(10s), policy::QuotaChanged{{0}, {1}, 50}});
  EXPECT_EQ(belief.quota({0}, {1}), 45U);

  belief.fold({at(20s), policy::PriorityChanged{{0}, 1, 4}});
  belief.fold({at(10s), policy::PriorityChanged{{0}, 1, 3}});
  belief.fold(submitted(0, 5s));  // told late: it had another priority then
  EXPECT_EQ(belief.description({0}).priority, 4);
}

TEST_F(BeliefTest, APreemptionShowsWhenTheAttemptStops) {
  belief.fold(submitted(0));
  const policy::Verb verb = policy::PreemptJob{{0}, 1};
  EXPECT_TRUE(belief.is_moot(verb)) << "it has no machines";
  belief.fold(training(0, 10s));
  EXPECT_FALSE(belief.is_moot(verb));
  EXPECT_FALSE(belief.shows_effect(verb));
  belief.fold(stopping(0, 20s));
  EXPECT_TRUE(belief.shows_effect(verb));
  EXPECT_EQ(belief.stopped_by({0}), "") << "no rule's stop";
}

TEST_F(BeliefTest, InterruptionsAreCountedThoughTheNewestIsToldFirst) {
  belief.fold(submitted(0));
  auto news = changed(0, 9, Primary::in_progress, Secondary::interrupted);
  std::get<policy::JobChanged>(news.fact).interruptions = 2;
  belief.fold(news);
  belief.fold(changed(0, 5, Primary::in_progress, Secondary::interrupted));
  EXPECT_EQ(belief.status({0}).interruptions, 2U);
  belief.fold(submitted(0, 1h, 2));
  EXPECT_EQ(belief.status({0}).interruptions, 0U) << "of the newest attempt";
}

TEST_F(BeliefTest, ProgressIsTheNewestOfTheNewestAttempt) {
  belief.fold(submitted(0));
  belief.fold({at(2s), policy::ProgressReported{{0}, 1, 20s, 5s, true, {1}}});
  belief.fold({at(1s), policy::ProgressReported{{0}, 1, 10s, 9s, false, {0}}});
  EXPECT_EQ(belief.progress({0}).done, 20s);
  EXPECT_TRUE(belief.progress({0}).holds_machines);
  belief.fold(submitted(0, 3s, 2));
  EXPECT_EQ(belief.progress({0}).done, 0s) << "the new attempt has not said anything";
}

TEST_F(BeliefTest, CapacityIsTheNewestNotTheLastTold) {
  belief.fold({at(20s), policy::CapacityChanged{{1}, 7}});
  belief.fold({at(10s), policy::CapacityChanged{{1}, 3}});
  EXPECT_EQ(belief.capacity({1}), 7U);
  EXPECT_EQ(belief.capacity({0}), 0U);
  EXPECT_EQ(belief.pool_count(), 2U);
}

TEST_F(BeliefTest, AJobTakesAtMost120Bytes) {
  EXPECT_LE(sizeof(policy::JobDescription) + sizeof(policy::JobStatus) + 8, 120U);
}

TEST_F(BeliefTest, MootIsWhatCannotWorkAnyMore) {
  const policy::StartJob start{{0}, 1};
  const policy::StopJob stop{{0}, 1};
  const policy::CloneJob clone{{0}, 2};
  const policy::LimitRuntime limit{{0}, 1, 1h};
  EXPECT_TRUE(belief.is_moot(stop)) << "unknown job";
  EXPECT_TRUE(belief.is_moot(policy::Notify{{0}, 1})) << "unknown job";
  belief.fold(submitted(0));
  EXPECT_FALSE(belief.is_moot(start));
  EXPECT_FALSE(belief.is_moot(stop));
  EXPECT_TRUE(belief.is_moot(clone)) << "the first attempt has not ended";
  EXPECT_TRUE(belief.is_moot(policy::StopJob{{0}, 2})) << "no such attempt yet";
  belief.fold(training(0));
  EXPECT_TRUE(belief.is_moot(start)) << "runs already";
  EXPECT_FALSE(belief.is_moot(stop));
  EXPECT_FALSE(belief.is_moot(limit));
  belief.fold(stopping(0));
  EXPECT_TRUE(belief.is_moot(stop));
  EXPECT_TRUE(belief.is_moot(clone)) << "not ended yet";
  belief.fold(stopped(0));
  EXPECT_TRUE(belief.is_moot(stop));
  EXPECT_TRUE(belief.is_moot(limit));
  EXPECT_FALSE(belief.is_moot(clone));
  EXPECT_TRUE(belief.is_moot(policy::CloneJob{{0}, 3})) << "attempt 2 has not even begun";
  belief.fold(submitted(0, 1s, 2));
  EXPECT_TRUE(belief.is_moot(clone)) << "exists";
  EXPECT_TRUE(belief.is_moot(stop)) << "not the newest";
}

}  // namespace belief_test
}  // namespace reeve::host
