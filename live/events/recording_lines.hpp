// The lines of a recording of events: those of a job with many statuses have each status once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "live/aws/failure.hpp"
#include "live/events/fleet_event.hpp"
#include "live/events/transition_list.hpp"

namespace reeve::live {

/// An event of AWS has all statuses of its job so far.  This is how many of them a line has at
/// least: from there on it leaves out what earlier lines have told.
inline constexpr std::size_t most_repeated_transitions = 100;

/// Writes the events of a recording in their order.
class RecordingWriter {
 public:
  /// An event, and when reeve received it.
  std::string line(const FleetEvent& event, policy::Instant received);

 private:
  std::map<std::string, TransitionList> told_;  ///< by the name of a training job
};

/// Reads what a RecordingWriter has written, and every text that read_event takes.
class RecordingReader {
 public:
  Result<FleetEvent> read(std::string_view text);

 private:
  std::map<std::string, TransitionList> told_;
};

}  // namespace reeve::live
