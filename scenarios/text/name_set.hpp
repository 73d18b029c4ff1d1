// The names seen so far in a file and where each stood first, for finding repetitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

/// A set of strings that only grows: one arena of bytes and an open-addressed table, because a
/// trace holds millions of short names.
class NameSet {
 public:
  NameSet();
  /// Adds `name`; if it was there, the line it was first added with.
  std::optional<std::uint64_t> insert(std::string_view name, std::uint64_t line);
  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;  ///< 0: empty
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::size_t bytes = 0;
  };
  void grow();

  std::string arena_;
  std::vector<Slot> slots_;  ///< a power of two, at most half full
  std::size_t count_ = 0;
};

}  // namespace reeve::scenarios
