#include "sim/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace reeve::sim {

namespace {

std::uint64_t bits_of(std::int64_t at_ns) {
  return static_cast<std::uint64_t>(at_ns);
}

}  // namespace

EventQueue::Span EventQueue::span_of(const Event* events, std::size_t count) {
  Span span{events[0].at_ns, events[0].at_ns};
  for (std::size_t i = 1; i < count; ++i) {
    span.first = std::min(span.first, events[i].at_ns);
    span.last = std::max(span.last, events[i].at_ns);
  }
  return span;
}

void EventQueue::clear() {
  reset_to_small();
  size_ = 0;
  pushed_ = 0;
  bottom_first_ = bottom_end_ = 0;
  depth_ = 0;
  top_size_ = 0;
  rungs_.clear();
  chunks_.clear();
  link_.clear();
  free_chunk_ = no_chunk;
}

const Event& EventQueue::refilled() {
  assert(size_ > 0 && "an empty queue has no top");
  fill();
  if (bottom_end_ != bottom_first_) return bottom_[bottom_end_ - 1];
  const Lane& lane = first_lane(rungs_[depth_ - 1]);
  return lane.events[lane.head];
}

/// Fills the bottom, with one event of a tied rung if need be: it must be popped at once, since an
/// event pushed now might be before it.
void EventQueue::refill_to_pop() {
  assert(size_ > 0 && "an empty queue has nothing to pop");
  fill();
  if (bottom_end_ != bottom_first_) return;
  Rung& rung = rungs_[depth_ - 1];
  Lane& lane = first_lane(rung);
  *new_bottom(1) = lane.events[lane.head];
  --rung.count;
  ++lane.head;
  if (lane.head == lane.events.size()) {
    lane.events.clear();
    lane.head = 0;
  } else if (lane.head >= 1024 && 2 * lane.head > lane.events.size()) {
    lane.events.erase(lane.events.begin(),
                      lane.events.begin() + static_cast<std::ptrdiff_t>(lane.head));
    lane.head = 0;
  }
}

EventQueue::Lane& EventQueue::first_lane(Rung& rung) {
  std::size_t phase = 0;
  while (rung.lanes[phase].events.empty()) ++phase;
  return rung.lanes[phase];
}

Event& EventQueue::lane_slot(Rung& rung, std::uint64_t rank) {
  ++rung.count;
  return rung.lanes[rank >> 56].events.emplace_back();
}

/// The first rung, from the finest, that reaches up to this time; for stacks too deep to walk.
std::size_t EventQueue::deep_level(std::int64_t at_ns) const {
  const auto begin = rungs_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(depth_);
  const auto finer =
      std::partition_point(begin, end, [=](const Rung& rung) { return at_ns <= rung.last; });
  return static_cast<std::size_t>(finer - begin) - 1;
}

void EventQueue::grow_chunks() {
  const auto first = static_cast<std::uint32_t>(chunks_.size());
  const std::uint32_t grown = std::max<std::uint32_t>(64, 2 * first);
  chunks_.resize(grown);
  link_.resize(grown);
  for (std::uint32_t chunk = grown; chunk > first; --chunk) {
    link_[chunk - 1] = free_chunk_;
    free_chunk_ = chunk - 1;
  }
}

/// Brings the earliest events to the bottom, or a rung of tied ones to the end of the ladder.
void EventQueue::fill() {
  while (bottom_end_ == bottom_first_) {
    while (depth_ > 0 && rungs_[depth_ - 1].count == 0) bottom_last_ = rungs_[--depth_].last;
    if (depth_ == 0) {
      open_top();
    } else if (rungs_[depth_ - 1].tied) {
      return;
    } else {
      open_bucket();
    }
  }
}

void EventQueue::reset_to_small() {
  top_floor_ = bottom_last_ = end_of_time;
}

void EventQueue::open_top() {
  const std::size_t count = top_size_;
  top_size_ = 0;
  if (count <= bucket_limit) {
    sort_to_bottom(top_.data(), count);
    reset_to_small();
    return;
  }
  const Span span = span_of(top_.data(), count);
  top_floor_ = span.last;
  spread(top_.data(), count, span, span.last);
}

