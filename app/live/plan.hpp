// The command `reeve live plan`: rules decide about the jobs that run now and change nothing.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

struct PlanArguments {
  RuleRunArguments rules;
  std::optional<std::string> out;  ///< a file for the plan as JSON
  bool detailed_exitcode = false;  ///< 2 if there are actions
};

/// Returns the exit code.  Throws CloudError if the jobs cannot be read.
int plan(const PlanArguments& arguments, const Console& console);

}  // namespace reeve::app
