// Reads the offers of a pool change by change: recorded, drawn, or limited to windows.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>

#include "models/world.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

/// True if the pool does not always offer its whole capacity.
bool offers_change(const Pool& pool);

/// The limit of consecutive shocks that miss a pool: after it, the pool ignores shocks while it
/// stays up.  Shocks cannot be skipped unseen, because hits of several pools are correlated.
inline constexpr std::uint32_t most_misses = 2'000'000;

/// The offers of one pool in one replication, forward only; instants are after the start of the
/// clock.  Draws depend on the seed, the replication and the pool, never on what is held.  The
/// world must outlive this object.
class OfferCursor {
 public:
  OfferCursor(const World& world, std::uint32_t replication, policy::PoolId pool);

  std::uint32_t offered() const { return offered_; }
  /// The time of the next change; Duration::max() if there is none.
  Duration next_at() const { return next_at_; }
  /// The offer from then on; differs from the current one.
  std::uint32_t next_offered() const { return next_offered_; }
  /// Advances to the next change, which must exist.
  void advance();

 private:
  /// The offer without windows: its current value, and the time and value of the next change.
  struct Source {
    std::uint32_t offered = 0;
    Duration next_at = Duration::max();
    std::uint32_t next_offered = 0;
  };

  const Pool& pool() const { return world_->pools[id_.index]; }
  void begin_replay();
  void step_replay();
  void look_ahead_in_replay();
  void begin_drawn();
  void step_drawn();
  void look_ahead_drawn();
  std::uint32_t drawn_offer() const;
  Duration last_asked() const;
  Duration first_hit(Duration after, Duration before);
  bool shock_hits() const;
  void next_shock();
  void step_source();
  bool in_window() const;
  Duration window_edge() const;
  policy::Duration closing(const TimeSpan& window) const;
  void find_next();
  double uniform_draw(sim::Cause cause, std::uint32_t entity, std::uint32_t nth) const;

  const World* world_;
  std::uint32_t replication_;
  policy::PoolId id_;
  Duration now_{0};
  std::uint32_t offered_ = 0;
  Duration next_at_ = Duration::max();
  std::uint32_t next_offered_ = 0;
  Source source_;
  std::size_t window_ = 0;  ///< the first that has not ended
  std::size_t step_ = 0;    ///< of the record
  Duration record_from_{0};
  bool up_ = true;
  std::uint32_t ups_ = 0;  ///< number of periods drawn
  std::uint32_t downs_ = 0;
  const Shocks* shocks_ = nullptr;
  std::uint32_t region_ = 0;  ///< of the shocks
  std::size_t place_ = 0;     ///< of the pool in the shocks
  double hit_below_ = 0;
  std::uint32_t shock_ = 0;
  Duration shock_at_{0};
};

}  // namespace reeve::models
