// rule: its condition, its actions and their repetition.

#include <optional>
#include <string>
#include <vector>

#include "tests/rules/rule/rule_cases.hpp"
#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace rule_test {

JobDescription tagged(TagSetId tags) {
  JobDescription description;
  description.tags = tags;
  return description;
}

/// Stops of a job that is submitted so and starts.
std::size_t stops_at_start(const std::string& when, const JobDescription& description = {}) {
  StatedBench bench{when};
  const std::size_t first = bench.at(0s, {submitted(kJob, 1, description)}).count<StopJob>();
  return first + bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>();
}

TEST(StatedRule, ActsOnceForEachAttemptAsSoonAsItsConditionHolds) {
  StatedBench bench{kNoTeam};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob)}).verbs.empty());
  EXPECT_TRUE(bench.at(1s, {changed(kJob, 1, Secondary::pending)}).verbs.empty());
  const auto stop = bench.at(2s, {changed(kJob, 2, Secondary::starting)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].job, kJob);
  EXPECT_EQ(stop[0].cause, StopCause::rule_broken);
  EXPECT_TRUE(bench.at(3s, {changed(kJob, 3, Secondary::training)}).verbs.empty());
  bench.at(4s, {changed(kJob, 4, Secondary::failed), submitted(kJob, 2)});
  const auto next = bench.at(5s, {changed(kJob, 1, Secondary::starting, 2)}).all<StopJob>();
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].attempt, 2);
}

TEST(StatedRule, WhatIsUnknownIsNotMissing) {
  StatedBench bench{kNoTeam};
  EXPECT_TRUE(bench.at(1s, {changed(kJob, 1, Secondary::starting)}).verbs.empty());
  EXPECT_EQ(bench.at(2s, {submitted(kJob)}).count<StopJob>(), 1U);

  StatedBench either{R"({"any": [)" + kNoTeam +
                     R"(, {"field": "attempt", "op": ">=", "value": 1}]})"};
  EXPECT_EQ(either.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>(), 1U)
      << "it holds whatever the tags are";
}

TEST(StatedRule, WhatAnotherRulePlacedIntoItsScopeIsKnown) {
  StatedBench bench{R"({"field": "instances", "op": ">", "value": 8})"};
  JobDescription nine;
  nine.instances = 9;
  // The submission, outside of the scope, was kept from the rule; the belief has it all the same.
  bench.fleet.fold({kStart, submitted(kJob, 1, nine)});
  EXPECT_TRUE(bench.at(1s, {JobPlaced{kJob, 1, PoolId{0}}}).verbs.empty());
  EXPECT_EQ(bench.at(2s, {changed(kJob, 1, Secondary::pending)}).count<StopJob>(), 1U);
}

TEST(StatedRule, EachStatusIsJudgedAlthoughTheNextOneFollowsAtOnce) {
  const Fact starting = changed(kJob, 1, Secondary::starting);
  const Fact training = changed(kJob, 2, Secondary::training);
  const auto when = [](const std::string& status) {
    return R"({"field": "status", "op": )" + status + "}";
  };
  StatedBench passed{when(R"("==", "value": "Starting")")};
  passed.at(0s, {submitted(kJob)});
  EXPECT_EQ(passed.at(1s, {starting, training}).count<StopJob>(), 1U);
  EXPECT_TRUE(passed.at(2s, {starting}).verbs.empty()) << "once for each attempt";

  StatedBench pattern{when(R"("matches", "value": "Start.*")")};
  EXPECT_EQ(pattern.at(1s, {submitted(kJob), starting, training}).count<StopJob>(), 1U);

  StatedBench both{when(R"("in", "value": ["Starting", "Training"])")};
  EXPECT_EQ(both.at(1s, {submitted(kJob), starting, training}).count<StopJob>(), 1U);

  StatedBench other{when(R"("==", "value": "Downloading")")};
  EXPECT_EQ(other.at(1s, {submitted(kJob), starting, training}).count<StopJob>(), 0U);

  StatedBench late{when(R"("==", "value": "Starting")")};
  late.at(1s, {submitted(kJob), training});
  EXPECT_TRUE(late.at(2s, {starting}).verbs.empty()) << "what is told too late is no change";

  StatedBench over{when(R"("==", "value": "Starting")")};
  const Fact failed = changed(kJob, 2, Secondary::failed);
  EXPECT_TRUE(over.at(1s, {submitted(kJob), starting, failed}).verbs.empty());

  StatedBench lasting{when(R"("==", "value": "Starting")"), R"("do": "stop", "after": "1s")"};
  lasting.at(1s, {submitted(kJob), starting, training});
  EXPECT_TRUE(lasting.tick(10s).verbs.empty()) << "it did not hold for so long";

  StatedBench slow{when(R"("==", "value": "Starting")"), R"("do": "stop", "latency": "2s")"};
  EXPECT_TRUE(slow.at(1s, {submitted(kJob), starting, training}).verbs.empty());
  EXPECT_EQ(slow.tick(3s).count<StopJob>(), 1U);
}

