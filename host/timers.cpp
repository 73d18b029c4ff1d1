#include "host/timers.hpp"

#include <algorithm>
#include <functional>

namespace reeve::host {

using policy::Instant;
using policy::never;
using policy::SeatId;

std::size_t Timers::home(SeatId seat, std::uint64_t key) const {
  std::uint64_t mixed = key + 0x9e3779b97f4a7c15u * (std::uint64_t{seat.index} + 1);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::size_t>(mixed ^ (mixed >> 31)) & (cells_.size() - 1);
}

std::size_t Timers::find(SeatId seat, std::uint64_t key) const {
  std::size_t place = home(seat, key);
  while (cells_[place].at != never && (cells_[place].key != key || cells_[place].seat != seat)) {
    place = (place + 1) & (cells_.size() - 1);
  }
  return place;
}

void Timers::push(const Fired& due) {
  heap_.push_back(due);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

void Timers::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
  heap_.pop_back();
}

/// Most timers are put off again and again (by each sign of life, say): that costs no more than
/// finding the cell.
void Timers::arm(SeatId seat, std::uint64_t key, Instant at) {
  if (cells_.size() < 2 * (live_ + 1)) grow();
  const std::size_t place = find(seat, key);
  Cell& cell = cells_[place];
  const bool known = cell.at != never;
  if (known && cell.at == at) return;
  if (known && !heap_.empty() && heap_.front().key == key) front_is_true_ = false;
  if (at == never) {
    if (known) erase(place);
    return;
  }
  if (!known) ++live_;
  const bool has_entry = known && cell.queued <= at;
  cell = {key, at, has_entry ? cell.queued : at, seat};
  if (has_entry) return;
  push({at, seat, key});
  if (heap_.size() > 64 + 2 * live_) compact();
}

void Timers::fire(Instant now, std::vector<Fired>& out) {
  for (mend_front(); !heap_.empty() && heap_.front().at <= now; mend_front()) {
    out.push_back(heap_.front());
    erase(find(heap_.front().seat, heap_.front().key));
    pop();
    front_is_true_ = false;
  }
}

Instant Timers::next() {
  mend_front();
  return heap_.empty() ? never : heap_.front().at;
}

/// Closes the gap, so that no search ends too early.
void Timers::erase(std::size_t place) {
  const std::size_t mask = cells_.size() - 1;
  std::size_t gap = place;
  for (std::size_t next = (gap + 1) & mask; cells_[next].at != never; next = (next + 1) & mask) {
    const std::size_t wanted = home(cells_[next].seat, cells_[next].key);
    if (((next - wanted) & mask) >= ((next - gap) & mask)) {
      cells_[gap] = cells_[next];
      gap = next;
    }
  }
  cells_[gap] = {};
  --live_;
}

void Timers::grow() {
  std::vector<Cell> old(cells_.empty() ? 16 : 2 * cells_.size());
  old.swap(cells_);
  for (const Cell& cell : old) {
    if (cell.at != never) cells_[find(cell.seat, cell.key)] = cell;
  }
}

void Timers::mend_front() {
  while (!front_is_true_ && !heap_.empty()) {
    const Fired due = heap_.front();
    Cell& cell = cells_[find(due.seat, due.key)];
    front_is_true_ = cell.at == due.at;
    if (front_is_true_) return;
    pop();
    if (cell.at == never || cell.queued != due.at) continue;
    cell.queued = cell.at;
    push({cell.at, due.seat, due.key});
  }
}

void Timers::compact() {
  heap_.clear();
  for (Cell& cell : cells_) {
    if (cell.at == never) continue;
    cell.queued = cell.at;
    heap_.push_back({cell.at, cell.seat, cell.key});
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

}  // namespace reeve::host
