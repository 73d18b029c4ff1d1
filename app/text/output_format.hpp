// The formats in which `check`, `compare` and `test` print what they found.
#pragma once

#include <string>

#include "app/console.hpp"

namespace reeve::app {

struct Command;

/// Adds --format.
void add_format_option(Command& command, std::string& format);

/// "text", "json", "github", "sarif" or "junit".  `format` is as typed, empty: text, or JSON if
/// --json requests that.  Throws UsageError if the two contradict each other.
std::string format_of(const std::string& format, const Console& console);

}  // namespace reeve::app
