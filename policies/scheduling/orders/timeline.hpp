// How many instances of a pool will be free from each instant on, promises included.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <reeve/policy/units.hpp>
#include <span>
#include <utility>
#include <vector>

namespace reeve::policies {

/// The instants at which the number changes, in a treap (R. Seidel and C. Aragon, "Randomized
/// search trees", Algorithmica 16, 1996) whose subtrees know their least and most, and owe their
/// children what was added to all of them: O(log n) for each change, and for each stretch that is
/// looked at and too short, which none is again for the same.  Its shape depends on the calls
/// alone.
class Timeline {
 public:
  /// A number of further instances from an instant on.
  struct Gain {
    policy::Instant from;
    std::int64_t instances = 0;
    friend bool operator<(const Gain& a, const Gain& b) { return a.from < b.from; }
  };

  Timeline() = default;
  /// `gains` ascend, and none is before `now`.  O(their number).
  Timeline(policy::Instant now, std::int64_t free, std::span<const Gain> gains = {});

  /// Forgets what is past.
  void advance(policy::Instant now);
  /// The first instant from which `instances` are free for `lasts`; at the end they are.
  policy::Instant earliest(std::int64_t instances, policy::Duration lasts);
  /// The first instant at which fewer are free.
  policy::Instant free_until(std::int64_t instances) const;
  void take(std::int64_t instances, policy::Instant from, policy::Duration lasts);
  /// What was taken is not.
  void give_back(std::int64_t instances, policy::Instant from, policy::Duration lasts);

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Node {
    policy::Instant at;
    std::int64_t free = 0;   ///< from then until the next
    std::int64_t least = 0;  ///< of the subtree
    std::int64_t most = 0;   ///< likewise
    std::int64_t owed = 0;   ///< to both children's subtrees
    std::uint32_t left = kNone;
    std::uint32_t right = kNone;
    std::uint32_t weight = 0;  ///< no node has a heavier one below it
  };
  using Parts = std::pair<std::uint32_t, std::uint32_t>;

  std::uint32_t made(policy::Instant at, std::int64_t free);
  std::uint32_t joined(std::uint32_t count);
  void forget(std::uint32_t subtree);
  void shift(std::uint32_t subtree, std::int64_t instances);
  void pay(std::uint32_t at);
  void sum_up(std::uint32_t at);
  /// Those before the instant, and the others.
  Parts split(std::uint32_t at, policy::Instant before);
  std::uint32_t join(std::uint32_t first, std::uint32_t second);
  std::int64_t last_free(std::uint32_t subtree) const;
  /// The number from this instant on becomes a step of its own.
  void cut(policy::Instant at);
  policy::Instant not_before(std::int64_t instances, policy::Duration lasts) const;
  void remember(std::int64_t instances, policy::Duration lasts, policy::Instant earliest);
  /// The first at or after `from` with at least `instances` free, or with fewer.
  template <bool enough>
  std::uint32_t first(std::uint32_t at, policy::Instant from, std::int64_t instances,
                      std::int64_t more) const;

  /// By how many: for so long they are not free before.  As long as instances are only taken that
  /// stays true, of more instances and of longer times as well; both ascend.
  std::map<std::int64_t, std::map<policy::Duration, policy::Instant>> not_before_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> spare_;  ///< unused places in `nodes_`
  std::uint32_t root_ = kNone;
  std::uint64_t drawn_ = 0;
};

}  // namespace reeve::policies
