// The command `reeve live enforce`: does exactly what a plan says.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"

namespace reeve::app {

struct EnforceArguments {
  std::string plan;                      ///< of `live plan --out`
  std::optional<std::string> journal;    ///< of actions; none: that of the account and region
  std::optional<std::string> kill_file;  ///< none: that of the plan
};

/// Refuses a plan that is more than an hour old or whose jobs have changed, before anything is
/// sent. Each action is in the journal before it is sent.  Returns the exit code.
int enforce(const EnforceArguments& arguments, const Console& console);

}  // namespace reeve::app
