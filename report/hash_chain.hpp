// A chain of SHA-256 hashes over rows of cells: a changed, moved or missing row shows.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reeve::report {

/// 64 hex digits.  Throws std::runtime_error if the library has no SHA-256.
std::string sha256(std::string_view bytes);

/// Each row's hash covers its cells, written LENGTH:CELL with the length in bytes so that no two
/// rows read alike.  The caller puts `head()` of the row before among the cells.
class HashChain {
 public:
  /// The hash of the row before; 64 zeros before the first.
  const std::string& head() const { return head_; }
  void append(std::span<const std::string> cells);

 private:
  std::string head_ = std::string(64, '0');
};

}  // namespace reeve::report
