// The time of each job as slices: what its instances did, and when it was pending.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <string_view>
#include <vector>

#include "report/by_job.hpp"
#include "report/run_names.hpp"

namespace reeve::report {

inline constexpr std::string_view pending_slice = "pending";
/// Pending again because its queue preempted it.
inline constexpr std::string_view preempted_slice = "preempted";
/// Pending again within an attempt, after a loss of its instances.
inline constexpr std::string_view requeue_slice = "requeue_wait";

/// A period of one attempt with one use, or without instances.
struct JobSlice {
  std::string_view name;  ///< x_class of the table `ledger`, or one of the names above
  bool billed = false;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;
  policy::Instant from;
  policy::Instant until;
  std::uint32_t instances = 0;  ///< held, or requested while pending
  policy::Usd usd = {};
  std::uint32_t lane = 0;  ///< slices of one lane do not overlap
};

/// Borrows the names.  The run must have the tables `attempts` and `ledger`.
class JobTimes {
 public:
  explicit JobTimes(const RunNames& names);

  /// By start.  Times are whole microseconds, rounded down.  The ledger tells how long a period of
  /// training was productive, not when: it is laid out as productive time, checkpoints, lost work.
  std::vector<JobSlice> of(policy::JobId job) const;
  /// Time that no job used, of reserved pools, likewise.  A slice is a whole period of the ledger,
  /// although part of the instances may have been in use.
  std::vector<JobSlice> idle(policy::PoolId pool) const;

 private:
  std::vector<JobSlice> billed(policy::JobId job, std::vector<JobSlice>& periods) const;
  void add_pending(policy::JobId job, const std::vector<JobSlice>& periods,
                   std::vector<JobSlice>& slices) const;
  bool follows_preemption(const models::AttemptRow& attempt) const;

  const RunNames& names_;
  std::vector<policy::Usd> costs_;
  ByJob lines_;
  ByJob attempts_;
  ByJob preemptions_;
};

}  // namespace reeve::report
