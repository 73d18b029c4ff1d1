// When machines of a pool break, hang and are back: a clock of its own for each of them.
#pragma once

#include <cstdint>
#include <queue>
#include <reeve/policy/ids.hpp>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

/// The faults of one pool's machines in one replication, forward only; instants are after the start
/// of the clock.  What is drawn depends on the seed, the replication, the pool and the machine,
/// never on who held it.  Machines count from 0.  The world must outlive it.
class NodeClock {
 public:
  NodeClock(const World& world, std::uint32_t replication, policy::PoolId pool);

  struct Change {
    enum class Kind : std::uint8_t { breaks, hangs, returns };
    Kind kind = Kind::breaks;
    std::vector<std::uint32_t> machines;  ///< in order; none: what was to break was broken already
  };

  /// When something changes next; Duration::max() if never.
  Duration next_at() const;
  /// To the next change, which there is.
  Change advance();
  bool is_up(std::uint32_t machine) const { return machines_[machine].up; }
  std::uint32_t up() const { return up_; }

 private:
  struct Machine {
    Duration due{0};           ///< next fault if it is up, else when it is back
    std::uint32_t faults = 0;  ///< that it had
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
  double luck(sim::Cause cause, std::uint32_t machine, std::uint32_t nth) const;

  const World* world_;
  std::uint32_t replication_;
  policy::PoolId pool_;
  std::vector<Machine> machines_;
  std::uint32_t up_ = 0;
  std::size_t next_stated_ = 0;  ///< of those that are written down
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace reeve::models
