// Which jobs Kueue preempts: by classic preemption, or by fair sharing.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <set>
#include <vector>

#include "kueue_cohort.hpp"

namespace reeve::policies {

/// `preemption.withinClusterQueue` of Kueue: which jobs of its own share a job may preempt.
enum class WithinShare : std::uint8_t { none, lower_priority, lower_or_newer };
/// `preemption.reclaimWithinCohort`: which jobs of shares that borrow.
enum class Reclaim : std::uint8_t { none, lower_priority, any };
/// KEP-1714, "Choosing workloads from ClusterQueues for preemption".  `final_share` (S2-a): with
/// the job its share is to have no more than the other without its victim.  `initial_share`
/// (S2-b): less than the other with it.
enum class FairStrategy : std::uint8_t { final_share, initial_share };

struct KueueModel {
  bool fair = false;
  /// The first of a share blocks it (StrictFIFO); else the first that can start does
  /// (BestEffortFIFO).
  bool strict = false;
  WithinShare within = WithinShare::none;
  Reclaim reclaim = Reclaim::none;
  /// `borrowWithinCohort`: a job that preempts others may borrow as well, if they have lower
  /// priorities, at most `max_priority`.
  bool borrow_within = false;
  std::int64_t max_priority = std::numeric_limits<std::int32_t>::max();
  std::vector<FairStrategy> strategies = {FairStrategy::final_share, FairStrategy::initial_share};
};

/// A job that may be preempted.  Smaller goes first: the lowest priority, then who got its
/// instances last (Kueue, "Preemption", Candidates), then the job that stands first.
struct Target {
  std::int64_t priority = 0;
  policy::Instant since;  ///< when it got its instances
  policy::JobId job;
  std::uint32_t share = 0;
  std::int64_t instances = 0;
  policy::Instant submitted;

  friend bool operator<(const Target& a, const Target& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    if (a.since != b.since) return a.since > b.since;
    return a.job < b.job;
  }
};

/// Those of a share that may be preempted.
class TargetLine {
 public:
  using Place = std::set<Target>::const_iterator;

  void insert(const Target& target) {
    line_.insert(target);
    ++sizes_[target.instances];
  }
  void erase(const Target& target) {
    line_.erase(target);
    const auto size = sizes_.find(target.instances);
    if (--size->second == 0) sizes_.erase(size);
  }
  bool empty() const { return line_.empty(); }
  Place begin() const { return line_.begin(); }
  Place end() const { return line_.end(); }
  std::int64_t smallest() const { return sizes_.begin()->first; }

 private:
  std::set<Target> line_ = {};
  std::map<std::int64_t, std::uint32_t> sizes_ = {};  ///< number of targets by size
};

using Targets = std::vector<TargetLine>;  ///< by share

/// A job that wants instances.
struct Wish {
  std::uint32_t share = 0;
  std::int64_t instances = 0;
  std::int64_t priority = 0;
  policy::Instant submitted;
};

/// Whether Kueue searches for targets at all: the request is within the quota, or may be borrowed
/// by preempting (Kueue, "Preemption", Classic Preemption).
bool may_preempt(const KueueModel& model, const Cohort& cohort, const Wish& wish);

/// The jobs to preempt so that the job starts, as few as the heuristic finds; empty if it cannot.
/// Costs a look at each candidate up to the last of them.  The cohort is unchanged at the end.
std::vector<Target> targets_of(const KueueModel& model, Cohort& cohort, const Wish& wish,
                               const Targets& all);

}  // namespace reeve::policies
