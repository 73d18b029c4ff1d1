// reeve fit: what a trace says of durations, arrivals, faults and limits.
#include "experiments/fit/fit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/observed_history.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "experiments/fit/fit_text.hpp"

namespace reeve::app {
namespace {

struct FitArguments {
  std::string trace;
  std::string out;
  std::string prior;
  bool no_hold_out = false;
};

/// The warning about a history that is too short to test what is fitted.
void warn_if_short(const experiments::Fit& fit, const std::string& file, const Console& console) {
  if (fit.weeks >= experiments::least_tested_weeks) return;
  const std::string weeks = scenarios::counted(fit.weeks, "whole week");
  const scenarios::Diagnostic found{
      .severity = scenarios::Severity::warning,
      .code = "W0615",
      .file = file,
      .position = {},
      .pointer = {},
      .message = fmt::format("{}, so no quantity can be tested", weeks),
      .label = {},
      .notes = {},
      .help = fmt::format("fit a trace of {} weeks or more", experiments::least_tested_weeks),
      .again = {},
      .excerpt = {}};
  show_warnings(console, {{found}});
}

int fit_trace(const FitArguments& arguments, const Console& console) {
  const std::filesystem::path out{arguments.out};
  if (!arguments.out.empty()) {
    check_output_file(out / "fit.json", "{\n  \"reeve_fit\"", "-o");
    check_output_file(out / "fit.md", "# Fit\n", "-o");
  }
  const TraceHistory history = read_history(arguments.trace);
  show_warnings(console, history.warnings);
  experiments::FitOptions options{.hold_out = !arguments.no_hold_out};
  if (!arguments.prior.empty()) options.node_fault_prior = experiments::published_node_faults;
  const experiments::Fit fit = experiments::fit(history.view(), options);
  warn_if_short(fit, arguments.trace, console);
  if (!arguments.out.empty()) {
    write_text_file(out / "fit.json", experiments::fit_json(fit));
    write_text_file(out / "fit.md", experiments::fit_markdown(fit));
  }
  console.print(experiments::fit_table(fit));
  if (!arguments.out.empty()) {
    console.note(fmt::format("wrote {0}/fit.json and {0}/fit.md\n", out.generic_string()));
  }
  return ExitCode::done;
}

}  // namespace

void add_fit(Program& program, Session& session) {
  auto arguments = std::make_shared<FitArguments>();
  Command& command = add_command(
      program, "fit", "Fits durations, arrivals, faults and limits to a trace, with intervals",
      "reeve fit jobs.csv.gz\n"
      "reeve fit jobs.csv.gz -o fitted\n"
      "reeve fit jobs.csv.gz --prior published --json");
  command.footer +=
      "\n\nGrades: A tested on weeks that were held out. B the interval is widened, a test refuses "
      "the\nlaw, or the history drifts. C untested. D prior only.";
  command.option("TRACE", &arguments->trace, "Job trace, plain or gzip", {.required = true});
  command.option("-o,--out", &arguments->out, "Writes fit.json and fit.md into this directory",
                 {.type = "DIR"});
  command.option("--prior", &arguments->prior,
                 "Adds published rates of node faults, with the weight of four faults",
                 {.one_of = {"published"}});
  command.option("--no-hold-out", &arguments->no_hold_out,
                 "Does not test the fit on later weeks: faster, all grades are C or D");
  on_parse(command, session,
           [&session, arguments] { return fit_trace(*arguments, session.console); });
}

}  // namespace reeve::app
