// The command `reeve live doctor`: whether `live plan` and `live shadow` can work, and what helps.
#pragma once

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

/// Tries each call and changes nothing; returns the exit code: 4 if something does not work.
int doctor(const RuleRunArguments& arguments, const Console& console);

}  // namespace reeve::app
