// First submissions of a fleet's jobs, in the order of their times.
#pragma once

#include <cstdint>
#include <vector>

#include "models/world.hpp"

namespace reeve::models {

/// Jobs that are not submitted yet.  The jobs must outlive it.
class ArrivalOrder {
 public:
  explicit ArrivalOrder(const std::vector<JobSpec>& specs);

  bool empty() const { return next_ == specs_.size(); }
  /// `never` if there is none left.
  Instant next_at() const { return empty() ? policy::never : specs_[next_job()].submit; }
  policy::JobId take() {
    const policy::JobId job{next_job()};
    ++next_;
    return job;
  }

 private:
  std::uint32_t next_job() const { return order_.empty() ? next_ : order_[next_]; }

  const std::vector<JobSpec>& specs_;
  std::vector<std::uint32_t> order_;  ///< empty: ids are in that order
  std::uint32_t next_ = 0;
};

}  // namespace reeve::models
