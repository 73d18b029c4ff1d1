#include "scenarios/history/text_table.hpp"

#include <algorithm>
#include <utility>

namespace reeve::scenarios {

void TextTable::put(Slot slot) {
  std::size_t at = first(slot.hash);
  while (slots_[at].number != none) at = next(at);
  slots_[at] = slot;
}

void TextTable::add(std::string_view text, std::size_t number) {
  if (3 * (used_ + 1) > 2 * slots_.size()) {
    const auto old =
        std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(16, 2 * slots_.size())));
    // Texts that were added twice stay in order: a run of full slots begins behind an empty one.
    std::size_t begin = 0;
    while (begin < old.size() && old[begin].number != none) ++begin;
    for (std::size_t i = 0; i < old.size(); ++i) {
      const Slot& slot = old[(begin + i) & (old.size() - 1)];
      if (slot.number != none) put(slot);
    }
  }
  put({hash_of(text), static_cast<std::uint32_t>(number)});
  ++used_;
}

}  // namespace reeve::scenarios
