// Which queues share an order: those of one environment and one priority, each with an algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <reeve/policy/fleet_view.hpp>
#include <vector>

#include "algorithm.hpp"

namespace reeve::policies {

/// How many more those who wait for a pool may have: of its instances, and of what their
/// environment may have of it and of all pools.
struct Headroom {
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  std::int64_t of_machines = unlimited;
  std::int64_t of_limit = unlimited;
  std::int64_t of_instances = unlimited;
  std::int64_t least() const { return std::min({of_machines, of_limit, of_instances}); }
};

using AlgorithmMaker = std::function<std::unique_ptr<Algorithm>()>;

/// Divides queues by what limits them (AWS Batch: service environment) and by their priority, in
/// the order in which they are served: environments as in the file, those without one first; in
/// each the larger priority first (aws-behaviour: "higher priority first on a shared SE").  Jobs in
/// no queue stand where queues without an environment stand at priority 0.  Most fleets are one
/// section without limits, and everything here is O(1) then; else O(sections) per start and end.
class Sections {
 public:
  /// Once, before anything else.
  void divide(const policy::Directory& directory, const AlgorithmMaker& make);
  bool are_divided() const { return !sections_.empty(); }

  std::size_t count() const { return sections_.size(); }
  /// One section without limits: its jobs may have all instances.
  bool is_one_without_limits() const { return count() == 1 && environments_.empty(); }
  Algorithm& algorithm(std::size_t section) const { return *sections_[section].algorithm; }
  std::size_t of(policy::JobId job, const policy::FleetView& fleet) const {
    if (count() == 1) return 0;
    const auto queue = fleet.terms(job).queue;
    return queue ? of_queue_[queue->index] : of_nobody_;
  }
  /// Whether the share's queue is of the section.
  bool has(std::size_t section, policy::ShareId share) const {
    return count() == 1 || (share.index < of_share_.size() && of_share_[share.index] == section);
  }
  /// Of several sections, the one of the share's queue.
  std::size_t of(policy::ShareId share) const { return of_share_[share.index]; }
  bool have_one_environment(std::size_t a, std::size_t b) const {
    return sections_[a].environment == sections_[b].environment;
  }

  /// How many of a pool's `capacity` the section may have at all.
  std::int64_t most(std::size_t section, policy::PoolId pool, std::int64_t capacity) const;
  /// How many of the `free` instances its environment leaves it, if `promised` of other pools are
  /// promised.
  Headroom headroom(std::size_t section, policy::PoolId pool, std::int64_t free,
                    std::int64_t promised) const;
  /// How many of `all` used instances jobs of the section use.
  std::int64_t used(std::size_t section, policy::PoolId pool, std::int64_t all) const;
  /// A job of the section uses `instances` more (or fewer) of the pool.
  void use(std::size_t section, policy::PoolId pool, std::int64_t instances);
  /// Whether what the section uses of one pool is not there for it in others.
  bool spans_pools(std::size_t section) const;

 private:
  /// What its queues may use, and use, of each pool and of all.
  struct Environment {
    std::vector<std::optional<std::int64_t>> most = {};
    std::vector<std::int64_t> used = {};
    std::optional<std::int64_t> most_of_all = std::nullopt;
    std::int64_t used_of_all = 0;
  };
  struct Section {
    std::unique_ptr<Algorithm> algorithm;
    std::optional<std::uint32_t> environment = std::nullopt;
    std::vector<std::int64_t> used = {};  ///< by pool
  };

  const Environment* limits_of(std::size_t section) const {
    if (environments_.empty()) return nullptr;
    const auto place = sections_[section].environment;
    return place ? &environments_[*place] : nullptr;
  }

  std::vector<Section> sections_;
  std::vector<Environment> environments_;  ///< as in the directory
  std::vector<std::size_t> of_queue_;
  std::vector<std::size_t> of_share_;
  std::size_t of_nobody_ = 0;
};

}  // namespace reeve::policies