TEST(StatedRule, TextsAreComparedAsWholes) {
  struct Case {
    std::string test;
    bool with_team;
    std::size_t stops;
  };
  const std::vector<Case> cases{
      {R"("op": "==", "value": "vision")", true, 1},
      {R"("op": "==", "value": "visio")", true, 0},
      {R"("op": "!=", "value": "vision")", true, 0},
      {R"("op": "!=", "value": "speech")", true, 1},
      {R"("op": "in", "value": ["speech", "vision"])", true, 1},
      {R"("op": "in", "value": ["speech"])", true, 0},
      {R"("op": "matches", "value": "vi.*")", true, 1},
      {R"("op": "matches", "value": "vi")", true, 0},
      {R"("op": "exists")", true, 1},
      // No value equals nothing, and differs from everything.
      {R"("op": "==", "value": "vision")", false, 0},
      {R"("op": "!=", "value": "vision")", false, 1},
      {R"("op": "in", "value": [""])", false, 0},
      {R"("op": "matches", "value": ".*")", false, 0},
      {R"("op": "exists")", false, 0},
  };
  for (const Case& one : cases) {
    StatedBench bench{R"({"field": "tag:team", )" + one.test + "}"};
    const TagSetId tags = bench.tags({{"team", "vision"}});
    const Wishes wishes =
        bench.at(0s, {submitted(kJob, 1, one.with_team ? tagged(tags) : JobDescription{})});
    EXPECT_EQ(wishes.count<StopJob>(), one.stops) << one.test << one.with_team;
  }
}

TEST(StatedRule, NumbersAreCompared) {
  JobDescription nine;
  nine.instances = 9;
  const auto stops = [&](const std::string& op, const std::string& value) {
    return stops_at_start(
        R"({"field": "instances", "op": ")" + op + R"(", "value": )" + value + "}", nine);
  };
  EXPECT_EQ(stops(">", "8"), 1U);
  EXPECT_EQ(stops(">", "9"), 0U);
  EXPECT_EQ(stops(">=", "9"), 1U);
  EXPECT_EQ(stops("<", "9"), 0U);
  EXPECT_EQ(stops("<=", "9"), 1U);
  EXPECT_EQ(stops("==", "9"), 1U);
  EXPECT_EQ(stops("!=", "9"), 0U);
  EXPECT_EQ(stops("in", "[8, 9]"), 1U);
  EXPECT_EQ(stops("in", "[8]"), 0U);
}

