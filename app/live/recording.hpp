// Writes what a simulated fleet tells as events of AWS, so that `reeve live` can be tried on it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/live/simulated_events.hpp"
#include "live/events/fleet_event.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// Observations that no event of AWS tells, by name.
using LeftOut = std::map<std::string, std::uint64_t>;

/// The policy with each rule in shadow mode that is not off: it changes nothing.
scenarios::PolicySpec shadowed(scenarios::PolicySpec policy);

/// GPU utilization of each host, `JOB/algo-N`, in percent summed over its GPUs.
using MetricsByHost = std::map<std::string, models::MetricSeries, std::less<>>;

struct Recording {
  std::vector<live::FleetEvent> events;  ///< with `received`, in its order
  MetricsByHost metrics;
  LeftOut left_out;
  policy::Instant start;
  policy::Instant end;
};

/// Throws UsageError unless the platform is sagemaker-training.
void check_recordable(const scenarios::Scenario& scenario);

/// One event for each observation of the first run of the policy in shadow mode, when the host gets
/// it, and the metrics of that run.  Needs the platform sagemaker-training.
/// Metrics are kept on request: they grow with instances and time.
Recording record_events(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
                        bool with_metrics);

/// One line for each event.
void write_events(const Recording& recording, std::ostream& out);

}  // namespace reeve::app
