// Whole runs against the formulas of the literature, for those worlds that are simple enough to
// have one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "models/offer_cursor.hpp"
#include "scenarios/load.hpp"

namespace reeve {
namespace closed_forms_test {

using namespace std::chrono_literals;
using models::Use;

scenarios::Scenario scenario_of(const std::string& text) {
  return scenarios::load(scenarios::SourceFile::from_text("closed.jsonc", text), ".").scenario;
}

models::Record run_of(const scenarios::Scenario& scenario, std::uint32_t run) {
  models::Record record = experiments::run(scenario, scenario.policies.front(), run).record;
  EXPECT_EQ(record.ledger.residual(), 0);
  return record;
}

struct Sample {
  double sum = 0, squares = 0, count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  /// Of the mean.
  double error() const { return std::sqrt((squares / count - mean() * mean()) / (count - 1)); }
};

/// Machine time of one instance in all uses, hours.
double billed_hours(const models::Record& record) {
  models::Charge total = 0;
  for (const models::Charge time : record.use_time) total += time;
  return static_cast<double>(total) / 3.6e12;
}

/// One job on one Spot instance that is lost after an exponential time and is back at once (a
/// second later: no period is shorter).
std::string spot_job(const std::string& mean_up, const std::string& work,
                     const std::string& checkpoint, const std::string& horizon = "until_done") {
  return fmt::format(R"jsonc({{
    "reeve": 1, "name": "closed-form",
    "clock": {{ "start": "2026-01-01T00:00:00Z", "horizon": "{}" }},
    "random": {{ "seed": 7, "runs": 1 }},
    "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 1,
                                          "managed": false }} }} }},
    "fleet": [ {{ "name": "spot", "instance_type": "gpu", "capacity": 1, "market": "spot",
      "availability": {{ "up": {{ "exponential": "{}" }}, "down": "1s" }} }} ],
    "platform": {{ "model": "ideal" }},
    "jobs": [ {{ "name": "train", "market": "spot", "work": "{}" {} }} ],
    "policies": {{ "stay": [] }}
  }})jsonc",
                     horizon, mean_up, work, checkpoint);
}

// Without checkpoints a job must have a run of W without a loss: E[T] = (e^(lambda W) - 1) /
// lambda. lambda = 0.15 an hour, W = 10 h: 23.2113 h.
TEST(ClosedForms, RunTimeWithoutCheckpoints) {
  const auto scenario = scenario_of(spot_job("6h40m", "10h", ""));
  Sample hours;
  for (std::uint32_t run = 0; run < 20'000; ++run) hours.add(billed_hours(run_of(scenario, run)));
  EXPECT_NEAR(hours.mean(), (std::exp(1.5) - 1) / 0.15, 3 * hours.error());
  EXPECT_LT(hours.error(), 0.2);
}

// ... and the first try of 48.5 h gets through with e^(-0.15 x 48.5) = 0.0693 %.
TEST(ClosedForms, LongRunsHardlyEverGetThrough) {
  const auto scenario = scenario_of(spot_job("6h40m", "48h30m", "", "48h30m10s"));
  constexpr double runs = 200'000;
  double clean = 0;
  double begun = 0;  // with the machine there from the start
  for (std::uint32_t run = 0; run < static_cast<std::uint32_t>(runs); ++run) {
    const models::Record record = run_of(scenario, run);
    if (record.job_rows[0].first_start == scenario.world.start) ++begun;
    if (record.job_rows[0].status == policy::Primary::completed &&
        record.job_rows[0].interruptions == 0) {
      ++clean;
    }
  }
  const double share = std::exp(-0.15 * 48.5);
  EXPECT_NEAR(share, 0.000693, 0.0000005);
  EXPECT_GT(begun, 0.999 * runs);
  EXPECT_NEAR(clean / runs, share, 3 * std::sqrt(share / runs));
}

/// The lowest point of the parabola through the points, by least squares.
double vertex(const std::vector<double>& x, const std::vector<double>& y) {
  std::array<double, 5> powers{};
  std::array<double, 3> right{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    double power = 1;
    for (std::size_t p = 0; p < 5; ++p, power *= x[i]) {
      powers[p] += power;
      if (p < 3) right[p] += power * y[i];
    }
  }
  const auto [s0, s1, s2, s3, s4] = powers;
  const double det_b = s0 * (right[1] * s4 - s3 * right[2]) - right[0] * (s1 * s4 - s3 * s2) +
                       s2 * (s1 * right[2] - right[1] * s2);
  const double det_c = s0 * (s2 * right[2] - right[1] * s3) - s1 * (s1 * right[2] - right[1] * s2) +
                       right[0] * (s1 * s3 - s2 * s2);
  return -det_b / (2 * det_c);
}

// Young (1974), Daly (2006).  A loss every 10 h on average, a minute for each checkpoint: the
// expected time per useful hour, (e^(lambda (t + C)) - 1) / (lambda t), is least at t = 34.0 min;
// Young's square root of 2 C M says 34.6.  The curve is flat there, so the least of a few noisy
// points means nothing; the parabola through all of them does.
TEST(ClosedForms, YoungAndDalysInterval) {
  std::vector<double> log_minutes, hours;
  for (int k = 0; k <= 10; ++k) {
    const double minutes = 20 * std::pow(1.12, k);
    const auto every = static_cast<std::int64_t>(minutes * 60);
    const auto scenario = scenario_of(spot_job(
        "10h", "1000h",
        fmt::format(R"(, "checkpoint": {{ "every": "{}s", "cost": "1m", "sync": "during" }})",
                    every)));
    Sample sample;
    for (std::uint32_t run = 0; run < 400; ++run) sample.add(billed_hours(run_of(scenario, run)));
    log_minutes.push_back(std::log(static_cast<double>(every) / 60));
    hours.push_back(sample.mean());
    const double t = static_cast<double>(every) / 3600, cost = 1.0 / 60;
    EXPECT_NEAR(sample.mean(), 1000 * (std::exp((t + cost) / 10) - 1) / (t / 10),
                4 * sample.error() + 0.5)
        << minutes;
  }
  EXPECT_NEAR(std::exp(vertex(log_minutes, hours)), 34.0, 0.05 * 34.0);
}

/// Jobs on servers that all break down together, and go on where they were.
std::string breakdowns(int servers, const std::string& gap, const std::string& up,
                       const std::string& down) {
  return fmt::format(R"jsonc({{
    "reeve": 1, "name": "breakdowns",
    "clock": {{ "start": "2026-01-01T00:00:00Z", "horizon": "until_done" }},
    "random": {{ "seed": 11, "runs": 1 }},
    "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 1,
                                          "managed": false }} }} }},
    "fleet": [ {{ "name": "spot", "instance_type": "gpu", "capacity": {}, "market": "spot",
      "availability": {{ "up": {{ "exponential": "{}" }}, "down": {{ "exponential": "{}" }} }} }} ],
    "platform": {{ "model": "ideal" }},
    "workload": {{ "jobs": 40000, "name": "job", "instances": 1, "market": "spot",
      "arrivals": {{ "process": "poisson", "gap": "{}" }}, "work": {{ "exponential": "1h" }},
      "checkpoint": {{ "every": "1s", "cost": "0s", "sync": "during" }} }},
    "policies": {{ "fifo": [] }}
  }})jsonc",
                     servers, up, down, gap);
}

