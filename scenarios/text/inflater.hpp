// Bytes of a file or stream, gzip undone where the bytes say gzip, with its errors told apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>

namespace reeve::scenarios {

/// Reads a byte source front to back.  Whether it is gzip is seen from its first two bytes; several
/// gzip members in a row are one text, zero bytes behind the last are padding.  Throws InputError:
/// E0302 unreadable, E0303 damaged gzip, E0304 gzip ends too early, E0305 not gzip although named
/// .gz, E0306 more than `limit` bytes of text, or hundreds of times as much as its gzip.
class Inflater {
 public:
  Inflater(std::string name, std::unique_ptr<std::istream> input, std::uint64_t limit);
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;

  /// Up to `capacity` (> 0) bytes into `to`; 0 only at the end.
  std::size_t read(char* to, std::size_t capacity);

  /// Throws E0303 or E0304 if gzip data still unread, up to some size, is damaged.  Loses it.
  void check_rest();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// The whole text, at most `limit` bytes.  Throws as Inflater does.
std::string read_whole(std::string name, std::unique_ptr<std::istream> input, std::uint64_t limit);

}  // namespace reeve::scenarios
