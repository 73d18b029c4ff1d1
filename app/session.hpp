// What the command line sets up and a command then uses.
#pragma once

#include <functional>

#include "app/console.hpp"

namespace reeve::app {

struct Program;

/// One run of the program.
struct Session {
  Console console;
  std::function<int()> command;  ///< the one chosen, with its arguments; returns the exit code
};

// Each adds one subcommand to `program`; parsing it sets `session.command`.
void add_demo(Program& program, Session& session);
void add_init(Program& program, Session& session);
void add_check(Program& program, Session& session);
void add_run(Program& program, Session& session);
void add_compare(Program& program, Session& session);
void add_report(Program& program, Session& session);
void add_sweep(Program& program, Session& session);
void add_fit(Program& program, Session& session);
void add_tune(Program& program, Session& session);
void add_test(Program& program, Session& session);
void add_explain(Program& program, Session& session);
void add_schema(Program& program, Session& session);
void add_policies(Program& program, Session& session);
void add_pack(Program& program, Session& session);
void add_prices(Program& program, Session& session);
void add_import(Program& program, Session& session);
void add_export(Program& program, Session& session);
void add_export_plan(Program& program, Session& session);
void add_live(Program& program, Session& session);
void add_mock_aws(Program& program, Session& session);
void add_completion(Program& program, Session& session);
void add_man(Program& program, Session& session);
void add_docs(Program& program, Session& session);
void add_help(Program& program, Session& session);

}  // namespace reeve::app
