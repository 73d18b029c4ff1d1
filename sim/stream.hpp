// Merges events known in advance, sorted by time, with the queue: they are never pushed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/event_queue.hpp"

namespace reeve::sim {

enum class Source : std::uint8_t { stream, queue, none };

/// Times in order, all of one phase, read from the front; the times must outlive it.
class TimeStream {
 public:
  constexpr TimeStream(std::span<const std::int64_t> times_ns, Phase phase)
      : times_ns_(times_ns), phase_(phase) {}

  constexpr bool empty() const { return next_ == times_ns_.size(); }
  /// The index of the next time, which says which arrival (price change, ...) it is.
  constexpr std::size_t index() const { return next_; }
  constexpr std::int64_t at_ns() const { return times_ns_[next_]; }
  constexpr Phase phase() const { return phase_; }
  constexpr void advance() { ++next_; }

 private:
  std::span<const std::int64_t> times_ns_;
  std::size_t next_ = 0;
  Phase phase_;
};

/// Where the next event is: `stream` is any type with empty(), at_ns() and phase().
/// At equal time and phase the stream wins, as if all of it had been pushed before the first push.
/// For several streams ask for the stream first in the order that is to hold among them.
template <class Stream>
Source next_source(const Stream& stream, EventQueue& queue) {
  if (stream.empty()) return queue.empty() ? Source::none : Source::queue;
  if (queue.empty()) return Source::stream;
  const Event& top = queue.top();
  if (stream.at_ns() != top.at_ns) {
    return stream.at_ns() < top.at_ns ? Source::stream : Source::queue;
  }
  return stream.phase() <= phase_of(top) ? Source::stream : Source::queue;
}

}  // namespace reeve::sim
