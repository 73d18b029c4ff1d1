// Seconds to fit histories of 300 to 300,000 jobs, with and without the hold-out.
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "bench/figures.hpp"
#include "experiments/fit/fit.hpp"
#include "experiments/fit/random_numbers.hpp"

namespace {

using namespace reeve;
using experiments::ObservedHistory;
using experiments::ObservedJob;

constexpr int weeks = 13;

/// Lognormal jobs of 50 users on three instance types, in batches; some run on Spot, some fail.
std::vector<ObservedJob> drawn_jobs(std::size_t count) {
  experiments::RandomNumbers random{1, sim::Cause::scenario_fuzz, 2};
  const policy::Duration window = experiments::week_length * weeks;
  std::vector<ObservedJob> jobs;
  while (jobs.size() < count) {
    const auto at = static_cast<double>(window.count()) * random.next();
    const std::size_t user = random.index(50);
    for (std::size_t left = 1 + random.index(4); left > 0 && jobs.size() < count; --left) {
      const double normal = sim::normal_quantile(random.next() * (1 - 1e-12));
      ObservedJob job;
      job.submit = policy::Instant{policy::Duration{static_cast<std::int64_t>(at)}};
      job.duration = sim::nearest(3.6e12 * std::exp(1.8 * normal));
      job.user = "user" + std::to_string(user);
      job.gpus = static_cast<double>(std::size_t{1} << random.index(7));
      job.nodes = job.gpus > 8 ? static_cast<std::int64_t>(job.gpus / 8) : 1;
      job.instance_type = "type" + std::to_string(random.index(3));
      job.market = random.index(2) == 0 ? policy::Market::spot : policy::Market::on_demand;
      job.interruptions = random.index(20) == 0 ? 1 : 0;
      job.end_status =
          random.index(15) == 0 ? scenarios::EndStatus::failed : scenarios::EndStatus::completed;
      job.time_limit = std::chrono::hours{24 << random.index(3)};
      job.billed_usd = policy::Usd::from_micros(1'000'000);
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

double seconds_to_fit(const std::vector<ObservedJob>& jobs, bool hold_out) {
  const ObservedHistory history{
      policy::Instant{}, policy::Instant{} + experiments::week_length * weeks, jobs, {}};
  const auto begin = std::chrono::steady_clock::now();
  const experiments::Fit fit = experiments::fit(history, {.hold_out = hold_out});
  const auto end = std::chrono::steady_clock::now();
  return fit.quantities.empty() ? -1 : std::chrono::duration<double>{end - begin}.count();
}

}  // namespace

int main(int count, char** arguments) {
  reeve::bench::Figures figures;
  for (const std::size_t jobs : {300u, 30'000u, 300'000u}) {
    const std::vector<ObservedJob> drawn = drawn_jobs(jobs);
    const std::string name = "fit/" + std::to_string(jobs);
    figures.add(name + "/seconds", seconds_to_fit(drawn, true));
    figures.add(name + "/seconds_without_hold_out", seconds_to_fit(drawn, false));
  }
  return figures.finish(count, arguments);
}
