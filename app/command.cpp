#include "app/command.hpp"

#include <algorithm>
#include <utility>

#include "app/session.hpp"

namespace reeve::app {

void Command::option(std::string names, Target target, std::string help, Form form) {
  options.push_back({std::move(names), target, std::move(help), std::move(form)});
}

Command& add_command(Program& program, const std::string& name, const std::string& summary,
                     const std::string& examples) {
  std::string footer = "Examples:\n";
  for (std::size_t at = 0; at < examples.size();) {
    const std::size_t end = std::min(examples.find('\n', at), examples.size());
    footer += "  " + examples.substr(at, end - at) + '\n';
    at = end + 1;
  }
  footer += "Every command takes -q, -v, --json, --no-color as well.";
  return program.commands.emplace_back(Command{name, summary, footer});
}

void on_parse(Command& command, Session& session, std::function<int()> action) {
  command.on_parse = [&session, action = std::move(action)] { session.command = action; };
}

}  // namespace reeve::app
