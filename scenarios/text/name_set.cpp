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
  return hash;
}

constexpr std::size_t first_slots = 1024;

/// A slot has the offset of the name, counted from 1, and above it as much of the hash.
constexpr unsigned offset_bits = 40;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;

}  // namespace

NameSet::NameSet() : slots_(first_slots) {}

NameSet::Name NameSet::at(std::uint64_t offset) const {
  const char* from = arena_.data() + offset;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*from++);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
  };
  const std::uint64_t line = number();
  const std::uint64_t size = number();
  return {line, {from, size}};
}

void NameSet::append(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) arena_ += static_cast<char>(number | 0x80);
  arena_ += static_cast<char>(number);
}

std::optional<std::uint64_t> NameSet::insert(std::string_view name, std::uint64_t line) {
  if (2 * (count_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(name);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    if (slots_[slot] >> offset_bits != hash >> offset_bits) continue;
    const Name known = at((slots_[slot] & offset_mask) - 1);
    if (known.text == name) return known.line;
  }
  slots_[slot] = (hash & ~offset_mask) | (arena_.size() + 1);
  append(line);
  append(name.size());
  arena_ += name;
  ++count_;
  return std::nullopt;
}

void NameSet::grow() {
  std::vector<std::uint64_t> old(slots_.size() * 2);
  std::swap(old, slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t each : old) {
    if (each == 0) continue;
    std::size_t slot = hash_of(at((each & offset_mask) - 1).text) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = each;
  }
}

}  // namespace reeve::scenarios
