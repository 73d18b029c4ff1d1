// Events from a file or a pipe, one per line, as a feed of the host.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

#include "host/ports.hpp"
#include "live/events/recording_lines.hpp"
#include "live/feed/roster.hpp"

namespace reeve::live {

/// A line that gave no event.
struct UnreadableLine {
  std::uint64_t line = 0;  ///< from 1
  std::string why;
};

/// Each line is an event as RecordingReader takes it; empty lines are skipped.  The clock is that
/// of a recording, else of the events: a line is delivered then, or with the line before it if that
/// is later.  A line that lies more than a year after the one before is skipped.  After the last
/// line no further event is possible.
class EventLines final : public host::Feed {
 public:
  /// Both must outlive the feed.
  EventLines(std::istream& lines, Roster& roster) : lines_{lines}, roster_{roster} {}

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;

  /// Of the first event; nothing before it, or if there is none.
  std::optional<policy::Instant> start();
  std::uint64_t lines() const { return line_; }
  std::uint64_t unreadable() const { return unreadable_; }
  /// The first ones, ten at most.
  const std::vector<UnreadableLine>& first_unreadable() const { return first_unreadable_; }

 private:
  bool read_next();
  void skip(std::string why);

  std::istream& lines_;
  Roster& roster_;
  RecordingReader reader_;
  std::optional<FleetEvent> next_;
  policy::Instant now_ = policy::Instant::min();
  std::uint64_t line_ = 0;
  std::uint64_t unreadable_ = 0;
  std::vector<UnreadableLine> first_unreadable_;
};

}  // namespace reeve::live
