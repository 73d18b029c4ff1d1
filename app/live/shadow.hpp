// The command `reeve live shadow`: rules decide about the events of an account and change nothing.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/live/rule_run.hpp"

namespace reeve::app {

struct ShadowArguments {
  RuleRunArguments rules;
  std::optional<std::string> from;           ///< events, one per line; `-`: stdin; none: the queue
  std::optional<std::string> run_length;     ///< of the queue; none: until the user interrupts
  std::optional<std::string> out;            ///< a directory for the record of the run
  std::optional<std::uint32_t> status_port;  ///< of a page on loopback; 0: a free one
};

/// Returns the exit code.
int shadow(const ShadowArguments& arguments, const Console& console);

}  // namespace reeve::app
