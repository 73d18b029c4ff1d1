// What the command line sets up and a command then uses.
#pragma once

#include <functional>

#include "app/console.hpp"

namespace CLI {
class App;
}

namespace reeve::app {

/// One run of the program.
struct Session {
  Console console;
  std::function<int()> command;  ///< the one chosen, with its arguments; returns the exit code
};

// Each adds one subcommand to `program`; parsing it sets `session.command`.
void add_demo(CLI::App& program, Session& session);
void add_init(CLI::App& program, Session& session);
void add_check(CLI::App& program, Session& session);
void add_run(CLI::App& program, Session& session);
void add_compare(CLI::App& program, Session& session);
void add_test(CLI::App& program, Session& session);
void add_explain(CLI::App& program, Session& session);
void add_schema(CLI::App& program, Session& session);
void add_policies(CLI::App& program, Session& session);
void add_pack(CLI::App& program, Session& session);
void add_prices(CLI::App& program, Session& session);
void add_import(CLI::App& program, Session& session);
void add_export(CLI::App& program, Session& session);
void add_completion(CLI::App& program, Session& session);
void add_help(CLI::App& program, Session& session);

}  // namespace reeve::app
