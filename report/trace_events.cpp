#include "report/trace_events.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "report/file_stream.hpp"
#include "report/format.hpp"
#include "report/json_text.hpp"

namespace reeve::report {
namespace {

constexpr std::size_t buffered_events = std::size_t{1} << 17;

constexpr bool is_plain_json(std::string_view text) {
  return std::ranges::all_of(text, [](char character) {
    return character >= ' ' && character < '\x7f' && character != '"' && character != '\\';
  });
}

std::int64_t microseconds(policy::Duration time) {
  return std::chrono::floor<std::chrono::microseconds>(time).count();
}

}  // namespace

TraceEvents::TraceEvents(std::ostream& out, std::string place)
    : out_{out}, place_{std::move(place)} {
  buffer_.reserve(buffered_events + 4096);
  // Perfetto reads nothing behind a member that it does not know: events come first.
  buffer_ += "{\"traceEvents\":[";
}

void TraceEvents::begin(const TraceEvent& event) {
  buffer_ += std::exchange(has_event_, true) ? ",\n{\"name\":" : "\n{\"name\":";
  append_text(event.name);
  if (!event.category.empty()) {
    buffer_ += ",\"cat\":";
    append_text(event.category);
  }
  buffer_ += ",\"ph\":\"";
  buffer_ += event.phase;
  buffer_ += '"';
  if (event.phase == 'i') buffer_ += ",\"s\":\"t\"";  // as high as its thread
  if (event.at) {
    buffer_ += ",\"ts\":";
    append_integer(buffer_, microseconds(*event.at));
  }
  if (event.length) {
    buffer_ += ",\"dur\":";
    append_integer(buffer_, microseconds(*event.length));
  }
  buffer_ += ",\"pid\":";
  append_count(buffer_, event.process);
  buffer_ += ",\"tid\":";
  append_count(buffer_, event.thread);
  buffer_ += ",\"args\":{";
  has_argument_ = false;
}

void TraceEvents::text(std::string_view name, std::string_view value) {
  name_argument(name);
  append_text(value);
}

void TraceEvents::count(std::string_view name, std::uint64_t value) {
  name_argument(name);
  append_count(buffer_, value);
}

void TraceEvents::usd(std::string_view name, policy::Usd value) {
  name_argument(name);
  append_usd(buffer_, value);
}

void TraceEvents::end() {
  buffer_ += "}}";
  if (buffer_.size() >= buffered_events) flush();
}

void TraceEvents::finish() {
  buffer_ += "\n],\"displayTimeUnit\":\"ms\"}\n";
  flush();
  out_.flush();
}

void TraceEvents::name_argument(std::string_view name) {
  if (std::exchange(has_argument_, true)) buffer_ += ',';
  append_text(name);
  buffer_ += ':';
}

void TraceEvents::append_text(std::string_view text) {
  if (!is_plain_json(text)) {
    buffer_ += json_text(std::string{text});
    return;
  }
  buffer_ += '"';
  buffer_ += text;
  buffer_ += '"';
}

void TraceEvents::flush() {
  errno = 0;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  if (!out_ && errno != 0) refuse_write(place_, errno);
  if (!out_) throw std::runtime_error{"cannot write " + place_};
}

}  // namespace reeve::report
