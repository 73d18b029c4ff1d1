// How a subcommand is declared: its name, help, examples and what parsing it leads to.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "app/session.hpp"

namespace reeve::app {

/// Adds a subcommand; `examples` are shown below its help, one command per line.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary,
                      const std::string& examples);

/// Parsing `command` chooses `action`.
void on_parse(CLI::App& command, Session& session, std::function<int()> action);

}  // namespace reeve::app
