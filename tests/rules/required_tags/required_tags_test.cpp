#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace required_tags_test {

constexpr JobId kJob{0};

class RequiredTags : public testing::Test {
 protected:
  static JobDescription with(TagSetId tags) {
    JobDescription description;
    description.tags = tags;
    return description;
  }
  static std::size_t stops(RuleBench& bench, TagSetId tags) {
    bench.at(0s, {submitted(kJob, 1, with(tags))});
    return bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>();
  }
};

const char* const kModelName = R"({"keys": ["model_name"]})";

TEST_F(RequiredTags, AJobWithoutTheKeyIsStoppedWhenItStarts) {
  RuleBench bench{"required_tags", kModelName};
  EXPECT_TRUE(bench.at(0s, {submitted(kJob)}).verbs.empty());
  EXPECT_TRUE(bench.at(1s, {changed(kJob, 1, Secondary::pending)}).verbs.empty());
  const auto stop = bench.at(2s, {changed(kJob, 2, Secondary::starting)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].job, kJob);
  EXPECT_EQ(stop[0].attempt, 1);
}

TEST_F(RequiredTags, AJobWithEveryKeyIsUntouched) {
  RuleBench bench{"required_tags", R"({"keys": ["model_name", "username"]})"};
  EXPECT_EQ(stops(bench, bench.tags({{"model_name", "m"}, {"username", "u"}})), 0U);
  RuleBench lacking{"required_tags", R"({"keys": ["model_name", "username"]})"};
  EXPECT_EQ(stops(lacking, lacking.tags({{"model_name", "m"}})), 1U);
}

TEST_F(RequiredTags, OnlyAllowedValuesPass) {
  const std::string options =
      R"({"keys": ["phase"], "allowed": {"tier": ["dev"], "phase": ["pretrain", "tune"]}})";
  const std::vector<std::pair<std::vector<Tag>, std::size_t>> cases{
      {{{"phase", "tune"}}, 0}, {{{"phase", "pretrain"}, {"tier", "dev"}}, 0},
      {{{"phase", "fun"}}, 1},  {{{"phase", "tune"}, {"tier", "prod"}}, 1},
      {{{"tier", "dev"}}, 1},
  };
  for (const auto& [tags, expected] : cases) {
    RuleBench bench{"required_tags", options};
    EXPECT_EQ(stops(bench, bench.tags(tags)), expected) << tags[0].second;
  }
}

// The whole value, by one of the patterns of its key; what is not there is for `keys` to say.
TEST_F(RequiredTags, OnlyValuesThatMatchPass) {
  const std::string options =
      R"({"keys": [], "matching": {"cost": ["[0-9]{4}", "ops-.*"], "user": ["[a-z]+"]}})";
  const std::vector<std::pair<std::vector<Tag>, std::size_t>> cases{
      {{{"cost", "0815"}}, 0},  {{{"cost", "ops-"}}, 0}, {{{"cost", "08150"}}, 1},
      {{{"cost", "x0815"}}, 1}, {{{"other", "?"}}, 0},   {{{"cost", "0815"}, {"user", "Jo"}}, 1},
      {{{"cost", ""}}, 1},
  };
  for (const auto& [tags, expected] : cases) {
    RuleBench bench{"required_tags", options};
    EXPECT_EQ(stops(bench, bench.tags(tags)), expected) << tags[0].second;
  }
}

TEST_F(RequiredTags, ARuleThatRestrictsNothingIsToldAtLoad) {
  const auto problem = [](const char* options) {
    return find_kind("required_tags")->check(options_of("required_tags", options)).option;
  };
  EXPECT_EQ(problem(R"({"keys": []})"), "keys");
  EXPECT_EQ(problem(R"({"keys": [], "matching": {"a": ["b"]}})"), "");
  EXPECT_EQ(problem(R"({"keys": [], "allowed": {"a": ["b"]}})"), "");
}

TEST_F(RequiredTags, LateNewsStillFindsTheJob) {
  RuleBench bench{"required_tags", kModelName};
  bench.at(0s, {submitted(kJob)});
  EXPECT_EQ(bench.at(9s, {changed(kJob, 4, Secondary::training)}).count<StopJob>(), 1U);
}

TEST_F(RequiredTags, EachAttemptIsStoppedOnceHoweverOftenTheNewsComes) {
  RuleBench bench{"required_tags", kModelName};
  bench.at(0s, {submitted(kJob), submitted(kJob)});
  const Fact starting = changed(kJob, 1, Secondary::starting);
  EXPECT_EQ(bench.at(1s, {starting, starting}).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.at(2s, {starting}).verbs.empty());
  EXPECT_TRUE(bench.at(3s, {changed(kJob, 2, Secondary::downloading)}).verbs.empty());
}

TEST_F(RequiredTags, ACloneWithoutTagsIsStopped) {
  RuleBench bench{"required_tags", kModelName};
  EXPECT_EQ(stops(bench, bench.tags({{"model_name", "m"}})), 0U);
  bench.at(1h, {changed(kJob, 2, Secondary::failed)});
  bench.at(2h, {submitted(kJob, 2, {}, Origin::rule)});
  const auto stop = bench.at(2h, {changed(kJob, 1, Secondary::starting, 2)}).all<StopJob>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].attempt, 2);
}

TEST_F(RequiredTags, UnknownTagsAreNotMissingTags) {
  RuleBench bench{"required_tags", kModelName};
  EXPECT_TRUE(bench.at(1s, {changed(kJob, 1, Secondary::starting)}).verbs.empty());
  const TagSetId tags = bench.tags({{"model_name", "m"}});
  EXPECT_TRUE(bench.at(2s, {submitted(kJob, 1, with(tags))}).verbs.empty());

  RuleBench lacking{"required_tags", kModelName};
  EXPECT_TRUE(lacking.at(1s, {changed(kJob, 1, Secondary::starting)}).verbs.empty());
  EXPECT_EQ(lacking.at(2s, {submitted(kJob)}).count<StopJob>(), 1U);
}

