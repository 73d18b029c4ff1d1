// A million jobs of an M/M/100 queue, drawn and run through the whole of reeve, against Erlang.
//
// Method: one run, batch means.  Waits of neighbouring jobs are alike, so a million of them are far
// from a million independent samples.  The queue forgets its state within about
// 1 / (sqrt(c mu) - sqrt(lambda))^2 = 342 s, in which 342 jobs arrive; it starts empty.  The first
// 40,000 jobs are therefore left out (117 such times), and the rest is cut into 40 batches of
// 24,000 jobs (70 such times each), whose means hardly depend on each other.  Student's t with 39
// degrees of freedom gives the 99 % interval of their mean.  Of the intervals of 60 seeds 58 held
// the mean wait and 59 the share of jobs that wait; their half widths were 16 % and 8 % on average.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/mmc_scenario.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace reeve {
namespace mmc_test {

using bench::mmc::gap_s;
using bench::mmc::jobs;
using bench::mmc::machines;
using bench::mmc::work_s;

constexpr std::size_t warm_up = 40'000;
constexpr std::size_t batches = 40;
constexpr std::size_t batch = (jobs - warm_up) / batches;
constexpr double t_995_of_39 = 2.707913;

/// The probability to wait, by Erlang's recursion of the loss formula, in which no term overflows.
double erlang_c(int servers, double offered) {
  double lost = 1;
  for (int n = 1; n <= servers; ++n) lost = offered * lost / (n + offered * lost);
  return lost / (1 - offered / servers * (1 - lost));
}

struct Interval {
  double mean = 0;
  double half = 0;
};

Interval interval_of(const std::vector<double>& waits_s,
                     const std::function<double(double)>& of_wait) {
  std::vector<double> means(batches);
  double mean = 0;
  for (std::size_t b = 0; b < batches; ++b) {
    for (std::size_t i = 0; i < batch; ++i) means[b] += of_wait(waits_s[warm_up + b * batch + i]);
    means[b] /= batch;
    mean += means[b] / batches;
  }
  double squares = 0;
  for (const double one : means) squares += (one - mean) * (one - mean);
  return {mean, t_995_of_39 * std::sqrt(squares / (batches - 1) / batches)};
}

/// Waits in the order of submission, which is the order of ids.
std::vector<double> waits_of_a_run() {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("mmc.jsonc", bench::mmc::scenario_text), ".")
          .scenario;
  const models::Record record = experiments::run(scenario, scenario.policies.front(), 0).record;
  EXPECT_EQ(record.ledger.residual(), 0);
  std::vector<double> waits_s;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    EXPECT_EQ(record.job_rows[job].status, policy::Primary::completed);
    const auto wait = record.job_rows[job].first_start - record.jobs.specs[job].submit;
    waits_s.push_back(std::chrono::duration<double>(wait).count());
  }
  return waits_s;
}

TEST(MMc, WaitsAreErlangs) {
  const std::vector<double> waits_s = waits_of_a_run();
  ASSERT_EQ(waits_s.size(), jobs);
  const double waiting = erlang_c(machines, work_s / gap_s);
  const double mean_wait_s = waiting * work_s / (machines - work_s / gap_s);

  const Interval wait = interval_of(waits_s, [](double wait_s) { return wait_s; });
  RecordProperty("mean_wait_s", std::to_string(wait.mean));
  EXPECT_NEAR(wait.mean, mean_wait_s, wait.half);
  EXPECT_LT(wait.half, 0.25 * mean_wait_s) << "an interval that wide would let anything pass";

  const Interval share = interval_of(waits_s, [](double wait_s) { return wait_s > 0 ? 1. : 0.; });
  EXPECT_NEAR(share.mean, waiting, share.half);
  EXPECT_LT(share.half, 0.12 * waiting) << "an interval that wide would let anything pass";
}

TEST(MMc, ErlangsFormulaIsTheOneInTheBooks) {
  EXPECT_NEAR(erlang_c(1, 0.5), 0.5, 1e-15);      // M/M/1: the load
  EXPECT_NEAR(erlang_c(2, 1.0), 1.0 / 3, 1e-15);  // M/M/2: 2 rho^2 / (1 + rho)
  EXPECT_NEAR(erlang_c(10, 8.0), 0.409180, 5e-7);
}

}  // namespace mmc_test
}  // namespace reeve
