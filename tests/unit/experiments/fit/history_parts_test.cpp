// Arrivals, Spot times, limits, groups, synthetic weeks and the files of a fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/fit_text.hpp"
#include "experiments/fit/job_groups.hpp"
#include "tests/unit/experiments/fit/synthetic_history.hpp"

namespace reeve::experiments {
namespace history_parts_test {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

double parameter(const FittedQuantity& quantity, std::string_view name) {
  for (const auto& [key, value] : quantity.parameters) {
    if (key == name) return value;
  }
  ADD_FAILURE() << quantity.name << " has no " << name;
  return 0;
}

const std::vector<double>& list(const FittedQuantity& quantity, std::string_view name) {
  static const std::vector<double> none;
  for (const auto& [key, values] : quantity.lists) {
    if (key == name) return values;
  }
  ADD_FAILURE() << quantity.name << " has no " << name;
  return none;
}

/// 8 weeks of an hourly job on weekdays from 8 to 18, three at a time on Mondays.
OwnedHistory office_hours() {
  OwnedHistory history;
  history.start = policy::Instant{hours{24 * 4}};
  history.end = history.start + week_length * 8;
  for (int day = 0; day < 56; ++day) {
    if (day % 7 >= 5) continue;
    for (int hour = 8; hour < 18; ++hour) {
      for (int copy = 0; copy < (day % 7 == 0 ? 3 : 1); ++copy) {
        history.jobs.push_back(
            {.submit = history.start + hours{24 * day + hour} + minutes{hour} + seconds{20 * copy},
             .duration = hours{1},
             .user = "alice",
             .gpus = 1});
      }
    }
  }
  return history;
}

TEST(Arrivals, HaveTheRhythmOfTheWeekAndTheSizesOfBatches) {
  const OwnedHistory history = office_hours();
  const Fit result = fit(history.view(), {.hold_out = false});
  const FittedQuantity* arrivals = find(result, "arrivals");
  ASSERT_NE(arrivals, nullptr);
  EXPECT_EQ(arrivals->n, 400);
  EXPECT_DOUBLE_EQ(arrivals->value.value(), 50.0 / 168);
  EXPECT_EQ(parameter(*arrivals, "batch_max"), 3);
  EXPECT_DOUBLE_EQ(parameter(*arrivals, "batch_mean"), 70.0 / 50);
  const auto& rates = list(*arrivals, "per_hour_of_week");
  ASSERT_EQ(rates.size(), 168u);
  EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0), 50, 2);
  EXPECT_GT(rates[10], 10 * rates[2]) << "Monday at 10:00 and at 02:00";
  EXPECT_LT(rates[5 * 24 + 10], rates[10] / 10) << "Saturday";
}

TEST(Arrivals, UsersWithoutNamesAreNotOneBatch) {
  OwnedHistory history = office_hours();
  for (ObservedJob& job : history.jobs) job.user.clear();
  const Fit result = fit(history.view(), {.hold_out = false});
  EXPECT_EQ(parameter(*find(result, "arrivals"), "batch_max"), 1);
}

TEST(Failures, AreUnknownIfNoJobSaysHowItEnded) {
  const OwnedHistory history = office_hours();
  const Fit result = fit(history.view());
  EXPECT_EQ(find(result, "failures"), nullptr);
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(),
                          [](const std::string& note) { return note.starts_with("failures: "); }));
}

TEST(Failures, CountAttemptsThatFailedAndNodeFaultsDoNot) {
  OwnedHistory history = office_hours();
  for (ObservedJob& job : history.jobs) job.end_status = scenarios::EndStatus::completed;
  history.jobs[0].failed_attempts = 3;
  history.jobs[1].restarts = 2;
  const Fit result = fit(history.view(), {.hold_out = false});
  EXPECT_EQ(find(result, "failures")->n, 3);
  EXPECT_EQ(find(result, "node_faults")->n, 2);
}

