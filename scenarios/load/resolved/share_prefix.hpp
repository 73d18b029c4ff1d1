// Names of shares that end in `*`: each share that begins so (AWS Batch: a prefix among the share
// identifiers of fair share).
#pragma once

#include <string_view>

namespace reeve::scenarios {

constexpr bool is_prefix(std::string_view share) {
  return share.ends_with('*');
}

/// What it begins with; all of a name that is no prefix.
constexpr std::string_view stem_of(std::string_view share) {
  return share.substr(0, share.size() - (is_prefix(share) ? 1 : 0));
}

/// Whether a share of that name is of the prefix, which begins with something.
constexpr bool is_of(std::string_view name, std::string_view prefix) {
  const std::string_view stem = stem_of(prefix);
  return is_prefix(prefix) && !stem.empty() && !is_prefix(name) && name.starts_with(stem);
}

/// Whether some share could be of both.
constexpr bool overlap(std::string_view a, std::string_view b) {
  if (is_prefix(a) && is_prefix(b)) {
    return stem_of(a).starts_with(stem_of(b)) || stem_of(b).starts_with(stem_of(a));
  }
  return a == b || is_of(a, b) || is_of(b, a);
}

}  // namespace reeve::scenarios
