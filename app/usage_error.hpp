// A command line that makes no sense: what is wrong with it and what to type instead.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace reeve::app {

/// Caught once, in command_line.cpp; exit code 64.
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& message, std::string what_instead = {})
      : std::runtime_error{message}, hint{std::move(what_instead)} {}
  std::string hint;  ///< empty: none
};

}  // namespace reeve::app
