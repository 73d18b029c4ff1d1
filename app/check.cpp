// reeve check: is a scenario file right, and where not.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/compare/tested_lines.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "app/study/plugins.hpp"
#include "app/text/output_format.hpp"
#include "app/text/shell_word.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  bool fail_on_warn = false;
  std::string format;  ///< empty: text, or JSON if --json asks for that
  std::vector<std::string> plugins;
};

/// Sets `is_live` if the file is a live configuration.
std::vector<scenarios::Diagnostic> findings_in(const std::string& file, bool& is_live) {
  try {
    scenarios::Loaded loaded = scenarios::load(file);
    is_live = loaded.scenario.live.has_value();
    return std::move(loaded.warnings);
  } catch (const scenarios::InputError& error) {
    return error.diagnostics();
  }
}

/// A plug-in that cannot be loaded is found as well: no rule of the files can be judged then.
std::vector<scenarios::Diagnostic> findings_of(const CheckArguments& arguments, bool& is_live) {
  try {
    load_plugins(arguments.plugins);
  } catch (const scenarios::InputError& error) {
    return error.diagnostics();
  }
  std::vector<scenarios::Diagnostic> all;
  for (const std::string& file : arguments.files) {
    for (scenarios::Diagnostic& found : findings_in(file, is_live)) all.push_back(std::move(found));
  }
  return all;
}

int check_files(const CheckArguments& arguments, const Console& console) {
  const std::string format = format_of(arguments.format, console);
  bool is_live = false;
  const std::vector<scenarios::Diagnostic> all = findings_of(arguments, is_live);
  const bool errors = std::any_of(all.begin(), all.end(), [](const auto& found) {
    return found.severity == scenarios::Severity::error;
  });
  const bool refused = errors || (arguments.fail_on_warn && !all.empty());
  const int exit_code = refused ? ExitCode::invalid : ExitCode::done;
  if (format != "text") {
    console.print(findings_text(format, arguments.files, all, arguments.fail_on_warn, exit_code));
    return exit_code;
  }
  console.print(scenarios::render(all, {.colour = console.colour_out(), .columns = 100}));
  console.print(scenarios::render_summary(all, exit_code));
  if (exit_code == ExitCode::done && arguments.files.size() == 1) {
    const std::string file = shell_word(arguments.files.front());
    console.note("next: " + console.next(is_live ? "live plan " + file : "compare " + file) + '\n');
  }
  return exit_code;
}

}  // namespace

void add_check(Program& program, Session& session) {
  auto arguments = std::make_shared<CheckArguments>();
  Command& command = add_command(program, "check", "Reports errors and warnings in scenarios",
                                 "reeve check stalled-weekend.jsonc\n"
                                 "reeve check --fail-on-warn scenarios/*.jsonc\n"
                                 "reeve check week.jsonc --format json\n"
                                 "reeve check week.jsonc --format sarif >reeve.sarif");
  command.option("FILE", &arguments->files, "The scenario files", {.required = true});
  command.option("--fail-on-warn", &arguments->fail_on_warn, "Exits with 3 on a warning, too");
  add_format_option(command, arguments->format);
  command.on_parse = [&session, arguments] {
    arguments->plugins = std::exchange(session.console.plugins, {});
    session.command = [&session, arguments] {
      session.console.plugins = arguments->plugins;  // for commands that it names
      return check_files(*arguments, session.console);
    };
  };
}

}  // namespace reeve::app
