// reeve help: the help of the program, or of one command.
#include <memory>

#include "app/command.hpp"
#include "app/command_parser.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

int help(const Program& program, const std::string& name, const Console& console) {
  if (name.empty()) {
    console.print_as("help", program_text(program).help);
    return ExitCode::done;
  }
  std::vector<std::string> names;
  for (const CommandText& command : command_texts(program)) {
    if (command.name == name) {
      console.print_as("help", command.help);
      return ExitCode::done;
    }
    names.push_back(command.name);
  }
  throw UsageError{"there is no command " + scenarios::in_quotes(name),
                   scenarios::did_you_mean(name, names)};
}

}  // namespace

void add_help(Program& program, Session& session) {
  auto name = std::make_shared<std::string>();
  Command& command = add_command(program, "help", "Prints this help, or the help of a command",
                                 "reeve help compare");
  command.option("COMMAND", name.get(), "One command");
  on_parse(command, session,
           [&program, &session, name] { return help(program, *name, session.console); });
}

}  // namespace reeve::app
