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
#include "app/exit_code.hpp"
#include "app/plugins.hpp"
#include "app/policy_watchdog.hpp"
#include "app/usage_error.hpp"
#include "reeve/version.hpp"
#include "report/temporary_name.hpp"
#include "scenarios/diagnostic.hpp"

namespace reeve::app {
namespace {

/// For one decision of a rule.
constexpr std::chrono::seconds policy_patience{60};

constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 failed at run time, 3 scenario or trace is invalid, 64 wrong usage,\n"
    "            99 an `expect` is untrue, 130 interrupted.\n"
    "Start with: reeve demo";

void add_all(CLI::App& program, Session& session) {
  for (const auto add :
       {add_demo, add_init, add_check, add_run, add_compare, add_test, add_explain, add_schema,
        add_policies, add_pack, add_prices, add_import, add_export, add_completion, add_help}) {
    add(program, session);
  }
}

void add_global_flags(CLI::App& program, Session& session) {
  Console& console = session.console;
  std::vector<std::string>& plugins = session.console.plugins;
  program.set_version_flag("--version", "reeve " + std::string{kVersion});
  program.add_flag("-q,--quiet", console.quiet, "No messages on stderr but errors");
  program.add_flag("-v,--verbose", console.verbose, "More messages on stderr");
  program.add_flag("--json", console.json, "Print everything as JSON on stdout");
  program.add_option("--plugin", plugins, "A shared object with more rules; may be repeated")
      ->type_name("PATH");
  program.add_flag("--no-color", console.no_color, "No colours (NO_COLOR is honoured too)");
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// A first word that is no command is told apart before options are looked at.
void refuse_unknown_command(const CLI::App& program, const std::vector<std::string>& words) {
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

/// The nearest option of the command to the first word nobody took.
std::string option_hint(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::vector<std::string> extras = program.remaining(true);
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  if (option == extras.end()) return {};
  std::vector<std::string> names;
  for (const CLI::App* of : {&command, &program}) {
    for (const CLI::Option* known : of->get_options()) {
      for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    }
  }
  return scenarios::did_you_mean(option->substr(0, option->find('=')), names);
}

/// Where the options of the chosen command are told.
std::string help_command(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  return chosen.empty() ? "reeve help" : "reeve help " + chosen.front()->get_name();
}

/// Under --json whoever reads stdout learns there what went wrong.
void print_error(const Console& console, nlohmann::ordered_json error, int exit_code) {
  if (!console.json) return;
  error["exit"] = exit_code;
  console.print(error.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

int complain(const Console& console, std::string_view message, std::string_view hint) {
  std::string text = fmt::format("reeve: {}\n", message);
  if (!hint.empty()) text += fmt::format("  = help: {}\n", hint);
  console.complain(text);
  nlohmann::ordered_json error{{"error", message}};
  if (!hint.empty()) error["help"] = hint;
  print_error(console, std::move(error), ExitCode::usage);
  return ExitCode::usage;
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
void give_up(const Console& console, const std::string& seat) {
  const int code = fail(
      console, fmt::format("rule {} has not come back from one decision for {} s: the run ends",
                           scenarios::in_quotes(seat), policy_patience.count()));
  report::remove_temporaries();
  std::fflush(stdout);
  _exit(code);
}

/// Runs the chosen command.
int execute(const Session& session) {
  const Console& console = session.console;
  const PolicyWatchdog watchdog{policy_patience,
                                [&](const std::string& seat) { give_up(console, seat); }};
  try {
    load_plugins(console.plugins);
    return session.command();
  } catch (const scenarios::InputError& error) {
    return complain(console, error);
  } catch (const UsageError& error) {
    return complain(console, error.what(), error.hint);
  } catch (const std::bad_alloc&) {
    return fail(console, "out of memory");
  } catch (const std::exception& error) {
    return fail(console, error.what());
  }
}

/// Help and version end parsing before flags have reached the console.
bool asks_for_json(const CLI::App& program) {
  return program.get_option("--json")->count() > 0;
}

int parse_and_execute(CLI::App& program, Session& session, std::vector<std::string> words) {
  refuse_unknown_command(program, words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    program.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = program.get_subcommands();
    session.console.json = asks_for_json(program);
    session.console.print_as("help",
                             chosen.empty() ? program.help() : chosen.front()->help("reeve"));
    return ExitCode::done;
  } catch (const CLI::CallForVersion&) {
    if (asks_for_json(program)) {
      session.console.json = true;
      session.console.print_as("version", kVersion);
    } else {
      session.console.print(fmt::format("reeve {}\n", kVersion));
    }
    return ExitCode::done;
  } catch (const CLI::ExtrasError& error) {
    const std::string hint = option_hint(program);
    throw UsageError{error.what(), hint.empty() ? help_command(program) : hint};
  } catch (const CLI::ParseError& error) {
    throw UsageError{error.what(), help_command(program)};
  }
  return execute(session);
}

}  // namespace

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                      const std::string& examples) {
  CLI::App* command = program.add_subcommand(name, summary);
  command->fallthrough();
  std::string footer = "Examples:\n";
  for (std::size_t at = 0; at < examples.size();) {
    const std::size_t end = std::min(examples.find('\n', at), examples.size());
    footer += "  " + examples.substr(at, end - at) + '\n';
    at = end + 1;
  }
  command->footer(footer + "Every command takes -q, -v, --json, --no-color as well.");
  return command;
}

void on_parse(CLI::App& command, Session& session, std::function<int()> action) {
  command.final_callback([&session, action = std::move(action)] { session.command = action; });
}

int run_command_line(int argc, const char* const* argv) {
  Session session;
  try {
    CLI::App program{"Backtests the rules that govern a fleet of training jobs.", "reeve"};
    program.require_subcommand(1);
    program.footer(exit_codes);
    add_global_flags(program, session);
    add_all(program, session);
    if (argc < 2) {
      session.console.complain(program.help());
      return ExitCode::usage;
    }
    return parse_and_execute(program, session, {argv + 1, argv + argc});
  } catch (const UsageError& error) {
    const auto asks = [](const char* word) { return std::string_view{word} == "--json"; };
    session.console.json = session.console.json || std::any_of(argv, argv + argc, asks);
    return complain(session.console, error.what(), error.hint);
  } catch (const std::exception& error) {
    return fail(session.console, error.what());
  }
}

}  // namespace reeve::app
