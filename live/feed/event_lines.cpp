#include "live/feed/event_lines.hpp"

#include <algorithm>
#include <utility>

namespace reeve::live {

using policy::Instant;

namespace {

/// SQS takes no longer message.
constexpr std::size_t most_line_bytes = std::size_t{1} << 20;

/// A later event is more likely one with a wrong time, which would let all limits pass.
constexpr policy::Duration longest_gap = std::chrono::days{366};

/// An earlier one would set the clock so far back that all others seem wrong.
constexpr Instant first_time = std::chrono::sys_days{std::chrono::year{2017} / 1 / 1};

/// When it is delivered; an event without a time comes with the one before it.
std::optional<Instant> time_of(const FleetEvent& event) {
  return event.received ? event.received : event.time;
}

/// False at the end.  Of a longer line it keeps one byte more than allowed.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  char c = 0;
  bool any = false;
  while (in.get(c)) {
    if (c == '\n') return true;
    any = true;
    if (line.size() <= most_line_bytes) line.push_back(c);
  }
  return any;
}

}  // namespace

policy::Instant EventLines::advance(Instant deadline, host::Intake& out) {
  // What is due at the last instant is still decided.
  if (!next_ && !read_next()) return deadline <= now_ ? now_ : policy::never;
  const Instant due = std::max(time_of(*next_).value_or(now_), now_);
  if (due > deadline) {
    now_ = std::max(now_, deadline);
    return now_;
  }
  if (now_ == Instant::min()) roster_.open(due, out.observations);
  now_ = due;
  do {
    roster_.take(*next_, now_, out.observations);
    next_.reset();
  } while (read_next() && time_of(*next_).value_or(now_) <= now_);
  return now_;
}

std::optional<Instant> EventLines::start() {
  if (!next_ && !read_next()) return std::nullopt;
  return time_of(*next_);
}

/// False at the end of the lines.
bool EventLines::read_next() {
  std::string text;
  while (read_line(lines_, text)) {
    ++line_;
    if (text.size() > most_line_bytes) {
      skip("it is longer than a mebibyte");
      continue;
    }
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<FleetEvent> read = reader_.read(text);
    if (const Failure* failure = failure_of(read)) {
      skip(failure->message);
      continue;
    }
    next_ = std::get<FleetEvent>(std::move(read));
    const auto time = time_of(*next_);
    if (time.value_or(now_) < first_time) {
      next_.reset();
      skip(time ? "its time is before 2017, when SageMaker began"
                : "it has no time, and no event before it has one");
      continue;
    }
    if (now_ == Instant::min() || time.value_or(now_) <= now_ + longest_gap) return true;
    next_.reset();
    skip("its time is more than a year after the event before it");
  }
  return false;
}

void EventLines::skip(std::string why) {
  constexpr std::size_t most_kept = 10;
  ++unreadable_;
  if (first_unreadable_.size() < most_kept) first_unreadable_.push_back({line_, std::move(why)});
}

}  // namespace reeve::live
