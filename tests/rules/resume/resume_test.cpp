#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace resume_test {

constexpr JobId kJob{1};

/// Clones asked for after an attempt that trained for `run` and then failed.
std::vector<CloneJob> clones_after(Duration run, const std::string& options,
                                   Secondary end = Secondary::failed,
                                   FailureClass failure = FailureClass::unknown) {
  RuleBench bench{"resume", options};
  bench.at(0s, {submitted(kJob)});
  bench.at(1h, {changed(kJob, 1, Secondary::training)});
  return bench.at(1h + run, {changed(kJob, 2, end, 1, failure)}).all<CloneJob>();
}

TEST(Resume, AFailureAfterTwoHoursIsResumedOneSecondEarlierIsNot) {
  EXPECT_EQ(clones_after(2h - 1s, "{}").size(), 0U);
  const auto clone = clones_after(2h, "{}");
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].job, kJob);
  EXPECT_EQ(clone[0].attempt, 2);
  EXPECT_EQ(clone[0].from, ResumeFrom::last_checkpoint);
  EXPECT_TRUE(clone[0].keep_tags);
}

TEST(Resume, AClassLessSureThanAskedForIsLeftToPeople) {
  const auto count = [](std::string_view options, FailureClass failure, std::uint8_t doubt_pct) {
    RuleBench bench{"resume", std::string{options}};
    bench.at(0s, {submitted(kJob)});
    bench.at(1h, {changed(kJob, 1, Secondary::training)});
    auto end = changed(kJob, 2, Secondary::failed, 1, failure);
    std::get<JobChanged>(end).doubt_pct = doubt_pct;
    return bench.at(4h, {end}).count<CloneJob>();
  };
  const std::string_view asks = R"({"min_confidence": 0.07})";
  EXPECT_EQ(count(asks, FailureClass::code, 93), 1U) << "as sure as asked for";
  EXPECT_EQ(count(asks, FailureClass::code, 94), 0U);
  EXPECT_EQ(count(asks, FailureClass::unknown, 0), 0U) << "nobody knows";
  EXPECT_EQ(count("{}", FailureClass::unknown, 100), 1U) << "and nobody asks";
}

TEST(Resume, TheArticlesSecondsFieldDropsWholeDays) {
  const std::string naive = R"({"measure": "seconds_field"})";
  for (const Duration run : std::vector<Duration>{24h, 25h, 72h + 30min}) {
    EXPECT_EQ(clones_after(run, "{}").size(), 1U);
    EXPECT_EQ(clones_after(run, naive).size(), 0U);
  }
  EXPECT_EQ(clones_after(26h + 30min, "{}").size(), 1U);
  EXPECT_EQ(clones_after(26h + 30min, naive).size(), 1U);
}

