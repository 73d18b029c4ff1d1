#include "scenarios/history/data/text_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace reeve::scenarios {

void TextTable::put(Slot slot) {
  std::size_t at = first(slot.hash);
  while (slots_[at].number != none) at = next(at);
  slots_[at] = slot;
}

/// `size`: of the slots, a power of two.
void TextTable::grow(std::size_t size) {
  const auto old = std::exchange(slots_, std::vector<Slot>(size));
  // Texts that were added twice stay in order: a run of full slots begins behind an empty one.
  std::size_t begin = 0;
  while (begin < old.size() && old[begin].number != none) ++begin;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const Slot& slot = old[(begin + i) & (old.size() - 1)];
    if (slot.number != none) put(slot);
  }
}

void TextTable::reserve(std::size_t size) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, size + size / 2 + 2));
  if (slots > slots_.size()) grow(slots);
}

void TextTable::add(std::string_view text, std::size_t number) {
  if (3 * (used_ + 1) > 2 * slots_.size()) grow(std::max<std::size_t>(16, 2 * slots_.size()));
  put({hash_of(text), static_cast<std::uint32_t>(number)});
  ++used_;
}

std::optional<std::uint32_t> NumberedTexts::find(std::string_view text) const {
  const auto known = numbers_.find(text, [&](std::size_t each) { return texts_[each] == text; });
  return known ? std::optional{static_cast<std::uint32_t>(*known)} : std::nullopt;
}

std::uint32_t NumberedTexts::of(std::string_view text) {
  if (const auto known = find(text)) return *known;
  numbers_.add(text, texts_.size());
  texts_.emplace_back(text);
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

}  // namespace reeve::scenarios
