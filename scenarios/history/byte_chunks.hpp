// Pieces of bytes in chunks: growth copies none, and a chunk without a live piece is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

class ByteChunks {
 public:
  struct Place {
    std::uint32_t chunk = 0;
    std::uint32_t offset = 0;
  };
  /// A copy of the bytes, at most 4 GB.
  Place add(std::string_view bytes);
  /// The piece is not needed any more.
  void drop(Place place);
  char* at(Place place) { return chunks_[place.chunk].bytes.get() + place.offset; }
  const char* at(Place place) const { return chunks_[place.chunk].bytes.get() + place.offset; }
  std::size_t bytes() const;  ///< of memory

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 18;
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0, used = 0;
    std::size_t live = 0;  ///< pieces
  };
  void open_chunk(std::size_t least);
  void free_chunk(std::uint32_t number);

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_;  ///< chunks without memory
  std::uint32_t current_ = 0;
};

}  // namespace reeve::scenarios
