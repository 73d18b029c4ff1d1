#include "scenarios/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::scenarios {
namespace load_test {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::filesystem::path shared = std::filesystem::path{REEVE_SOURCE_DIR} / ".." / "shared";

Loaded load_text(const std::string& text) {
  return load(SourceFile::from_text("test.jsonc", text), "/nowhere", {});
}

/// A scenario of one fleet of 8 machines, with these members besides.
Scenario scenario(const std::string& members) {
  return load_text(R"({ "reeve": 1,
    "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "pool", "instance_type": "gpu.8", "capacity": 8 } ], )" +
                   members + "}")
      .scenario;
}

Scenario with_jobs(const std::string& jobs, const std::string& members = "") {
  return scenario("\"jobs\": [" + jobs + "], " + members);
}

std::string codes(const std::string& members) {
  try {
    scenario(members);
    return "";
  } catch (const InputError& error) {
    std::string found;
    for (const Diagnostic& d : error.diagnostics()) found += d.code + " ";
    return found;
  }
}

TEST(Load, AnInstantGoesWithWhatChangesAndWithNothingElse) {
  const auto codes_of = [](const std::string& line) {
    return codes(R"("clock": { "start": "2026-01-05T00:00:00Z", "horizon": "1d" },
      "jobs": [ { "name": "a", "work": "1h" } ], "expect": [ )" +
                 line + "]");
  };
  EXPECT_EQ(codes_of(R"({ "at": "24h", "that": "pool.pool.allocated == 0" })"), "");
  EXPECT_EQ(codes_of(R"({ "that": "pool.pool.allocated == 0" })"), "E0259 ");
  EXPECT_EQ(codes_of(R"({ "at": "25h", "that": "pool.pool.allocated == 0" })"), "E0259 ");
  EXPECT_EQ(codes_of(R"({ "at": "1h", "that": "jobs_done == 1" })"), "E0259 ");
  EXPECT_EQ(codes_of(R"({ "that": "jobs_done == 1" })"), "");
}

TEST(Load, AnEmptyObjectLeavesTheDefaults) {
  const Scenario s = with_jobs(R"({ "name": "a", "work": "1h" })");
  EXPECT_EQ(s.name, "test");
  EXPECT_EQ(s.world.end, policy::never);
  EXPECT_EQ(s.world.seed, 1U);
  EXPECT_EQ(s.world.platform.model, models::PlatformModel::sagemaker_training);
  EXPECT_EQ(s.world.platform.stop_grace, 120s);
  EXPECT_EQ(s.world.platform.metrics.alarm_per_month, Usd::from_micros(100'000));
  EXPECT_EQ(s.world.profiles[0].max_runtime, 24h);
  EXPECT_EQ(s.world.profiles[0].util_running, 95);
  EXPECT_EQ(s.world.jobs.specs[0].expected, 1h);
  EXPECT_FALSE(s.random);
  ASSERT_EQ(s.policies.size(), 1U);
  EXPECT_EQ(s.policies[0].name, "none");
}

TEST(Load, TheIdealPlatformHasNoGraceAndNoLimit) {
  const Scenario s =
      with_jobs(R"({ "name": "a", "work": "100h" })", R"("platform": { "model": "ideal" })");
  EXPECT_EQ(s.world.platform.stop_grace, 0s);
  EXPECT_EQ(s.world.profiles[0].max_runtime, Duration::max());
}

TEST(Load, EachPlatformOfOnesOwnHasItsDefaults) {
  const std::string job = R"({ "name": "a", "work": "100h" })";
  const auto platform = [&](const std::string& keys) {
    return with_jobs(job, "\"platform\": { " + keys + " }").world.platform;
  };
  const models::Platform ec2 = platform(R"("model": "ec2")");
  EXPECT_EQ(ec2.provisioning, 60s);
  EXPECT_EQ(ec2.stop_grace, 0s);
  EXPECT_EQ(ec2.notice.lead, 120s);
  EXPECT_EQ(ec2.billing.minimum, 60s);
  EXPECT_TRUE(ec2.billing.first_hour_free);
  EXPECT_FALSE(ec2.unmanaged.waits_for_capacity);
  EXPECT_EQ(platform(R"("model": "gcp")").notice.lead, 30s);
  const models::Platform waits = platform(R"("model": "ec2", "spot_request": "persistent")");
  EXPECT_TRUE(waits.unmanaged.waits_for_capacity);
  const models::Platform stated = platform(
      R"("model": "ec2", "billing": { "minimum": "0s" }, "spot_request": "persistent",
         "on_insufficient": "fail", "phases": { "download": "2m", "run": "1m" })");
  EXPECT_EQ(stated.billing.minimum, 0s);
  EXPECT_TRUE(stated.billing.first_hour_free) << "one key changes no other";
  EXPECT_FALSE(stated.unmanaged.waits_for_capacity);
  EXPECT_EQ(stated.startup, 3min);
  EXPECT_EQ(platform(R"("model": "sagemaker-training")").provisioning, 0s);
}

TEST(Load, JobsThatDifferInWhatTheySaveOnNoticeAreTwo) {
  const Scenario s = with_jobs(
      R"({ "name": "a", "work": "9h", "checkpoint": { "on_notice": { "save": "90s" } } },
         { "name": "b", "work": "9h", "checkpoint": { "on_notice": { "save": "91s" } } },
         { "name": "c", "work": "9h", "placement": "single_zone" })",
      R"("platform": { "model": "ec2" })");
  EXPECT_EQ(s.world.profiles.size(), 3U);
}

TEST(Load, JobDefaultsAreMergedKeyByKey) {
  const Scenario s = with_jobs(
      R"({ "name": "a", "checkpoint": { "cost": "1m" }, "tags": { "project": "y" } },
         { "name": "b", "work": "2h" })",
      R"("job_defaults": { "work": "5h", "checkpoint": { "every": "30m" },
                           "tags": { "owner": "ada", "project": "x" } })");
  const models::JobProfile& a = s.world.profiles[s.world.jobs.specs[0].profile];
  EXPECT_EQ(s.world.jobs.specs[0].work, 5h);
  EXPECT_EQ(s.world.jobs.specs[1].work, 2h);
  EXPECT_EQ(a.checkpoint.every, 30min);
  EXPECT_EQ(a.checkpoint.cost, 1min);
  EXPECT_EQ(a.owner, "ada");
  EXPECT_EQ(s.world.directory.tag(a.tags, "project"), "y");
}

