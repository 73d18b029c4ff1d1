// The tick world: the published simulators of Spot strategies, behind the two ports
// (docs/explanation/tick-world.md).
#pragma once

#include <optional>
#include <vector>

#include "models/fleet/simulation.hpp"
#include "models/offer_cursor.hpp"

namespace reeve::models {

/// One replication of a world that is cut into ticks.  At the start of a tick rules learn what is
/// on offer and how far jobs are; what a job then holds it holds, and pays, for the whole tick at
/// the price of its start.  Calls work at once; all but MoveJob and Notify are refused.  The world
/// must outlive it.
class TickFleet final : public Simulation {
 public:
  TickFleet(const World& world, std::uint32_t replication, Keep keep);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  void submit(const host::Attempt& attempt) override;
  Record finish(policy::Instant end, bool partial) override;
  std::uint64_t events_handled() const override { return events_handled_; }
  const Record& so_far() const override { return record_; }
  /// None: rules of this model read no metrics.
  std::vector<MetricSeries> metrics_since(policy::JobId, policy::AttemptNumber,
                                          policy::Instant) const override {
    return {};
  }

 private:
  static constexpr std::size_t no_line = ~std::size_t{0};

  struct JobTruth {  ///< what a JobRow does not say
    Duration left{0};
    Duration overhead{0};                ///< left of the restart under way
    std::optional<policy::PoolId> held;  ///< in the tick before
    std::optional<policy::PoolId> wanted;
    policy::PoolId last;  ///< that it held
    Instant held_since;
    Instant first_billed = policy::never;
    Duration billed{0};
    std::uint32_t revision = 0;
    bool alive = false;          ///< submitted and not done
    bool asked = false;          ///< once more, when it was done
    std::size_t line = no_line;  ///< of the ledger, the newest
    policy::UsdPerHour line_price;
  };

  struct PoolTruth {
    std::uint32_t offered = 0;
    std::uint32_t allocated = 0;  ///< wanted in the tick that is open
    bool offer_noted = false;
    std::uint32_t shown = 0;   ///< held, as in the newest row of the utilization table
    std::uint32_t used = 0;    ///< likewise
    std::uint32_t there = 0;   ///< likewise
    policy::UsdPerHour price;  ///< in this tick
    Charge allocated_time = 0;
    Charge used_time = 0;
    std::optional<OfferCursor> market;  ///< none: the whole capacity, always
  };

  struct SwitchTurn {
    Instant at;
    bool engaged = false;
  };

  /// When a pool's number of instances that make progress changes within a tick.
  struct Edge {
    Instant at;
    policy::PoolId pool;
    std::int64_t used = 0;
  };

  // the clock
  void open();
  policy::Instant next_event() const;
  bool is_over(Instant at);
  void submit_next();
  Instant tick_start(std::uint64_t tick) const;
  Instant window_end() const;

  // one tick
  void begin_tick();
  void read_markets();
  void note_offer(policy::PoolId id, std::uint32_t lost);
  void lose_machines(policy::PoolId pool);
  std::vector<policy::JobId> victims(policy::PoolId pool) const;
  void complete(policy::JobId job);
  void report(policy::JobId job);
  bool move(const policy::MoveJob& verb);
  void settle_tick();
  void change_machines(policy::JobId job);
  void pass_tick(policy::JobId job);
  void book(policy::JobId job, Use use, Instant from, Duration held);

  // the record
  void enter(policy::JobId job, policy::Primary primary, policy::Secondary secondary,
             Instant told_at);
  void keep_attempt(policy::JobId job, EndReason reason, Instant end);
  void note_levels(Instant at);
  void note_edges();
  void note_peaks();
  void count_there(policy::PoolId pool);

  const JobSpec& spec(policy::JobId job) const { return record_.jobs.specs[job.index]; }
  const JobProfile& profile(policy::JobId job) const { return world_.profiles[spec(job).profile]; }

  const World& world_;
  const std::uint32_t replication_;
  const Keep keep_;
  const TickWindow* window_ = nullptr;  ///< none: until the world ends
  Instant now_;
  Instant last_work_;      ///< when something last happened to a job
  Instant last_progress_;  ///< when a job last came closer to its end
  bool opened_ = false;
  bool tick_open_ = false;  ///< rules may still say what is held
  bool over_ = false;
  std::uint64_t next_tick_ = 0;
  std::uint64_t events_handled_ = 0;
  host::Intake inbox_;
  std::vector<policy::JobId> arrivals_;  ///< in order of submission
  std::size_t next_arrival_ = 0;
  std::vector<SwitchTurn> switch_turns_;
  std::size_t next_turn_ = 0;
  std::vector<JobTruth> truth_;
  std::vector<policy::JobId> alive_;  ///< in order of submission
  std::vector<PoolTruth> pools_;
  std::vector<Edge> edges_;  ///< of the tick that is settled
  Record record_;
};

}  // namespace reeve::models
