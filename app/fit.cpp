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
#include "app/usage_error.hpp"
#include "experiments/fit/fit_text.hpp"
#include "scenarios/text/edit.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::app {
namespace {

struct FitArguments {
  std::string trace;
  std::string out;
  std::string prior;
  bool no_hold_out = false;
};

/// What is fitted: a trace, or that of a scenario.
struct FitInput {
  std::string trace;
  std::optional<scenarios::Document> scenario;
};

FitInput input_of(const std::string& file) {
  const std::filesystem::path path{file};
  if (path.extension() != ".jsonc" && path.extension() != ".json") return {file, {}};
  auto scenario = scenarios::Document::parse(scenarios::SourceFile::load(path));
  const auto workload = scenario.root().find("workload");
  const auto trace = workload ? workload->find("trace") : std::nullopt;
  if (!trace) {
    throw UsageError{file + " has no workload.trace: there is nothing to fit",
                     "reeve fit jobs.csv.gz"};
  }
  return {(path.parent_path() / trace->as_text()).string(), std::move(scenario)};
}

/// The scenario, for weeks after the history: each run draws them anew.
std::string forecast_text(const scenarios::Document& scenario, const std::string& trace,
                          const experiments::Fit& fit, const std::filesystem::path& out) {
  auto next = fit.start;
  while (next < fit.end) next += experiments::week_length;
  std::string text{scenario.source().text()};
  const auto set = [&](std::string_view path, const std::string& value) {
    const auto source = scenarios::SourceFile::from_text("forecast", text);
    text = scenarios::with_value(scenarios::Document::parse(source), path, value);
  };
  const auto here =
      std::filesystem::absolute(trace).lexically_relative(std::filesystem::absolute(out));
  set("name", "\"forecast\"");
  set("clock.start", fmt::format("\"{}\"", scenarios::show(next)));
  set("random.runs", "200");
  set("workload.trace", fmt::format("\"{}\"", here.generic_string()));
  set("workload.resample", "\"user_weeks\"");
  return text;
}

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
  const FitInput input = input_of(arguments.trace);
  if (!arguments.out.empty()) {
    check_output_file(out / "fit.json", "{\n  \"reeve_fit\"", "-o");
    check_output_file(out / "fit.md", "# Fit\n", "-o");
  }
  const TraceHistory history = read_history(input.trace);
  show_warnings(console, history.warnings);
  experiments::FitOptions options{.hold_out = !arguments.no_hold_out};
  if (!arguments.prior.empty()) options.node_fault_prior = experiments::published_node_faults;
  const experiments::Fit fit = experiments::fit(history.view(), options);
  warn_if_short(fit, input.trace, console);
  if (!arguments.out.empty()) {
    write_text_file(out / "fit.json", experiments::fit_json(fit));
    write_text_file(out / "fit.md", experiments::fit_markdown(fit));
  }
  console.print(experiments::fit_table(fit));
  if (arguments.out.empty()) return ExitCode::done;
  console.note(fmt::format("wrote {0}/fit.json and {0}/fit.md\n", out.generic_string()));
  if (input.scenario && fit.weeks >= 2) {
    const auto forecast = out / "forecast.jsonc";
    write_text_file(forecast, forecast_text(*input.scenario, input.trace, fit, out));
    console.note(fmt::format("wrote {0}\nnext: reeve compare {0}\n", forecast.generic_string()));
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
      "reeve fit ours/scenario.jsonc -o ours\n"
      "reeve fit jobs.csv.gz --prior published --json");
  command.footer +=
      "\n\nGrades: A tested on weeks that were held out. B the interval is widened, a test refuses "
      "the\nlaw, or the history drifts. C untested. D prior only.";
  command.option("TRACE", &arguments->trace,
                 "Job trace, plain or gzip, or a scenario that replays one", {.required = true});
  command.option("-o,--out", &arguments->out,
                 "Writes fit.json, fit.md, and for a scenario forecast.jsonc into this directory",
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
