#include "app/explain/command.hpp"

#include <fmt/format.h>

#include "app/text/shell_word.hpp"

namespace reeve::app {
namespace {

std::string first_job(const models::World& world) {
  if (world.resampling && world.resampling->forecast)
    return models::materialize(world, 0).name({0});
  models::Jobs jobs;
  if (!world.jobs.names.empty()) return world.jobs.name({0});
  if (world.drawn) jobs.drawn_prefix = world.drawn->prefix;
  return jobs.name({0});
}

/// Whose actions did not work before all others; of equals the one named first; without any rule
/// the first policy.
const PolicyNumbers& telling_policy(const Study& study) {
  const PolicyNumbers* best = nullptr;
  double least = 0;
  for (const PolicyNumbers& numbers : study.policies) {
    if (numbers.policy->seats.empty()) continue;
    if (!numbers.given_up.empty()) return numbers;
    const double wasted = study.number(numbers, "wasted_usd").estimate.mean;
    if (best != nullptr && wasted >= least) continue;
    best = &numbers;
    least = wasted;
  }
  return best == nullptr ? study.policies.front() : *best;
}

/// A word that begins with a dash would be read as an option.
bool reads_as_option(std::string_view word) {
  return word.starts_with('-');
}

}  // namespace

std::string explain_command(const Study& study, const StudyArguments& arguments) {
  const PolicyNumbers& telling = telling_policy(study);
  std::string job = telling.costliest;
  if (job.empty()) job = first_job(study.scenario->world);
  const std::string policy = telling.policy->name;
  const std::string place = study.exported ? *arguments.out : study.scenario->file.generic_string();
  std::string options = "-p " + shell_word(policy);
  if (!study.exported && arguments.seed) options += fmt::format(" --seed {}", *arguments.seed);
  if (reads_as_option(job) || reads_as_option(place)) {
    return fmt::format("explain {} -- {} {}", options, shell_word(job), shell_word(place));
  }
  return fmt::format("explain {} {} {}", shell_word(job), shell_word(place), options);
}

}  // namespace reeve::app
