// A sorted set that has a summary of every stretch of itself, so that a member is found by what it
// is, or by what all up to it add up to, without a look at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace reeve::policies {

/// A treap (R. Seidel and C. Aragon, "Randomized search trees", Algorithmica 16, 1996): O(log n)
/// expected for each call.  Its shape depends on the calls alone.  A default-constructed `Summary`
/// is that of no member; it has `static Summary of(const Member&)` and an associative `+`.
template <class Member, class Summary>
class SummaryTree {
 public:
  bool empty() const { return root_ == kNone; }
  /// Of all.
  Summary summary() const { return of(root_); }

  void insert(const Member& member) {
    const auto parts = split(root_, member);
    root_ = join(join(parts.first, made(member)), parts.second);
  }
  /// Whether it was there.
  bool erase(const Member& member) {
    bool found = false;
    root_ = without(root_, member, found);
    return found;
  }
  const Member* front() const {
    std::uint32_t at = root_;
    while (at != kNone && nodes_[at].left != kNone) at = nodes_[at].left;
    return at == kNone ? nullptr : &nodes_[at].member;
  }
  /// The first member for which it holds.  It holds for a range if it may hold for a member in it,
  /// and exactly for a single member; if it never holds for a range without one this is O(log n).
  template <class Holds>
  const Member* first(const Holds& holds) const {
    const std::uint32_t at = first_in(root_, holds);
    return at == kNone ? nullptr : &nodes_[at].member;
  }
  /// The first member with which all up to it are enough; more must never be less enough.
  template <class Enough>
  const Member* first_with_all_before(const Enough& enough) const {
    const Member* found = nullptr;
    Summary before;
    for (std::uint32_t at = root_; at != kNone;) {
      const Node& node = nodes_[at];
      const Summary with = before + of(node.left) + Summary::of(node.member);
      if (enough(with)) {
        found = &node.member;
        at = node.left;
      } else {
        before = with;
        at = node.right;
      }
    }
    return found;
  }
  /// Of all that are less.
  Summary before(const Member& member) const {
    Summary sum;
    for (std::uint32_t at = root_; at != kNone;) {
      const Node& node = nodes_[at];
      if (node.member < member) {
        sum = sum + of(node.left) + Summary::of(node.member);
        at = node.right;
      } else {
        at = node.left;
      }
    }
    return sum;
  }
  template <class Each>
  void for_each(const Each& each) const {
    walk(root_, each);
  }
  /// Those that are not less.
  template <class Each>
  void for_each_from(const Member& member, const Each& each) const {
    walk_from(root_, member, each);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Node {
    Member member;
    Summary all;  ///< of the whole subtree
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    std::uint32_t weight = 0;  ///< no node has a heavier one below it
  };

  Summary of(std::uint32_t at) const { return at == kNone ? Summary{} : nodes_[at].all; }

  std::uint32_t made(const Member& member) {
    drawn_ = drawn_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    const Node node{member, Summary::of(member), kNone, kNone,
                    static_cast<std::uint32_t>(drawn_ >> 32U)};
    if (spare_.empty()) {
      nodes_.push_back(node);
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t at = spare_.back();
    spare_.pop_back();
    nodes_[at] = node;
    return at;
  }

  void sum_up(std::uint32_t at) {
    Node& node = nodes_[at];
    node.all = of(node.left) + Summary::of(node.member) + of(node.right);
  }

  /// Those that are less, and the others.
  std::pair<std::uint32_t, std::uint32_t> split(std::uint32_t at, const Member& member) {
    if (at == kNone) return {kNone, kNone};
    if (nodes_[at].member < member) {
      const auto parts = split(nodes_[at].right, member);
      nodes_[at].right = parts.first;
      sum_up(at);
      return {at, parts.second};
    }
    const auto parts = split(nodes_[at].left, member);
    nodes_[at].left = parts.second;
    sum_up(at);
    return {parts.first, at};
  }

  /// All of the first are less than all of the second.
  std::uint32_t join(std::uint32_t first, std::uint32_t second) {
    if (first == kNone) return second;
    if (second == kNone) return first;
    if (nodes_[first].weight < nodes_[second].weight) {
      nodes_[second].left = join(first, nodes_[second].left);
      sum_up(second);
      return second;
    }
    nodes_[first].right = join(nodes_[first].right, second);
    sum_up(first);
    return first;
  }

  std::uint32_t without(std::uint32_t at, const Member& member, bool& found) {
    if (at == kNone) return kNone;
    if (nodes_[at].member < member) {
      nodes_[at].right = without(nodes_[at].right, member, found);
    } else if (member < nodes_[at].member) {
      nodes_[at].left = without(nodes_[at].left, member, found);
    } else {
      found = true;
      spare_.push_back(at);
      return join(nodes_[at].left, nodes_[at].right);
    }
    sum_up(at);
    return at;
  }

  template <class Holds>
  std::uint32_t first_in(std::uint32_t at, const Holds& holds) const {
    if (at == kNone || !holds(nodes_[at].all)) return kNone;
    const std::uint32_t before = first_in(nodes_[at].left, holds);
    if (before != kNone) return before;
    if (holds(Summary::of(nodes_[at].member))) return at;
    return first_in(nodes_[at].right, holds);
  }

  template <class Each>
  void walk(std::uint32_t at, const Each& each) const {
    if (at == kNone) return;
    walk(nodes_[at].left, each);
    each(nodes_[at].member);
    walk(nodes_[at].right, each);
  }

  template <class Each>
  void walk_from(std::uint32_t at, const Member& member, const Each& each) const {
    if (at == kNone) return;
    if (nodes_[at].member < member) return walk_from(nodes_[at].right, member, each);
    walk_from(nodes_[at].left, member, each);
    each(nodes_[at].member);
    walk(nodes_[at].right, each);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> spare_;  ///< unused places in `nodes_`
  std::uint32_t root_ = kNone;
  std::uint64_t drawn_ = 0;
};

}  // namespace reeve::policies
