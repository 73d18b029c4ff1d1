// Which tags of a configuration protect what has them.
#pragma once

#include <reeve/policy/directory.hpp>
#include <span>
#include <string>

namespace reeve::live {

/// The first of `kept`, "key" or "key=value", that is among the tags; empty: none is.
inline std::string protected_tag(std::span<const policy::Tag> tags,
                                 std::span<const std::string> kept) {
  for (const auto& [key, value] : tags) {
    for (const std::string& each : kept) {
      if (each == key || each == key + '=' + value) return each;
    }
  }
  return {};
}

}  // namespace reeve::live
