// The future event list: plain events in a total order, in a ladder queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace reeve::sim {

/// The order of events at one instant: the world changes, reeve observes it, reeve decides.
enum class Phase : std::uint8_t { world, telemetry, reply, decide, bookkeeping };

inline constexpr std::size_t phase_count = 5;

/// One future event, `at_ns` nanoseconds after the epoch of the run.
struct Event {
  std::int64_t at_ns;
  std::uint64_t rank;     ///< phase in the top byte, insertion number below
  std::uint32_t kind;     ///< selects the handler
  std::uint32_t subject;  ///< selects the entity
  std::uint64_t stamp;  ///< stale if it differs from the entity's current stamp: cancelling is free
};
static_assert(sizeof(Event) == 32, "two events per cache line");

/// The rank of the `number`th event pushed: orders events of one instant by phase, then insertion.
constexpr std::uint64_t rank_of(Phase phase, std::uint64_t number) {
  return std::uint64_t{static_cast<std::uint8_t>(phase)} << 56 | number;
}

constexpr Phase phase_of(const Event& event) {
  return static_cast<Phase>(event.rank >> 56);
}

/// The total order of events: by time, then phase, then insertion.
constexpr bool before(const Event& a, const Event& b) {
  return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.rank < b.rank;
}

/// Pending events, earliest first by `before`.  Any time may be pushed, past ones included.
///
/// A ladder queue (Tang, Goh, Thng 2005) over integer times.  From late to early, the events are in
/// `top_` (unsorted, later than `top_floor_`), in rungs of buckets (each rung refines one bucket of
/// the rung above it), and in `bottom_` (sorted, up to `bottom_last_`).  An event moves a few times
/// on its way down and is sorted only within its small bucket.  Many events of one instant are not
/// sorted at all: every container keeps those of one phase in insertion order.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// The earliest event, valid until the next call of a non-const member.  Not const itself:
  /// sorting is deferred until the first call.
  const Event& top() {
    if (bottom_end_ == bottom_first_) [[unlikely]]
      return refilled();
    return bottom_[bottom_end_ - 1];
  }

  Event pop() {
    if (bottom_end_ == bottom_first_) [[unlikely]]
      refill_to_pop();
    --size_;
    // Field by field, as it was stored: a wide load of recent narrow stores would stall.
    const Event& first = bottom_[--bottom_end_];
    return {first.at_ns, first.rank, first.kind, first.subject, first.stamp};
  }

  void push(std::int64_t at_ns, Phase phase, std::uint32_t kind, std::uint32_t subject,
            std::uint64_t stamp) {
    const std::uint64_t rank = rank_of(phase, pushed_++);
    Event& slot = slot_for(at_ns, rank);
    slot.at_ns = at_ns;
    slot.rank = rank;
    slot.kind = kind;
    slot.subject = subject;
    slot.stamp = stamp;
    ++size_;
  }

  /// Resets to the state of a new queue; keeps the memory.
  void clear();

 private:
  static constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
  static constexpr std::uint32_t chunk_events = 8;
  /// A bucket with more events is spread over a finer rung; a smaller one is sorted.
  static constexpr std::uint32_t bucket_limit = 32;
  /// Quarters of a bit: the early buckets of a rung should hold about 2^3.5 events.
  static constexpr int bucket_aim = 14;
  /// More buckets than this in one rung would outgrow the cache.
  static constexpr std::uint32_t rung_limit = 1u << 14;
  /// Quarters of a bit: a limited rung still reaches eight times the mean distance.
  static constexpr int rung_reach = 12;
  /// The largest number of events that an insertion into a long bottom may move; beyond it the
  /// bottom becomes a rung.
  static constexpr std::size_t move_limit = 24;
  /// Free slots on both sides of the bottom.
  static constexpr std::size_t bottom_room = 64;

  struct Span {
    std::int64_t first;
    std::int64_t last;
  };
  struct alignas(64) Chunk {
    std::array<Event, chunk_events> events;
  };
  /// A stack of chunks, the newest on top; all except the newest are full.
  struct Bucket {
    std::uint32_t newest = 0;
    std::uint32_t count = 0;
  };
  /// Events of one instant and phase in insertion order.
  struct Lane {
    std::vector<Event> events;
    std::size_t head = 0;
  };
  /// Holds the events after those of the next rung (or the bottom), up to and including `last`.
  struct Rung {
    std::int64_t start = 0;
    std::int64_t last = 0;
    std::size_t count = 0;
    std::uint32_t shift = 0;  ///< a bucket is 2^shift ns wide; the last one is as wide as necessary
    std::uint32_t buckets = 0;
    std::uint32_t word = 0;  ///< no bucket before 64 * word is occupied
    bool tied = false;       ///< all events are at `last` and in `lanes`, by phase
    std::vector<Bucket> bucket;
    std::vector<std::uint64_t> occupied;
    std::array<Lane, phase_count> lanes;
  };

  // The push paths return the slot of the event rather than take the event: its fields are stored
  // once, and never read back as a whole while the stores are in progress.
  Event& slot_for(std::int64_t at_ns, std::uint64_t rank) {
    if (at_ns > top_floor_) {
      if (top_size_ == top_.size()) [[unlikely]]
        top_.resize(2 * top_size_ + bucket_limit);
      return top_[top_size_++];
    }
    return at_ns <= bottom_last_ ? bottom_slot(at_ns, rank) : rung_slot(at_ns, rank);
  }

  Event& bottom_slot(std::int64_t at_ns, std::uint64_t rank) {
    const std::size_t count = bottom_end_ - bottom_first_;
    if (count > 2 * move_limit) [[unlikely]]
      return crowded_bottom_slot(at_ns, rank);
    if (bottom_first_ == 0 || bottom_end_ == bottom_.size()) [[unlikely]]
      centre_bottom();
    const std::size_t middle = bottom_first_ + count / 2;
    if (count >= 8 && is_before(bottom_[middle], at_ns, rank)) return late_slot(at_ns, rank);
    return early_slot(at_ns, rank);
  }

  /// Moves the later events of the bottom up to make a hole.
  Event& late_slot(std::int64_t at_ns, std::uint64_t rank) {
    Event* hole = bottom_.data() + --bottom_first_;
    while (!is_before(hole[1], at_ns, rank)) {
      hole[0] = hole[1];
      ++hole;
    }
    return *hole;
  }

  /// Moves the earlier events of the bottom down to make a hole.
  Event& early_slot(std::int64_t at_ns, std::uint64_t rank) {
    Event* const latest = bottom_.data() + bottom_first_;
    Event* hole = bottom_.data() + bottom_end_++;
    while (hole != latest && is_before(hole[-1], at_ns, rank)) {
      hole[0] = hole[-1];
      --hole;
    }
    return *hole;
  }

  Event& rung_slot(std::int64_t at_ns, std::uint64_t rank) {
    std::size_t level = 0;
    if (depth_ > 8) [[unlikely]] {
      level = deep_level(at_ns);
    } else {
      while (level + 1 < depth_ && at_ns <= rungs_[level + 1].last) ++level;
    }
    Rung& rung = rungs_[level];
    return rung.tied ? lane_slot(rung, rank) : bucket_slot(rung, at_ns);
  }

  Event& bucket_slot(Rung& rung, std::int64_t at_ns) {
    const std::uint64_t offset =
        static_cast<std::uint64_t>(at_ns) - static_cast<std::uint64_t>(rung.start);
    const std::uint64_t index = std::min<std::uint64_t>(offset >> rung.shift, rung.buckets - 1);
    Bucket& bucket = rung.bucket[index];
    const std::uint32_t slot = bucket.count % chunk_events;
    if (slot == 0) bucket.newest = new_chunk(bucket.newest);
    ++bucket.count;
    ++rung.count;
    rung.occupied[index / 64] |= std::uint64_t{1} << index % 64;
    return chunks_[bucket.newest].events[slot];
  }

  std::uint32_t new_chunk(std::uint32_t older) {
    if (free_chunk_ == no_chunk) [[unlikely]]
      grow_chunks();
    const std::uint32_t chunk = free_chunk_;
    free_chunk_ = link_[chunk];
    link_[chunk] = older;
    return chunk;
  }

  static constexpr std::uint32_t no_chunk = std::numeric_limits<std::uint32_t>::max();

  static bool is_before(const Event& event, std::int64_t at_ns, std::uint64_t rank) {
    return event.at_ns != at_ns ? event.at_ns < at_ns : event.rank < rank;
  }
  static Event& lane_slot(Rung& rung, std::uint64_t rank);
  static Lane& first_lane(Rung& rung);
  static Span span_of(const Event* events, std::size_t count);
  Event& crowded_bottom_slot(std::int64_t at_ns, std::uint64_t rank);
  void centre_bottom();
  std::size_t deep_level(std::int64_t at_ns) const;
  void grow_chunks();
  const Event& refilled();
  void refill_to_pop();
  void fill();
  void open_bucket();
  void open_top();
  void open_tie(const Event* events, std::size_t count);
  Rung& new_rung(std::int64_t start, std::int64_t last);
  void take_bucket(Bucket& bucket, Event* out);
  void sort_bucket(Bucket& bucket, std::int64_t start, std::int64_t last);
  Event* new_bottom(std::size_t count);
  void sort_to_bottom(const Event* events, std::size_t count);
  void spread(const Event* events, std::size_t count, const Span& span, std::int64_t last);
  void spill();
  void reset_to_small();

  std::int64_t top_floor_ = end_of_time;
  std::int64_t bottom_last_ = end_of_time;
  std::size_t size_ = 0;
  std::size_t bottom_first_ = 0;
  std::size_t bottom_end_ = 0;
  std::size_t top_size_ = 0;
  std::size_t depth_ = 0;
  std::uint64_t pushed_ = 0;
  std::vector<Event> bottom_;  ///< [bottom_first_, bottom_end_), latest first, room on both sides
  std::vector<Event> top_;     ///< the first top_size_
  std::vector<Rung> rungs_;    ///< coarsest first; the first depth_ are in use
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> link_;  ///< per chunk: the older chunk of its bucket, or the next free
  std::uint32_t free_chunk_ = no_chunk;
  std::vector<Event> scratch_;
};

}  // namespace reeve::sim
