// The command `reeve live template`: what an account needs so that reeve receives its events.
#pragma once

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

/// Prints a template of CloudFormation; returns the exit code.
int queue_template(const RuleRunArguments& arguments, const Console& console);

}  // namespace reeve::app
