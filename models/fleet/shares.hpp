// What the jobs of each share hold in each pool, and what of that is borrowed from other shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/fleet/core.hpp"

namespace reeve::models {

/// The books of the shares of a fleet.  Sums are in Record::share_rows, changes in
/// Record::share_use.
class ShareBooks {
 public:
  explicit ShareBooks(FleetCore& core);

  /// The job's share holds that many more instances of the pool, or fewer.
  void hold(policy::JobId job, policy::PoolId pool, std::int64_t instances);
  /// Instance-nanoseconds of lost work of the job.
  void lose(policy::JobId job, Charge time);
  void change_quota(const QuotaChange& change);
  /// Books the time until now.
  void close();

 private:
  void find_lenders();
  std::optional<policy::ShareId> share_of(policy::JobId job) const;
  ShareUseRow& row_of(policy::ShareId share, policy::PoolId pool);
  void split(policy::ShareId changed, policy::PoolId pool);
  void pass_time(ShareUseRow& row);
  void note(policy::PoolId pool);

  FleetCore& core_;
  std::vector<ShareUseRow> rows_;    ///< as they are now, pool by pool; empty: there are no shares
  std::vector<std::size_t> newest_;  ///< parallel: its newest row in the record, from 1
  /// Those that may lend to each other, in the order of the file; empty: no share has a quota.
  std::vector<std::vector<policy::ShareId>> lenders_;
  std::vector<std::size_t> lenders_of_;  ///< by share: its place among them
};

}  // namespace reeve::models
