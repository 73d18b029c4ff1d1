// For whom those lose their machines who do.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <utility>
#include <vector>

namespace reeve::policies {

/// Those who are to have machines of one pool, in the order in which they get them.  Whom the
/// machines are enough for that are there needs nobody to leave; what comes of those who leave is
/// for the first who is still short.  O(1) for each who comes or leaves.
class ForWhom {
 public:
  /// So many machines are `free`, and so many are to be, as others leave already.
  explicit ForWhom(std::int64_t free = 0, std::int64_t leaving = 0)
      : free_{free}, coming_{free + leaving} {}

  void comes(policy::JobId job, std::int64_t instances) {
    if (instances > free_) return short_.push_back({job, instances});
    free_ -= instances;
    coming_ -= instances;
  }
  /// Who gets them, or most of them; `otherwise` if nobody is short.
  policy::JobId leaves(std::int64_t instances, policy::JobId otherwise) {
    if (short_.empty()) return otherwise;
    while (next_ + 1 < short_.size() && coming_ >= short_[next_].second) {
      coming_ -= short_[next_++].second;
    }
    coming_ += instances;
    return short_[next_].first;
  }

 private:
  std::vector<std::pair<policy::JobId, std::int64_t>> short_;
  std::size_t next_ = 0;  ///< in `short_`: who is short yet
  std::int64_t free_;
  std::int64_t coming_;  ///< that nobody before `next_` needs
};

}  // namespace reeve::policies