void EventQueue::open_bucket() {
  Rung& rung = rungs_[depth_ - 1];
  while (rung.occupied[rung.word] == 0) ++rung.word;
  const auto bit = static_cast<std::uint32_t>(std::countr_zero(rung.occupied[rung.word]));
  const std::uint32_t index = 64 * rung.word + bit;
  rung.occupied[rung.word] &= rung.occupied[rung.word] - 1;
  Bucket& bucket = rung.bucket[index];
  const std::uint32_t count = bucket.count;
  rung.count -= count;
  const std::uint64_t start = bits_of(rung.start) + (std::uint64_t{index} << rung.shift);
  const std::int64_t last =
      index + 1 == rung.buckets
          ? rung.last
          : static_cast<std::int64_t>(start + (std::uint64_t{1} << rung.shift) - 1);
  if (count <= bucket_limit) {
    sort_bucket(bucket, static_cast<std::int64_t>(start), last);
    bottom_last_ = last;
    return;
  }
  if (scratch_.size() < count) scratch_.resize(count);
  take_bucket(bucket, scratch_.data());
  const Span span = span_of(scratch_.data(), count);
  if (span.first != span.last) {
    spread(scratch_.data(), count, span, last);
  } else if (span.first != std::numeric_limits<std::int64_t>::min()) {
    // Later events of this bucket, if any come, go into it again: it stays open.
    open_tie(scratch_.data(), count);
  } else {
    sort_to_bottom(scratch_.data(), count);  // no bottom_last_ can say that nothing is before
    bottom_last_ = last;
  }
}

EventQueue::Rung& EventQueue::new_rung(std::int64_t start, std::int64_t last) {
  if (rungs_.size() == depth_) rungs_.emplace_back();
  Rung& rung = rungs_[depth_++];
  rung.start = start;
  rung.last = last;
  return rung;
}

void EventQueue::open_tie(const Event* events, std::size_t count) {
  Rung& rung = new_rung(events[0].at_ns, events[0].at_ns);
  rung.tied = true;
  for (std::size_t i = 0; i < count; ++i) lane_slot(rung, events[i].rank) = events[i];
  bottom_last_ = rung.last - 1;
}

/// Spreads events over a new rung, which takes what comes later up to `last`, too.
void EventQueue::spread(const Event* events, std::size_t count, const Span& span,
                        std::int64_t last) {
  while (depth_ > 0 && rungs_[depth_ - 1].count == 0 && rungs_[depth_ - 1].last == last) --depth_;
  Rung& rung = new_rung(span.first, last);
  rung.tied = false;
  rung.word = 0;
  const std::uint64_t width = bits_of(span.last) - bits_of(span.first);
  const auto limit = std::min<std::uint64_t>(4 * std::bit_ceil(count), rung_limit);
  // The geometric mean of the distances, in quarters of a bit, tells how dense the early events
  // are; a mean would listen to the few furthest ones.  Those all go into the last bucket.
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bits +=
        static_cast<std::uint64_t>(std::bit_width(bits_of(events[i].at_ns) - bits_of(span.first)));
  }
  const auto mean = static_cast<int>(4 * bits / count);
  const auto share = 2 * static_cast<int>(std::bit_width(count * count)) - bucket_aim;
  const auto reach = 4 * static_cast<int>(std::bit_width(limit - 1)) - rung_reach;
  const int most = std::max(static_cast<int>(std::bit_width(width)) - 1, 0);
  rung.shift =
      static_cast<std::uint32_t>(std::clamp((mean - std::min(share, reach) + 2) / 4, 0, most));
  rung.buckets = static_cast<std::uint32_t>(std::min(width >> rung.shift, limit - 1)) + 1;
  if (rung.bucket.size() < rung.buckets) {
    rung.bucket.resize(rung.buckets);
    rung.occupied.resize(rung.buckets / 64 + 1);
  }
  for (std::size_t i = 0; i < count; ++i) bucket_slot(rung, events[i].at_ns) = events[i];
}

/// Empties a bucket, oldest event first.
void EventQueue::take_bucket(Bucket& bucket, Event* out) {
  std::uint32_t left = bucket.count;
  std::uint32_t chunk = bucket.newest;
  std::uint32_t oldest = chunk;
  while (left > 0) {
    const std::uint32_t taken = (left - 1) % chunk_events + 1;
    left -= taken;
    std::copy_n(chunks_[chunk].events.begin(), taken, out + left);
    oldest = chunk;
    chunk = link_[chunk];
  }
  link_[oldest] = free_chunk_;
  free_chunk_ = bucket.newest;
  bucket.count = 0;
}

Event* EventQueue::new_bottom(std::size_t count) {
  if (bottom_.size() < count + 2 * bottom_room) bottom_.resize(count + 2 * bottom_room);
  bottom_first_ = bottom_room;
  bottom_end_ = bottom_room + count;
  return bottom_.data() + bottom_room;
}

