// What one share has of one pool, and is promised of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "borrow_limit.hpp"

namespace reeve::policies {

/// Instances.
struct ShareHolding {
  std::int64_t used = 0;  ///< or promised; not what leaves
  std::int64_t held = 0;  ///< what its jobs have, those who leave too, and nothing promised
  std::int64_t due = 0;   ///< promised, and not to come from a job that leaves

  /// Whether it may have `more` promised instances, besides those of its jobs that leave: within
  /// its limit, or, if that has become lower, as many as were granted.
  bool may_have_now(std::int64_t more, BorrowLimit limit) const {
    return limit.allows(held + more) || held + more <= used;
  }
  /// Its idle instances: of its `own` quota, and of what is free now.
  std::int64_t idle(std::int64_t own) const { return std::max<std::int64_t>(own - used + due, 0); }
};

/// What shares other than that one have idle of their own, where `own` says how much each has.
template <class Lines, class Own>
std::int64_t idle_of_others(const Lines& lines, std::size_t share, const Own& own) {
  std::int64_t idle = 0;
  for (std::size_t other = 0; other < lines.size(); ++other) {
    if (other != share) idle += lines[other].idle(own(other));
  }
  return idle;
}

}  // namespace reeve::policies
