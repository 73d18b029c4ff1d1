// Which of many values that grow linearly are greatest, as time goes on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace reeve::policies {

/// A kinetic tournament (J. Basch, L. Guibas and J. Hershberger, "Data structures for mobile data",
/// 1999).  The value of a member at time t is (t + offset) / pace, with a pace above 0.  Of equal
/// values, that of the member that is smaller by `<` is first.  O(log n) for each insertion,
/// removal and step of a walk; each pair of members changes its order once at most as time goes on,
/// and `advance` costs O(log n) for each change that matters, or O(n) if time goes back.
template <class Member>
class KineticTournament {
 public:
  using Slot = std::uint32_t;

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  /// Where it is until it is erased.
  Slot insert(const Member& member) {
    if (count_ == capacity_) grow();
    const Slot slot = free_.back();
    free_.pop_back();
    ++count_;
    members_[slot] = member;
    place(slot, slot);
    return slot;
  }
  void erase(Slot slot) {
    --count_;
    free_.push_back(slot);
    place(slot, kNone);
  }
  void advance(std::int64_t now) {
    const bool goes_back = now < now_;
    now_ = now;
    if (goes_back) {
      play_all();
    } else if (capacity_ > 0) {
      refresh(1);
    }
  }

  /// Members from the greatest value down, at the time of the last `advance`.  Valid until the
  /// tournament changes.
  class Walk {
   public:
    explicit Walk(const KineticTournament& of) : of_{&of} {
      if (!of.empty()) open_.push_back(1);
    }
    /// The next one; null: no more.
    const Member* front() const {
      return open_.empty() ? nullptr : &of_->members_[of_->nodes_[open_.front()].winner];
    }
    void pop() {
      const auto is_after = [this](std::uint32_t a, std::uint32_t b) {
        return of_->is_first(of_->nodes_[b].winner, of_->nodes_[a].winner);
      };
      std::pop_heap(open_.begin(), open_.end(), is_after);
      std::uint32_t node = open_.back();
      open_.pop_back();
      const Slot winner = of_->nodes_[node].winner;
      while (node < of_->capacity_) {
        node *= 2;
        if (of_->nodes_[node].winner != winner) ++node;
        const std::uint32_t other = node ^ 1U;
        if (of_->nodes_[other].winner == kNone) continue;
        open_.push_back(other);
        std::push_heap(open_.begin(), open_.end(), is_after);
      }
    }

   private:
    const KineticTournament* of_;
    std::vector<std::uint32_t> open_;  ///< a heap of subtrees without a member that was passed
  };

 private:
  __extension__ using WideTime = __int128;

  static constexpr Slot kNone = std::numeric_limits<Slot>::max();
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Node {
    Slot winner = kNone;
    std::int64_t fails = kNever;  ///< when some winner in its subtree is another one
  };

  bool is_first(Slot a, Slot b) const {
    const WideTime of_a = (WideTime{now_} + members_[a].offset) * members_[b].pace;
    const WideTime of_b = (WideTime{now_} + members_[b].offset) * members_[a].pace;
    return of_a != of_b ? of_a > of_b : members_[a] < members_[b];
  }

  /// The first time at which the second is ahead of the first.
  std::int64_t overtakes(Slot first, Slot second) const {
    const Member& a = members_[first];
    const Member& b = members_[second];
    const WideTime gains = WideTime{a.pace} - b.pace;
    if (gains <= 0) return kNever;
    const WideTime ahead = WideTime{a.offset} * b.pace - WideTime{b.offset} * a.pace;
    WideTime at = ahead / gains;  // towards 0
    if (ahead % gains != 0 && ahead > 0) ++at;
    const bool is_level = ahead % gains == 0;
    if (is_level && a < b) ++at;
    if (at <= now_) at = WideTime{now_} + 1;
    return at >= kNever ? kNever : static_cast<std::int64_t>(at);
  }

  void play(std::uint32_t node) {
    const Node& left = nodes_[std::size_t{2} * node];
    const Node& right = nodes_[std::size_t{2} * node + 1];
    Node& here = nodes_[node];
    here.fails = std::min(left.fails, right.fails);
    if (left.winner == kNone || right.winner == kNone) {
      here.winner = left.winner == kNone ? right.winner : left.winner;
      return;
    }
    const bool is_left = is_first(left.winner, right.winner);
    here.winner = is_left ? left.winner : right.winner;
    const Slot loser = is_left ? right.winner : left.winner;
    here.fails = std::min(here.fails, overtakes(here.winner, loser));
  }
  void play_all() {
    for (std::uint32_t node = capacity_; node-- > 1;) play(node);
  }
  void place(Slot slot, Slot winner) {
    std::uint32_t node = capacity_ + slot;
    nodes_[node] = {winner, kNever};
    while ((node /= 2) > 0) play(node);
  }
  void refresh(std::uint32_t node) {
    if (nodes_[node].fails > now_) return;
    refresh(2 * node);
    refresh(2 * node + 1);
    play(node);
  }
  void grow() {
    const std::uint32_t before = capacity_;
    capacity_ = std::max<std::uint32_t>(2 * capacity_, 1);
    members_.resize(capacity_);
    nodes_.assign(std::size_t{2} * capacity_, {});
    for (Slot slot = 0; slot < before; ++slot) nodes_[capacity_ + slot].winner = slot;
    for (Slot slot = capacity_; slot-- > before;) free_.push_back(slot);
    play_all();
  }

  std::vector<Member> members_;  ///< by slot
  std::vector<Node> nodes_;      ///< the root at 1, the children of n at 2n and 2n + 1
  std::vector<Slot> free_;       ///< the next to be used last
  std::uint32_t capacity_ = 0;   ///< slots: a power of two
  std::size_t count_ = 0;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min() / 2;
};

}  // namespace reeve::policies
