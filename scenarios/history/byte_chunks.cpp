#include "scenarios/history/byte_chunks.hpp"

#include <algorithm>
#include <cstring>

namespace reeve::scenarios {

void ByteChunks::free_chunk(std::uint32_t number) {
  chunks_[number] = {};
  free_.push_back(number);
}

void ByteChunks::open_chunk(std::size_t least) {
  if (!chunks_.empty() && chunks_[current_].live == 0) free_chunk(current_);
  if (free_.empty()) {
    current_ = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    current_ = free_.back();
    free_.pop_back();
  }
  Chunk& chunk = chunks_[current_];
  chunk.size = std::max(usual_size, least);
  chunk.bytes.reset(new char[chunk.size]);
}

ByteChunks::Place ByteChunks::add(std::string_view bytes) {
  if (chunks_.empty() || chunks_[current_].size - chunks_[current_].used < bytes.size()) {
    open_chunk(bytes.size());
  }
  Chunk& chunk = chunks_[current_];
  const Place place{current_, static_cast<std::uint32_t>(chunk.used)};
  std::memcpy(chunk.bytes.get() + chunk.used, bytes.data(), bytes.size());
  chunk.used += bytes.size();
  ++chunk.live;
  return place;
}

void ByteChunks::drop(Place place) {
  Chunk& chunk = chunks_[place.chunk];
  if (--chunk.live == 0 && place.chunk != current_) free_chunk(place.chunk);
}

std::size_t ByteChunks::bytes() const {
  std::size_t sum = chunks_.capacity() * sizeof(Chunk);
  for (const Chunk& chunk : chunks_) sum += chunk.size;
  return sum;
}

}  // namespace reeve::scenarios
