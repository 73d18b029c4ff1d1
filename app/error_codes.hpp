// What every error and warning code means: the one table behind `reeve explain E0203`.
#pragma once

#include <span>
#include <string_view>

namespace reeve::app {

/// One code.  `wrong` and `right` are pieces of a scenario or trace.
struct ErrorCode {
  std::string_view code;  ///< "E0203"
  std::string_view title;
  std::string_view text;
  std::string_view wrong;
  std::string_view right;
};

/// Ordered by code, errors first.
std::span<const ErrorCode> error_codes();

/// Null if there is no such code.
const ErrorCode* find_error_code(std::string_view code);

}  // namespace reeve::app
