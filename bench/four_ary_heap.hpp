// A plain 4-ary heap of the same events: the yardstick of the ladder queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/event_queue.hpp"

namespace reeve::bench {

/// The interface of sim::EventQueue over an implicit heap of arity four.
class FourAryHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const sim::Event& top() const { return heap_.front(); }

  void push(std::int64_t at_ns, sim::Phase phase, std::uint32_t kind, std::uint32_t subject,
            std::uint64_t stamp) {
    const sim::Event moving{at_ns, sim::rank_of(phase, pushed_++), kind, subject, stamp};
    std::size_t hole = heap_.size();
    heap_.push_back(moving);
    while (hole > 0 && before(moving, heap_[(hole - 1) / 4])) {
      heap_[hole] = heap_[(hole - 1) / 4];
      hole = (hole - 1) / 4;
    }
    heap_[hole] = moving;
  }

  sim::Event pop() {
    const sim::Event result = heap_.front();
    const sim::Event moving = heap_.back();
    heap_.pop_back();
    const std::size_t count = heap_.size();
    if (count == 0) return result;
    std::size_t hole = 0;
    for (std::size_t child = 1; child < count; child = 4 * hole + 1) {
      std::size_t least = child;
      const std::size_t end = std::min(child + 4, count);
      for (std::size_t other = child + 1; other < end; ++other) {
        if (before(heap_[other], heap_[least])) least = other;
      }
      if (!before(heap_[least], moving)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = moving;
    return result;
  }

 private:
  std::vector<sim::Event> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace reeve::bench