TEST(Load, JobsAreSortedStablyBySubmission) {
  const Scenario s = with_jobs(R"({ "name": "c", "work": "1h", "submit": "2h" },
                                  { "name": "b", "work": "1h" }, { "name": "a", "work": "1h" })");
  EXPECT_THAT(s.world.jobs.names, ::testing::ElementsAre("b", "a", "c"));
  EXPECT_EQ(s.world.profiles.size(), 1U);
}

TEST(Load, CopiesAreSpacedAndTheirFaultsMove) {
  const Scenario s = with_jobs(R"({ "name": "a", "work": "1h", "count": 3, "submit_every": "10m",
      "faults": [ { "at": "5m", "kind": "stall", "at_step": "1s" } ] })");
  EXPECT_THAT(s.world.jobs.names, ::testing::ElementsAre("a-1", "a-2", "a-3"));
  EXPECT_EQ(s.world.jobs.specs[2].submit - s.world.start, 20min);
  EXPECT_EQ(s.world.profiles[s.world.jobs.specs[2].profile].faults[0].at, 302s);
}

TEST(Load, OwnerIsTheKeyThenUsernameThenOwnerTag) {
  const Scenario s = with_jobs(
      R"({ "name": "a", "work": "1h", "owner": "x", "tags": { "username": "y", "owner": "z" } },
         { "name": "b", "work": "1h", "tags": { "owner": "z", "username": "y" } },
         { "name": "c", "work": "1h", "tags": { "owner": "z" } }, { "name": "d", "work": "1h" })");
  std::vector<std::string> owners;
  for (const auto& job : s.world.jobs.specs) owners.push_back(s.world.profiles[job.profile].owner);
  EXPECT_THAT(owners, ::testing::ElementsAre("x", "y", "z", ""));
}

TEST(Load, AnInterruptionIsAwayForAWhileOrNotAtAll) {
  const Scenario s = with_jobs(R"({ "name": "a", "work": "9h", "faults": [
      { "at": "1h", "kind": "interruption", "away": "10m" }, { "at": "2h", "kind": "interruption" },
      { "at": "3h", "kind": "stall" } ] })");
  const auto& faults = s.world.profiles[0].faults;
  EXPECT_EQ(faults[0].lasts, 10min);
  EXPECT_EQ(faults[1].lasts, 0s);
  EXPECT_EQ(faults[2].lasts, Duration::max());
}

