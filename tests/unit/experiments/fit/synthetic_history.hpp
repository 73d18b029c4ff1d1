// Histories of jobs that are drawn from known laws.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/fit/random_numbers.hpp"
#include "tests/unit/experiments/fit/recorded_history.hpp"

namespace reeve::experiments {

/// What is true of a synthetic history.
struct KnownTruth {
  std::size_t weeks = 12;
  double batches_per_week = 40;
  double mean_batch = 1.5;  ///< geometric sizes
  double week_shape = 30;   ///< of the Gamma effect of a week; 0: none
  std::size_t users = 12;
  double median_hours = 2;
  double sigma = 1.2;
  double failures_per_hour = 0.01;        ///< of an attempt
  double stalls_per_hour = 0.004;         ///< of an attempt
  double node_faults_per_hour = 0.002;    ///< of a node
  double interruptions_per_hour = 0.005;  ///< of a Spot node
  /// The factor of the rate of arrivals and of failures in a week.
  std::function<double(std::size_t week)> drift = [](std::size_t) { return 1.0; };

  double jobs_per_week() const { return batches_per_week * mean_batch; }
};

class SyntheticHistory {
 public:
  SyntheticHistory(const KnownTruth& truth, std::uint64_t seed)
      : truth_{truth}, random_{seed, sim::Cause::scenario_fuzz, 1} {}

  OwnedHistory draw() {
    OwnedHistory history;
    history.start = policy::Instant{std::chrono::hours{24 * 4}};  // a Monday
    history.end = history.start + week_length * static_cast<std::int64_t>(truth_.weeks);
    for (std::size_t week = 0; week < truth_.weeks; ++week) add_week(history, week);
    return history;
  }

 private:
  double exponential() { return -std::log(random_.next()); }

  std::uint32_t poisson(double mean) {
    std::uint32_t count = 0;
    for (double left = mean - exponential(); left > 0; left -= exponential()) ++count;
    return count;
  }

  double normal() { return sim::normal_quantile(std::min(random_.next(), 1 - 1e-16)); }

  /// Of mean 1, as a sum of exponentials: the shape is a whole number.
  double gamma_effect() {
    if (truth_.week_shape == 0) return 1;
    double sum = 0;
    for (int i = 0; i < static_cast<int>(truth_.week_shape); ++i) sum += exponential();
    return sum / truth_.week_shape;
  }

  void add_week(OwnedHistory& history, std::size_t week) {
    const double factor = truth_.drift(week);
    const std::uint32_t batches = poisson(truth_.batches_per_week * factor * gamma_effect());
    for (std::uint32_t batch = 0; batch < batches; ++batch) {
      const double place = (static_cast<double>(week) + random_.next()) * 7 * 86'400;
      const policy::Instant at =
          history.start + std::chrono::seconds{static_cast<std::int64_t>(place)};
      const std::string user = "user" + std::to_string(random_.index(truth_.users));
      do {
        add_job(history, at, user, factor);
      } while (random_.next() > 1 / truth_.mean_batch);
    }
  }

  void add_job(OwnedHistory& history, policy::Instant at, const std::string& user, double factor) {
    ObservedJob job{.submit = at, .user = user};
    job.nodes = static_cast<std::int64_t>(1 + random_.index(4));
    job.gpus = 8 * static_cast<double>(job.nodes);
    job.instance_type = "ml.p4d.24xlarge";
    const bool spot = random_.next() < 0.5;
    job.market = spot ? policy::Market::spot : policy::Market::on_demand;
    double hours = truth_.median_hours * std::exp(truth_.sigma * normal());
    job.end_status = scenarios::EndStatus::completed;
    const double failure = exponential() / (truth_.failures_per_hour * factor);
    if (failure < hours) {
      hours = failure;
      job.end_status = scenarios::EndStatus::failed;
    }
    const double left = hours_of(history.end - at);
    if (left < hours) {
      hours = left;
      job.censored = true;
      job.end_status = scenarios::EndStatus::unknown;
    }
    const double node_hours = hours * static_cast<double>(job.nodes);
    job.duration = sim::nearest(hours * 3.6e12);
    job.stalls = poisson(truth_.stalls_per_hour * hours);
    job.restarts = poisson(truth_.node_faults_per_hour * node_hours);
    if (spot) job.interruptions = poisson(truth_.interruptions_per_hour * node_hours);
    job.billed_usd = policy::Usd::from_micros(static_cast<std::int64_t>(node_hours * 32e6));
    history.jobs.push_back(std::move(job));
  }

  KnownTruth truth_;
  RandomNumbers random_;
};

}  // namespace reeve::experiments
