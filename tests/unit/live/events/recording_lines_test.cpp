// Lines of a recording that leave out statuses are read as the events that were written.
#include "live/events/recording_lines.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "live/events/read_event.hpp"

namespace reeve::live {
namespace recording_lines_test {

using policy::Instant;
using std::chrono::seconds;

constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
                       std::chrono::hours{12}};

TransitionList statuses(std::size_t count, Instant from = noon) {
  TransitionList all;
  for (std::size_t nth = 0; nth < count; ++nth) {
    const bool trains = nth % 2 == 1;
    all.push_back({trains ? policy::Secondary::training : policy::Secondary::starting,
                   trains ? "Training" : "Starting",
                   from + seconds{nth},
                   {},
                   trains ? "" : "Launching"});
  }
  return all;
}

FleetEvent event_of(TransitionList transitions) {
  TrainingJobState job;
  job.name = "train";
  job.transitions = std::move(transitions);
  job.secondary = job.transitions.back().status;
  job.secondary_word = job.transitions.back().word;
  FleetEvent event;
  event.time = job.transitions.back().start;
  event.detail = std::move(job);
  return event;
}

struct RecordingLines : testing::Test {
  RecordingWriter writer;
  RecordingReader reader;

  /// Writes and reads it.  Returns the length of the line.
  std::size_t pass(const TransitionList& written) {
    const FleetEvent event = event_of(written);
    const std::string line = writer.line(event, *event.time);
    const auto read = reader.read(line);
    if (const Failure* failure = failure_of(read)) {
      ADD_FAILURE() << failure->message;
      return 0;
    }
    const auto& got = std::get<TrainingJobState>(std::get<FleetEvent>(read).detail).transitions;
    EXPECT_EQ(got.size(), written.size());
    for (std::size_t place = 0; place < std::min(got.size(), written.size()); ++place) {
      EXPECT_EQ(got[place].status, written[place].status) << place;
      EXPECT_EQ(got[place].start, written[place].start) << place;
      EXPECT_EQ(got[place].message, written[place].message) << place;
      if (got[place].end && place + 1 < written.size()) {
        EXPECT_EQ(*got[place].end, written[place].end.value_or(written[place + 1].start)) << place;
      }
    }
    return line.size();
  }
};

TEST_F(RecordingLines, OfManyStatusesAreShort) {
  std::size_t longest = 0;
  for (std::size_t count = 1; count <= most_repeated_transitions; ++count) {
    longest = pass(statuses(count));
  }
  for (std::size_t count = most_repeated_transitions + 1; count <= 400; ++count) {
    EXPECT_LT(pass(statuses(count)), longest / 5);
  }
}

TEST_F(RecordingLines, MayBeLateOrComeTwiceOrSkipSome) {
  for (const std::size_t count : {150U, 200U, 199U, 200U, 120U, 250U, 3U, 251U}) {
    pass(statuses(count));
  }
}

TEST_F(RecordingLines, OfAnotherJobWithTheNameOfADeletedOneAreWhole) {
  pass(statuses(300));
  pass(statuses(150, noon + std::chrono::hours{1}));
  pass(statuses(151, noon + std::chrono::hours{1}));
}

TEST_F(RecordingLines, HaveTheMessageAndTheEndThatTheLastStatusGot) {
  TransitionList all = statuses(200);
  pass(all);
  TransitionList other = all.first(199);
  StatusTransition last = all.back();
  last.message = "Insufficient capacity";
  last.end = last.start + std::chrono::milliseconds{1};
  other.push_back(last);
  pass(other);
  other.push_back({policy::Secondary::starting, "Starting", last.start + seconds{1}, {}, ""});
  pass(other);
}

TEST_F(RecordingLines, NeedTheLinesBeforeThem) {
  writer.line(event_of(statuses(150)), noon);
  const std::string line = writer.line(event_of(statuses(151)), noon);
  EXPECT_NE(failure_of(reader.read(line)), nullptr);
  EXPECT_NE(failure_of(read_event(line)), nullptr);
}

}  // namespace recording_lines_test
}  // namespace reeve::live
