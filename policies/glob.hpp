// Names with wildcards, as in `ml.p4*`.
#pragma once

#include <string_view>

namespace reeve::policies {

/// Whether the whole name matches the pattern: `*` matches any text, `?` any one character.
constexpr bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t star = std::string_view::npos;  // the last `*`; its match ends at `resume`
  std::size_t resume = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace reeve::policies
