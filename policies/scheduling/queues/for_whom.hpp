// Which pending job a preempted job makes room for.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <utility>
#include <vector>

namespace reeve::policies {

/// The jobs that are to get instances of one pool, in order.  A job for which the available
/// instances suffice needs no job to leave.  What leaving jobs return goes to the first job that is
/// still short.  O(1) for each that comes or leaves.
class ForWhom {
 public:
  /// `free`: free instances; `leaving`: instances that already leaving jobs will return.
  explicit ForWhom(std::int64_t free = 0, std::int64_t leaving = 0)
      : free_{free}, coming_{free + leaving} {}

  void comes(policy::JobId job, std::int64_t instances) {
    if (instances > free_) return short_.push_back({job, instances});
    free_ -= instances;
    coming_ -= instances;
  }
  /// The job that gets them, or most of them; `otherwise` if no job is short.
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
  std::int64_t coming_;  ///< that no job before `next_` needs
};

}  // namespace reeve::policies
