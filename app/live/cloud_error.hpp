// A call of AWS that failed: what was called, what AWS answered and what helps.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace reeve::app {

/// Caught once, in command_line.cpp; exit code 4.
struct CloudError : std::runtime_error {
  explicit CloudError(const std::string& message, std::string what_helps = {})
      : std::runtime_error{message}, hint{std::move(what_helps)} {}
  std::string hint;  ///< empty: none
};

}  // namespace reeve::app