TEST(Interruptions, OfOneWaveAreWorthOneLoss) {
  OwnedHistory history;
  history.start = policy::Instant{hours{0}};
  history.end = history.start + week_length * 10;
  for (int week = 0; week < 10; ++week) {
    const policy::Instant begin = history.start + week_length * week;
    for (int job = 0; job < 4; ++job) {
      history.jobs.push_back({.submit = begin,
                              .duration = hours{100},
                              .user = "bob",
                              .instance_type = "g5",
                              .market = policy::Market::spot,
                              .interruptions = 1});
      history.outages.push_back({.at = begin + hours{50} + seconds{30 * job},
                                 .down = minutes{30 + job},
                                 .instance_type = "g5"});
    }
  }
  const Fit result = fit(history.view(), {.hold_out = false});
  const FittedQuantity* rate = find(result, "interruptions");
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->n, 40);
  EXPECT_DOUBLE_EQ(rate->exposure, 4'000);
  EXPECT_NEAR(parameter(*rate, "dispersion"), 4, 0.1);
  EXPECT_EQ(parameter(*rate, "waves"), 10);
  const FittedQuantity* up = find(result, "spot_up", "g5");
  ASSERT_NE(up, nullptr);
  EXPECT_EQ(up->n, 10) << "a wave ends the time once";
  EXPECT_DOUBLE_EQ(up->exposure, 1'000);
  const FittedQuantity* down = find(result, "spot_down", "g5");
  ASSERT_NE(down, nullptr);
  EXPECT_EQ(down->value, 31 * 60);
}

TEST(TimeLimits, HavePopularValuesAndASpikeAtTheLimit) {
  OwnedHistory history = office_hours();
  for (std::size_t i = 0; i < history.jobs.size(); ++i) {
    ObservedJob& job = history.jobs[i];
    job.time_limit = i % 2 == 0 ? hours{2} : hours{24};
    job.end_status = scenarios::EndStatus::completed;
    job.duration = minutes{30 + static_cast<int>(i % 60)};
    if (i % 10 == 0) {
      job.duration = hours{2};
      job.end_status = scenarios::EndStatus::timeout;
    }
  }
  const Fit result = fit(history.view(), {.hold_out = false});
  const FittedQuantity* two = find(result, "time_limit", "2 h");
  ASSERT_NE(two, nullptr);
  EXPECT_DOUBLE_EQ(two->value.value(), 0.2);
  EXPECT_DOUBLE_EQ(parameter(*two, "share_of_jobs"), 0.5);
  EXPECT_NEAR(parameter(*two, "used_median"), 0.49, 0.03);
  EXPECT_EQ(find(result, "time_limit", "24 h")->value, 0);
}

/// Beta quantiles of such a narrow distribution take forever.
TEST(TimeLimits, MayBeUsedByAConstantShare) {
  for (const double apart : {0.0, 1e-16, 1e-9, 1e-6, 1e-4}) {
    OwnedHistory history = office_hours();
    for (std::size_t i = 0; i < history.jobs.size(); ++i) {
      ObservedJob& job = history.jobs[i];
      job.time_limit = hours{10};
      job.end_status = scenarios::EndStatus::completed;
      job.duration =
          policy::Duration{std::llround(7200e9 * (1 + apart * static_cast<double>(i % 2)))};
    }
    const Fit result = fit(history.view(), {.hold_out = false});
    const FittedQuantity* all = find(result, "time_limit", "all");
    ASSERT_NE(all, nullptr);
    EXPECT_NEAR(parameter(*all, "used_median"), 0.2, 1e-3) << apart;
  }
}

/// Where no market is stated, as in Slurm, jobs that were not preempted count too.
TEST(Interruptions, ExposeAllJobsOfTheirMarket) {
  OwnedHistory history = office_hours();
  for (ObservedJob& job : history.jobs) job.end_status = scenarios::EndStatus::completed;
  history.jobs.front().interruptions = 2;
  history.jobs.back().market = policy::Market::on_demand;
  const Fit result = fit(history.view(), {.hold_out = false});
  const FittedQuantity* row = find(result, "interruptions", "all");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->n, 2);
  EXPECT_DOUBLE_EQ(row->exposure, static_cast<double>(history.jobs.size() - 1));
}

TEST(Groups, AreLargeEnoughAndHoldEachJobOnce) {
  const OwnedHistory history = SyntheticHistory{{.weeks = 8}, 11}.draw();
  std::set<std::size_t> seen;
  for (const JobGroup& group : duration_groups(history.view())) {
    std::size_t ended = 0;
    for (const std::size_t job : group.jobs) {
      EXPECT_TRUE(seen.insert(job).second);
      if (!is_cut_short(history.jobs[job])) ++ended;
    }
    EXPECT_TRUE(ended >= least_ended_jobs || group.name == "others") << group.name;
  }
  EXPECT_EQ(seen.size(), history.jobs.size());
}

TEST(FitText, IsAFunctionOfTheHistory) {
  const OwnedHistory history = SyntheticHistory{{.weeks = 8}, 13}.draw();
  const std::string once = fit_json(fit(history.view()));
  EXPECT_EQ(once, fit_json(fit(history.view())));
  const auto json = nlohmann::json::parse(once);
  EXPECT_EQ(json.at("weeks"), 8);
  for (const auto& row : json.at("quantities")) {
    for (const char* key : {"name", "group", "n", "exposure", "law", "parameters", "interval90",
                            "method", "aic", "ks", "holdout", "grade"}) {
      EXPECT_TRUE(row.contains(key)) << row.at("name") << " " << key;
    }
  }
  const OwnedHistory other = SyntheticHistory{{.weeks = 8}, 14}.draw();
  EXPECT_NE(content_seed(history.view()), content_seed(other.view()));
}

TEST(FitText, MarkdownHasOneLinePerQuantity) {
  const OwnedHistory history = SyntheticHistory{{.weeks = 8}, 13}.draw();
  const Fit result = fit(history.view());
  const std::string text = fit_markdown(result);
  EXPECT_TRUE(text.starts_with("# Fit\n"));
  for (const FittedQuantity& row : result.quantities) {
    EXPECT_NE(text.find(row.group), std::string::npos) << row.name;
  }
}

TEST(Fit, SurvivesHistoriesWithHardlyAnything) {
  OwnedHistory history;
  history.end = history.start + seconds{1};
  EXPECT_TRUE(fit(history.view()).quantities.empty());
  history.jobs.push_back({.submit = history.start, .duration = policy::Duration{0}});
  EXPECT_FALSE(fit(history.view()).quantities.empty());
  history.jobs.front().submit -= hours{50};
  history.jobs.front().duration = policy::Duration::max();
  EXPECT_NO_THROW(fit_json(fit(history.view())));
  history.end = history.start;
  EXPECT_THROW(fit(history.view()), std::invalid_argument);
}

}  // namespace history_parts_test
}  // namespace reeve::experiments
