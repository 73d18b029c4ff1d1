// A list of pieces of bytes in chunks: growth copies none, and a chunk without a piece is freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

class Pieces {
 public:
  std::size_t size() const { return places_.size(); }
  const char* at(std::size_t index) const {
    const Place place = places_[index];
    return chunks_[place.chunk].bytes.get() + place.offset;
  }
  /// A copy of the bytes, at most 4 GB.
  void add(std::string_view bytes);
  /// Puts other bytes in place of the piece, which has `room` bytes.
  void replace(std::size_t index, std::string_view bytes, std::size_t room);
  /// The piece at `index` is read no more, until its index is used by `move`.
  void drop(std::size_t index);
  /// The piece at `from` is at `to` then, of which the piece was dropped or moved.
  void move(std::size_t from, std::size_t to) { places_[to] = places_[from]; }
  /// Forgets the pieces from `size` on, which were dropped or moved.
  void cut(std::size_t size) { places_.resize(size); }
  /// The order of the pieces, by their indices now.
  void reorder(std::span<const std::uint32_t> order);
  std::size_t bytes() const;  ///< of memory

 private:
  static constexpr std::size_t usual_size = std::size_t{1} << 18;
  struct Place {
    std::uint32_t chunk = 0;
    std::uint32_t offset = 0;
  };
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0, used = 0;
    std::size_t live = 0;  ///< pieces
  };
  Place put(std::string_view bytes);
  void open_chunk(std::size_t least);
  void free_chunk(std::uint32_t number);

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_;  ///< chunks without memory
  std::uint32_t current_ = 0;
  std::deque<Place> places_;
};

}  // namespace reeve::scenarios
