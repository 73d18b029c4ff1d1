// The command `reeve live shadow`: rules decide about the events of an account and change nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"

namespace reeve::app {

struct ShadowArguments {
  std::string file;                    ///< the live configuration
  std::string from;                    ///< events, one per line; `-`: stdin
  std::vector<std::string> policies;   ///< one, or none: the only one
  std::optional<std::string> journal;  ///< a file for the text journal
};

/// Returns the exit code.
int shadow(const ShadowArguments& arguments, const Console& console);

}  // namespace reeve::app
