// When nodes of a pool break, hang and return: a separate clock for each node.
#pragma once

#include <cstdint>
#include <queue>
#include <reeve/policy/ids.hpp>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

/// The faults of one pool's nodes in one replication, forward only; instants are after the start of
/// the clock.  Draws depend on the seed, the replication, the pool and the node, never on the jobs
/// there.  Nodes count from 0.  The world must outlive this object.
class NodeClock {
 public:
  NodeClock(const World& world, std::uint32_t replication, policy::PoolId pool);

  struct Change {
    enum class Kind : std::uint8_t { breaks, hangs, returns };
    Kind kind = Kind::breaks;
    std::vector<std::uint32_t> machines;  ///< in order; none: all of them were broken already
  };

  /// The time of the next change; Duration::max() if there is none.
  Duration next_at() const;
  /// Advances to the next change, which must exist.
  Change advance();
  bool is_up(std::uint32_t machine) const { return machines_[machine].up; }
  std::uint32_t up() const { return up_; }

 private:
  struct Machine {
    Duration due{0};           ///< next fault if it is up, else its return
    std::uint32_t faults = 0;  ///< so far
    std::uint32_t broken = 0;  ///< of those, without hangs
    bool up = true;
  };
  using Due = std::pair<Duration, std::uint32_t>;

  const NodeFaults& faults() const { return *world_->pools[pool_.index].node_faults; }
  bool explicit_first() const;
  Duration up_time(std::uint32_t machine) const;
  void expect(std::uint32_t machine, Duration at);
  void break_machine(std::uint32_t machine, Duration at, Duration lasts);
  std::vector<std::uint32_t> hit_with(std::uint32_t machine) const;
  void forget_stale();
  double uniform_draw(sim::Cause cause, std::uint32_t machine, std::uint32_t nth) const;

  const World* world_;
  std::uint32_t replication_;
  policy::PoolId pool_;
  std::vector<Machine> machines_;
  std::uint32_t up_ = 0;
  std::size_t next_stated_ = 0;  ///< of the explicit faults
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace reeve::models
