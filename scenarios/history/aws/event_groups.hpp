// Interruptions that came together: capacity of one type in one zone is taken in groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Interruptions of one type and zone, each within 3 minutes of the one before.
struct EventGroup {
  std::string instance_type;
  std::string zone;
  policy::Instant from, until;
  std::uint64_t instances = 0;
};

/// By type, zone and time.
std::vector<EventGroup> interruption_groups(const std::vector<HistoryEvent>& events);

}  // namespace reeve::scenarios
