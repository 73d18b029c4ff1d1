// Finds numbers by a text without a copy of it: a table of hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

/// 12 to 24 bytes for each text.
class TextTable {
 public:
  /// Makes room for as many texts in all.
  void reserve(std::size_t size);
  /// `number`: below 2^32 - 1.
  void add(std::string_view text, std::size_t number);
  /// Loads the place of a text that is soon added or looked for.
  void prepare(std::string_view text) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first(hash_of(text))]);
  }

  /// Of the numbers that were added with the text the first; `has` tells whether a number has it.
  template <class Has>
  std::optional<std::size_t> find(std::string_view text, const Has& has) const {
    if (slots_.empty()) return {};
    const std::uint32_t hash = hash_of(text);
    for (std::size_t at = first(hash); slots_[at].number != none; at = next(at)) {
      if (slots_[at].hash == hash && has(std::size_t{slots_[at].number})) return slots_[at].number;
    }
    return {};
  }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = none;
  };
  static std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(text));
  }
  std::size_t first(std::uint32_t hash) const { return hash & (slots_.size() - 1); }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  void put(Slot slot);
  void grow(std::size_t size);

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t used_ = 0;
};

/// Different texts, numbered from 0 in the order in which they came.
class NumberedTexts {
 public:
  std::optional<std::uint32_t> find(std::string_view text) const;
  std::uint32_t of(std::string_view text);  ///< a new number if it has none
  /// Until the next new text.
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_;
  TextTable numbers_;
};

}  // namespace reeve::scenarios
