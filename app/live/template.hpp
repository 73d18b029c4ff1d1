// The command `reeve live template`: what an account, or a machine, needs to run reeve.
#pragma once

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

/// Prints a template of CloudFormation; returns the exit code.
int queue_template(const RuleRunArguments& arguments, const Console& console);

/// Prints a template of CloudFormation for a function of AWS Lambda that runs the rules, with its
/// queue, schedule and table; returns the exit code.
int lambda_template(const RuleRunArguments& arguments, const Console& console);

/// Prints a unit of systemd that runs `reeve live run`; returns the exit code.
int service_unit(const RuleRunArguments& arguments, const Console& console);

}  // namespace reeve::app
