// Shares in turn: the pending share that has had least for its weight starts its next job.  It
// preempts no job.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/units.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

/// What a share has had.  `usage`: instance-time in all pools, the older the less (AWS Batch User
/// Guide, fair-share scheduling), as it will be one decay from now if it keeps what it holds.
/// `held`: the instances that it holds in the pool: max-min fairness.  `dominant`: the largest part
/// of a pool that it holds: A. Ghodsi et al., "Dominant Resource Fairness" (NSDI 2011), with pools
/// for resources.
enum class ShareMeasure : std::uint8_t { usage, held, dominant };

struct ShareModel {
  ShareMeasure measure = ShareMeasure::usage;
  /// Usage falls to 1/e in that time; 0: what is held now is all that counts.
  policy::Duration decay{0};
  /// So much of a pool, to the power of the shares that are active, is kept for the others.
  std::int64_t reservation_pct = 0;
  bool strict = true;  ///< if the next in turn does not fit no job starts; else its share waits
};

/// A share's measure is multiplied by its weight (a lower one gets more); among equals the lower
/// weight is first, then the share that stands first.  In a share the highest priority goes first,
/// then the earliest submission.  Jobs of no share are one more share, of weight 1.  O(shares)
/// whenever something changed, and for each that starts; O(log jobs) beside.
std::unique_ptr<Algorithm> share_order(ShareModel model);

}  // namespace reeve::policies
