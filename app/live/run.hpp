// The commands `reeve live run` and `reeve live tick`: rules decide about an account, and act.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/live/actor.hpp"
#include "app/live/kept_run.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

struct ActArguments {
  RuleRunArguments rules;  ///< `journal` is not used
  ActorArguments actor;
  KeepArguments keep;
  std::optional<std::string> run_length;  ///< none: until the user interrupts
};

/// Beside the queue of the account, until it is interrupted.  Returns the exit code.
int live_run(const ActArguments& arguments, const Console& console);

/// One pass over the running jobs, without a queue.  Returns the exit code.
int live_tick(const ActArguments& arguments, const Console& console);

}  // namespace reeve::app
