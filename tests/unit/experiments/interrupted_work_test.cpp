#include "experiments/interrupted_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/draws.hpp"

namespace reeve::experiments {
namespace interrupted_work_test {

/// Luck that is no simulation's: a long sequence of times between interruptions, in hours.
class Interruptions {
 public:
  explicit Interruptions(double per_hour) : per_hour_{per_hour} {}
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const double uniform = (static_cast<double>(state_ >> 11U) + 1) / 9007199254740993.0;
    return -std::log(uniform) / per_hour_;
  }

 private:
  double per_hour_;
  std::uint64_t state_ = 7;
};

/// The same job played step by step.
double played(const InterruptedWork& job, Interruptions& luck) {
  double used = 0;
  double kept = 0;
  for (int launch = 0;; ++launch) {
    const double startup =
        launch == 0 ? job.first_startup : job.startup + (kept > 0 ? job.restore : 0);
    const double until = luck.next();
    const double done = startup + job.length - kept;
    if (until >= done) return used + std::max(std::min(until, done + job.delivery), job.minimum);
    used += std::max(until, job.minimum);
    const double trained = until - startup;
    if (job.apart <= 0 || trained < job.apart + job.upload) continue;
    kept += std::floor((trained - job.upload) / job.apart) * job.apart;
  }
}

// The mean of 200,000 plays lies within four of its standard errors.
TEST(InterruptedWork, ExpectsWhatPlayingItOftenGives) {
  const std::vector<InterruptedWork> jobs = {
      {.length = 2, .first_startup = 0.1, .startup = 0.2},
      {.length = 2, .apart = 0.5, .startup = 0.2, .restore = 0.1},
      {.length = 3.3, .apart = 0.5, .upload = 0.3, .first_startup = 0.4, .startup = 0.1},
      {.length = 2, .apart = 1.5, .upload = 0.6, .startup = 0.1, .restore = 1},  // never counts
      {.length = 2, .apart = 1, .upload = 1, .startup = 0.1},  // counts when all is done
      {.length = 2, .apart = 0.5, .startup = 0.2, .delivery = 1.5},
      {.length = 2, .startup = 0.2, .minimum = 1.2},
      {.length = 2.2, .apart = 0.7, .startup = 0.3, .delivery = 0.4, .minimum = 0.8},
  };
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Interruptions luck{0.7};
    const int plays = 200'000;
    double sum = 0;
    double squares = 0;
    for (int play = 0; play < plays; ++play) {
      const double hours = played(jobs[i], luck);
      sum += hours;
      squares += hours * hours;
    }
    const double mean = sum / plays;
    const double error = std::sqrt((squares / plays - mean * mean) / plays);
    EXPECT_NEAR(mean, expected_hours(jobs[i], 0.7), 4 * error) << i;
  }
}

TEST(InterruptedWork, WithoutInterruptionsTakesItsTime) {
  const InterruptedWork job{.length = 10, .apart = 1, .first_startup = 0.5, .startup = 0.2};
  EXPECT_DOUBLE_EQ(expected_hours(job, 0), 10.5);
  EXPECT_NEAR(expected_hours(job, 1e-9), 10.5, 1e-6);
}

// From the second checkpoint at 1.0: 0.2 of start-up, half an hour of training, 0.1 of delivery.
TEST(InterruptedWork, TheShortestLaunchIsThatFromTheLastCheckpoint) {
  const InterruptedWork job{
      .length = 1.5, .apart = 0.5, .startup = 0.2, .delivery = 0.1, .minimum = 5};
  EXPECT_NEAR(shortest_launch(job), 0.8, 1e-12);
  EXPECT_NEAR(shortest_launch({.length = 1.5, .startup = 0.2}), 1.5, 1e-12) << "the first";
  EXPECT_NEAR(expected_hours(job, 0), 5, 1e-12) << "the minimum";
}

// 10 h without checkpoints under 0.15 an hour: (e^1.5 - 1) / 0.15 = 23.21 h.
TEST(InterruptedWork, WithoutCheckpointsBeginsAgain) {
  EXPECT_NEAR(expected_hours({.length = 10}, 0.15), 23.2113, 1e-4);
}

// F69: an hour apart, 5 minutes of start-up, Spot at 9 of 30: 4.0 to first order, where Spot would
// cost 5.6 times as much as on demand.
TEST(InterruptedWork, FirstOrderIsFarOffWhereInterruptionsAreMany) {
  const InterruptedWork job{
      .length = 10, .apart = 1, .first_startup = 1.0 / 12, .startup = 1.0 / 12};
  EXPECT_NEAR(first_order_rate_of_ratio(job, 30.0 / 9), 4.0, 1e-9);
  EXPECT_NEAR(expected_hours(job, 4.0) * 9, 5.57 * (10 + 1.0 / 12) * 30, 2);
  const double rate = rate_of_ratio(job, 30.0 / 9);
  EXPECT_NEAR(rate, 1.8386, 1e-4);
  EXPECT_NEAR(expected_hours(job, rate) * 9, (10 + 1.0 / 12) * 30, 1e-6);
}

TEST(InterruptedWork, RatesGrowWithTheRatio) {
  const InterruptedWork job{.length = 10, .apart = 1, .startup = 0.1};
  double last = 0;
  for (const double ratio : {1.0001, 1.1, 2.0, 10.0, 1e6, 1e12}) {
    const double rate = rate_of_ratio(job, ratio);
    EXPECT_GT(rate, last) << ratio;
    EXPECT_TRUE(std::isfinite(rate)) << ratio;
    last = rate;
  }
}

}  // namespace interrupted_work_test
}  // namespace reeve::experiments
