// Values that wait for their event, in reusable slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace reeve::models {

/// Holds as many slots as values ever waited at once.  A slot is valid from its `put` to its
/// `take`.
template <class Value>
class Slab {
 public:
  std::uint32_t put(Value value) {
    if (free_.empty()) {
      values_.push_back(std::move(value));
      return static_cast<std::uint32_t>(values_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    values_[slot] = std::move(value);
    return slot;
  }

  Value take(std::uint32_t slot) {
    free_.push_back(slot);
    return std::move(values_[slot]);
  }

  /// The number of slots, used and free.
  std::size_t slots() const { return values_.size(); }

 private:
  std::vector<Value> values_;
  std::vector<std::uint32_t> free_;
};

}  // namespace reeve::models
