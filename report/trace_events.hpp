// Writes events in Chrome's Trace Event Format, which Perfetto opens.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

namespace reeve::report {

/// The first bytes of each file: how reeve recognizes its own.
inline constexpr std::string_view timeline_begins =
    "{\"traceEvents\":[\n"
    "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"labels\":\"reeve ";

/// The members of an event that are not its arguments.
struct TraceEvent {
  std::string_view name;
  std::string_view category = {};
  char phase = 'X';  ///< X: complete, i: instant, C: counter, M: metadata
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  std::optional<policy::Duration> at = {};  ///< since the start of the clock; in microseconds
  std::optional<policy::Duration> length = {};
};

/// Writes one event after the other: `begin`, its arguments, `end`.  Buffered; throws
/// std::runtime_error naming `place` if the stream fails.
class TraceEvents {
 public:
  TraceEvents(std::ostream& out, std::string place);

  void begin(const TraceEvent& event);
  void text(std::string_view name, std::string_view value);
  void count(std::string_view name, std::uint64_t value);
  void usd(std::string_view name, policy::Usd value);
  void end();
  /// The end of the file.
  void finish();

 private:
  void name_argument(std::string_view name);
  void append_text(std::string_view text);
  void flush();

  std::ostream& out_;
  std::string place_;
  std::string buffer_;
  bool has_event_ = false;
  bool has_argument_ = false;
};

}  // namespace reeve::report
