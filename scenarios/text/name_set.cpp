#include "scenarios/text/name_set.hpp"

#include <cstring>
#include <utility>

namespace reeve::scenarios {
namespace {

// Eight bytes a step, mixed as in splitmix64 so that every bit of a name reaches the low bits.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ name.size();
  while (!name.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = name.size() < sizeof word ? name.size() : sizeof word;
    std::memcpy(&word, name.data(), bytes);
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    hash ^= hash >> 31;
    name.remove_prefix(bytes);
  }
  return hash == 0 ? 1 : hash;
}

constexpr std::size_t first_slots = 1024;

}  // namespace

NameSet::NameSet() : slots_(first_slots) {}

std::optional<std::uint64_t> NameSet::insert(std::string_view name, std::uint64_t line) {
  if (2 * (count_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].hash != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && std::string_view{arena_}.substr(slot.offset, slot.bytes) == name) {
      return slot.line;
    }
  }
  slots_[at] = {hash, arena_.size(), line, name.size()};
  arena_ += name;
  ++count_;
  return std::nullopt;
}

void NameSet::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  std::swap(old, slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.hash == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].hash != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace reeve::scenarios
