#include "app/study/study_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/command.hpp"
#include "app/compare/group_table.hpp"
#include "app/files/output_place.hpp"
#include "app/study/study_timeline.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {

void add_study_options(Command& command, StudyArguments& arguments) {
  command.option("FILE", &arguments.file, "The scenario file", {.required = true});
  command.option("-p,--policy", &arguments.policies, "Policies by name: a,b. Default: all",
                 {.comma_separated = true});
  add_run_options(command, arguments);
}

void add_run_options(Command& command, StudyArguments& arguments) {
  add_seed_option(command, arguments);
  command.option("--runs", &arguments.runs,
                 "Replaces random.runs of the file: the number of replications",
                 {.whole_in = WholeNumbers{1, 1'000'000}});
  add_threads_option(command, arguments.threads);
}

void add_baseline_option(Command& command, std::string& baseline) {
  command.option("--baseline", &baseline,
                 "The policy to compare with. Default: none, or the first policy");
}

void add_seed_option(Command& command, StudyArguments& arguments) {
  command.option("--seed", &arguments.seed, "Replaces random.seed of the file",
                 {.whole_in = WholeNumbers{0}});
}

void add_out_option(Command& command, StudyArguments& arguments) {
  command.option("-o,--out", &arguments.out, "Writes all tables as CSV to this directory",
                 {.type = "DIR"});
}

void add_queue_option(Command& command, StudyArguments& arguments) {
  command.option("--queue-every", &arguments.queue_every,
                 "Also writes the table `queue`: the pending jobs at this interval (1h)");
}

void add_group_option(Command& command, StudyArguments& arguments) {
  command.option("--by", &arguments.by,
                 "Also prints a table by owner, or by the values of a tag (tier)");
}

void add_timeline_option(Command& command, StudyArguments& arguments) {
  command.option("--timeline", &arguments.timeline,
                 "Writes replication 0 of each policy as a timeline for Perfetto: NAME.json or "
                 "NAME.json.gz",
                 {.type = "FILE"});
}

void add_threads_option(Command& command, std::optional<unsigned>& threads) {
  command.option("--threads", &threads,
                 "Number of threads. Default: one per core. Does not change results",
                 {.whole_in = WholeNumbers{1, 1024}});
}

void show_warnings(const Console& console, const std::vector<scenarios::Diagnostic>& warnings) {
  if (warnings.empty()) return;
  console.note(scenarios::render(warnings, {.colour = console.colour_err(), .columns = 100}));
}

scenarios::Scenario load_scenario(const StudyArguments& arguments, const Console& console) {
  scenarios::Loaded loaded = scenarios::load(arguments.file);
  show_warnings(console, loaded.warnings);
  scenarios::Scenario& scenario = loaded.scenario;
  if (scenario.live) {
    throw UsageError{scenarios::in_quotes(arguments.file) +
                         " is a live configuration: it has no jobs to simulate",
                     "reeve live plan " + shell_word(arguments.file)};
  }
  const bool others = (arguments.seed && *arguments.seed != scenario.world.seed) ||
                      (arguments.runs && *arguments.runs != scenario.runs);
  if (others && !scenario.expects.empty()) {
    console.note(fmt::format(
        "{}: expectations skipped, because they hold only for its own seed and number of runs\n",
        arguments.file));
    scenario.expects.clear();
  }
  if (arguments.seed) scenario.world.seed = *arguments.seed;
  if (arguments.runs) scenario.runs = *arguments.runs;
  const std::size_t windows = scenario.world.ticks.windows.size();
  if (arguments.runs && windows > 0 && scenario.runs > windows) {
    throw UsageError{fmt::format("{} runs, but {} has {} windows, one per run", scenario.runs,
                                 arguments.file, windows),
                     fmt::format("--runs {}", windows)};
  }
  const models::World& world = loaded.scenario.world;
  console.detail(fmt::format(
      "read {}: {} jobs, {} fleets, {} policies, {} expectations\n", arguments.file,
      world.jobs.specs.size() + (world.drawn ? world.drawn->jobs : 0), world.pools.size(),
      loaded.scenario.policies.size(), loaded.scenario.expects.size()));
  return std::move(loaded.scenario);
}

unsigned threads_of(const StudyArguments& arguments) {
  return arguments.threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

const scenarios::PolicySpec& policy_named(const scenarios::Scenario& scenario,
                                          const std::string& name) {
  std::vector<std::string> names;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    if (policy.name == name) return policy;
    names.push_back(policy.name);
  }
  std::string hint = scenarios::did_you_mean(name, names);
  if (hint.empty()) {
    for (const std::string& known : names) hint += (hint.empty() ? "one of " : ", ") + known;
  }
  throw UsageError{
      "there is no policy " + scenarios::in_quotes(name) + " in " + scenario.file.generic_string(),
      hint};
}

const scenarios::PolicySpec& only_policy(const scenarios::Scenario& scenario,
                                         const std::vector<std::string>& named) {
  if (named.size() > 1) {
    throw UsageError{"this command takes one policy", "-p " + shell_word(named.front())};
  }
  if (!named.empty()) return policy_named(scenario, named.front());
  if (scenario.policies.size() == 1) return scenario.policies.front();
  std::string names;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    names += (names.empty() ? "-p " : ", -p ") + shell_word(policy.name);
  }
  throw UsageError{"the scenario has several policies: choose one", names};
}

namespace {

policy::Duration every_of(const std::string& text, const StudyPlan& plan) {
  if (!plan.out)
    throw UsageError{"--queue-every writes a table and needs a directory", "add -o out"};
  const auto length = scenarios::parse_duration(text);
  if (!length || *length < std::chrono::seconds{1}) {
    throw UsageError{
        "--queue-every " + scenarios::in_quotes(text) + " is not a duration of at least 1s",
        "use --queue-every 1h"};
  }
  return *length;
}

}  // namespace

StudyPlan plan_study(const scenarios::Scenario& scenario, const StudyArguments& arguments) {
  StudyPlan plan;
  if (arguments.policies.empty()) {
    for (const scenarios::PolicySpec& policy : scenario.policies) plan.policies.push_back(&policy);
  }
  for (const std::string& name : arguments.policies) {
    const scenarios::PolicySpec* policy = &policy_named(scenario, name);
    const bool twice =
        std::find(plan.policies.begin(), plan.policies.end(), policy) != plan.policies.end();
    if (!twice) plan.policies.push_back(policy);
  }
  plan.runs = scenario.runs;
  plan.threads = threads_of(arguments);
  if (arguments.out) {
    check_output_directory(*arguments.out);
    plan.out = *arguments.out;
  }
  if (arguments.by) plan.by = grouping(scenario, *arguments.by);
  if (arguments.queue_every) plan.queue_every = every_of(*arguments.queue_every, plan);
  if (arguments.timeline) {
    check_timeline_place(*arguments.timeline, plan.out);
    plan.timeline = *arguments.timeline;
  }
  return plan;
}

}  // namespace reeve::app
