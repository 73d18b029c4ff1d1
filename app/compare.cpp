// reeve compare: policies side by side on the same draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/command.hpp"
#include "app/compare/compare_study.hpp"
#include "app/compare/comparison_table.hpp"
#include "app/compare/faster.hpp"
#include "app/compare/precision.hpp"
#include "app/compare/pull_request.hpp"
#include "app/compare/tested_lines.hpp"
#include "app/exit_code.hpp"
#include "app/explain/command.hpp"
#include "app/files/report_page.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/output_format.hpp"
#include "app/usage_error.hpp"
#include "report/page_name.hpp"

namespace reeve::app {
namespace {

struct CompareArguments {
  StudyArguments study;
  std::string baseline;
  bool markdown = false;
  std::string format;  ///< empty: text, or JSON if --json asks for that
  std::optional<double> speed;
  std::optional<std::string> precision;
  bool html = false;    ///< write the report page beside the tables
  bool github = false;  ///< comment the pull request
};

/// Sets the number of replications that the precision needs.
void reach_precision(const CompareArguments& arguments, scenarios::Scenario& scenario,
                     StudyPlan& plan, const Console& console) {
  if (scenario.world.resampling) {
    throw UsageError{
        "--precision does not apply to drawn weeks: more runs do not narrow the interval",
        "--runs 200"};
  }
  const std::uint32_t runs =
      runs_for(scenario, plan, arguments.baseline, precision_of(*arguments.precision), console);
  if (runs != plan.runs && !scenario.expects.empty()) {
    console.note(
        fmt::format("{}: expectations skipped, because they hold only for its own number "
                    "of runs\n",
                    arguments.study.file));
    scenario.expects.clear();
  }
  scenario.runs = runs;
  plan.runs = runs;
}

/// A report has its tables beside it: without -o both are in out/NAME.
StudyArguments with_place_of_report(const CompareArguments& arguments) {
  StudyArguments study = arguments.study;
  if (arguments.html && !study.out) {
    const std::string name = std::filesystem::path{study.file}.stem().string();
    study.out = "out/" + (name.empty() ? "results" : name);
  }
  return study;
}

std::string precision_note(const CompareArguments& arguments, const Study& study) {
  const double width = relative_width(study, arguments.baseline);
  const bool is_reached = width <= precision_of(*arguments.precision);
  return fmt::format("precision {} of the headline is {}: ± {:.1f} % after {} runs",
                     *arguments.precision, is_reached ? "reached" : "not reached", 100 * width,
                     study.runs);
}

void comment(const std::optional<PullRequest>& place, const Study& study,
             const std::string& baseline, const Console& console) {
  if (!place) {
    console.note("no comment: the workflow runs for no pull request\n");
    return;
  }
  if (study.partial) {
    console.note("no comment: the runs were interrupted\n");
    return;
  }
  const std::string text = pull_request_text(study, baseline_of(study, baseline));
  console.note("comment: " + put_comment(*place, text) + '\n');
}

int compare_policies(const CompareArguments& arguments, const Console& console) {
  if (arguments.speed && std::isnan(*arguments.speed)) {  // which is between any numbers
    throw UsageError{"--what-if-speed: nan is not a number from 0.1 to 10"};
  }
  const std::string format = format_of(arguments.format, console);
  if (arguments.markdown && !arguments.format.empty() && format != "text") {
    throw UsageError{fmt::format("--md and --format {} contradict each other", format),
                     "remove one of the two"};
  }
  scenarios::Scenario scenario = load_scenario(arguments.study, console);
  if (!arguments.baseline.empty()) policy_named(scenario, arguments.baseline);
  const StudyArguments placed = with_place_of_report(arguments);
  StudyPlan plan = plan_study(scenario, placed);
  if (arguments.html) check_report_place(*plan.out / report::page_file);
  if (!arguments.baseline.empty()) {
    const bool runs = std::any_of(plan.policies.begin(), plan.policies.end(),
                                  [&](const auto* p) { return p->name == arguments.baseline; });
    if (!runs) throw UsageError{"the baseline is not among the policies of -p"};
  }
  std::optional<PullRequest> pull_request;
  if (arguments.github) pull_request = pull_request_here();
  if (arguments.precision) reach_precision(arguments, scenario, plan, console);
  plan.every_measure = format == "json";
  Study study = run_study(scenario, plan, console);
  if (arguments.precision && scenario.random)
    study.advice.push_back(precision_note(arguments, study));
  if (arguments.speed && arguments.precision) {
    throw UsageError{"--precision and --what-if-speed exclude each other", "remove one of the two"};
  }
  if (arguments.speed) {
    const scenarios::Scenario other = at_speed(scenario, *arguments.speed);
    StudyPlan again = plan_study(other, arguments.study);
    again.out.reset();
    again.journal.reset();
    again.timeline.reset();
    again.every_measure = study.decisions;  // the same measures, though nothing is written
    const Study faster = run_study(other, again, console);
    study.advice = faster_notes(study, faster, *arguments.speed);
    study.other_speed = compare_speeds(study, faster, *arguments.speed);
  }
  const int exit_code =
      show_comparison(study,
                      {arguments.baseline, console.next(explain_command(study, placed)),
                       arguments.markdown, arguments.format},
                      console);
  if (study.exported) console.note("wrote " + plan.out->generic_string() + "/datapackage.json\n");
  if (arguments.html) {
    const std::filesystem::path page = *plan.out / report::page_file;
    write_report(*plan.out, page, {});
    console.note("report: " + page.generic_string() + '\n');
  }
  if (arguments.github) comment(pull_request, study, arguments.baseline, console);
  if (study.timeline) console.note("wrote " + study.timeline->generic_string() + '\n');
  return exit_code;
}

/// The errors of an invalid scenario, in the format requested.
int compare_or_report(const CompareArguments& arguments, const Console& console) {
  const std::string format = format_of(arguments.format, console);
  try {
    return compare_policies(arguments, console);
  } catch (const scenarios::InputError& error) {
    if (format == "text" || console.json) throw;
    const std::vector<std::string> files{arguments.study.file};
    console.print(findings_text(format, files, error.diagnostics(), false, ExitCode::invalid));
    return ExitCode::invalid;
  }
}

}  // namespace

void add_compare(Program& program, Session& session) {
  auto arguments = std::make_shared<CompareArguments>();
  Command& command =
      add_command(program, "compare", "Compares policies side by side, paired by run",
                  "reeve compare stalled-weekend.jsonc\n"
                  "reeve compare week.jsonc -p none,watchdog --runs 100\n"
                  "reeve compare week.jsonc --html\n"
                  "reeve compare week.jsonc -o out/week --json > week.json");
  add_study_options(command, arguments->study);
  add_baseline_option(command, arguments->baseline);
  add_out_option(command, arguments->study);
  command.option("--csv", &arguments->study.out, "The old name of --out", {.hidden = true});
  add_queue_option(command, arguments->study);
  add_timeline_option(command, arguments->study);
  add_group_option(command, arguments->study);
  command.option("--what-if-speed", &arguments->speed,
                 "Runs all policies again with training this many times as fast, such as 1.25, "
                 "and prints the difference",
                 {.between = Numbers{0.1, 10.0}});
  command.option("--html", &arguments->html,
                 "Writes the report, index.html, beside the tables. Default DIR: out/NAME of FILE");
  command.option("--md", &arguments->markdown, "Prints Markdown tables");
  command.option("--github", &arguments->github,
                 "In a workflow of GitHub Actions: writes the changes as a comment of the pull "
                 "request, and edits it on the next push");
  command.option("--precision", &arguments->precision,
                 "Adds replications until the interval of what the best policy saves is this "
                 "narrow: 5%. At most 20,000",
                 {.type = "PERCENT"});
  add_format_option(command, arguments->format);
  on_parse(command, session,
           [&session, arguments] { return compare_or_report(*arguments, session.console); });
}

}  // namespace reeve::app
