// The borrowing limit: how many instances of a pool a share may have beyond its quota.
#pragma once

#include <cstdint>
#include <limits>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/queue.hpp>

namespace reeve::policies {

/// The most instances of one pool that a share may have.  Every algorithm with quotas asks here.
class BorrowLimit {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  BorrowLimit() = default;  ///< nothing
  /// The quota, and nothing borrowed.
  explicit constexpr BorrowLimit(std::int64_t quota) : most_{quota} {}
  /// The quota, and what the share may borrow if it shares in that way.
  BorrowLimit(std::int64_t quota, policy::Sharing sharing, const policy::ShareFacts& facts)
      : most_{quota} {
    if (sharing != policy::Sharing::lend_and_borrow) return;
    const std::int64_t pct = facts.borrow_limit_pct;
    most_ = pct < 0 ? unlimited : quota * (100 + pct) / 100;
  }

  constexpr std::int64_t most() const { return most_; }
  constexpr bool allows(std::int64_t instances) const { return instances <= most_; }
  /// By how many the instances exceed the limit; at or below 0: not.
  constexpr std::int64_t excess(std::int64_t instances) const { return instances - most_; }

 private:
  std::int64_t most_ = 0;
};

}  // namespace reeve::policies
