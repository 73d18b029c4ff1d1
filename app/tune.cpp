// reeve tune: the best setting of keys within a budget of runs.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/session.hpp"
#include "app/sweep/make_plan.hpp"
#include "app/sweep/tuned.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"

namespace reeve::app {
namespace {

struct TuneArguments {
  SweepRequest request;
  std::vector<std::string> limits;
  std::uint32_t budget = 2'000;
  bool markdown = false;
};

/// The baseline, and the one policy to tune.
void choose_policy(SweepPlan& plan, const TuneArguments& arguments) {
  std::vector<std::string> others = plan.policies;
  std::erase(others, plan.baseline);
  const bool is_alone = others.empty() && plan.policies.size() == 1;
  if (others.size() != 1 && !is_alone) {
    throw UsageError{"tune varies one policy, and there are " + std::to_string(others.size()),
                     "-p " + shell_word(plan.baseline) + "," + shell_word(others.front())};
  }
  plan.policies = {plan.baseline};
  if (!is_alone) plan.policies.push_back(others.front());
  const std::size_t each = std::size_t{plan.runs} * plan.policies.size();
  if (arguments.budget < 3 * each) {
    throw UsageError{fmt::format("a budget of {} runs is less than three cells of {} runs",
                                 arguments.budget, each),
                     fmt::format("--budget {}", 30 * each)};
  }
}

int tune(const TuneArguments& arguments, const Console& console) {
  const std::vector<Factor> factors = factors_of(arguments.request);
  SweepRequest request = arguments.request;
  const std::vector<Limit> limits = limits_of(arguments.limits);
  for (const Limit& limit : limits) request.metrics.push_back(limit.metric);
  if (request.study.out) check_output_directory(*request.study.out);
  SweepPlan plan = plan_of_file(request, factors, console);
  check_values(plan, factors);
  choose_policy(plan, arguments);
  const Objective objective = objective_of(request.objective, plan);
  const Tuned tuned = tune_cells(plan, factors, objective, limits,
                                 {arguments.budget, threads_of(request.study)}, console);
  const SweepNumbers numbers{tuned.plan, tuned.cells};
  if (request.study.out) {
    write_sweep_csv(*request.study.out, numbers, objective);
    console.note("wrote " + *request.study.out + "/datapackage.json\n");
  }
  const report::Table table = tuned_table(numbers, tuned, objective, limits);
  if (arguments.markdown && !console.json) {
    console.print(report::markdown(table));
  } else {
    console.print(table);
  }
  if (tuned.is_interrupted) return ExitCode::interrupted;
  return tuned.best ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_tune(Program& program, Session& session) {
  auto arguments = std::make_shared<TuneArguments>();
  Command& command = add_command(
      program, "tune", "Finds the best values of keys within a budget of runs",
      "reeve tune week.jsonc -p none,alarm --set policies.alarm.stalled_gpu.period=1m,5m,10m \\\n"
      "  --set policies.alarm.stalled_gpu.threshold=0..20 --subject-to 'false_stops <= 0.5'\n"
      "reeve tune week.jsonc -p none,alarm --set platform.startup=1m..20m --objective billed_usd");
  command.option("FILE", &arguments->request.study.file, "The scenario file", {.required = true});
  command.option("--set", &arguments->request.sets,
                 "PATH=V1,V2 or PATH=LOW..HIGH[:log]: a key and the values to choose from; may be "
                 "repeated, as for reeve sweep",
                 {.takes = Takes::one_at_a_time, .type = "PATH=VALUES"});
  command.option("--subject-to", &arguments->limits,
                 "A limit that the mean of a metric keeps: 'false_stops <= 0.5'; may be repeated",
                 {.takes = Takes::one_at_a_time, .type = "LIMIT"});
  command.option("--objective", &arguments->request.objective,
                 "The metric that is to be least, or most: max:jobs_done. Default: net_saving_usd, "
                 "or billed_usd of a single policy",
                 {.type = "METRIC"});
  command.option("--budget", &arguments->budget, "The number of runs, of both policies together",
                 {.whole_in = WholeNumbers{1, 10'000'000}, .shows_default = true});
  command.option("-p,--policy", &arguments->request.study.policies,
                 "The policy, and the baseline: none,alarm. Default: all",
                 {.comma_separated = true});
  add_run_options(command, arguments->request.study);
  add_baseline_option(command, arguments->request.baseline);
  command.option("-o,--out", &arguments->request.study.out,
                 "Writes all settings that were run as CSV to this directory", {.type = "DIR"});
  command.option("--md", &arguments->markdown, "Prints a Markdown table");
  on_parse(command, session, [&session, arguments] { return tune(*arguments, session.console); });
}

}  // namespace reeve::app
