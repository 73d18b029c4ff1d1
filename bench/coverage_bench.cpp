// How often 95 % intervals hold the truth, over 1,000 experiments, and how many replications the
// pairing of policies saves.
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "experiments/measures.hpp"
#include "experiments/replicate.hpp"
#include "experiments/statistics.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;

constexpr std::size_t experiment_count = 1'000;
constexpr std::size_t runs_each = 20;
/// The truth is the mean of twice as many: its own error is a hundredth of an interval's.
constexpr std::uint32_t all_runs = 2 * experiment_count * runs_each;

/// By policy and metric, then run.
using Samples = std::map<std::string, std::vector<double>>;

Samples sampled(const std::string& name, const std::vector<std::string>& policies,
                const std::vector<std::string>& metrics) {
  const auto scenario =
      scenarios::load(REEVE_SOURCE_DIR "/scenarios/gallery/" + name + ".jsonc").scenario;
  experiments::ReplicateOptions options;
  for (const auto& policy : scenario.policies) {
    for (const std::string& wanted : policies) {
      if (policy.name == wanted) options.policies.push_back(&policy);
    }
  }
  if (options.policies.size() != policies.size()) throw std::runtime_error("a policy is missing");
  options.runs = all_runs;
  options.threads = 2;
  Samples samples;
  experiments::replicate(scenario, options, [&](experiments::RunResult&& result) {
    for (const std::string& metric : metrics) {
      const auto value = experiments::measure(scenario, result, metric);
      samples[result.policy + '/' + metric].push_back(value ? experiments::as_double(*value) : NAN);
    }
  });
  return samples;
}

using Estimator = experiments::Estimate (*)(std::span<const double>, double);

/// In percent, of the intervals of the first experiments.
double coverage(std::span<const double> samples, Estimator estimate = experiments::estimate) {
  const double truth = experiments::estimate(samples).mean;
  std::size_t held = 0;
  for (std::size_t experiment = 0; experiment < experiment_count; ++experiment) {
    const auto of =
        estimate(samples.subspan(experiment * runs_each, runs_each), experiments::confidence);
    if (of.low <= truth && truth <= of.high) ++held;
  }
  return 100.0 * static_cast<double>(held) / static_cast<double>(experiment_count);
}

double variance(const std::vector<double>& samples) {
  const double mean = experiments::estimate(samples).mean;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return squares / static_cast<double>(samples.size() - 1);
}

std::vector<double> less(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t run = 0; run < a.size(); ++run) differences.push_back(a[run] - b[run]);
  return differences;
}

void measure(const std::string& scenario, const std::string& base, const std::string& policy,
             const std::vector<std::string>& metrics, bench::Figures& figures) {
  Samples samples = sampled(scenario, {base, policy}, metrics);
  for (const std::string& metric : metrics) {
    const auto& of_base = samples[base + '/' + metric];
    const auto& of_policy = samples[policy + '/' + metric];
    const auto paired = less(of_base, of_policy);
    const std::string key = scenario + '/' + metric;
    const Estimator estimate =
        metric.starts_with("jobs_") ? experiments::estimate_counts : experiments::estimate;
    figures.add("coverage/" + key + '/' + base + "_pct", coverage(of_base, estimate));
    figures.add("coverage/" + key + '/' + policy + "_pct", coverage(of_policy, estimate));
    if (variance(paired) == 0) continue;
    figures.add("coverage/" + key + "/difference_pct", coverage(paired));
    figures.add("pairing/" + key + "/replications_saved",
                (variance(of_base) + variance(of_policy)) / variance(paired));
  }
}

/// Skewed samples and rare events.
void measure_hard_samples(bench::Figures& figures) {
  std::mt19937_64 random{1};
  std::vector<double> samples(all_runs);
  std::lognormal_distribution<double> lognormal{0, 1};
  for (double& sample : samples) sample = lognormal(random);
  figures.add("coverage/lognormal_pct", coverage(samples));
  for (const double rate : {0.02, 0.05, 0.2}) {
    std::poisson_distribution<int> poisson{rate};
    for (double& sample : samples) sample = poisson(random);
    figures.add("coverage/poisson_" + std::to_string(rate).substr(0, 4) + "_pct",
                coverage(samples, experiments::estimate_counts));
  }
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  measure("drawn-stalls", "none", "watchdog",
          {"billed_usd", "wasted_usd", "mean_time_to_result_s", "makespan"}, figures);
  measure("drawn-stalls", "alarm", "watchdog", {"billed_usd", "jobs_unfinished"}, figures);
  measure_hard_samples(figures);
  return figures.finish(count, arguments);
}
