// Series of a metric: means of a minute, and the lowest of hosts.
#include "models/metric_series.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "models/alarm.hpp"
#include "tests/unit/models/alarm_cases.hpp"
#include "tests/unit/models/print_transition.hpp"

namespace reeve::models {
namespace alarm_test {

using policy::Compare;
using policy::Window;

// ------------------------------------------------------------------------------- MetricSeries

TEST(MetricSeries, AMinuteIsTheMeanOfThePartThatIsThere) {
  MetricSeries series;
  series.append(t0 + 10s, 100);
  series.append(t0 + 20s, 400);
  series.append(t0 + 50s, std::nullopt);
  const SampleSet minute = series.samples(t0, t0 + 1min, 60s);
  EXPECT_EQ(minute.count, 1);
  EXPECT_EQ(minute.sum, (10 * 100.0 + 30 * 400.0) / 40);
  EXPECT_EQ(series.samples(t0 - 1min, t0, 60s).count, 0);
  EXPECT_EQ(series.samples(t0 + 1min, t0 + 5min, 60s).count, 0);
  const SampleSet tens = series.samples(t0, t0 + 1min, 10s);
  EXPECT_EQ(tens.count, 4);
  EXPECT_EQ(tens.sum, 1300);
  EXPECT_EQ(tens.minimum, 100);
  EXPECT_EQ(tens.maximum, 400);
}

TEST(MetricSeries, AConstantIsItsOwnMeanHoweverLittleOfItIsThere) {
  for (const double level : {0.1, 1.0, 5.7, 95.3 * 8, 1.0 / 3.0}) {
    for (std::int64_t present = 1; present < 3'000'000'000; present += 7'654'321) {
      MetricSeries series;
      series.append(t0, level);
      series.append(t0 + 98min + Duration{present}, std::nullopt);
      const SampleSet one = series.samples(t0 + 98min, t0 + 99min, 60s);
      ASSERT_EQ(one.mean(), level) << present;
      ASSERT_EQ(series.samples(t0, t0 + 100min, 60s).mean(), level) << present;
    }
  }
}

TEST(MetricSeries, TheLaterWordOnAnInstantWins) {
  MetricSeries series;
  series.append(t0, 5);
  series.append(t0 + 1s, 6);
  series.append(t0 + 1s, 7);
  EXPECT_EQ(series.at(t0 + 1s), 7);
  EXPECT_EQ(series.segments(), 2u);
  series.append(t0 + 1s, 5);  // as if nothing had happened
  EXPECT_EQ(series.segments(), 1u);
  EXPECT_EQ(series.at(t0 + 1h), 5);
  EXPECT_EQ(series.at(t0 - 1ns), std::nullopt);
  EXPECT_THROW(series.append(t0, 1), std::invalid_argument);
}

// Two hosts take turns of five minutes in which they idle: neither has three low datapoints in a
// row, and the lowest of the two always is low.
TEST(LowestOfHosts, IsLowWhereHostsTakeTurns) {
  std::array<MetricSeries, 2> hosts;
  for (int turn = 0; turn < 24; ++turn) {
    const Instant at = t0 + turn * 5min;
    hosts[0].append(at, turn % 2 == 0 ? 0 : 760);
    hosts[1].append(at, turn % 2 == 0 ? 760 : 0);
  }
  AlarmRule rule = blog_rule();
  rule.window = Window::wall_clock;
  for (const MetricSeries& host : hosts) {
    Alarm alone{rule, {}, t0};
    std::vector<Transition> changes;
    alone.advance(host, t0 + 2h, changes);
    for (const Transition& change : changes) EXPECT_NE(change.to, alarm);
  }
  Alarm lowest{rule, {}, t0};
  const auto first = lowest.peek(hosts);
  ASSERT_TRUE(first);
  std::vector<Transition> changes;
  lowest.advance(hosts, t0 + 2h, changes);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.front(), *first) << "what is foreseen comes";
  EXPECT_EQ(changes.back(), (Transition{t0 + 15min, changes.back().from, alarm}));
  for (const AlarmDatapoint& point : lowest.datapoints(hosts, t0 + 1h)) {
    EXPECT_TRUE(point.present);
    EXPECT_EQ(point.value, 0);
  }
}

// With one threshold the lowest is above it where both are.
TEST(LowestOfHosts, IsHighWhereAllAre) {
  std::array<MetricSeries, 2> hosts;
  hosts[0].append(t0, 760);
  hosts[1].append(t0, 600);
  hosts[1].append(t0 + 1h, 300);
  AlarmRule rule = blog_rule();
  rule.compare = Compare::greater;
  rule.threshold = 500;
  Alarm lowest{rule, {}, t0};
  std::vector<Transition> changes;
  lowest.advance(hosts, t0 + 50min, changes);
  EXPECT_EQ(lowest.state(), alarm);
  lowest.advance(hosts, t0 + 2h, changes);
  EXPECT_EQ(lowest.state(), ok);
}

}  // namespace alarm_test
}  // namespace reeve::models