TEST(Resume, WaitingIsNotRunningUnlessCountedFromCreation) {
  for (const auto& [options, expected] : std::vector<std::pair<std::string, std::size_t>>{
           {"{}", 0}, {R"({"since": "creation"})", 1}}) {
    RuleBench bench{"resume", options};
    bench.at(0s, {submitted(kJob)});
    bench.at(3h, {changed(kJob, 1, Secondary::training)});
    EXPECT_EQ(bench.at(3h + 60s, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(),
              expected);
  }
}

TEST(Resume, AnAttemptThatNeverTrainedRanForNoTime) {
  for (const auto& [options, expected] : std::vector<std::pair<std::string, std::size_t>>{
           {R"({"min_runtime": "1s"})", 0}, {R"({"min_runtime": "0s"})", 1}}) {
    RuleBench bench{"resume", options};
    bench.at(0s, {submitted(kJob)});
    EXPECT_EQ(bench.at(9h, {changed(kJob, 1, Secondary::failed)}).count<CloneJob>(), expected);
  }
}

TEST(Resume, AnEndIsJudgedAgainWhenLateNewsCompleteIt) {
  RuleBench bench{"resume", "{}"};
  bench.at(0s, {submitted(kJob)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 0U);
  const Observation training{kStart + 30min, changed(kJob, 1, Secondary::training)};
  EXPECT_EQ(bench.step(3h + 1min, {training}).count<CloneJob>(), 1U);
  EXPECT_EQ(bench.step(3h + 2min, {training}).count<CloneJob>(), 0U);
}

TEST(Resume, ACloneThatEndsAtOnceIsResumedAMinuteLater) {
  RuleBench bench{"resume", R"({"min_runtime": "0s", "max_resumes": -1})"};
  bench.at(0s, {submitted(kJob)});
  const Fact gone = changed(kJob, 1, Secondary::failed);
  EXPECT_EQ(bench.at(0s, {gone}).count<CloneJob>(), 1U);  // a person's attempt: at once
  const Fact again = changed(kJob, 1, Secondary::failed, 2);
  EXPECT_TRUE(bench.at(0s, {submitted(kJob, 2, {}, Origin::rule), again}).verbs.empty());
  EXPECT_TRUE(bench.tick(60s - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(60s).count<CloneJob>(), 1U);
}

TEST(Resume, OnlyTheNamedEndsAreResumed) {
  const auto resumed = [](const std::string& when, Secondary end,
                          FailureClass failure = FailureClass::none) {
    return clones_after(5h, R"({"when": [")" + when + R"("]})", end, failure).size();
  };
  EXPECT_EQ(resumed("failed", Secondary::failed, FailureClass::code), 1U);
  EXPECT_EQ(resumed("failed", Secondary::stopped), 0U);
  EXPECT_EQ(resumed("failed", Secondary::max_runtime_exceeded), 0U);
  EXPECT_EQ(resumed("failed:infrastructure", Secondary::failed, FailureClass::infrastructure), 1U);
  EXPECT_EQ(resumed("failed:infrastructure", Secondary::failed, FailureClass::code), 0U);
  EXPECT_EQ(resumed("stopped", Secondary::stopped), 1U);
  EXPECT_EQ(resumed("stopped", Secondary::max_runtime_exceeded), 0U);
  EXPECT_EQ(resumed("stopped", Secondary::failed), 0U);
  EXPECT_EQ(resumed("max_runtime_exceeded", Secondary::max_runtime_exceeded), 1U);
  EXPECT_EQ(resumed("max_runtime_exceeded", Secondary::max_wait_time_exceeded), 0U);
  EXPECT_EQ(resumed("stopped_by:stalled_gpu", Secondary::stopped), 0U);
  EXPECT_EQ(resumed("stopped", Secondary::completed), 0U);
}

TEST(Resume, AStopIsResumedByTheRuleThatMadeIt) {
  for (const auto& [seat, expected] :
       std::vector<std::pair<std::uint8_t, std::size_t>>{{2, 1}, {1, 0}, {0, 0}}) {
    RuleBench bench{"resume", R"({"when": ["stopped_by:stalled_gpu"], "min_runtime": "0s"})"};
    bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
    bench.fleet.grow(kJob).stopped_by = seat;
    EXPECT_EQ(bench.at(1h, {changed(kJob, 2, Secondary::stopped)}).count<CloneJob>(), expected);
  }
}

TEST(Resume, AStopIsResumedByTheNameOfTheRuleToo) {
  for (const auto& [name, expected] :
       std::vector<std::pair<std::string, std::size_t>>{{"gpus", 1}, {"cap", 0}}) {
    RuleBench bench{"resume", R"({"when": ["stopped_by:)" + name + R"("], "min_runtime": "0s"})"};
    bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
    bench.fleet.grow(kJob).stopped_by = 2;
    EXPECT_EQ(bench.at(1h, {changed(kJob, 2, Secondary::stopped)}).count<CloneJob>(), expected);
  }
}

/// Fails `times` times, each after 2h05m, and counts the clones.
std::size_t clones_of_a_job_that_always_fails(const std::string& options, int times) {
  RuleBench bench{"resume", options};
  std::size_t clones = 0;
  Duration now{0};
  for (AttemptNumber attempt = 1; attempt <= times; ++attempt) {
    const Origin origin = attempt == 1 ? Origin::person : Origin::rule;
    bench.at(now, {submitted(kJob, attempt, {}, origin),
                   changed(kJob, 1, Secondary::training, attempt)});
    now += 2h + 5min;
    const Fact failed = changed(kJob, 2, Secondary::failed, attempt);
    clones += bench.at(now, {failed, failed}).count<CloneJob>();
    clones += bench.at(now + 1s, {failed}).count<CloneJob>();
    now += 1min;
  }
  return clones;
}

TEST(Resume, NoMoreThanTheLimitPerJobHoweverOftenTheNewsComes) {
  EXPECT_EQ(clones_of_a_job_that_always_fails("{}", 10), 2U);
  EXPECT_EQ(clones_of_a_job_that_always_fails(R"({"max_resumes": 0})", 3), 0U);
  EXPECT_EQ(clones_of_a_job_that_always_fails(R"({"max_resumes": -1})", 34), 34U);
}

TEST(Resume, BackoffDoubles) {
  RuleBench bench{"resume", R"({"backoff": "10m", "max_resumes": -1, "min_runtime": "0s"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_TRUE(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 10min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(3h + 10min).count<CloneJob>(), 1U);
  bench.at(4h, {submitted(kJob, 2, {}, Origin::rule), changed(kJob, 1, Secondary::failed, 2)});
  EXPECT_TRUE(bench.tick(4h + 20min - 1s).verbs.empty());
  EXPECT_EQ(bench.tick(4h + 20min).count<CloneJob>(), 1U);
}

TEST(Resume, APersonWhoResubmitsMeanwhileIsNotDoubled) {
  RuleBench bench{"resume", R"({"backoff": "10m"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(3h, {changed(kJob, 2, Secondary::failed)});
  bench.at(3h + 5min, {submitted(kJob, 2)});
  EXPECT_TRUE(bench.tick(3h + 10min).verbs.empty());
}

TEST(Resume, LateNewsOfAnOldEndIsNotResumed) {
  RuleBench bench{"resume", R"({"min_runtime": "0s"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(3h, {submitted(kJob, 2)});
  EXPECT_TRUE(bench.at(4h, {changed(kJob, 2, Secondary::failed)}).verbs.empty());
}

TEST(Resume, ARefusedCloneDoesNotCount) {
  RuleBench bench{"resume", R"({"max_resumes": 1})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  const Fact refused = settled(kJob, VerbKind::clone_job, Outcome::refused, kOwnSeat, 2);
  EXPECT_TRUE(bench.at(3h, {refused}).verbs.empty());
  bench.at(4h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_EQ(bench.at(8h, {changed(kJob, 2, Secondary::failed, 2)}).count<CloneJob>(), 1U);
}

TEST(Resume, ACloneLostToAnotherActionIsAskedForAgain) {
  RuleBench bench{"resume", "{}"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  bench.at(3h, {changed(kJob, 2, Secondary::failed)});
  const Fact refused = refused_by(Refusal::conflict, kJob, VerbKind::clone_job, 2);
  const Fact limit = settled(kJob, VerbKind::limit_runtime, Outcome::done, kOtherSeat);
  EXPECT_EQ(bench.at(3h, {refused, limit}).count<CloneJob>(), 1U);
}

TEST(Resume, ACloneThatExpiredIsAskedForAgainAndCountsOnce) {
  RuleBench bench{"resume", R"({"max_resumes": 1})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  const Fact expired = settled(kJob, VerbKind::clone_job, Outcome::expired, kOwnSeat, 2);
  EXPECT_TRUE(bench.at(4h, {expired}).verbs.empty());
  EXPECT_TRUE(bench.tick(4h + 59s).verbs.empty());
  EXPECT_EQ(bench.tick(4h + 1min).count<CloneJob>(), 1U);
  bench.at(5h, {expired});
  bench.at(5h + 1s, {submitted(kJob, 2, {}, Origin::rule)});  // it had worked after all
  EXPECT_TRUE(bench.tick(5h + 1min).verbs.empty());
  bench.at(6h, {changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.at(9h, {changed(kJob, 2, Secondary::failed, 2)}).verbs.empty()) << "the limit";
}

// A minute, then twice as long each time, up to 64; and what was never made counts for nothing.
TEST(Resume, ACloneForWhichThereIsNoRoomIsAskedForLaterEachTime) {
  RuleBench bench{"resume", R"({"max_resumes": 1})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  const Fact full = refused_by(Refusal::no_room, kJob, VerbKind::clone_job, 2);
  Duration now = 3h;
  for (const Duration pause : {1min, 2min, 4min, 8min, 16min, 32min, 64min, 64min}) {
    EXPECT_TRUE(bench.at(now, {full}).verbs.empty());
    EXPECT_TRUE(bench.tick(now + pause - 1ns).verbs.empty());
    now += pause;
    ASSERT_EQ(bench.tick(now).count<CloneJob>(), 1U) << now.count();
  }
}

// The same pauses, for the platform may say yes the next time; a guard that says no does not.
TEST(Resume, ACloneThatIsRejectedIsAskedForLaterEachTime) {
  RuleBench bench{"resume", R"({"max_resumes": 1})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  Duration now = 3h;
  for (const Duration pause : {1min, 2min, 4min, 8min, 16min, 32min, 64min, 64min}) {
    EXPECT_TRUE(
        bench.at(now, {refused_by(Refusal::platform, kJob, VerbKind::clone_job, 2)}).verbs.empty());
    EXPECT_TRUE(bench.tick(now + pause - 1ns).verbs.empty());
    now += pause;
    ASSERT_EQ(bench.tick(now).count<CloneJob>(), 1U) << now.count();
  }
  EXPECT_TRUE(
      bench.at(now, {refused_by(Refusal::guard, kJob, VerbKind::clone_job, 2)}).verbs.empty());
  EXPECT_TRUE(bench.tick(now + 24h).verbs.empty());
}

// The articles' handler is called once for each end; and a name that is too long stays so.
TEST(Resume, ACloneWhoseAppendedNameIsRejectedIsAskedForOnce) {
  RuleBench bench{"resume", R"({"naming": "appended"})"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  EXPECT_TRUE(
      bench.at(3h, {refused_by(Refusal::platform, kJob, VerbKind::clone_job, 2)}).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 24h).verbs.empty());
}

// Somebody submitted the job in the meantime: the clone of that attempt is another request.
TEST(Resume, WhatWasAskedForInVainBeforeDoesNotDelayTheNextAttempt) {
  RuleBench bench{"resume", "{}"};
  bench.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  EXPECT_EQ(bench.at(3h, {changed(kJob, 2, Secondary::failed)}).count<CloneJob>(), 1U);
  Duration now = 3h;
  for (const Duration pause : {1min, 2min, 4min}) {
    bench.at(now, {refused_by(Refusal::no_room, kJob, VerbKind::clone_job, 2)});
    now += pause;
    ASSERT_EQ(bench.tick(now).count<CloneJob>(), 1U) << now.count();
  }
  bench.at(4h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_EQ(bench.at(7h, {changed(kJob, 2, Secondary::failed, 2)}).count<CloneJob>(), 1U);
  bench.at(7h, {refused_by(Refusal::no_room, kJob, VerbKind::clone_job, 3)});
  EXPECT_EQ(bench.tick(7h + 1min).count<CloneJob>(), 1U);
}

TEST(Resume, FromScratchAndWithoutTagsIfAsked) {
  const auto clone = clones_after(3h, R"({"from": "scratch", "keep_tags": false})");
  ASSERT_EQ(clone.size(), 1U);
  EXPECT_EQ(clone[0].from, ResumeFrom::scratch);
  EXPECT_FALSE(clone[0].keep_tags);
}

TEST(Resume, OverridesWhatTheNewAttemptAsksForAndNothingElse) {
  const auto plain = clones_after(3h, "{}");
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].max_runtime, Duration{0});
  EXPECT_EQ(plain[0].pool, std::nullopt);
  const auto longer = clones_after(3h, R"({"override.max_runtime": "36h"})");
  ASSERT_EQ(longer.size(), 1U);
  EXPECT_EQ(longer[0].max_runtime, Duration{36h});
  EXPECT_EQ(longer[0].pool, std::nullopt);
  EXPECT_TRUE(longer[0].keep_tags);
}

TEST(Resume, AnOverrideThatIsTooSmallForTheJobIsNone) {
  for (const std::uint32_t instances : {2U, 3U}) {
    RuleBench bench{"resume", R"({"min_runtime": "0s", "override.fleet": "other"})"};
    bench.directory.pools.push_back({.name = "other", .size = 2});
    JobDescription description;
    description.instances = instances;
    bench.at(0s, {CapacityChanged{{1}, 0}});  // for the moment
    bench.at(0s, {submitted(kJob, 1, description), changed(kJob, 1, Secondary::training)});
    const auto clone = bench.at(1h, {changed(kJob, 2, Secondary::failed)}).all<CloneJob>();
    ASSERT_EQ(clone.size(), 1U);
    EXPECT_EQ(clone[0].pool.has_value(), instances == 2);
  }
}

TEST(Resume, OverridesTheMarketAndTheType) {
  const auto pool_of = [](const std::string& options) {
    RuleBench bench{"resume", options};
    Directory& directory = bench.directory;
    const TypeId own{static_cast<std::uint32_t>(directory.types.size())};
    directory.types.push_back({"own", 1, {}});
    directory.types.push_back({"large", 1, {}});
    const TypeId large{own.index + 1};
    const auto first = static_cast<std::uint32_t>(directory.pools.size());
    directory.pools.push_back({.name = "spot", .type = own, .market = Market::spot, .size = 4});
    directory.pools.push_back({.name = "od", .type = own, .market = Market::on_demand, .size = 4});
    directory.pools.push_back(
        {.name = "large-od", .type = large, .market = Market::on_demand, .size = 4});
    directory.pools.push_back(
        {.name = "large-spot", .type = large, .market = Market::spot, .size = 4});
    for (std::uint32_t pool = first; pool < first + 4; ++pool) {
      bench.at(0s, {CapacityChanged{{pool}, 4}});
    }
    JobDescription description;
    description.pool = {first};
    description.type = own;
    bench.at(0s, {submitted(kJob, 1, description), changed(kJob, 1, Secondary::training)});
    const auto clone = bench.at(3h, {changed(kJob, 2, Secondary::failed)}).all<CloneJob>();
    const auto pool = clone.empty() ? std::nullopt : clone[0].pool;
    return pool ? directory.pools[pool->index].name : std::string{"as before"};
  };
  EXPECT_EQ(pool_of("{}"), "as before");
  EXPECT_EQ(pool_of(R"({"override.market": "on_demand"})"), "od");
  EXPECT_EQ(pool_of(R"({"override.instance_type": "large"})"), "large-spot") << "its own market";
  EXPECT_EQ(pool_of(R"({"override.instance_type": "large", "override.market": "on_demand"})"),
            "large-od");
  EXPECT_EQ(pool_of(R"({"override.instance_type": "none"})"), "as before");
}

TEST(Resume, AFleetAndAMarketContradictEachOther) {
  EXPECT_EQ(check_rule("resume", R"({"override.fleet": "a", "override.market": "spot"})").option,
            "override.market");
  EXPECT_EQ(
      check_rule("resume", R"({"override.fleet": "a", "override.instance_type": "x"})").option,
      "override.instance_type");
  EXPECT_TRUE(check_rule("resume", R"({"override.fleet": "a"})").message.empty());
}

TEST(Resume, AHandlerThatIsNotIdempotentSaysSoWithItsCall) {
  EXPECT_FALSE(clones_after(3h, "{}").at(0).each_copy);
  EXPECT_TRUE(clones_after(3h, R"({"handler": "not_idempotent"})").at(0).each_copy);
}

TEST(Resume, EndsThatDoNotExistAreRefused) {
  for (const char* end : {"completed", "failed:", "failed:luck", "stopped_by:", ""}) {
    const std::string options = R"({"when": [")" + std::string{end} + R"("]})";
    EXPECT_EQ(check_rule("resume", options).option, "when") << end;
    EXPECT_FALSE(check_rule("resume", options).message.empty()) << end;
  }
  EXPECT_FALSE(check_rule("resume", R"({"when": []})").message.empty());
  EXPECT_TRUE(check_rule("resume", R"({"when": ["failed:out_of_memory", "stopped_by:x"]})")
                  .message.empty());
}

}  // namespace resume_test
}  // namespace reeve::policies
