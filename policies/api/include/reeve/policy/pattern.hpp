// A compiled regular expression.  The decoder of the rule's options compiles it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::policy {

/// Matches a whole text in time proportional to its length.  Copies share the compiled expression.
class Pattern {
 public:
  using Matcher = std::function<bool(std::string_view)>;
  explicit Pattern(Matcher matcher) : matcher_{std::move(matcher)} {}
  bool matches(std::string_view whole) const { return matcher_(whole); }

 private:
  Matcher matcher_;
};

/// A pattern for the values of one key.
using KeyPattern = std::pair<std::string, Pattern>;

}  // namespace reeve::policy