TEST(Load, ThePoolIsChosenByTypeOrByName) {
  const std::string fleets = R"({ "reeve": 1, "prices": { "instances": {
        "big": { "usd_per_hour": 30, "gpus": 8 }, "small": { "usd_per_hour": 3, "gpus": 1 } } },
      "fleet": [ { "name": "x", "instance_type": "big", "capacity": 1 },
                 { "name": "y", "instance_type": "small", "capacity": 1 },
                 { "name": "z", "instance_type": "small", "capacity": 1, "market": "reserved" } ],
      "jobs": [ { "name": "a", "work": "1h", "instance_type": "big" },
                { "name": "b", "work": "1h", "instance_type": "small", "fleet": "z" } ] })";
  const models::World world = load_text(fleets).scenario.world;
  EXPECT_EQ(world.profiles[world.jobs.specs[0].profile].pool.index, 0U);
  EXPECT_EQ(world.profiles[world.jobs.specs[1].profile].pool.index, 2U);
  EXPECT_EQ(world.pools[2].price.nanos, 3'000'000'000);
  EXPECT_EQ(world.pools[2].market, policy::Market::reserved);
}

TEST(Load, ADrawnWorkloadKeepsItsLaws) {
  const Scenario s = scenario(R"("workload": { "jobs": 1000, "name": "w",
      "arrivals": { "process": "poisson", "gap": "6m" }, "untagged": 0.25,
      "work": { "lognormal": { "median": "2h", "sigma": 1.5 }, "max": "48h" },
      "instances": { "1": 0.8, "8": 0.2 }, "tags": { "username": "ada" },
      "drawn_faults": [ { "kind": "failure", "probability": 0.1,
                          "after": { "uniform": ["1h", "3h"] },
                          "classes": { "code": 1, "infrastructure": 3 } } ] })");
  ASSERT_TRUE(s.world.drawn);
  const models::DrawnWorkload& drawn = *s.world.drawn;
  EXPECT_TRUE(s.random);
  EXPECT_EQ(drawn.prefix, "w-");
  EXPECT_EQ(drawn.work.shape, models::Shape::lognormal);
  EXPECT_EQ(drawn.work.scale, 2h);
  EXPECT_EQ(drawn.work.high, 48h);
  EXPECT_THAT(drawn.instances, ::testing::ElementsAre(std::pair{1U, 0.8}, std::pair{8U, 0.2}));
  const auto& fault = s.world.profiles[drawn.profile].drawn_faults.at(0);
  EXPECT_EQ(fault.after.high, 3h);
  EXPECT_EQ(fault.classes[1], (std::pair{policy::FailureClass::infrastructure, 3.0}));
  EXPECT_EQ(s.world.profiles[drawn.profile].owner, "ada");
  EXPECT_EQ(s.world.profiles[drawn.untagged_profile].tags.index, 0U);
  EXPECT_EQ(s.world.profiles[drawn.untagged_profile].owner, "");
}

TEST(Load, TheSeatsOwnKeysWinOverThePreset) {
  const Scenario s = with_jobs(R"({ "name": "a", "work": "1h" })", R"("policies": { "p": [
      { "rule": "stalled_gpu", "use": "blog", "threshold": 3, "action": { "stop": false },
        "mode": "shadow", "priority": 7 } ] },
      "rules": { "blog": { "threshold": 1, "period": "10m", "action": { "latency": "2s" } } })");
  const SeatSpec& seat = s.policies.at(0).seats.at(0);
  EXPECT_EQ(seat.label, "stalled_gpu");
  EXPECT_EQ(seat.mode, host::Mode::shadow);
  EXPECT_EQ(seat.priority, 7);
  EXPECT_EQ(seat.options.number("threshold"), 3);
  EXPECT_EQ(seat.options.duration("period"), 10min);
  EXPECT_EQ(seat.options.duration("action.latency"), 2s);
  EXPECT_FALSE(seat.options.flag("action.stop"));
  EXPECT_EQ(seat.options.text("compare"), "<=");
}

TEST(Load, EveryIndependentMistakeIsFoundInOnePass) {
  EXPECT_EQ(codes(R"("jobs": [ { "name": "a", "work": "1h", "instances": 9 }, { "name": "b" } ],
      "policies": { "p": [ { "rule": "nonsense" } ] },
      "expect": [ { "policy": "q", "that": "nonsense > 0" } ])"),
            "E0209 E0202 E0213 E0220 E0221 ");
}

TEST(Load, AScriptedFaultFindsItsJobAfterSorting) {
  const Scenario s = with_jobs(
      R"({ "name": "late", "work": "1h", "submit": "1h" }, { "name": "early", "work": "1h" })",
      R"("platform": { "api": { "faults": [
          { "call": "StopTrainingJob", "kind": "lost_reply", "job": "late", "times": 2 } ] } })");
  const auto& fault = s.world.platform.api.scripted.at(0);
  EXPECT_EQ(fault.job, policy::JobId{1});
  EXPECT_EQ(fault.times, 2U);
  EXPECT_FALSE(s.random);
}

