// reeve help: the program's help, or that of one command.
#include <memory>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/usage_error.hpp"
#include "scenarios/diagnostic.hpp"

namespace reeve::app {
namespace {

int help(const CLI::App& program, const std::string& name, const Console& console) {
  if (name.empty()) {
    console.print_as("help", program.help("", CLI::AppFormatMode::Normal));
    return ExitCode::done;
  }
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) {
      console.print_as("help", command->help("reeve"));
      return ExitCode::done;
    }
    names.push_back(command->get_name());
  }
  throw UsageError{"there is no command " + scenarios::in_quotes(name),
                   scenarios::did_you_mean(name, names)};
}

}  // namespace

void add_help(CLI::App& program, Session& session) {
  auto name = std::make_shared<std::string>();
  CLI::App* command =
      add_command(program, "help", "This, or more about a command", "reeve help compare");
  command->add_option("COMMAND", *name, "One command");
  on_parse(*command, session,
           [&program, &session, name] { return help(program, *name, session.console); });
}

}  // namespace reeve::app
