// A pattern for tags, of a guard or a scope.
#pragma once

#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>

namespace reeve::host {

/// `key` (any value) or `key=value`.
class TagPattern {
 public:
  explicit TagPattern(std::string_view text);
  bool matches(const policy::Directory& directory, policy::TagSetId tags) const;

 private:
  std::string key_;
  std::optional<std::string> value_;
};

}  // namespace reeve::host
