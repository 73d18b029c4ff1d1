// When instances of a pool will be free, if every job lasts as long as was said.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <reeve/policy/fleet_view.hpp>
#include <vector>

#include "sections.hpp"
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
  /// When this number of further instances is free; `never` if they never are.
  policy::Instant when(std::int64_t instances) const {
    const End* const last =
        ends_.first_with_all_before([&](const Sum& sum) { return sum.instances >= instances; });
    return last == nullptr ? policy::never : last->at;
  }
  /// How many instances are free again then.
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

/// A limit of pending jobs: the instances available now, and more as jobs end.
struct Bound {
  std::int64_t free = 0;
  const ExpectedEnds* ends = nullptr;

  /// From when on this number is available.
  policy::Instant when(std::int64_t instances) const {
    return instances <= free ? policy::Instant::min() : ends->when(instances - free);
  }
};

/// The ends of all jobs with instances.  Any job holds instances of the pool that others wait for;
/// the limit of an environment counts only its own jobs.  O(log jobs) each.
class EndsOfFleet {
 public:
  using Bounds = std::array<Bound, 3>;

  /// Before anything else is said of the pool.
  void know(policy::PoolId pool, const policy::FleetView& fleet) {
    has_environments_ = !fleet.directory().environments.empty();
    if (pool.index >= pools_.size()) pools_.resize(std::size_t{pool.index} + 1);
  }
  /// `ours`: of the environment of those who wait here.
  void add(policy::PoolId pool, const ExpectedEnds::End& end, bool ours) {
    for (ExpectedEnds* const each : counted_in(pool, ours)) {
      if (each != nullptr) each->add(end);
    }
  }
  void remove(policy::PoolId pool, const ExpectedEnds::End& end, bool ours) {
    for (ExpectedEnds* const each : counted_in(pool, ours)) {
      if (each != nullptr) each->remove(end);
    }
  }
  bool any_before(policy::PoolId pool, policy::Instant at) const {
    return pools_[pool.index].all.any_before(at);
  }
  Bounds bounds(policy::PoolId pool, const Headroom& room) const {
    const Pool& there = pools_[pool.index];
    return {Bound{room.of_machines, &there.all}, Bound{room.of_limit, &there.ours},
            Bound{room.of_instances, &ours_}};
  }

 private:
  struct Pool {
    ExpectedEnds all;
    ExpectedEnds ours;
  };

  /// Without environments only the first is used.
  std::array<ExpectedEnds*, 3> counted_in(policy::PoolId pool, bool ours) {
    Pool& there = pools_[pool.index];
    if (!has_environments_ || !ours) return {&there.all};
    return {&there.all, &there.ours, &ours_};
  }

  std::vector<Pool> pools_;
  ExpectedEnds ours_;  ///< in all pools
  bool has_environments_ = false;
};

/// What may end at any moment does so a moment from now.
inline policy::Instant not_past(policy::Instant end, policy::Instant now) {
  return std::max(end, now + policy::Duration{1});
}

/// When the first in line gets its instances, and how many others are free from then on.
struct Promise {
  policy::Instant at;
  std::int64_t spare = 0;
};

/// To one who wants more than is free.
inline Promise promise_of(std::int64_t wanted, const EndsOfFleet::Bounds& bounds,
                          policy::Instant now) {
  policy::Instant end = policy::Instant::min();
  for (const Bound& bound : bounds) end = std::max(end, bound.when(wanted));
  end = not_past(end, now);
  std::int64_t spare = Headroom::unlimited;
  for (const Bound& bound : bounds) {
    spare = std::min(spare, bound.free + bound.ends->until(end) - wanted);
  }
  return {end, spare};
}

}  // namespace reeve::policies
