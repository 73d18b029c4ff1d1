#include <limits>

#include "rule_bench.hpp"

namespace reeve::policies {
namespace {

constexpr JobId kJob{2};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Fact lost(double loss, AttemptNumber attempt = 1) {
  return TrainingReported{kJob, attempt, 1h, true, loss};
}

struct EarlyStopBench : RuleBench {
  explicit EarlyStopBench(const std::string& options = "{}") : RuleBench{"early_stop", options} {
    at(0s, {submitted(kJob), changed(kJob, 1, Secondary::training)});
  }
};

TEST(EarlyStop, TwoLooksTenMinutesApartFindThatItHasDiverged) {
  EarlyStopBench bench;
  bench.at(3h - 1min, {lost(2)});
  bench.at(3h + 30s, {lost(kNan)});
  EXPECT_TRUE(bench.tick(3h + 10min).verbs.empty());
  EXPECT_TRUE(bench.tick(3h + 20min - 1ns).verbs.empty());
  EXPECT_EQ(bench.tick(3h + 20min).count<StopJob>(), 1U);
  EXPECT_TRUE(bench.tick(5h).verbs.empty()) << "once";
}

TEST(EarlyStop, ANumberBetweenTwoLooksBeginsAnew) {
  EarlyStopBench bench;
  bench.at(1min, {lost(kNan)});
  EXPECT_TRUE(bench.tick(10min).verbs.empty());
  bench.at(11min, {lost(5)});
  EXPECT_TRUE(bench.tick(20min).verbs.empty());
  bench.at(21min, {lost(kNan)});
  EXPECT_TRUE(bench.tick(30min).verbs.empty());
  EXPECT_EQ(bench.tick(40min).count<StopJob>(), 1U);
}

TEST(EarlyStop, APlateauIsALossThatImprovesNoMore) {
  const auto stopped = [](const std::string& options) {
    EarlyStopBench bench{options};
    double loss = 8;
    std::size_t stops = 0;
    for (Duration now = 10min; now <= 12h; now += 10min) {
      if (now <= 2h) loss *= 0.9;
      if (now > 2h) loss *= 0.9999;  // not worth a percent in an hour
      stops += bench.at(now, {lost(loss)}).count<StopJob>();
      stops += bench.tick(now).count<StopJob>();
      if (stops > 0) return now;
    }
    return Duration{0};
  };
  EXPECT_EQ(stopped("{}"), 0s);
  EXPECT_EQ(stopped(R"({"plateau": "1h"})"), 3h);
  EXPECT_EQ(stopped(R"({"plateau": "1h", "improvement_pct": 0})"), 0s);
}

TEST(EarlyStop, WhoTellsNothingIsLeftAlone) {
  EarlyStopBench bench{R"({"plateau": "1h", "looks": 1})"};
  EXPECT_TRUE(bench.tick(24h).verbs.empty());
}

TEST(EarlyStop, AFurtherAttemptBeginsWithACleanSlate) {
  EarlyStopBench bench;
  bench.at(1min, {lost(kNan)});
  bench.tick(10min);
  bench.at(15min, {changed(kJob, 3, Secondary::failed)});
  bench.at(1h, {submitted(kJob, 2), changed(kJob, 1, Secondary::training, 2)});
  EXPECT_TRUE(bench.tick(2h).verbs.empty());
  bench.at(2h + 1min, {lost(kNan, 2)});
  EXPECT_TRUE(bench.tick(2h + 10min).verbs.empty());
  EXPECT_EQ(bench.tick(2h + 20min).all<StopJob>().at(0).attempt, 2);
}

}  // namespace
}  // namespace reeve::policies
