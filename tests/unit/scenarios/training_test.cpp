// How a job trains, as a scenario says it: sizes and bandwidths become times.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace training_test {

using namespace std::chrono_literals;

Loaded loaded(const std::string& job, const std::string& members = "") {
  return load(SourceFile::from_text("test.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 },
                               "gpu.1": { "usd_per_hour": 3, "gpus": 1 } } },
    "fleet": [ { "name": "pool", "instance_type": "gpu.8", "capacity": 8 },
               { "name": "small", "instance_type": "gpu.1", "capacity": 8 } ],
    "jobs": [ { "name": "a", "work": "9h", "fleet": "pool", )" +
                                                      job + " } ]" + members + "}"),
              "/nowhere", {});
}

models::JobProfile profile(const std::string& job, const std::string& members = "") {
  return loaded(job, members).scenario.world.profiles.at(0);
}

std::string warnings(const std::string& job) {
  std::string codes;
  for (const Diagnostic& warning : loaded(job).warnings) codes += warning.code + " ";
  return codes;
}

TEST(Training, ASizeAndBandwidthsAreTimes) {
  const models::Checkpoint plan =
      profile(R"("checkpoint": { "every": "1h", "size": 120, "write": 1.5, "upload": 0.1,
                                 "restore": 0.4 })")
          .checkpoint;
  EXPECT_EQ(plan.cost, 80s);
  EXPECT_EQ(plan.upload, 20min);
  EXPECT_EQ(plan.restore, 5min);
}

TEST(Training, ABandwidthThatIsNotStatedTakesNoTime) {
  const models::Checkpoint plan =
      profile(R"("checkpoint": { "every": "1h", "size": 120, "upload": 0.1 })").checkpoint;
  EXPECT_EQ(plan.cost, 0s) << "a copy in memory, and an upload beside the work";
  EXPECT_EQ(plan.upload, 20min);
  EXPECT_EQ(plan.restore, 0s);
}

TEST(Training, WhatIsUploadedAtTheEndUploadsNothingBefore) {
  const models::Checkpoint plan =
      profile(R"("checkpoint": { "every": "1h", "size": 120, "upload": 0.1, "sync": "at_end" })")
          .checkpoint;
  EXPECT_EQ(plan.upload, 0s);
}

TEST(Training, ASaveOnNoticeHasToBeWrittenAndUploaded) {
  const std::string size = R"("checkpoint": { "size": 60, "write": 2, "upload": 0.5, )";
  EXPECT_EQ(profile(size + R"("on_notice": {} })").checkpoint.on_notice->save, 150s);
  EXPECT_EQ(profile(size + R"("on_notice": { "save": "10s" } })").checkpoint.on_notice->save, 10s);
}

TEST(Training, ASaveWhenAskedOrStoppedTakesAsLongAsItSaysOrAsTheSizeDoes) {
  const std::string size = R"("checkpoint": { "size": 60, "write": 2, "upload": 0.5, )";
  EXPECT_EQ(profile(size + R"("on_request": {} })").checkpoint.on_request.value(), 150s);
  EXPECT_EQ(profile(size + R"("on_stop": { "save": "9s" } })").checkpoint.on_stop.value(), 9s);
  EXPECT_EQ(profile(size + R"("every": "1h" })").checkpoint.on_stop.has_value(), false);
}

TEST(Training, AnUploadLongerThanTheIntervalIsWarnedOf) {
  EXPECT_EQ(warnings(R"("checkpoint": { "every": "20m", "size": 120, "upload": 0.1 })"), "");
  EXPECT_EQ(warnings(R"("checkpoint": { "every": "19m", "size": 120, "upload": 0.1 })"), "W0464 ");
}

TEST(Training, SpeedsAreByTypeAndOneWhereNoneIsStated) {
  const auto of = profile(R"("throughput": { "gpu.8": 2.5 }, "data_loading": { "rate": 2 })");
  ASSERT_TRUE(of.throughput);
  EXPECT_EQ(models::speed_on(of.throughput.get(), {0}), 2'000'000U) << "as fast as it is fed";
  EXPECT_EQ(models::speed_on(of.throughput.get(), {1}), 1'000'000U);
  EXPECT_FALSE(profile(R"("owner": "ann")").throughput) << "costs nothing where nothing is said";
}

TEST(Training, WhatASlowTypeDoesInTimeIsCheckedAtItsSpeed) {
  const std::string limit = R"("max_runtime": "10h", )";
  EXPECT_EQ(warnings(limit + R"("throughput": { "gpu.8": 0.9 })"), "");
  EXPECT_EQ(warnings(limit + R"("throughput": { "gpu.8": 0.89 })"), "W0403 ");
}

TEST(Training, APauseThatIsDrawnMakesOneRunOneSample) {
  const auto random = [](const std::string& resize) {
    return loaded(R"("instances": 8, "elastic": { "min": 4, "resize": )" + resize + " }",
                  R"(, "platform": { "model": "ec2" })")
        .scenario.random;
  };
  EXPECT_FALSE(random(R"("30m")"));
  EXPECT_TRUE(random(R"({ "exponential": "30m" })"));
}

TEST(Training, JobsThatDifferInSpeedAreTwo) {
  const Loaded both = loaded(R"("data_loading": { "rate": 0.8 } }, { "name": "b", "work": "9h",
                                 "fleet": "pool", "data_loading": { "rate": 0.9 })");
  EXPECT_EQ(both.scenario.world.profiles.size(), 2U);
}

}  // namespace training_test
}  // namespace reeve::scenarios
