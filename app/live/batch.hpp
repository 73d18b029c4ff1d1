// The command `reeve live batch`: the job queues of an account beside those of a scenario.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"

namespace reeve::app {

struct BatchQueuesArguments {
  std::string file;                   ///< a scenario with queues
  std::vector<std::string> policies;  ///< empty: the only one
  bool apply = false;                 ///< changes the account
  bool detailed_exitcode = false;
  std::optional<std::string> journal;    ///< of actions; none: that of the account
  std::optional<std::string> kill_file;  ///< none: that of the configuration
};

/// Prints what differs, which jobs a lowered quota preempts, and what the shares use; with `apply`
/// it sends what changes the account to the scenario.  Returns the exit code.
int live_batch(const BatchQueuesArguments& arguments, const Console& console);

}  // namespace reeve::app