TEST(StatedRule, EachFieldSaysWhatIsBelieved) {
  const auto holds = [](const std::string& field, const std::string& value) {
    JobDescription description;
    description.priority = -3;
    description.max_runtime = 2h;
    return stops_at_start(R"({"field": ")" + field + R"(", "op": "==", "value": )" + value + "}",
                          description) == 1;
  };
  EXPECT_TRUE(holds("status", R"("Starting")"));
  EXPECT_FALSE(holds("status", R"("Training")"));
  EXPECT_TRUE(holds("primary_status", R"("InProgress")"));
  EXPECT_TRUE(holds("gpus", "8"));
  EXPECT_TRUE(holds("instance_type", R"("ml.demo.8gpu")"));
  EXPECT_TRUE(holds("fleet", R"("pool")"));
  EXPECT_TRUE(holds("market", R"("on_demand")"));
  EXPECT_FALSE(holds("market", R"("spot")"));
  EXPECT_TRUE(holds("origin", R"("person")"));
  EXPECT_TRUE(holds("priority", "-3"));
  EXPECT_TRUE(holds("attempt", "1"));
  EXPECT_TRUE(holds("interruptions", "0"));
  JobDescription capped;
  capped.max_runtime = 2h;
  const std::string at_most = R"({"field": "max_runtime", "op": "<=", "value": )";
  EXPECT_EQ(stops_at_start(at_most + R"("2h"})", capped), 1U);
  EXPECT_EQ(stops_at_start(at_most + R"("2h"})"), 0U) << "without a cap it is longer than any";
}

TEST(StatedRule, ATimerIsSetForTheInstantAtWhichTimeAloneMakesItHold) {
  StatedBench bench{R"({"field": "training_time", "op": ">=", "value": "2h"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  EXPECT_EQ(bench.timers(), 0U) << "nothing grows before it trains";
  bench.at(10min, {changed(kJob, 2, Secondary::training)});
  EXPECT_EQ(bench.timers(), 1U);
  EXPECT_TRUE(bench.tick(130min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(130min).count<StopJob>(), 1U);
  EXPECT_EQ(bench.timers(), 0U);

  // Who uploads trains no more, as for max_runtime; nor does it when the end is told with it.
  StatedBench ends{R"({"field": "training_time", "op": ">=", "value": "2h"})"};
  ends.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_TRUE(ends.at(119min, {changed(kJob, 2, Secondary::uploading)}).verbs.empty());
  EXPECT_TRUE(ends.tick(2h).verbs.empty());
  EXPECT_TRUE(ends.tick(3h).verbs.empty());
  StatedBench told{R"({"field": "training_time", "op": ">=", "value": "2h"})", R"("do": "notify")"};
  told.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  told.at(119min, {changed(kJob, 2, Secondary::uploading)});
  EXPECT_TRUE(told.at(3h, {changed(kJob, 3, Secondary::completed)}).verbs.empty());

  StatedBench beyond{R"({"field": "age", "op": ">", "value": "2h"})"};
  beyond.at(0s, {submitted(kJob)});
  EXPECT_TRUE(beyond.tick(2h).verbs.empty());
  EXPECT_EQ(beyond.tick(2h + 1ns).count<StopJob>(), 1U);
}

TEST(StatedRule, TheNextOfSeveralInstantsIsWaitedForFirst) {
  StatedBench bench{R"({"all": [{"field": "age", "op": ">=", "value": "1h"},
                               {"field": "age", "op": ">=", "value": "3h"},
                               {"not": {"field": "time_in_status", "op": "<", "value": "2h"}}]})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  EXPECT_EQ(bench.timers(), 1U);
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  EXPECT_EQ(bench.tick(3h).count<StopJob>(), 1U);
}

