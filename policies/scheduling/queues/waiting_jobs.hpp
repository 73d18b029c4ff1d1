// The jobs that wait for one pool, in the order in which they may start.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <reeve/policy/ids.hpp>
#include <vector>

namespace reeve::policies {

/// One waiting attempt.  Smaller starts first; `job` breaks ties, so the order is total.
struct Waiting {
  std::int64_t first = 0;   ///< what the algorithm orders by
  std::int64_t second = 0;  ///< and then by
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  friend constexpr auto operator<=>(const Waiting&, const Waiting&) = default;
};

/// A queue whose members nearly always arrive in order: a sorted array with a moving front.
/// O(1) for a member that belongs at the back or just in front; else the cost of an insertion, from
/// the nearer end.
class ArrivalLane {
 public:
  bool empty() const { return front_ == members_.size(); }
  const Waiting& front() const { return members_[front_]; }

  void push(const Waiting& member) {
    if (empty() || members_.back() < member) {
      members_.push_back(member);
      return;
    }
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(front_);
    const auto place = std::upper_bound(begin, members_.end(), member);
    if (front_ > 0 && place - begin < members_.end() - place) {
      *std::move(begin, place, begin - 1) = member;
      --front_;
    } else {
      members_.insert(place, member);
    }
  }

  void pop() {
    ++front_;
    if (front_ < kSlack || front_ * 2 < members_.size()) return;
    members_.erase(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(front_));
    front_ = 0;
  }

 private:
  static constexpr std::size_t kSlack = 64;
  std::vector<Waiting> members_;  ///< sorted from `front_` on; what is before it has left
  std::size_t front_ = 0;
};

/// A queue whose members arrive in any order: a binary heap.
class HeapLane {
 public:
  bool empty() const { return members_.empty(); }
  const Waiting& front() const { return members_.front(); }
  void push(const Waiting& member) {
    members_.push_back(member);
    std::push_heap(members_.begin(), members_.end(), std::greater<>{});
  }
  void pop() {
    std::pop_heap(members_.begin(), members_.end(), std::greater<>{});
    members_.pop_back();
  }

 private:
  std::vector<Waiting> members_;
};

/// One lane per distinct size, and a tournament over their fronts: the best member that is small
/// enough costs O(log sizes), however many wait.
template <class Lane>
class WaitingJobs {
 public:
  void push(std::uint32_t size, const Waiting& member) {
    const std::size_t at = lane_of(size);
    lanes_[at].push(member);
    if (lanes_[at].front() == member) replay(at);
  }

  /// The best member of size `largest` or less, or null.  Valid until the next push or pop.
  const Waiting* best(std::int64_t largest) {
    const auto end = std::upper_bound(sizes_.begin(), sizes_.end(), largest);
    winner_ = winner_of_first(static_cast<std::size_t>(end - sizes_.begin()));
    return winner_ == kNone ? nullptr : &lanes_[winner_].front();
  }
  /// Takes out what `best` returned.
  void pop_best() {
    lanes_[winner_].pop();
    replay(winner_);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t lane_of(std::uint32_t size) {
    const auto place = std::lower_bound(sizes_.begin(), sizes_.end(), std::int64_t{size});
    const auto at = place - sizes_.begin();
    if (place == sizes_.end() || *place != std::int64_t{size}) {
      sizes_.insert(place, size);
      lanes_.insert(lanes_.begin() + at, Lane{});
      rebuild();
    }
    return static_cast<std::size_t>(at);
  }

  std::size_t better(std::size_t a, std::size_t b) const {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    return lanes_[b].front() < lanes_[a].front() ? b : a;
  }

  /// A lane's front changed: plays its matches again.
  void replay(std::size_t lane) {
    std::size_t node = leaves_ + lane;
    winners_[node] = lanes_[lane].empty() ? kNone : lane;
    for (node /= 2; node > 0; node /= 2) {
      winners_[node] = better(winners_[2 * node], winners_[2 * node + 1]);
    }
  }

  /// A new size: rare, as sizes are few.
  void rebuild() {
    leaves_ = 1;
    while (leaves_ < lanes_.size()) leaves_ *= 2;
    winners_.assign(2 * leaves_, kNone);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      if (!lanes_[lane].empty()) winners_[leaves_ + lane] = lane;
    }
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      winners_[node] = better(winners_[2 * node], winners_[2 * node + 1]);
    }
  }

  /// The winner among the `count` smallest sizes.
  std::size_t winner_of_first(std::size_t count) const {
    std::size_t winner = kNone;
    std::size_t begin = leaves_;
    for (std::size_t end = leaves_ + count; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) winner = better(winner, winners_[begin++]);
      if (end % 2 == 1) winner = better(winner, winners_[--end]);
    }
    return winner;
  }

  std::vector<std::int64_t> sizes_;   ///< ascending
  std::vector<Lane> lanes_;           ///< parallel to sizes_
  std::vector<std::size_t> winners_;  ///< a segment tree of lanes; leaf i at leaves_ + i
  std::size_t leaves_ = 1;
  std::size_t winner_ = kNone;
};

}  // namespace reeve::policies
