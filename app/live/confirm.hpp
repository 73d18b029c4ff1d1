// The command `reeve live confirm`: what waits for a person, and the person's answers.
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"

namespace reeve::app {

struct ConfirmArguments {
  std::string file;              ///< a journal of actions, or a live configuration
  std::vector<std::string> ids;  ///< of actions, to confirm
  std::vector<std::string> refused;
  bool all = false;  ///< confirm what waits
};

/// Without ids it lists what waits.  An answer needs no lock: a run takes it from beside its
/// journal.  Returns the exit code.
int confirm(const ConfirmArguments& arguments, const Console& console);

}  // namespace reeve::app
