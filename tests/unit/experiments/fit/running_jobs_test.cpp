// Jobs that still ran, and the weeks to come that a forecast draws with their laws.
// REEVE_HISTORIES=2000 draws that many histories instead of 200.
#include "experiments/fit/running_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "models/world.hpp"
#include "tests/unit/experiments/fit/recorded_history.hpp"

namespace reeve::experiments {
namespace running_jobs_test {

constexpr double median_hours = 3;
constexpr double sigma = 1.2;
constexpr std::size_t weeks = 13;
constexpr std::size_t users = 6;
constexpr std::uint32_t next_weeks = 4;

/// Users who submit at random, in weeks that are busy or quiet for all of them by `common_sigma`,
/// with lognormal work, and a window that cuts what still runs.
OwnedHistory cut_history(std::uint32_t number, std::size_t length_in_weeks = weeks,
                         double common_sigma = 0) {
  RandomNumbers random{number, sim::Cause::scenario_fuzz, 3};
  OwnedHistory history;
  history.start = policy::Instant{std::chrono::hours{24 * 4}};
  history.end = history.start + week_length * static_cast<std::int64_t>(length_in_weeks);
  const double length = 168.0 * static_cast<double>(length_in_weeks);
  std::vector<double> busy;
  for (std::size_t week = 0; week < length_in_weeks && common_sigma > 0; ++week) {
    busy.push_back(std::exp(common_sigma * sim::normal_quantile(random.next())));
  }
  const double most = busy.empty() ? 1 : *std::max_element(busy.begin(), busy.end());
  for (std::size_t user = 0; user < users; ++user) {
    for (double at = 0; true;) {
      at -= std::log(random.next()) * 168 / 12 / most;  // twelve in a usual week
      if (at >= length) break;
      if (!busy.empty() && random.next() * most > busy[static_cast<std::size_t>(at / 168)])
        continue;
      const double normal = sim::normal_quantile(std::min(random.next(), 1 - 1e-16));
      const double hours = median_hours * std::exp(sigma * normal);
      ObservedJob job{.submit = history.start + sim::nearest(at * 3.6e12),
                      .user = "user" + std::to_string(user)};
      job.gpus = 8;
      job.instance_type = "ml.p4d.24xlarge";
      job.censored = at + hours > length;
      job.end_status =
          job.censored ? scenarios::EndStatus::running : scenarios::EndStatus::completed;
      job.duration = sim::nearest(std::min(hours, length - at) * 3.6e12);
      history.jobs.push_back(std::move(job));
    }
  }
  std::stable_sort(history.jobs.begin(), history.jobs.end(),
                   [](const auto& a, const auto& b) { return a.submit < b.submit; });
  return history;
}

models::FittedLaw law_of(const RunningJobs& running) {
  const auto& p = running.law.parameters;
  models::FittedLaw fitted{.law = {.shape = models::Shape::lognormal, .high = {}},
                           .scale_error = running.errors.log_scale,
                           .shape_error = running.errors.log_shape,
                           .correlation = running.errors.correlation};
  const bool is_normal = running.law.kind == LawKind::lognormal;
  if (!is_normal) fitted.law.shape = models::Shape::weibull;
  fitted.law.scale = sim::nearest(1e9 * (is_normal ? std::exp(p[0]) : p[1]));
  fitted.law.parameter = is_normal ? p[1] : p[0];
  return fitted;
}

/// The world of a forecast of the history.
models::World forecast_world(const OwnedHistory& history) {
  models::World world;
  world.start = history.start;
  models::Resampling drawn;
  drawn.groups = users;
  drawn.weeks = static_cast<std::uint32_t>(whole_weeks(history.view()));
  for (const ObservedJob& job : history.jobs) {
    drawn.group.push_back(static_cast<std::uint32_t>(job.user.back() - '0'));
    world.jobs.specs.push_back({.submit = job.submit, .work = *job.duration});
    world.jobs.names.push_back("job" + std::to_string(world.jobs.names.size()));
  }
  drawn.forecast = models::Forecast{.weeks = next_weeks, .laws = {}, .open = {}};
  for (const RunningJobs& running : fit_running_jobs(history.view())) {
    const auto law = static_cast<std::uint32_t>(drawn.forecast->laws.size());
    drawn.forecast->laws.push_back({.work = law_of(running)});
    for (const std::size_t job : running.jobs) {
      drawn.forecast->open.push_back({.job = static_cast<std::uint32_t>(job), .law = law});
    }
  }
  std::sort(drawn.forecast->open.begin(), drawn.forecast->open.end(),
            [](const auto& a, const auto& b) { return a.job < b.job; });
  world.resampling = std::move(drawn);
  return world;
}

double hours_in(const models::Jobs& jobs) {
  return std::accumulate(
      jobs.specs.begin(), jobs.specs.end(), 0.0,
      [](double sum, const models::JobSpec& spec) { return sum + hours_of(spec.work); });
}

TEST(Forecast, CoversTheNextWeeksAndIsUnbiased) {
  const char* asked = std::getenv("REEVE_HISTORIES");
  const auto histories = asked ? static_cast<std::uint32_t>(std::atoi(asked)) : 200U;
  const double truth = users * 12 * next_weeks * median_hours * std::exp(sigma * sigma / 2);
  std::vector<double> means;
  double covered = 0;
  for (std::uint32_t number = 0; number < histories; ++number) {
    const models::World world = forecast_world(cut_history(2 * number));
    std::vector<double> totals;
    for (std::uint32_t run = 0; run < 200; ++run) {
      totals.push_back(hours_in(models::materialize(world, run)));
    }
    double actual = 0;
    const OwnedHistory next = cut_history(2 * number + 1, 2 * next_weeks);
    for (const ObservedJob& job : next.jobs) {
      if (job.submit < next.start + week_length * next_weeks) actual += hours_of(*job.duration);
    }
    std::sort(totals.begin(), totals.end());
    if (totals[9] <= actual && actual <= totals[190]) covered += 1;
    means.push_back(std::accumulate(totals.begin(), totals.end(), 0.0) / 200);
  }
  double mean = 0, squares = 0;
  for (const double each : means) mean += each / histories;
  for (const double each : means) squares += (each - mean) * (each - mean);
  const double error = std::sqrt(squares / histories / (histories - 1));
  RecordProperty("covered", std::to_string(covered / histories));
  EXPECT_NEAR(mean, truth, 3 * error);
  EXPECT_GE(covered / histories, 0.85);
  EXPECT_LE(covered / histories, 0.95);
}

/// The share of histories whose next week is within the 5th to the 95th percentile of the runs.
double covered_next_week(std::uint32_t histories, double common_sigma) {
  double covered = 0;
  for (std::uint32_t number = 0; number < histories; ++number) {
    models::World world = forecast_world(cut_history(2 * number, weeks, common_sigma));
    world.resampling->forecast->weeks = 1;
    std::vector<double> totals;
    for (std::uint32_t run = 0; run < 200; ++run) {
      totals.push_back(hours_in(models::materialize(world, run)));
    }
    double actual = 0;
    const OwnedHistory next = cut_history(2 * number + 1, 6, common_sigma);
    for (const ObservedJob& job : next.jobs) {
      if (job.submit < next.start + week_length) actual += hours_of(*job.duration);
    }
    std::sort(totals.begin(), totals.end());
    if (totals[9] <= actual && actual <= totals[190]) covered += 1;
  }
  return covered / histories;
}

TEST(Forecast, CoversWeeksThatAreBusyForAllUsers) {
  const double covered = covered_next_week(150, 0.5);
  RecordProperty("covered", std::to_string(covered));
  EXPECT_GE(covered, 0.83);  // 0.9 less three standard errors
}

TEST(RunningJobs, ShareTheEndsOfTheirGroup) {
  OwnedHistory history = cut_history(11);
  std::size_t nth = 0;
  for (ObservedJob& job : history.jobs) {
    if (still_runs(job)) continue;
    if (nth % 4 == 1) job.end_status = scenarios::EndStatus::failed;
    if (nth % 4 == 2) job.end_status = scenarios::EndStatus::killed;
    if (nth % 4 == 3) job.end_status = scenarios::EndStatus::timeout;
    ++nth;
  }
  const auto found = fit_running_jobs(history.view());
  ASSERT_FALSE(found.empty());
  for (const RunningJobs& group : found) {
    EXPECT_NEAR(group.failed, 1.0 / 3, 0.1) << "jobs at their limit are left out";
    EXPECT_NEAR(group.stopped, 1.0 / 3, 0.1);
  }
}

TEST(RunningJobs, LawsAreThoseOfAllThatEnded) {
  const OwnedHistory history = cut_history(7);
  const auto found = fit_running_jobs(history.view());
  ASSERT_FALSE(found.empty());
  std::size_t running = 0;
  for (const RunningJobs& group : found) {
    running += group.jobs.size();
    EXPECT_GT(group.errors.log_scale, 0);
    EXPECT_LT(std::abs(group.errors.correlation), 1);
    const double median = group.law.quantile(0.5) / 3600;
    EXPECT_NEAR(std::log(median / median_hours), 0, 4 * group.errors.log_scale);
    for (const std::size_t job : group.jobs) EXPECT_TRUE(still_runs(history.jobs[job]));
  }
  EXPECT_EQ(running, static_cast<std::size_t>(
                         std::count_if(history.jobs.begin(), history.jobs.end(), still_runs)));
}

TEST(RunningJobs, StopsAndFailuresAreEnds) {
  OwnedHistory history = cut_history(8);
  const auto before = fit_running_jobs(history.view());
  for (std::size_t job = 0; job < history.jobs.size(); job += 2) {
    if (!still_runs(history.jobs[job])) history.jobs[job].end_cause = EndCause::person;
  }
  const auto after = fit_running_jobs(history.view());
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].ended, after[i].ended);
}

TEST(RunningJobs, FewEndedJobsMakeNoLaw) {
  OwnedHistory history = cut_history(9);
  history.jobs.resize(9);
  for (ObservedJob& job : history.jobs) job.end_status = scenarios::EndStatus::completed;
  history.jobs.back().end_status = scenarios::EndStatus::running;
  EXPECT_TRUE(fit_running_jobs(history.view()).empty());
}

}  // namespace running_jobs_test
}  // namespace reeve::experiments
