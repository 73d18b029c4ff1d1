// What training scripts report of themselves: steps, losses and other signs of progress.
#pragma once

#include <cstdint>

#include "models/fleet/core.hpp"
#include "models/fleet/event_delivery.hpp"

namespace reeve::models {

/// Reports of running attempts, for policies that ask for them.
class TrainingReports {
 public:
  /// `enabled`: a policy requests them.
  TrainingReports(FleetCore& core, EventDelivery& events, bool enabled)
      : core_{core}, events_{events}, enabled_{enabled} {}

  bool has(const Running& run) const { return enabled_ && core_.profile(run.job).reports; }
  /// The next one comes `every` of training from now.
  void schedule(Running& run);
  /// The event `report_due`; stale ones do nothing.
  void report(Slot slot, std::uint64_t number);

 private:
  bool is_hit(const Running& run, const FaultKind* kind) const;
  std::uint8_t signs_of(const Running& run, const Reports& of) const;
  void tell_signs(const Running& run, const Reports& of);
  void tell(const policy::Observation& seen, Duration delay);
  Duration work_done(const Running& run) const;
  double loss_of(policy::JobId job, const LossCurve& curve, Duration done) const;

  FleetCore& core_;
  EventDelivery& events_;
  const bool enabled_;
  std::uint32_t last_ = 0;
};

}  // namespace reeve::models
