// The reason why something of the AWS client is not available, as data.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace reeve::live {

/// A sentence for the user.  It contains no secret.
struct Failure {
  std::string message;
};

/// A value, or why there is none.
template <class Value>
using Result = std::variant<Value, Failure>;

template <class Value>
const Failure* failure_of(const Result<Value>& result) {
  return std::get_if<Failure>(&result);
}

}  // namespace reeve::live
