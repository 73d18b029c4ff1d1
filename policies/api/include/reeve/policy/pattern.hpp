// A regular expression as a rule sees it: compiled by whoever reads the rule's options.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::policy {

/// Matches a whole text, in time proportional to its length.  Copies share what was compiled.
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
