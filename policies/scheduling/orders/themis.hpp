// Finish-time fairness: instances are leased to those whose end comes late, compared with what a
// fleet of their own would do.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/units.hpp>
#include <vector>

#include "algorithm.hpp"

namespace reeve::policies {

struct ThemisModel {
  policy::Duration lease = std::chrono::minutes{20};  ///< all end together, by the clock
  /// f: the worst-off 100 - f percent of the jobs that want instances bid for them.
  std::int64_t fairness_pct = 80;
};

/// K. Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling" (NSDI 2020), §4 and §5,
/// for gangs of a fixed size.  ρ = T_shared / T_independent: from the submission to the end, if it
/// had instances from now on, against the work on its part of the pool alone.  What is free, and
/// what a lease returns, goes to the worst off: of these to those whose ρ together gains most
/// (the product of 1/ρ), then to all others, the worst off first.  O(64 ×
/// (log jobs + sizes + instances)) for each auction, and O(log jobs + sizes) for each who has what
/// the bids leave over; also O(jobs with instances) when leases end.
std::unique_ptr<Algorithm> themis(const ThemisModel& model);

/// The bid of a gang: its instances, and what its end gains by having them now.
struct Bid {
  std::int64_t instances = 0;
  std::int64_t gain = 0;
};

/// Which of the bids have the largest gain together and no more instances than that, by their
/// places in order; among equals those that have the first of all bids in which they differ.
std::vector<std::size_t> best_bids(const std::vector<Bid>& bids, std::int64_t machines);

}  // namespace reeve::policies