TEST_F(RequiredTags, WhatWasSeenToStartIsJudgedAlthoughItWaitsAgain) {
  RuleBench bench{"required_tags", kModelName};
  bench.at(1s, {changed(kJob, 1, Secondary::starting)});
  bench.at(2s, {changed(kJob, 2, Secondary::pending)});
  EXPECT_EQ(bench.at(3s, {submitted(kJob)}).count<StopJob>(), 1U);
}

TEST_F(RequiredTags, LatencyDelaysTheStopAndAnEndCancelsIt) {
  const std::string options = R"({"keys": ["k"], "latency": "3s"})";
  RuleBench bench{"required_tags", options};
  EXPECT_EQ(stops(bench, {}), 0U);
  EXPECT_TRUE(bench.tick(3s).verbs.empty());
  EXPECT_EQ(bench.tick(4s).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.at(5s, {TimerFired{0}, TimerFired{std::uint64_t{1} << 16U}}).verbs.empty());

  RuleBench ended{"required_tags", options};
  EXPECT_EQ(stops(ended, {}), 0U);
  ended.at(2s, {changed(kJob, 2, Secondary::failed)});
  EXPECT_TRUE(ended.tick(4s).verbs.empty());
}

TEST_F(RequiredTags, NotifyTellsPeopleInsteadOfStopping) {
  RuleBench bench{"required_tags", R"({"keys": ["k"], "action": "notify"})"};
  bench.at(0s, {submitted(kJob)});
  const Wishes wishes = bench.at(1s, {changed(kJob, 1, Secondary::starting)});
  EXPECT_EQ(wishes.count<StopJob>(), 0U);
  EXPECT_EQ(wishes.count<Notify>(), 1U);
}

TEST_F(RequiredTags, AnEndedJobIsLeftAlone) {
  RuleBench bench{"required_tags", kModelName};
  bench.at(0s, {submitted(kJob)});
  EXPECT_TRUE(
      bench.at(1s, {changed(kJob, 1, Secondary::starting), changed(kJob, 2, Secondary::completed)})
          .verbs.empty());
}

TEST_F(RequiredTags, AStopLostToAnotherRuleIsAskedForAgain) {
  RuleBench bench{"required_tags", kModelName};
  EXPECT_EQ(stops(bench, {}), 1U);
  EXPECT_TRUE(
      bench.at(1s, {refused_by(Refusal::conflict, kJob, VerbKind::stop_job)}).verbs.empty());
  const Fact over = settled(kJob, VerbKind::limit_runtime, Outcome::done, kOtherSeat);
  EXPECT_EQ(bench.at(2s, {over}).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.at(3s, {over}).verbs.empty());
}

TEST_F(RequiredTags, AStopAGuardRefusedIsNotAskedForAgain) {
  RuleBench bench{"required_tags", kModelName};
  EXPECT_EQ(stops(bench, {}), 1U);
  EXPECT_TRUE(bench.at(1s, {settled(kJob, VerbKind::stop_job, Outcome::refused)}).verbs.empty());
  EXPECT_TRUE(bench.at(2s, {changed(kJob, 2, Secondary::training)}).verbs.empty());
}

TEST_F(RequiredTags, WhatExpiredIsAskedForAgainAMinuteLater) {
  RuleBench stop{"required_tags", kModelName};
  EXPECT_EQ(stops(stop, {}), 1U);
  stop.at(1min, {settled(kJob, VerbKind::stop_job, Outcome::expired)});
  EXPECT_TRUE(stop.tick(2min - 1s).verbs.empty());
  EXPECT_EQ(stop.tick(2min).count<StopJob>(), 1U);

  RuleBench tell{"required_tags", R"({"keys": ["k"], "action": "notify"})"};
  tell.at(0s, {submitted(kJob), changed(kJob, 1, Secondary::starting)});
  tell.at(1min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(tell.tick(2min).count<Notify>(), 1U);

  RuleBench warn{"required_tags", kModelName};
  EXPECT_EQ(stops(warn, {}), 1U);
  warn.at(1s, {refused_by(Refusal::seat_mode, kJob, VerbKind::stop_job)});
  warn.at(1min, {settled(kJob, VerbKind::notify, Outcome::expired)});
  EXPECT_EQ(warn.tick(2min).count<StopJob>(), 1U) << "its warning did not get out";
}

TEST_F(RequiredTags, WhatTheKillSwitchHeldBackIsNotDoneToTheNextAttempt) {
  RuleBench bench{"required_tags", kModelName};
  bench.at(0s, {submitted(kJob), KillSwitchChanged{true}});
  EXPECT_EQ(bench.at(1s, {changed(kJob, 1, Secondary::starting)}).count<StopJob>(), 1U);
  bench.at(2s, {refused_by(Refusal::kill_switch, kJob, VerbKind::stop_job)});
  bench.at(3s, {changed(kJob, 2, Secondary::failed)});
  bench.at(4s, {submitted(kJob, 2, with(bench.tags({{"model_name", "m"}}))),
                changed(kJob, 1, Secondary::starting, 2)});
  EXPECT_TRUE(bench.at(5s, {KillSwitchChanged{false}}).verbs.empty());
}

TEST_F(RequiredTags, ARuleThatCanNeverActIsRefused) {
  EXPECT_EQ(check_rule("required_tags", R"({"keys": []})").option, "keys");
  EXPECT_TRUE(check_rule("required_tags", kModelName).message.empty());
}

}  // namespace required_tags_test
}  // namespace reeve::policies