TEST(StatedRule, StartUpCountsFromStartingAndAnewAfterAnInterruption) {
  StatedBench bench{R"({"field": "startup_time", "op": ">=", "value": "15m"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  bench.at(5min, {changed(kJob, 2, Secondary::downloading)});
  bench.at(10min, {changed(kJob, 3, Secondary::interrupted)});
  bench.at(14min, {changed(kJob, 4, Secondary::starting)});
  EXPECT_TRUE(bench.tick(15min).verbs.empty());
  bench.at(20min, {changed(kJob, 5, Secondary::downloading)});
  EXPECT_TRUE(bench.tick(29min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(29min).count<StopJob>(), 1U);
}

TEST(StatedRule, ItsStopsAccuseOfWhatTheOptionSays) {
  const auto cause = [](const std::string& rest) {
    StatedBench bench{kStarted, R"("do": "stop")" + rest};
    bench.at(0s, {submitted(kJob)});
    const auto stop = bench.at(1s, {changed(kJob, 1, Secondary::starting)}).all<StopJob>();
    return stop.size() == 1 ? std::optional{stop[0].cause} : std::nullopt;
  };
  EXPECT_EQ(cause(""), StopCause::rule_broken);
  EXPECT_EQ(cause(R"(, "accuses": "rule_broken")"), StopCause::rule_broken);
  EXPECT_EQ(cause(R"(, "accuses": "standing_still")"), StopCause::standing_still);
  EXPECT_EQ(cause(R"(, "accuses": "learning_nothing")"), StopCause::learning_nothing);
  EXPECT_EQ(cause(R"(, "accuses": "using_little")"), StopCause::using_little);
  EXPECT_EQ(cause(R"(, "accuses": "never_starting")"), StopCause::never_starting);
}

// A machine may be lost and waited for again: the attempt has started all the same.
TEST(StatedRule, WhatHasStartedStaysStartedUntilTheNextAttempt) {
  StatedBench bench{R"({"field": "time_since_start", "op": "exists"})", R"("do": "notify")"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(bench.at(1s, {changed(kJob, 1, Secondary::pending)}).verbs.empty());
  EXPECT_EQ(bench.at(2s, {changed(kJob, 2, Secondary::starting)}).count<Notify>(), 1U);

  StatedBench later{R"({"field": "time_since_start", "op": ">=", "value": "1h"})"};
  later.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  later.at(50min, {changed(kJob, 2, Secondary::pending)});
  EXPECT_EQ(later.tick(1h).count<StopJob>(), 1U);
  later.at(61min, {changed(kJob, 3, Secondary::failed)});
  later.at(62min, {submitted(kJob, 2), changed(kJob, 1, Secondary::pending, 2)});
  EXPECT_TRUE(later.tick(5h).verbs.empty());

  StatedBench none{R"({"field": "time_since_start", "op": "<", "value": "1h"})"};
  EXPECT_TRUE(none.at(0s, {submitted(kJob)}).verbs.empty()) << "it has no such time yet";
}

TEST(StatedRule, AfterIsHowLongItMustHaveHeldWithoutABreak) {
  StatedBench bench{R"({"field": "status", "op": "==", "value": "Pending"})",
                    R"("do": "stop", "after": "1h")"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::pending)});
  bench.at(50min, {changed(kJob, 2, Secondary::starting)});
  bench.at(55min, {changed(kJob, 3, Secondary::pending)});
  EXPECT_TRUE(bench.tick(1h).verbs.empty());
  EXPECT_EQ(bench.tick(115min).count<StopJob>(), 1U);
}

TEST(StatedRule, WhatIsOverIsNotStopped) {
  StatedBench bench{R"({"field": "failure", "op": "==", "value": "code"})"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(
      bench.at(1s, {changed(kJob, 1, Secondary::failed, 1, FailureClass::code)}).verbs.empty());

  StatedBench tell{R"({"field": "failure", "op": "==", "value": "code"})", R"("do": "notify")"};
  tell.at(0s, {submitted(kJob)});
  EXPECT_EQ(
      tell.at(1s, {changed(kJob, 1, Secondary::failed, 1, FailureClass::code)}).count<Notify>(),
      1U);
}

TEST(StatedRule, ARunTimeIsOnlyLoweredAndOnlyWhereItIsKnown) {
  const std::string any = R"({"field": "attempt", "op": ">=", "value": 1})";
  const std::string limit = R"("do": "limit_runtime", "limit": "1h")";
  StatedBench bench{any, limit};
  EXPECT_TRUE(bench.at(0s, {changed(kJob, 1, Secondary::pending)}).verbs.empty());
  const auto lowered = bench.at(1s, {submitted(kJob)}).all<LimitRuntime>();
  ASSERT_EQ(lowered.size(), 1U);
  EXPECT_EQ(lowered[0].limit, 1h);

  StatedBench capped{any, limit};
  JobDescription description;
  description.max_runtime = 1h;
  EXPECT_TRUE(capped.at(0s, {submitted(kJob, 1, description)}).verbs.empty());
}

struct CloneBench : StatedBench {
  explicit CloneBench(const std::string& rest = "")
      : StatedBench{R"({"all": [{"field": "status", "op": "==", "value": "Failed"},
                                {"field": "training_time", "op": ">=", "value": "2h"}]})",
                    R"("do": "clone")" + rest} {
    directory.pools.push_back({.name = "other", .size = 8});
  }
  /// An attempt from `from` on that trains so long and fails.
  Wishes fails(AttemptNumber attempt, Duration from, Duration runs) {
    at(from, {submitted(kJob, attempt), changed(kJob, 1, Secondary::training, attempt)});
    return at(from + runs, {changed(kJob, 2, Secondary::failed, attempt)});
  }
};

