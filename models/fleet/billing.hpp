// What the instances of attempts cost: the bill from what was held, the uses from what it was held
// for.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/host_metrics.hpp"
#include "models/fleet/prices.hpp"
#include "models/fleet/shares.hpp"
#include "models/progress.hpp"

namespace reeve::models {

/// The books of a fleet's money.  Sums are in Record::ledger, lines in Record::ledger_lines.
class Billing {
 public:
  Billing(FleetCore& core, const Prices& prices, ShareBooks& shares, HostMetrics& metrics)
      : core_{core}, prices_{prices}, shares_{shares}, metrics_{metrics} {}

  /// The whole time was for one use.
  void spend(Running& run, Use use, Instant from, Instant until);
  /// The startup until now.  It is redone if it was stopped wrongly, or what it begins again was.
  void spend_start(Running& run);
  /// A run of training that ends: `made` until `worked_until`, of which the work up to `kept`
  /// counts.  In machine time, as is `remaining`.
  struct Training {
    const Checkpoint& plan;
    Duration remaining;
    Progress made;
    Duration kept;
    Instant worked_until;
  };
  void book_training(Running& run, const Training& training);

  /// The whole time is billed, and was for one use.
  void pay_for(const Holding& instances, Use use, Instant from, Instant until);
  /// Ends the billed interval of the launch.
  void settle(Running& run, Ending ending);
  /// Instances of a launch that are billed by themselves: they came later, or leave sooner.
  void settle_part(Running& run, const Joined& part, Ending ending);
  /// BillableTimeInSeconds: what was held; under managed Spot what it cost, as whole seconds at the
  /// on-demand price.
  Duration billable(const Running& run) const;
  /// The pool's own part of a reserved pool: its bill, and what was not used.  `held_in`: of its
  /// windows, instance-nanoseconds; only where lines are kept.
  void bill_reserved(policy::PoolId pool, Charge allocated_time, std::vector<Charge> held_in);

  /// The hosts that are left saved what they held in memory: it was not lost.
  void save_memory(Running& run);
  /// They did not save it: it stays lost.
  static void lose_memory(Launch& launch);
  /// A restart from scratch makes lost work of everything the job had saved and not delivered.
  void forget_progress(policy::JobId job);
  /// What was delivered cannot be lost.
  void deliver(policy::JobId job);
  /// The newest row of Record::stops is a false stop of this attempt.
  void blame_stop(const Running& run);

 private:
  struct Saved {  ///< charge of the durable work of a job that was not delivered yet
    Charge first_attempt = 0;
    Charge later = 0;
    Charge machine_time = 0;         ///< of both, instance-nanoseconds
    Charge gpu_time = 0;             ///< of both, GPU-nanoseconds
    std::vector<std::size_t> lines;  ///< in Record::ledger_lines, if those are kept
  };

  // billing.cpp: bills of launches
  void bill(const Holding& instances, Instant from, Instant until, Charge extra = 0);
  void settle_joined(Running& run, Ending ending);
  Charge up_to_whole_seconds(Running& run, Charge exact) const;
  void waive(Running& run, const Joined& part);
  void waive_stalls(const Running& run, const Joined& part);
  void list_idle(policy::PoolId pool, Charge idle, Charge allocated_time, std::vector<Charge> held);

  // billing_uses.cpp: what instances did
  void book_work(Running& run, const Progress& made, Duration kept, const Stretch& stretch,
                 policy::UsdPerHour price);
  void book_by_price(Running& run, const Training& training);
  void book(Running& run, Use use, Duration held, const Stretch& stretch, policy::UsdPerHour price);
  void attribute(const Holding& instances, Use use, Duration held, const Stretch& stretch,
                 policy::UsdPerHour price, Charge extra = 0);
  void settle_uses(Running& run, const Joined& part, Charge extra = 0);
  void note_overlays(Running& run, Duration work, Instant from, policy::UsdPerHour price);
  void settle_overlays(Launch& launch, const Joined& part, bool free);
  void note_unsaved(Launch& launch, const Holding& instances, Use use, Duration held,
                    Charge amount) const;
  void lose(policy::JobId job, const Saved& saved);
  Charge gpus_of(policy::PoolId pool) const;  ///< of one instance
  std::size_t wrong_stop_of(const Holding& instances) const;
  UntaggedRow* untagged(policy::JobId job, policy::AttemptNumber attempt);

  FleetCore& core_;
  const Prices& prices_;
  ShareBooks& shares_;
  HostMetrics& metrics_;
  std::map<policy::JobId, Saved> saved_;
  /// Wrong stops that may yet cost something, in Record::stops.
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::size_t> wrong_stops_;
  /// Attempts that start up again only because of one of them; likewise.
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::size_t> redone_starts_;
};

}  // namespace reeve::models
