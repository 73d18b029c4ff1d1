// When machines of a pool will be free, if every job lasts as long as was said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>

#include "summary_tree.hpp"

namespace reeve::policies {

/// The jobs that run, by the instants at which they said they would be over: O(log n) each.
class ExpectedEnds {
 public:
  struct End {
    policy::Instant at;
    policy::JobId job;
    std::int64_t instances = 0;
    friend bool operator<(const End& a, const End& b) {
      return a.at != b.at ? a.at < b.at : a.job < b.job;
    }
  };

  void add(const End& end) { ends_.insert(end); }
  void remove(const End& end) { ends_.erase(end); }
  bool any_before(policy::Instant at) const {
    const End* const first = ends_.front();
    return first != nullptr && first->at < at;
  }
  /// When so many more machines are free; `never` if they never are.
  policy::Instant when(std::int64_t instances) const {
    const End* const last =
        ends_.first_with_all_before([&](const Sum& sum) { return sum.instances >= instances; });
    return last == nullptr ? policy::never : last->at;
  }
  /// How many machines are free again then.
  std::int64_t until(policy::Instant at) const {
    return ends_.before({at, {std::numeric_limits<std::uint32_t>::max()}, 0}).instances;
  }
  template <class Each>
  void for_each(const Each& each) const {
    ends_.for_each(each);
  }

 private:
  struct Sum {
    std::int64_t instances = 0;
    static Sum of(const End& end) { return {end.instances}; }
    friend Sum operator+(Sum a, Sum b) { return {a.instances + b.instances}; }
  };
  SummaryTree<End, Sum> ends_;
};

/// What may end at any moment does so a moment from now.
inline policy::Instant not_past(policy::Instant end, policy::Instant now) {
  return std::max(end, now + policy::Duration{1});
}

/// When the first in line gets its machines, and how many others are free from then on.
struct Promise {
  policy::Instant at;
  std::int64_t spare = 0;
};

/// To one who wants more than is free.
inline Promise promise_of(std::int64_t wanted, std::int64_t free, const ExpectedEnds& ends,
                          policy::Instant now) {
  const policy::Instant end = not_past(ends.when(wanted - free), now);
  return {end, free + ends.until(end) - wanted};
}

}  // namespace reeve::policies
