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
  /// A name in the arena: its line and its size, then its bytes.
  struct Name {
    std::uint64_t line;
    std::string_view text;
  };
  Name at(std::uint64_t offset) const;
  void append(std::uint64_t number);
  void grow();

  std::string arena_;
  std::vector<std::uint64_t> slots_;  ///< a power of two, at most half full; 0: empty
  std::size_t count_ = 0;
};

}  // namespace reeve::scenarios
