// How much readers of traces take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reeve::scenarios {

/// How much a reader takes before it refuses.
struct TraceLimits {
  std::uint64_t decompressed_bytes = std::uint64_t{8} << 30;
  std::size_t record_bytes = std::size_t{1} << 20;
};

}  // namespace reeve::scenarios
