#include "app/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "app/command_parser.hpp"
#include "app/exit_code.hpp"
#include "app/live/cloud_error.hpp"
#include "app/session.hpp"
#include "app/study/interruption.hpp"
#include "app/study/plugins.hpp"
#include "app/study/policy_watchdog.hpp"
#include "app/usage_error.hpp"
#include "reeve/version.hpp"
#include "report/temporary_name.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

/// For one decision of a rule.
constexpr std::chrono::seconds policy_patience{60};

constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 failed at run time, 2 a rule would act (--detailed-exitcode),\n"
    "            3 scenario or trace is invalid, 4 AWS credentials or a call of AWS, 5 a plan is\n"
    "            stale or a guard refuses, 64 wrong usage, 99 an `expect` is untrue, 130 "
    "interrupted.\n"
    "Start with: reeve demo";

void add_all(Program& program, Session& session) {
  for (const auto add :
       {add_demo,  add_init,     add_check,      add_run,     add_compare, add_report,
        add_sweep, add_tune,     add_test,       add_explain, add_schema,  add_policies,
        add_pack,  add_fit,      add_prices,     add_import,  add_export,  add_export_plan,
        add_live,  add_mock_aws, add_completion, add_man,     add_docs,    add_help}) {
    add(program, session);
  }
}

void add_global_flags(Program& program, Console& console) {
  program.option("-q,--quiet", &console.quiet, "Prints only errors on stderr");
  program.option("-v,--verbose", &console.verbose, "Prints more messages on stderr");
  program.option("--json", &console.json, "Prints everything as JSON on stdout");
  program.option("--plugin", &console.plugins, "Loads rules from a shared object; may be repeated",
                 {.type = "PATH"});
  program.option("--no-color", &console.no_color, "Disables colors, as NO_COLOR does");
}

std::vector<std::string> command_names(const Program& program) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  return names;
}

/// A first word that is no command is told apart before options are looked at.
void refuse_unknown_command(const Program& program, const std::vector<std::string>& words) {
  auto first = words.begin();
  while (first != words.end() && !first->empty() && first->front() == '-') {
    const bool takes_next = *first == "--plugin" && std::next(first) != words.end();
    first += takes_next ? 2 : 1;
  }
  if (first == words.end()) return;
  const std::vector<std::string> names = command_names(program);
  if (std::find(names.begin(), names.end(), *first) != names.end()) return;
  throw UsageError{"there is no command " + scenarios::in_quotes(*first),
                   scenarios::did_you_mean(*first, names)};
}

/// With --json the reader of stdout finds the error there.
void print_error(const Console& console, nlohmann::ordered_json error, int exit_code) {
  if (!console.json) return;
  error["exit"] = exit_code;
  console.print(error.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

int complain(const Console& console, std::string_view message, std::string_view hint,
             int exit_code) {
  std::string text = fmt::format("reeve: {}\n", message);
  if (!hint.empty()) text += fmt::format("  = help: {}\n", hint);
  console.complain(text);
  nlohmann::ordered_json error{{"error", message}};
  if (!hint.empty()) error["help"] = hint;
  print_error(console, std::move(error), exit_code);
  return exit_code;
}

int complain(const Console& console, const scenarios::InputError& error) {
  console.complain(
      scenarios::render(error.diagnostics(), {.colour = console.colour_err(), .columns = 100}));
  console.complain(scenarios::render_summary(error.diagnostics(), ExitCode::invalid));
  nlohmann::ordered_json out;
  auto& list = out["diagnostics"] = nlohmann::ordered_json::array();
  for (const auto& found : error.diagnostics()) list.push_back(scenarios::diagnostic_json(found));
  print_error(console, std::move(out), ExitCode::invalid);
  return ExitCode::invalid;
}

int fail(const Console& console, std::string_view message) {
  console.complain(fmt::format("reeve: {}\n", message));
  try {
    print_error(console, {{"error", message}}, ExitCode::failed);
  } catch (const std::exception&) {  // stdout itself may be what failed
  }
  return ExitCode::failed;
}

/// The other threads may be anywhere: nothing is put in order but files that are half written.
void end_hung_run(const Console& console, const std::string& seat) {
  const std::string who =
      seat.starts_with(plugin_call)
          ? fmt::format("{} did not return", seat)
          : fmt::format("rule {} did not return from one decision", scenarios::in_quotes(seat));
  const int code =
      fail(console, fmt::format("{} within {} s: the run ends", who, policy_patience.count()));
  report::remove_temporaries();
  std::fflush(stdout);
  _exit(code);
}

/// Runs the chosen command.
int execute(const Session& session) {
  const Console& console = session.console;
  const PolicyWatchdog watchdog{policy_patience,
                                [&](const std::string& seat) { end_hung_run(console, seat); }};
  try {
    load_plugins(console.plugins);
    return session.command();
  } catch (const scenarios::InputError& error) {
    return complain(console, error);
  } catch (const UsageError& error) {
    return complain(console, error.what(), error.hint, ExitCode::usage);
  } catch (const CloudError& error) {
    if (!interruption()) return complain(console, error.what(), error.hint, ExitCode::cloud);
    // Ctrl-C ends the call that is under way, which then looks like a fault of AWS.
    return complain(console, "interrupted during a call of AWS", {}, ExitCode::interrupted);
  } catch (const std::bad_alloc&) {
    return fail(console, "out of memory");
  } catch (const std::exception& error) {
    return fail(console, error.what());
  }
}

int parse_and_execute(const Program& program, Session& session,
                      const std::vector<std::string>& words) {
  refuse_unknown_command(program, words);
  const Request request = parse(program, words);
  if (request.kind == Request::Kind::command) return execute(session);
  session.console.json = request.json;
  if (request.kind == Request::Kind::help) {
    session.console.print_as("help", request.help);
  } else if (request.json) {
    session.console.print_as("version", kVersion);
  } else {
    session.console.print(program.version + '\n');
  }
  return ExitCode::done;
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  catch_signals();
  Session session;
  try {
    Program program{
        {"reeve", "Backtests the rules that govern a fleet of training jobs.", exit_codes},
        "reeve " + std::string{kVersion}};
    add_global_flags(program, session.console);
    add_all(program, session);
    if (argc < 2) {
      session.console.complain(program_text(program).help);
      return ExitCode::usage;
    }
    return parse_and_execute(program, session, {argv + 1, argv + argc});
  } catch (const UsageError& error) {
    const auto asks = [](const char* word) { return std::string_view{word} == "--json"; };
    session.console.json = session.console.json || std::any_of(argv, argv + argc, asks);
    return complain(session.console, error.what(), error.hint, ExitCode::usage);
  } catch (const std::exception& error) {
    return fail(session.console, error.what());
  }
}

}  // namespace reeve::app
