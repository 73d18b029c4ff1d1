// A chain of SHA-256 hashes over rows of cells: it reveals a changed, moved or missing row.
#pragma once

#include <istream>
#include <span>
#include <string>
#include <string_view>

namespace reeve::report {

/// 64 hex digits.  Throws std::runtime_error if the library has no SHA-256.
std::string sha256(std::string_view bytes);
/// Of all that is left to read.  Throws std::runtime_error if it cannot be read.
std::string sha256(std::istream& bytes);

/// Each row's hash covers its cells, written LENGTH:CELL with the length in bytes, so that
/// different rows have different encodings.  The caller includes `head()` of the previous row in
/// the cells.
class HashChain {
 public:
  /// The hash of the previous row; 64 zeros before the first one.
  const std::string& head() const { return head_; }
  void append(std::span<const std::string> cells);

 private:
  std::string head_ = std::string(64, '0');
};

}  // namespace reeve::report
