// The training jobs of a record, and a scenario in which the simulator runs them again.
#pragma once

#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "app/live/shadow_record.hpp"
#include "live/events/fleet_event.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

using TimeByStatus = std::map<policy::Secondary, policy::Duration>;

/// A training job as the events of a record tell it.
struct ObservedJob {
  std::string name;
  policy::Instant created;
  TimeByStatus spent;  ///< time in each status, the last one up to the end of the record
  std::optional<policy::Duration> billed;  ///< BillableTimeInSeconds, or start to end
  bool is_over = false;
  bool completed = false;
};

/// The jobs that the simulator can run again.
struct ObservedFleet {
  scenarios::Scenario scenario;  ///< from the first job to as long after the end of the record
  policy::Instant from;          ///< the record
  policy::Instant to;
  std::vector<ObservedJob> jobs;                ///< by JobId of the scenario
  std::map<std::string, std::size_t> left_out;  ///< why, and how many
  std::uint64_t unreadable = 0;                 ///< lines of the events and metrics
};

/// The text of the status of a record.  Throws UsageError if it is none.
std::string status_text(const RecordedShadow& record, const char* key);

/// Reads the record of a directory.  Throws UsageError if it is no record, InputError if its
/// configuration is invalid.
ObservedFleet read_observed_fleet(const std::string& directory, const RecordedShadow& record);

}  // namespace reeve::app
