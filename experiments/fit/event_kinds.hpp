// Which events a history shows, and within how many hours: what rates are fitted to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/fit/observed_job.hpp"
#include "experiments/fit/rate.hpp"

namespace reeve::experiments {

/// Events of one kind on one instance type, with their exposure.
struct EventSeries {
  std::string type;                        ///< instance type; empty: not stated, or all
  std::vector<policy::Instant> at;         ///< sorted
  double exposure = 0;                     ///< hours
  std::vector<double> weekly_events = {};  ///< of whole weeks
  std::vector<double> weekly_exposure = {};
  std::vector<AttemptAge> ages = {};  ///< for the hazard; empty if it is not known when events were

  RateEvidence evidence(const ObservedHistory& history) const;
  /// The same of the first `weeks` whole weeks.
  RateEvidence evidence(const ObservedHistory& history, std::size_t weeks) const;
};

struct EventKind {
  std::string_view name;
  std::string_view unit;           ///< "per node-hour"
  std::string_view exposure_unit;  ///< "node-hours"
  bool by_node = false;            ///< exposure counts nodes
  bool has_outages = false;        ///< the outages of a history say when they were
  bool has_prior = false;          ///< published rates are known
  bool by_market = false;          ///< of a market that is not Spot: only if it shows events
  bool (*is_exposed)(const ObservedJob& job) = nullptr;
  std::size_t (*events)(const ObservedJob& job) = nullptr;
  bool (*ends_with_event)(const ObservedJob& job) = nullptr;  ///< for the hazard
};

/// Failures of code, stalls, node faults and interruptions of Spot instances.
std::vector<EventKind> event_kinds();

/// One series per instance type.  Where the sources do not say when an event was, events are spread
/// evenly over the run.
std::vector<EventSeries> series_of(const EventKind& kind, const ObservedHistory& history);

/// All series together.
EventSeries together(const std::vector<EventSeries>& series);

}  // namespace reeve::experiments
