// What of each pool is used, and how many more instances each section may have of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <reeve/policy/fleet_view.hpp>
#include <vector>

#include "sections.hpp"

namespace reeve::policies {

/// Unused quota of shares of other sections: of the instances of a pool, and of what the
/// environment of a section may have of it.
struct KeptForOthers {
  std::int64_t of_machines = 0;
  std::int64_t of_environment = 0;
};

/// Counts instances that attempts have or were granted, by pool, by share and by section.
class PoolUsage {
 public:
  explicit PoolUsage(Sections& sections) : sections_{sections} {}

  std::size_t pool_count() const { return pools_.size(); }
  void add_pool(std::int64_t capacity) { pools_.push_back({.capacity = capacity}); }
  /// Returns true if the pool is larger than before.
  bool resize(policy::PoolId pool, std::int64_t capacity);
  /// A job of the section uses `instances` more, or fewer.
  void use(policy::PoolId pool, std::size_t section, std::optional<policy::ShareId> share,
           std::int64_t instances);

  /// The most instances of the pool that the section may ever have at once.
  std::int64_t most(std::size_t section, policy::PoolId pool) const {
    return sections_.most(section, pool, pools_[pool.index].capacity);
  }
  /// Instances of the pool that jobs of the section use.
  std::int64_t used(std::size_t section, policy::PoolId pool) const {
    return sections_.used(section, pool, pools_[pool.index].used);
  }
  /// The share's quota of the pool; 0 if the share belongs to another section.
  std::int64_t quota(std::size_t section, policy::ShareId share, policy::PoolId pool,
                     const policy::FleetView& fleet) const {
    return sections_.has(section, share) ? std::int64_t{fleet.quota(share, pool)} : 0;
  }
  /// How many more instances the section may have, by what limits them; below 0 where capacity was
  /// lost.  `kept` stays free for other sections.
  Headroom headroom(std::size_t section, policy::PoolId pool, KeptForOthers kept) const {
    const Pool& of = pools_[pool.index];
    if (sections_.is_one_without_limits()) {
      return {.of_machines = of.capacity - of.used - kept.of_machines};
    }
    return limited_headroom(section, pool, kept);
  }
  /// Unused quota of shares of other sections, which this section could not return to them.
  /// O(sections + shares), of one section O(1).
  KeptForOthers kept_for_others(std::size_t section, policy::PoolId pool,
                                const policy::FleetView& fleet) const;
  /// Of what the section may have, what neither quotas of shares nor jobs of no share of other
  /// sections cover: it is for its jobs of no share.  O(shares + sections²).
  std::int64_t uncovered(std::size_t section, policy::PoolId pool,
                         const policy::FleetView& fleet) const;

 private:
  struct Pool {
    std::int64_t capacity = 0;
    std::int64_t used = 0;
    std::vector<std::int64_t> used_by_share = {};  ///< where there are several sections
  };

  Headroom limited_headroom(std::size_t section, policy::PoolId pool, KeptForOthers kept) const;
  std::vector<std::int64_t> idle_quota(policy::PoolId pool, const policy::FleetView& fleet) const;
  std::vector<std::int64_t> quota_by_section(policy::PoolId pool,
                                             const policy::FleetView& fleet) const;
  bool is_first_of_environment(std::size_t section) const;
  std::int64_t used_without_share(std::size_t section, policy::PoolId pool) const;
  std::int64_t promised_to_others(std::size_t section, policy::PoolId pool) const;
  std::int64_t promised_elsewhere(std::size_t section, policy::PoolId pool) const;

  Sections& sections_;
  std::vector<Pool> pools_;
};

}  // namespace reeve::policies
