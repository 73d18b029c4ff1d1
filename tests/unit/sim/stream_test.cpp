#include "sim/stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

namespace reeve::sim {
namespace {

std::string merged(TimeStream stream, EventQueue& queue) {
  std::string order;
  for (;;) {
    switch (next_source(stream, queue)) {
      case Source::none:
        return order;
      case Source::queue:
        order += "q" + std::to_string(queue.pop().subject) + " ";
        break;
      case Source::stream:
        order += "s" + std::to_string(stream.index()) + " ";
        stream.advance();
    }
  }
}

TEST(TimeStream, MergesByTime) {
  constexpr std::array<std::int64_t, 3> times{10, 20, 40};
  EventQueue queue;
  queue.push(30, Phase::world, 0, 1, 0);
  queue.push(15, Phase::world, 0, 0, 0);
  queue.push(50, Phase::world, 0, 2, 0);
  EXPECT_EQ(merged({times, Phase::world}, queue), "s0 q0 s1 q1 s2 q2 ");
}

TEST(TimeStream, GoesFirstAtEqualTimeAndPhaseOnly) {
  constexpr std::array<std::int64_t, 2> times{10, 10};
  EventQueue queue;
  queue.push(10, Phase::reply, 0, 1, 0);
  queue.push(10, Phase::telemetry, 0, 0, 0);
  queue.push(10, Phase::decide, 0, 2, 0);
  EXPECT_EQ(merged({times, Phase::reply}, queue), "q0 s0 s1 q1 q2 ");
}

TEST(TimeStream, EndsWithBothSourcesEmpty) {
  EventQueue queue;
  EXPECT_EQ(merged({{}, Phase::world}, queue), "");
  queue.push(1, Phase::world, 0, 4, 0);
  EXPECT_EQ(merged({{}, Phase::world}, queue), "q4 ");
}

}  // namespace
}  // namespace reeve::sim