TEST(StatedRule, ClonesWhatFailedLateAndNotTooOften) {
  CloneBench bench;
  const auto first = bench.fails(1, 0h, 3h).all<CloneJob>();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].attempt, 2);
  EXPECT_EQ(first[0].from, ResumeFrom::last_checkpoint);
  EXPECT_TRUE(first[0].keep_tags);
  EXPECT_FALSE(first[0].pool.has_value());
  EXPECT_EQ(bench.fails(2, 3h, 2h).count<CloneJob>(), 1U);
  EXPECT_EQ(bench.fails(3, 5h, 2h).count<CloneJob>(), 0U) << "two were enough";

  CloneBench early;
  EXPECT_EQ(early.fails(1, 0h, 2h - 1s).count<CloneJob>(), 0U);
  EXPECT_EQ(early.timers(), 0U) << "its training is over";
}

TEST(StatedRule, ACloneIsMadeAsTheOptionsSay) {
  CloneBench bench{
      R"(, "from": "scratch", "keep_tags": false, "override.fleet": "other", "after": "10m")"};
  EXPECT_TRUE(bench.fails(1, 0h, 3h).verbs.empty());
  const auto made = bench.tick(3h + 10min).all<CloneJob>();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].from, ResumeFrom::scratch);
  EXPECT_FALSE(made[0].keep_tags);
  EXPECT_EQ(made[0].pool, PoolId{1});
}

TEST(StatedRule, ACloneThatWasRefusedDoesNotCount) {
  CloneBench bench{R"(, "max_clones": 1)"};
  EXPECT_EQ(bench.fails(1, 0h, 3h).count<CloneJob>(), 1U);
  bench.at(3h, {refused_by(Refusal::conflict, kJob, VerbKind::clone_job, 2)});
  const Fact over = settled(kJob, VerbKind::notify, Outcome::done, kOtherSeat);
  EXPECT_EQ(bench.at(4h, {over}).count<CloneJob>(), 1U);
  EXPECT_EQ(bench.at(4h, {over}).count<CloneJob>(), 0U);
}

TEST(StatedRule, WhatExpiredIsAskedForAgainIfItStillHolds) {
  StatedBench bench{kNoTeam};
  bench.at(0s, {submitted(kJob)});
  EXPECT_EQ(bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>(), 1U);
  bench.at(1min, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_EQ(bench.tick(2min).count<StopJob>(), 1U);
}

}  // namespace rule_test
}  // namespace reeve::policies
