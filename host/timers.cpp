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

void Timers::arm(SeatId seat, std::uint64_t key, Instant at) {
  if (cells_.size() < 2 * (live_ + 1)) grow();
  const std::size_t place = find(seat, key);
  Cell& cell = cells_[place];
  const bool known = cell.at != never;
  if (at == never) {
    if (known) erase(place);
    return;
  }
  if (known && cell.at == at) return;
  if (!known) ++live_;
  cell = {key, at, seat};
  heap_.push_back({at, seat, key});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
  if (heap_.size() > 64 + 2 * live_) compact();
}

void Timers::fire(Instant now, std::vector<Fired>& out) {
  for (drop_stale(); !heap_.empty() && heap_.front().at <= now; drop_stale()) {
    out.push_back(heap_.front());
    erase(find(heap_.front().seat, heap_.front().key));
  }
}

Instant Timers::next() {
  drop_stale();
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

bool Timers::is_current(const Fired& due) const {
  const Cell& cell = cells_[find(due.seat, due.key)];
  return cell.at == due.at;
}

void Timers::drop_stale() {
  while (!heap_.empty() && !is_current(heap_.front())) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
    heap_.pop_back();
  }
}

void Timers::compact() {
  std::erase_if(heap_, [this](const Fired& due) { return !is_current(due); });
  std::sort(heap_.begin(), heap_.end());
  heap_.erase(std::unique(heap_.begin(), heap_.end()), heap_.end());
}

}  // namespace reeve::host
