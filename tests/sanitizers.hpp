// Whether a test is compiled with sanitizers, which look for wrong memory and not for rare cases.
#pragma once

#include <cstdint>

namespace reeve::tests {

#if defined(__has_feature)
inline constexpr bool with_sanitizers = __has_feature(address_sanitizer);
#else
inline constexpr bool with_sanitizers = false;
#endif

/// As many random cases, or a tenth of them with sanitizers.
constexpr std::uint64_t cases(std::uint64_t number) {
  return with_sanitizers ? number / 10 : number;
}

}  // namespace reeve::tests
