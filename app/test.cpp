// reeve test: every scenario is also a test; runs their `expect` lines.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/compare/junit.hpp"
#include "app/compare/tested_lines.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/output_format.hpp"
#include "app/usage_error.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

struct TestArguments {
  std::vector<std::string> places;
  std::string junit;
  std::string format;  ///< empty: text, or JSON if --json asks for that
  std::optional<unsigned> threads;
};

/// Files as named; of directories every *.jsonc below, in the order of their names.
std::vector<std::string> files_at(const std::vector<std::string>& places) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& place : places) {
    if (!fs::is_directory(place)) {
      out.push_back(place);
      continue;
    }
    std::vector<std::string> found;
    const auto options = fs::directory_options::skip_permission_denied;
    for (const auto& entry : fs::recursive_directory_iterator{place, options}) {
      if (entry.is_regular_file() && entry.path().extension() == ".jsonc") {
        found.push_back(entry.path().lexically_normal().generic_string());
      }
    }
    std::sort(found.begin(), found.end());
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

TestedFile test_file(const std::string& name, const TestArguments& arguments,
                     const Console& console) {
  TestedFile file;
  file.name = name;
  const auto began = std::chrono::steady_clock::now();
  try {
    StudyArguments as_typed;
    as_typed.file = name;
    as_typed.threads = arguments.threads;
    Console silent = console;
    silent.quiet = true;  // warnings are for `reeve check`
    const scenarios::Scenario scenario = load_scenario(as_typed, silent);
    file.without_lines = scenario.expects.empty();
    if (file.without_lines) return file;
    StudyPlan plan = plan_study(scenario, as_typed);
    const Study study = run_study(scenario, plan, console);
    file.interrupted = study.partial;
    if (!study.partial) add_lines(study, file);
  } catch (const scenarios::InputError& error) {
    file.invalid = error.what();
    file.found = error.diagnostics();
    console.complain(
        scenarios::render(error.diagnostics(), {.colour = console.colour_err(), .columns = 100}));
  } catch (const UsageError& error) {
    file.invalid = error.what();
    console.complain(fmt::format("reeve: {}\n", error.what()));
    scenarios::Diagnostic found;
    found.code = "usage";
    found.file = name;
    found.message = error.what();
    file.found.push_back(std::move(found));
  }
  file.elapsed = std::chrono::steady_clock::now() - began;
  return file;
}

void show(const TestedFile& file, const Console& console) {
  const bool colour = console.colour_out();
  const auto mark = [&](bool good) {
    const char* sign = good ? "✓" : "✗";
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : 31, sign) : std::string{sign};
  };
  std::string out = file.name + '\n';
  if (!file.invalid.empty()) out += fmt::format("  {} invalid\n", mark(false));
  if (file.without_lines) out += "  – no expectations\n";
  if (file.interrupted) out += "  – interrupted\n";
  for (const TestedLine& line : file.lines) {
    if (line.held && console.quiet) continue;
    out += fmt::format("  {} {}: {}\n", mark(line.held), line.policy, line.that);
    if (line.held) continue;
    const std::string place =
        line.line > 0 ? fmt::format("{}:{}", file.name, line.line) : file.name;
    out += fmt::format("      {}: {}\n", place, line.actual);
  }
  console.print(out);
}

int test(const TestArguments& arguments, const Console& console) {
  const std::string format = format_of(arguments.format, console);
  const std::vector<std::string> files = files_at(arguments.places);
  if (files.empty()) throw UsageError{"no *.jsonc file here", "name a file or a directory"};
  if (!arguments.junit.empty()) check_output_file(arguments.junit, junit_head, "--junit");
  std::vector<TestedFile> tested;
  for (const std::string& name : files) {
    tested.push_back(test_file(name, arguments, console));
    if (format == "text") show(tested.back(), console);
    if (tested.back().interrupted) break;
  }
  TestSummary sum = summarize(tested);
  if (!arguments.junit.empty()) write_text_file(arguments.junit, junit_xml(tested));
  if (format == "json") {
    console.print(tested_json(tested, sum));
  } else if (format != "text") {
    console.print(tested_text(format, tested));
  } else {
    console.print(fmt::format("{} passed, {} failed{}{}\n", sum.passed, sum.failed,
                              sum.invalid > 0 ? fmt::format(", {} invalid", sum.invalid) : "",
                              sum.interrupted ? ", interrupted" : ""));
  }
  if (sum.interrupted) return ExitCode::interrupted;
  if (sum.invalid > 0) return ExitCode::invalid;
  if (sum.failed > 0) return ExitCode::untrue;
  if (sum.passed > 0) return ExitCode::done;
  console.complain("reeve: no file has an expectation: nothing was tested\n");
  return ExitCode::untrue;
}

}  // namespace

void add_test(Program& program, Session& session) {
  auto arguments = std::make_shared<TestArguments>();
  Command& command = add_command(program, "test", "Checks the `expect` lines of scenarios",
                                 "reeve test stalled-weekend.jsonc\n"
                                 "reeve test scenarios --junit out/junit.xml\n"
                                 "reeve test scenarios --format github");
  command.option("PLACE", &arguments->places,
                 "Files and directories. Default: the current directory");
  command.option("--junit", &arguments->junit, "Also writes the results as JUnit XML to this file");
  add_format_option(command, arguments->format);
  add_threads_option(command, arguments->threads);
  on_parse(command, session, [&session, arguments] {
    if (arguments->places.empty()) arguments->places.emplace_back(".");
    return test(*arguments, session.console);
  });
}

}  // namespace reeve::app
