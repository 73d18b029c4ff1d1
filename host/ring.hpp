// A queue in one array that grows and never shrinks, so it allocates only while it grows.
#pragma once

#include <cstddef>
#include <vector>

namespace reeve::host {

/// First in, first out, with access by distance from the front.
template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return cells_[(first_ + i) & (cells_.size() - 1)]; }
  const T& operator[](std::size_t i) const { return cells_[(first_ + i) & (cells_.size() - 1)]; }
  T& front() { return cells_[first_]; }
  const T& front() const { return cells_[first_]; }
  void push_back(const T& value) {
    const T copy = value;
    if (size_ == cells_.size()) grow();
    ++size_;
    (*this)[size_ - 1] = copy;
  }
  void pop_front() {
    first_ = (first_ + 1) & (cells_.size() - 1);
    --size_;
  }
  void clear() { size_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(cells_.empty() ? 64 : 2 * cells_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    cells_.swap(larger);
    first_ = 0;
  }

  std::vector<T> cells_;  ///< length: a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace reeve::host
