// What runs a world: truth behind the two ports, whichever model it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/ports.hpp"
#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// Whether submitted work starts by itself as soon as it fits (first in, first out, per pool), or
/// waits in a queue until a StartJob; or does as either once a rule has placed it.
enum class Admission : std::uint8_t { direct, held, placed, placed_then_held };

/// One replication of a world.  Deterministic in (world, replication, attempts submitted).
class Simulation : public host::Feed, public host::Actuator {
 public:
  /// Closes the books at `end` (or at the last event, if that is earlier and the world ends when
  /// everything is done) and hands over what is left.  The simulation is spent afterwards.
  virtual Record finish(policy::Instant end, bool partial) = 0;

  virtual std::uint64_t events_handled() const = 0;
  /// What is recorded so far, as Keep says.
  virtual const Record& so_far() const = 0;
  /// What each host of an attempt measures from `from` to now, by host, as in Record::host_metrics;
  /// empty if the attempt does not run now.
  virtual std::vector<MetricSeries> metrics_since(policy::JobId job, policy::AttemptNumber attempt,
                                                  policy::Instant from) const = 0;
};

/// The simulation for the world's platform.  The world must outlive it.  `reports`: a seat receives
/// the reports of training scripts.
std::unique_ptr<Simulation> simulate(const World& world, std::uint32_t replication,
                                     Admission admission, Keep keep, bool reports = false);

}  // namespace reeve::models