/// The mean time in the system, hours, and its error, of runs without their first tenth.
Sample time_in_system(const scenarios::Scenario& scenario, std::uint32_t runs) {
  Sample means;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const models::Record record = run_of(scenario, run);
    Sample jobs;
    for (std::size_t job = record.job_rows.size() / 10; job < record.job_rows.size(); ++job) {
      const auto stayed = record.job_rows[job].end - record.jobs.specs[job].submit;
      jobs.add(static_cast<double>(stayed.count()) / 3.6e12);
    }
    means.add(jobs.mean());
  }
  return means;
}

// White and Christie (1958): one server, arrivals .3, service 1, breakdowns .1, repairs .5 an hour:
// L = lambda ((xi + eta)^2 + xi mu) / ((xi + eta) (mu eta - lambda (xi + eta))) = 0.71875 jobs, by
// Little 2.39583 h.
TEST(ClosedForms, OneServerThatBreaksDown) {
  constexpr double lambda = 0.3, mu = 1, xi = 0.1, eta = 0.5;
  const double jobs = lambda * ((xi + eta) * (xi + eta) + xi * mu) /
                      ((xi + eta) * (mu * eta - lambda * (xi + eta)));
  EXPECT_NEAR(jobs, 0.71875, 1e-12);
  const Sample hours = time_in_system(scenario_of(breakdowns(1, "3h20m", "10h", "2h")), 24);
  EXPECT_NEAR(hours.mean(), jobs / lambda, 0.02 * jobs / lambda);
  EXPECT_NEAR(hours.mean(), jobs / lambda, 4 * hours.error());
}

// Four servers that break down together: arrivals 2, service 1, breakdowns .05, repairs .5 an
// hour.  Number of jobs and state form a Markov chain; cut off far out it has 3.227252 jobs.
TEST(ClosedForms, FourServersThatBreakDownTogether) {
  const Sample hours = time_in_system(scenario_of(breakdowns(4, "30m", "20h", "2h")), 24);
  EXPECT_NEAR(hours.mean(), 3.227252 / 2, 0.02 * 3.227252 / 2);
  EXPECT_NEAR(hours.mean(), 3.227252 / 2, 4 * hours.error());
}

// The share of the time that an alternating renewal process is up depends on the means of its laws
// alone, not on their shapes.
TEST(ClosedForms, AvailabilityOfARenewalProcess) {
  models::World world;
  models::Pool pool;
  pool.capacity = 1;
  const models::DurationLaw up{models::Shape::weibull, 2h, 0.5, 0ns};
  const models::DurationLaw down{models::Shape::lognormal, 1h, 1.0, 0ns};
  pool.synthesis = models::Synthesis{up, down, 1};
  world.pools = {pool};
  constexpr auto length = 5000h;
  Sample share;
  for (std::uint32_t run = 0; run < 200; ++run) {
    models::OfferCursor market{world, run, {0}};
    policy::Duration there{0};
    for (policy::Duration at{0}; at < length; market.advance()) {
      const policy::Duration until = std::min<policy::Duration>(market.next_at(), length);
      if (market.offered() > 0) there += until - at;
      at = until;
      if (at >= length) break;
    }
    share.add(static_cast<double>(there.count()) / 5000 / 3.6e12);
  }
  const double mean_up = 2 * 2, mean_down = std::exp(0.5);  // 2 h x Gamma(1 + 1 / .5); e^(1 / 2) h
  EXPECT_NEAR(share.mean(), mean_up / (mean_up + mean_down), 0.01);
}

}  // namespace closed_forms_test
}  // namespace reeve
