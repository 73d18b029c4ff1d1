// Small worlds: the stalled weekend under its four policies, and a thousand weeks of fifty jobs
// with drawn stalls under an alarm that stops and a rule that resumes.
#include <cstdint>
#include <stdexcept>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/measures.hpp"
#include "experiments/replicate.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;

constexpr int tries = 5;
constexpr std::uint32_t weeks = 1000;

/// What a comparison does with each run, on one thread.
void study(const scenarios::Scenario& scenario, const experiments::ReplicateOptions& options) {
  std::size_t measured = 0;
  experiments::replicate(scenario, options, [&](experiments::RunResult&& result) {
    if (!experiments::measures(scenario, result).empty()) ++measured;
    if (result.record.ledger.residual() != 0) throw std::runtime_error("money was lost");
  });
  if (measured != options.runs * options.policies.size()) throw std::runtime_error("runs missing");
}

void weekend() {
  const auto scenario =
      scenarios::load(REEVE_SOURCE_DIR "/scenarios/gallery/stalled-weekend.jsonc").scenario;
  experiments::ReplicateOptions options;
  for (const auto& policy : scenario.policies) options.policies.push_back(&policy);
  options.run.decisions = true;
  study(scenario, options);
}

void thousand_weeks() {
  const auto scenario =
      scenarios::load(REEVE_SOURCE_DIR "/scenarios/gallery/drawn-stalls.jsonc").scenario;
  experiments::ReplicateOptions options;
  for (const auto& policy : scenario.policies) {
    if (policy.name == "watchdog") options.policies.push_back(&policy);
  }
  if (options.policies.empty()) throw std::runtime_error("drawn-stalls has no watchdog");
  options.runs = weeks;
  options.run.decisions = true;
  study(scenario, options);
}

}  // namespace

int main(int count, char** arguments) {
  const bench::Cost once = bench::least_cost_of(2 * tries, weekend);
  const bench::Cost often = bench::least_cost_of(tries, thousand_weeks);
  bench::Figures figures;
  figures.add("weekend/wall_s", once.wall_s);
  figures.add("weekend/cpu_s", once.cpu_s);
  figures.add("thousand_weeks/wall_s", often.wall_s);
  figures.add("thousand_weeks/cpu_s", often.cpu_s);
  return figures.finish(count, arguments);
}
