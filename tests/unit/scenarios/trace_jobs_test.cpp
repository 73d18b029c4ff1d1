// The columns of a trace become the fleet, the tags and the logged run of its jobs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace trace_jobs_test {

using namespace std::chrono_literals;

/// `workload` has more keys of the workload, with a comma before them.
Loaded load_trace(const std::string& trace, const std::string& workload = "") {
  const auto folder = std::filesystem::path{::testing::TempDir()} /
                      ("reeve-trace-jobs-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "jobs.csv"} << trace;
  auto source = SourceFile::from_text("t.jsonc", R"({ "reeve": 1, "name": "t",
"prices": { "instances": { "a": { "usd_per_hour": 3, "gpus": 8, "spot_usd_per_hour": 1 },
                           "b": { "usd_per_hour": 7, "gpus": 4 } } },
"fleet": [ { "name": "a-spot", "instance_type": "a", "capacity": 4, "market": "spot",
             "availability": { "steps": [["0s", 4]] } },
           { "name": "a", "instance_type": "a", "capacity": 4 },
           { "name": "b", "instance_type": "b", "capacity": 4 } ],
"platform": { "model": "ideal" },
"workload": { "trace": "jobs.csv", "fleet": "a")" + workload +
                                                     R"( }, "policies": { "none": [] } })");
  Loaded loaded = load(std::move(source), folder);
  std::filesystem::remove_all(folder);
  return loaded;
}

const models::JobProfile& profile_of(const Loaded& loaded, std::size_t job) {
  const models::World& world = loaded.scenario.world;
  return world.profiles[world.jobs.specs.at(job).profile];
}

std::string fleet_of(const Loaded& loaded, std::size_t job) {
  return loaded.scenario.world.pools[profile_of(loaded, job).pool.index].name;
}

std::optional<std::string> tag_of(const Loaded& loaded, std::size_t job, std::string_view key) {
  const auto found = loaded.scenario.world.directory.tag(profile_of(loaded, job).tags, key);
  return found ? std::optional<std::string>{*found} : std::nullopt;
}

TEST(TraceJobs, RunInTheFleetOfTheirTypeAndMarket) {
  const Loaded loaded = load_trace(
      "job_id,submit_s,gpus_total,duration_s,instance_type,market\n"
      "usual,0,8,60,,\ntype,1,8,60,b,\nboth,2,8,60,a,spot\nmarket,3,8,60,,spot\n"
      "fits,4,8,60,a,\nelsewhere,5,8,60,b,spot\n");
  EXPECT_EQ(fleet_of(loaded, 0), "a");
  EXPECT_EQ(fleet_of(loaded, 1), "b");
  EXPECT_EQ(fleet_of(loaded, 2), "a-spot");
  EXPECT_EQ(fleet_of(loaded, 3), "a-spot");
  EXPECT_EQ(fleet_of(loaded, 4), "a");  // the usual one comes first
  EXPECT_EQ(fleet_of(loaded, 5), "b");
  EXPECT_EQ(loaded.scenario.world.jobs.specs[1].instances, 2u);  // of 4 GPUs
  EXPECT_EQ(loaded.scenario.world.jobs.specs[2].instances, 1u);
  const auto told = [](const Diagnostic& each) { return each.code == "W0612"; };
  EXPECT_EQ(std::count_if(loaded.warnings.begin(), loaded.warnings.end(), told), 1);
}

TEST(TraceJobs, HaveTheTagsOfTheirRows) {
  const Loaded loaded = load_trace(
      "job_id,submit_s,gpus_total,duration_s,user,tag.team,tag.username\n"
      "a,0,8,60,ann,red,\nb,1,8,60,ann,,\nc,2,8,60,,blue,bob\nd,3,8,60,ann,red,\n",
      R"(, "tags": { "team": "all", "stage": "x" })");
  EXPECT_EQ(tag_of(loaded, 0, "team"), "red");
  EXPECT_EQ(tag_of(loaded, 0, "stage"), "x");
  EXPECT_EQ(tag_of(loaded, 0, "username"), "ann");
  EXPECT_EQ(tag_of(loaded, 1, "team"), "all");
  EXPECT_EQ(tag_of(loaded, 2, "username"), "bob");
  EXPECT_EQ(profile_of(loaded, 0).owner, "ann");
  EXPECT_EQ(profile_of(loaded, 2).owner, "bob");
  const auto& specs = loaded.scenario.world.jobs.specs;
  EXPECT_EQ(specs[0].profile, specs[3].profile);  // equal rows are one profile
}

TEST(TraceJobs, KeepTheLoggedRun) {
  const Loaded loaded = load_trace(
      "job_id,submit_s,gpus_total,duration_s,end_status,censored,startup_s,lost_s\n"
      "a,0,8,60,completed,1,5,7\nb,1,8,60,timeout,,,\nc,2,8,60,timeout,0,0,\n"
      "d,3,8,60,failed,,,9\n");
  const models::Jobs& jobs = loaded.scenario.world.jobs;
  EXPECT_EQ(jobs.log_of({0}).startup, 5s);
  EXPECT_EQ(jobs.log_of({0}).lost, 7s);
  EXPECT_TRUE(jobs.specs[0].censored);
  EXPECT_EQ(jobs.log_of({1}).startup, std::nullopt);
  EXPECT_TRUE(jobs.specs[1].censored);  // its limit ended it
  EXPECT_EQ(jobs.log_of({2}).startup, 0s);
  EXPECT_FALSE(jobs.specs[2].censored);
  EXPECT_EQ(jobs.log_of({3}).startup, std::nullopt);
  EXPECT_EQ(jobs.log_of({3}).lost, 9s);
  EXPECT_FALSE(jobs.specs[3].censored);  // the failure is its own
}

/// Three weeks of one user; the last job still runs, with a limit of 10 minutes.
Loaded load_forecast(const std::string& keys) {
  return load_trace(
      "job_id,submit_s,gpus_total,duration_s,user,end_status,time_limit_s\n"
      "a,0,8,60,ann,completed,600\nb,700000,8,60,ann,killed,600\nc,1500000,8,60,ann,running,600\n",
      keys);
}

std::string refusal_of_forecast(const std::string& keys) {
  try {
    load_forecast(keys);
  } catch (const InputError& error) {
    for (const Diagnostic& found : error.diagnostics()) {
      if (found.severity == Severity::error) return found.code;
    }
  }
  return "accepted";
}

TEST(TraceJobs, ThatStillRunHaveTheLawOfAForecast) {
  const auto forecast = [](const std::string& running) {
    return R"(, "resample": "user_weeks", "forecast": { "running": [)" + running + "] }";
  };
  const auto running = [](const std::string& jobs) {
    return R"({ "jobs": [)" + jobs + R"(], "work": { "weibull": { "scale": "1h", "shape": 1 } } })";
  };
  const Loaded loaded = load_forecast(forecast(running(R"("c")")));
  const auto& drawn = loaded.scenario.world.resampling->forecast;
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->weeks, 4u);
  ASSERT_EQ(drawn->open.size(), 1u);
  EXPECT_EQ(drawn->open[0].job, 2u);
  EXPECT_EQ(drawn->open[0].most, 10min);
  const auto told = [](const Diagnostic& each) { return each.code == "W0610"; };
  EXPECT_EQ(std::count_if(loaded.warnings.begin(), loaded.warnings.end(), told), 0);
  const std::string none;
  EXPECT_EQ(refusal_of_forecast(R"(, "forecast": { "weeks": 2 })"), "E0387");
  EXPECT_EQ(refusal_of_forecast(forecast(running(R"("d")"))), "E0388");
  EXPECT_EQ(refusal_of_forecast(forecast(running(R"("b")"))), "E0388");
  EXPECT_EQ(refusal_of_forecast(forecast(running(R"("c", "c")"))), "E0388");
  EXPECT_EQ(refusal_of_forecast(forecast(none)), "accepted");
  const std::string ends = R"({ "jobs": ["c"], "work": { "exponential": "1h" }, )";
  EXPECT_EQ(refusal_of_forecast(forecast(ends + R"("failed": 0.7, "stopped": 0.6 })")), "E0389");
  EXPECT_EQ(refusal_of_forecast(forecast(ends + R"("failed": 0.7, "stopped": 0.3 })")), "accepted");
  const auto no_interval = [](const Diagnostic& each) { return each.code == "W0616"; };
  EXPECT_EQ(std::count_if(loaded.warnings.begin(), loaded.warnings.end(), no_interval), 1);
}

TEST(TraceJobs, InTheLastSecondOfAWeekMakeItWhole) {
  const std::string head = "job_id,submit_s,gpus_total,duration_s\na,0,8,60\nb,";
  const std::string keys = R"(, "resample": "user_weeks")";
  for (const auto& [last, weeks] : {std::pair{"1814398", 2U}, std::pair{"1814399", 3U}}) {
    const Loaded loaded = load_trace(head + last + ",8,60\n", keys);
    EXPECT_EQ(loaded.scenario.world.resampling->weeks, weeks) << last;
  }
}

}  // namespace trace_jobs_test
}  // namespace reeve::scenarios
