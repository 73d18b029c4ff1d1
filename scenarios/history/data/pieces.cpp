#include "scenarios/history/data/pieces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace reeve::scenarios {

void Pieces::free_chunk(std::uint32_t number) {
  chunks_[number] = {};
  free_.push_back(number);
}

void Pieces::open_chunk(std::size_t least) {
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

Pieces::Place Pieces::put(std::string_view bytes) {
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

void Pieces::add(std::string_view bytes) {
  places_.push_back(put(bytes));
}

void Pieces::replace(std::size_t index, std::string_view bytes, std::size_t room) {
  if (bytes.size() <= room) {
    const Place place = places_[index];
    std::memcpy(chunks_[place.chunk].bytes.get() + place.offset, bytes.data(), bytes.size());
    return;
  }
  drop(index);
  places_[index] = put(bytes);
}

void Pieces::drop(std::size_t index) {
  const std::uint32_t number = places_[index].chunk;
  if (--chunks_[number].live == 0 && number != current_) free_chunk(number);
}

void Pieces::reorder(std::span<const std::uint32_t> order) {
  std::deque<Place> sorted;
  for (const std::uint32_t index : order) sorted.push_back(places_[index]);
  places_ = std::move(sorted);
}

std::size_t Pieces::bytes() const {
  std::size_t sum = chunks_.capacity() * sizeof(Chunk) + places_.size() * sizeof(Place);
  for (const Chunk& chunk : chunks_) sum += chunk.size;
  return sum;
}

}  // namespace reeve::scenarios
