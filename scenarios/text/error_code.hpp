// What one error or warning code means; its table stands by the code that reports it.
#pragma once

#include <string_view>

namespace reeve::scenarios {

/// `wrong` and `right` are pieces of a scenario or of another file.
struct ErrorCode {
  std::string_view code;   ///< "E0203"
  std::string_view title;  ///< of a page, without a full stop
  std::string_view text;
  std::string_view wrong;
  std::string_view right;
};

}  // namespace reeve::scenarios
