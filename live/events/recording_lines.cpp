#include "live/events/recording_lines.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "live/events/read_event.hpp"
#include "live/events/write_event.hpp"

namespace reeve::live {
namespace {

/// Of one job: not of another that got the name of one that was deleted.
bool have_one_beginning(const TransitionList& one, const TransitionList& other) {
  if (one.empty() || other.empty()) return true;
  const std::size_t last = std::min(one.size(), other.size()) - 1;
  return one[0].start == other[0].start && one[last].start == other[last].start;
}

/// Keeps the longer one.
void keep(TransitionList& told, const TransitionList& newer) {
  if (newer.size() > told.size() || !have_one_beginning(told, newer)) told = newer;
}

bool is_same(const StatusTransition& told, const StatusTransition& again,
             const StatusTransition* next) {
  const bool has_end =
      told.end == again.end || (!told.end && next != nullptr && again.end == next->start);
  return has_end && told.start == again.start && told.word == again.word &&
         told.message == again.message;
}

/// The first `count` of `told`, then `more`.  It shares the elements that are the same.
TransitionList joined(const TransitionList& told, std::size_t count, const TransitionList& more) {
  std::size_t same = 0;
  for (; same < more.size() && count + same < told.size(); ++same) {
    const StatusTransition* next = same + 1 < more.size() ? &more[same + 1] : nullptr;
    if (!is_same(told[count + same], more[same], next)) break;
  }
  TransitionList all = told.first(count + same);
  for (std::size_t place = same; place < more.size(); ++place) all.push_back(more[place]);
  return all;
}

}  // namespace

std::string RecordingWriter::line(const FleetEvent& event, policy::Instant received) {
  const auto* job = std::get_if<TrainingJobState>(&event.detail);
  if (job == nullptr || job->transitions.empty()) return recorded(event, received);
  TransitionList& told = told_[job->name];
  const TransitionList& all = job->transitions;
  // What was the last one may have got an end or another message.
  const std::size_t known = std::min(told.size(), all.size());
  const bool leaves_out =
      all.size() > most_repeated_transitions && known > 1 && have_one_beginning(told, all);
  if (!leaves_out) {
    keep(told, all);
    return recorded(event, received);
  }
  FleetEvent shorter = event;
  shorter.left_out_transitions = known - 1;
  TransitionList rest;
  for (std::size_t place = known - 1; place < all.size(); ++place) rest.push_back(all[place]);
  std::get<TrainingJobState>(shorter.detail).transitions = std::move(rest);
  keep(told, all);
  return recorded(shorter, received);
}

Result<FleetEvent> RecordingReader::read(std::string_view text) {
  Result<FleetEvent> read = read_recorded_event(text);
  auto* event = std::get_if<FleetEvent>(&read);
  auto* job = event == nullptr ? nullptr : std::get_if<TrainingJobState>(&event->detail);
  if (job == nullptr) return read;
  const std::size_t count = std::exchange(event->left_out_transitions, 0);
  if (job->transitions.empty()) return read;
  TransitionList& told = told_[job->name];
  if (count > told.size()) return Failure{"it leaves out statuses that no line before it has"};
  if (count > 0) job->transitions = joined(told, count, job->transitions);
  keep(told, job->transitions);
  return read;
}

}  // namespace reeve::live
