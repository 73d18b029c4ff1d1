// reeve fit: what a trace says of durations, arrivals, faults and limits.
#include "experiments/fit/fit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/forecast_file.hpp"
#include "app/files/forecast_text.hpp"
#include "app/files/observed_history.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "experiments/fit/fit_text.hpp"
#include "models/resampling.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::app {
namespace {

struct FitArguments {
  std::string trace;
  std::string out;
  std::string prior;
  std::uint32_t weeks = 4;
  bool no_hold_out = false;
};

/// What is fitted: a trace, or that of a scenario.
struct FitInput {
  std::filesystem::path trace;
  std::optional<scenarios::Document> scenario = std::nullopt;
  policy::Instant clock{};
  scenarios::ColumnNames columns = {};
  ReplayedHistory replayed = {};
};

ReplayedHistory replayed_of(const models::World& world) {
  ReplayedHistory replayed{.jobs = world.jobs.specs.size(), .weeks = 0, .running = {}};
  if (replayed.jobs == 0) return replayed;
  replayed.weeks = models::recorded_length(world) / experiments::week_length;
  for (std::size_t job = 0; job < replayed.jobs; ++job) {
    if (world.jobs.specs[job].ends != models::WorkEnd::running) continue;
    replayed.running.insert(world.jobs.name({static_cast<std::uint32_t>(job)}));
  }
  return replayed;
}

FitInput input_of(const std::string& file) {
  const std::filesystem::path path{file};
  if (path.extension() != ".jsonc" && path.extension() != ".json") return {.trace = file};
  const auto source = scenarios::SourceFile::load(path);
  if (source->text().starts_with(forecast_mark)) {
    throw UsageError{file + " is a forecast already", "fit the scenario of the history"};
  }
  const auto loaded = scenarios::load(path);
  FitInput input;
  input.scenario = scenarios::Document::parse(source);
  input.clock = loaded.scenario.world.start;
  input.replayed = replayed_of(loaded.scenario.world);
  const auto workload = input.scenario->root().find("workload");
  const auto trace = workload ? workload->find("trace") : std::nullopt;
  if (!trace) {
    throw UsageError{file + " has no workload.trace: there is nothing to fit",
                     "reeve fit jobs.csv.gz"};
  }
  if (const auto columns = workload->find("columns")) {
    input.columns.by = scenarios::ColumnNames::By::key;
    for (const scenarios::Node column : columns->as_object()) {
      input.columns.stated.push_back({std::string{column.key()}, std::string{column.as_text()}});
    }
  }
  input.trace = path.parent_path() / trace->as_text();
  return input;
}

/// A forecast uses the files of its scenario, so it stands beside it.
void check_folder(const FitArguments& arguments) {
  namespace fs = std::filesystem;
  const auto folder = [](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path).lexically_normal());
  };
  const fs::path beside = fs::path{arguments.trace}.parent_path();
  if (folder(arguments.out) == folder(beside.empty() ? "." : beside)) return;
  throw UsageError{"the forecast of a scenario must be in the folder of the scenario",
                   "-o " + (beside.empty() ? std::string{"."} : beside.string())};
}

/// Why there is no forecast; empty if there can be one.
std::string no_forecast(const TraceHistory& history, const ReplayedHistory& replayed) {
  if (history.dated) return "its trace has dates, so its clock cannot move";
  return replayed.weeks < 2 ? "two whole weeks of jobs that started are needed" : "";
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

/// The other warnings are those of the scenario.
void warn_if_no_interval(std::vector<scenarios::Diagnostic> found, const Console& console) {
  std::erase_if(found, [](const auto& each) { return each.code != "W0616"; });
  show_warnings(console, found);
}

int fit_trace(const FitArguments& arguments, const Console& console) {
  const std::filesystem::path out{arguments.out};
  const FitInput input = input_of(arguments.trace);
  if (!arguments.out.empty()) {
    check_output_file(out / "fit.json", "{\n  \"reeve_fit\"", "-o");
    check_output_file(out / "fit.md", "# Fit\n", "-o");
    if (input.scenario) {
      check_folder(arguments);
      check_output_file(out / "forecast.jsonc", forecast_mark, "-o");
      check_forecast_file(out / "forecast.jsonc");
    }
  }
  const TraceHistory history = read_history(input.trace.string(), input.clock, input.columns);
  show_warnings(console, history.warnings);
  experiments::FitOptions options{.hold_out = !arguments.no_hold_out};
  if (!arguments.prior.empty()) options.node_fault_prior = experiments::published_node_faults;
  const experiments::Fit fit = experiments::fit(history.view(), options);
  warn_if_short(fit, input.trace.string(), console);
  if (!arguments.out.empty()) {
    write_text_file(out / "fit.json", experiments::fit_json(fit));
    write_text_file(out / "fit.md", experiments::fit_markdown(fit));
  }
  console.print(experiments::fit_table(fit));
  if (arguments.out.empty()) return ExitCode::done;
  console.note(fmt::format("wrote {0}/fit.json and {0}/fit.md\n", out.generic_string()));
  if (!input.scenario) return ExitCode::done;
  if (const std::string why = no_forecast(history, input.replayed); !why.empty()) {
    console.note("no forecast was written: " + why + "\n");
    return ExitCode::done;
  }
  const auto forecast = out / "forecast.jsonc";
  const std::string text = forecast_text(
      *input.scenario, fit, {arguments.weeks, input.clock, history.running, input.replayed});
  const std::string whole = forecast_file_text(arguments.trace, text);
  const auto source = scenarios::SourceFile::from_text(forecast.generic_string(), whole);
  const auto loaded = scenarios::load(source, out);
  warn_if_no_interval(loaded.warnings, console);
  write_text_file(forecast, whole);
  console.note(fmt::format("wrote {0}\nnext: reeve compare {0}\n", forecast.generic_string()));
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
  command.option("--weeks", &arguments->weeks,
                 "Whole weeks after the history that the forecast has",
                 {.whole_in = WholeNumbers{1, 104}, .shows_default = true});
  command.option("--prior", &arguments->prior,
                 "Adds published rates of node faults, with the weight of four faults",
                 {.one_of = {"published"}});
  command.option("--no-hold-out", &arguments->no_hold_out,
                 "Does not test the fit on later weeks: faster, all grades are C or D");
  on_parse(command, session,
           [&session, arguments] { return fit_trace(*arguments, session.console); });
}

}  // namespace reeve::app