/// Sorts by counting for each event those after it: more comparisons than a sort needs, but none
/// for a processor to guess.  Time, phase and order of insertion fit one word if the bucket is
/// less than two years wide.
void EventQueue::sort_bucket(Bucket& bucket, std::int64_t start, std::int64_t last) {
  const std::uint32_t count = bucket.count;
  if ((bits_of(last) - bits_of(start)) >> 55 != 0) {
    std::array<Event, bucket_limit> events;
    take_bucket(bucket, events.data());
    sort_to_bottom(events.data(), count);
    return;
  }
  std::array<std::uint64_t, bucket_limit> keys;
  std::array<const Event*, bucket_limit> sources;
  std::uint32_t left = count;
  std::uint32_t chunk = bucket.newest;
  std::uint32_t oldest = chunk;
  std::uint64_t newer = std::numeric_limits<std::uint64_t>::max();
  bool in_order = true;
  while (left > 0) {
    const Event* const events = chunks_[chunk].events.data();
    for (std::uint32_t slot = (left - 1) % chunk_events + 1; slot > 0; --slot) {
      const Event& event = events[slot - 1];
      --left;
      const std::uint64_t key =
          (bits_of(event.at_ns) - bits_of(start)) << 9 | event.rank >> 56 << 6 | left;
      in_order &= key < newer;
      keys[left] = newer = key;
      sources[left] = &event;
    }
    oldest = chunk;
    chunk = link_[chunk];
  }
  link_[oldest] = free_chunk_;
  free_chunk_ = bucket.newest;
  bucket.count = 0;
  Event* const bottom = new_bottom(count);
  if (in_order) {
    for (std::uint32_t i = 0; i < count; ++i) bottom[count - 1 - i] = *sources[i];
    return;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t key = keys[i];
    std::uint32_t later = 0;
    for (std::uint32_t j = 0; j < count; ++j) later += key < keys[j];
    bottom[later] = *sources[i];
  }
}

void EventQueue::sort_to_bottom(const Event* events, std::size_t count) {
  Event* const bottom = new_bottom(count);
  std::copy_n(events, count, bottom);
  std::sort(bottom, bottom + count, [](const Event& a, const Event& b) { return before(b, a); });
}

/// Gives the bottom room on both sides.
void EventQueue::centre_bottom() {
  const std::size_t count = bottom_end_ - bottom_first_;
  const std::size_t room = bottom_room + count / 2;
  std::vector<Event>& other = scratch_;
  if (other.size() < count + 2 * room) other.resize(count + 2 * room);
  std::copy_n(bottom_.begin() + static_cast<std::ptrdiff_t>(bottom_first_), count,
              other.begin() + static_cast<std::ptrdiff_t>(room));
  bottom_.swap(other);
  bottom_first_ = room;
  bottom_end_ = room + count;
}

/// The place of an event in a bottom so long that a place in its middle would be dear.
Event& EventQueue::crowded_bottom_slot(std::int64_t at_ns, std::uint64_t rank) {
  const Event* const latest = bottom_.data() + bottom_first_;
  const Event* const end = bottom_.data() + bottom_end_;
  const Event* const place = std::partition_point(
      latest, end, [=](const Event& event) { return !is_before(event, at_ns, rank); });
  const bool is_late = place - latest < end - place;
  const auto moves = static_cast<std::size_t>(is_late ? place - latest : end - place);
  // At the first instant of all, ties are the one thing a rung cannot part.
  if (moves > move_limit && bottom_last_ != std::numeric_limits<std::int64_t>::min()) {
    spill();
    return slot_for(at_ns, rank);
  }
  if (bottom_first_ == 0 || bottom_end_ == bottom_.size()) centre_bottom();
  return is_late ? late_slot(at_ns, rank) : early_slot(at_ns, rank);
}

/// Turns a bottom too long for insertions into a rung.
void EventQueue::spill() {
  const std::size_t count = bottom_end_ - bottom_first_;
  if (scratch_.size() < count) scratch_.resize(count);
  std::reverse_copy(bottom_.begin() + static_cast<std::ptrdiff_t>(bottom_first_),
                    bottom_.begin() + static_cast<std::ptrdiff_t>(bottom_end_), scratch_.begin());
  bottom_end_ = bottom_first_;
  const Span span = span_of(scratch_.data(), count);
  if (depth_ == 0) top_floor_ = bottom_last_ = span.last;
  spread(scratch_.data(), count, span, bottom_last_);
  fill();
}

}  // namespace reeve::sim