TEST(Load, AnythingDrawnMakesItRandom) {
  const std::string job = R"({ "name": "a", "work": "1h" })";
  const auto random = [&](const std::string& platform) {
    return with_jobs(job, "\"platform\": { " + platform + " }").random;
  };
  EXPECT_TRUE(random(R"("metrics": { "evaluation_offset": "random" })"));
  EXPECT_TRUE(random(R"("duplicate_events": 0.1)"));
  EXPECT_TRUE(random(R"("api": { "throttled": 0.1 })"));
  EXPECT_TRUE(random(R"("events": { "jitter": "1s" })"));
  EXPECT_FALSE(random(R"("events": { "delay": "1s" })"));
  EXPECT_TRUE(random(R"("model": "ec2", "notice_probability": 0.5)"));
  EXPECT_TRUE(random(R"("model": "ec2", "self_destruct_fails": 0.5)"));
  EXPECT_FALSE(random(R"("model": "ec2", "self_destruct_fails": 1)"));
  EXPECT_TRUE(random(R"("model": "ec2", "rendezvous": { "tags_after": { "exponential": "9s" } })"));
  EXPECT_FALSE(random(R"("model": "ec2", "rendezvous": { "tags_after": "9s" })"));
}

TEST(Load, ManyCopiesAreRefusedBeforeTheyAreMade) {
  EXPECT_EQ(codes(R"("jobs": [ { "name": "a", "work": "1h", "count": 100000000 } ])"), "E0226 ");
}

TEST(Load, TheSharedExamplesOfThisVersionLoad) {
  if (!std::filesystem::exists(shared / "examples")) GTEST_SKIP() << "no shared examples here";
  const Loaded weekend = load(shared / "examples" / "stalled-weekend.jsonc");
  EXPECT_THAT(weekend.warnings, IsEmpty());
  EXPECT_EQ(weekend.scenario.policies.size(), 4U);
  EXPECT_EQ(weekend.scenario.world.profiles[0].faults[0].cause, "service");
  const Loaded replay = load(shared / "examples" / "ms-itp-replay.jsonc");
  ASSERT_THAT(replay.warnings, SizeIs(2));
  EXPECT_EQ(replay.warnings[0].code, "W0591") << "its reserved fleet has no commitment price";
  EXPECT_EQ(replay.warnings[1].code, "W0318") << "sjf by the true run times, as the study has it";
  EXPECT_THAT(replay.scenario.world.jobs.specs, SizeIs(1595));
  const Loaded shares = load(shared / "examples" / "amazon-search-100.jsonc");
  ASSERT_THAT(shares.warnings, SizeIs(1));
  EXPECT_EQ(shares.warnings[0].code, "W0591");
  EXPECT_THAT(shares.scenario.world.directory.shares, SizeIs(2));
  EXPECT_THAT(shares.scenario.expects, SizeIs(16));
}

TEST(MetricNames, NamesOfJobsAndTagsMayHoldDots) {
  const auto job = find_metric("job.big.train.v2.wait");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->spec->name, "job.NAME.wait");
  EXPECT_EQ(job->job, "big.train.v2");
  const auto tag = find_metric("tag.project.a.b.billed_usd");
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->key, "project");
  EXPECT_EQ(tag->value, "a.b");
  const auto odd = find_metric("tag.team%2Ea.50%25%20off!.jobs");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->key, "team.a");
  EXPECT_EQ(odd->value, "50% off!");
  const auto of_key = find_metric("tag.team%2Ea.jain_index");
  ASSERT_TRUE(of_key);
  EXPECT_EQ(of_key->key, "team.a");
  EXPECT_EQ(of_key->value, "");
  for (const std::string text : {"team.a", "50% off", "a=b<c>d!", "100%", "%4", "täg\x7f\n"}) {
    EXPECT_EQ(from_metric_name(in_metric_name(text, true)), text);
    EXPECT_EQ(from_metric_name(in_metric_name(text, false)), text);
    EXPECT_EQ(in_metric_name(text, true).find_first_of(". =<>!\n"), std::string::npos) << text;
  }
  EXPECT_EQ(from_metric_name("100%"), "100%") << "no escape";
  for (const auto* wrong : {"job.wait", "job..wait", "tag.project.billed_usd", "tag..jain_index",
                            "tag.a.b.jain_index", "first_attempt", ""}) {
    EXPECT_FALSE(find_metric(wrong)) << wrong;
  }
}

TEST(MetricNames, EachIsFoundUnderItsOwnName) {
  for (const MetricSpec& spec : metric_names()) {
    const auto use = find_metric(spec.name);
    ASSERT_TRUE(use) << spec.name;
    EXPECT_EQ(use->spec->name, spec.name);
    EXPECT_FALSE(spec.help.empty()) << spec.name;
  }
}

}  // namespace load_test
}  // namespace reeve::scenarios
