// Alarms: the published tables and the acceptance numbers. Random cases: alarm_property_test.cpp.
#include "models/alarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/metric_series.hpp"
#include "tests/unit/models/alarm_cases.hpp"
#include "tests/unit/models/print_transition.hpp"

namespace reeve::models {
namespace alarm_test {

using policy::Compare;
using policy::Window;

MetricSeries stalled_after(Duration onset, double running = 760, double stalled = 0) {
  MetricSeries series;
  series.append(t0, running);
  series.append(t0 + onset, stalled);
  return series;
}

std::vector<Transition> history(const MetricSeries& series, const AlarmRule& rule,
                                const MetricsTiming& timing, Instant created,
                                Instant until = policy::never) {
  Alarm subject{rule, timing, created};
  std::vector<Transition> out;
  subject.advance(series, until, out);
  return out;
}

/// How long after t0 the alarm first goes off; none: never.
std::optional<Duration> first_alarm(const MetricSeries& series, const AlarmRule& rule,
                                    const MetricsTiming& timing = {}, Instant created = t0) {
  for (const Transition& transition : history(series, rule, timing, created)) {
    if (transition.to == alarm) return transition.at - t0;
  }
  return std::nullopt;
}

// ---------------------------------------------------------------- CloudWatch's published tables

struct TableRow {
  const char* points;  ///< old to new: 0 good, X breaching, - missing
  std::uint16_t m;
  std::array<std::optional<AlarmState>, 4> states;  ///< missing, ignore, breaching, notBreaching
};

constexpr std::optional<AlarmState> retained = std::nullopt;

const std::vector<TableRow> table{
    {"0-X-X", 3, {ok, ok, ok, ok}},
    {"0----", 3, {ok, ok, ok, ok}},
    {"-----", 3, {insufficient, retained, alarm, ok}},
    {"0XX-X", 3, {alarm, alarm, alarm, alarm}},
    {"--X--", 3, {alarm, retained, alarm, ok}},
    {"0-X-X", 2, {alarm, alarm, alarm, alarm}},
    {"00X0X", 2, {alarm, alarm, alarm, alarm}},
    {"0-X--", 2, {ok, ok, alarm, ok}},
    {"----0", 2, {ok, ok, alarm, ok}},
    {"---X-", 2, {alarm, retained, alarm, ok}},
};

constexpr std::array treatments{MissingData::missing, MissingData::ignore, MissingData::breaching,
                                MissingData::not_breaching};

TEST(AlarmTables, EveryCellOfBothPublishedTables) {
  int cells = 0;
  for (const TableRow& row : table) {
    for (std::size_t column = 0; column < treatments.size(); ++column) {
      AlarmRule rule = blog_rule();
      rule.datapoints_to_alarm = row.m;
      rule.missing = treatments[column];
      std::vector<AlarmDatapoint> range;
      for (const char point : std::string{row.points}) {
        range.push_back({t0, point != '-', point == 'X' ? 0.0 : 50.0});
      }
      for (const AlarmState current : {insufficient, ok, alarm}) {
        EXPECT_EQ(evaluate(rule, range, current), row.states[column].value_or(current))
            << row.points << " M=" << row.m << " column " << column;
      }
      ++cells;
    }
  }
  EXPECT_EQ(cells, 40);
}

// The same cells through the whole machine: five 5-minute buckets in front of one evaluation.
TEST(AlarmTables, EveryCellFromASeries) {
  for (const TableRow& row : table) {
    MetricSeries series;
    for (int i = 0; i < 5; ++i) {
      const char point = row.points[i];
      const std::optional<double> value =
          point == '-' ? std::nullopt : std::optional{point == 'X' ? 0.0 : 50.0};
      series.append(t0 + i * 5min, value);
    }
    for (std::size_t column = 0; column < treatments.size(); ++column) {
      AlarmRule rule = blog_rule();
      rule.datapoints_to_alarm = row.m;
      rule.missing = treatments[column];
      const std::vector<Transition> changes = history(series, rule, {}, t0 + 25min, t0 + 25min);
      const AlarmState expected = row.states[column].value_or(insufficient);
      EXPECT_EQ(changes.empty() ? insufficient : changes.back().to, expected)
          << row.points << " M=" << row.m << " column " << column;
    }
  }
}

// ------------------------------------------------------------------------- acceptance numbers

TEST(Alarm, StallAtOneHourIsSeenAt1h15) {  // F27
  EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule()), 1h + 15min);
}

TEST(Alarm, SixtySecondsOfPublicationMakeIt1h16) {  // F28
  MetricsTiming timing;
  timing.publish_delay = 60s;
  EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule(), timing), 1h + 16min);
}

TEST(Alarm, SlidingLatencyByTheSecondOfTheOnset) {  // F29
  Duration sum{0};
  Duration longest{0};
  for (std::int64_t o = 0; o < 60; ++o) {
    const Duration onset = 1h + o * 1s;
    const std::optional<Duration> fired = first_alarm(stalled_after(onset), blog_rule());
    ASSERT_TRUE(fired);
    EXPECT_EQ(*fired - onset, o == 0 ? 900s : 960s - o * 1s) << o;
    sum += *fired - onset;
    longest = std::max(longest, *fired - onset);
  }
  EXPECT_EQ(sum, 60 * 929500ms);
  EXPECT_EQ(longest, 959s);
}

TEST(Alarm, WallClockLatencyByTheSecondOfTheOnset) {  // F29
  AlarmRule rule = blog_rule();
  rule.window = Window::wall_clock;
  Duration sum{0};
  Duration longest{0};
  for (std::int64_t o = 0; o < 300; ++o) {
    const Duration onset = 1h + o * 1s;
    const std::optional<Duration> fired = first_alarm(stalled_after(onset), rule);
    ASSERT_TRUE(fired);
    sum += *fired - onset;
    longest = std::max(longest, *fired - onset);
  }
  EXPECT_EQ(sum, 300 * 1049500ms);
  EXPECT_EQ(longest, 1199s);
}

TEST(Alarm, ConstantOneIsAtMostOneAndNotBelowOne) {  // F30
  AlarmRule rule = blog_rule();
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 1.0), rule), 1h + 15min);
  rule.compare = Compare::less;
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 1.0), rule), std::nullopt);
}

TEST(Alarm, ThresholdsEqualToAConstantAreExactWhateverTheOnset) {
  for (const double level : {0.1, 1.0 / 3.0, 5.7, 95.3 * 8}) {
    for (const Duration onset : {Duration{1h}, Duration{1h + 123456789ns}}) {
      AlarmRule rule = blog_rule();
      rule.threshold = level;
      EXPECT_TRUE(first_alarm(stalled_after(onset, 800, level), rule)) << level;
      rule.compare = Compare::less;
      EXPECT_FALSE(first_alarm(stalled_after(onset, 800, level), rule)) << level;
      rule.compare = Compare::greater_or_equal;
      EXPECT_TRUE(first_alarm(stalled_after(onset, 0, level), rule)) << level;
      rule.compare = Compare::greater;
      EXPECT_FALSE(first_alarm(stalled_after(onset, 0, level), rule)) << level;
    }
  }
}

TEST(Alarm, FourOfFourTakesFiveMinutesMore) {  // F30
  AlarmRule rule = blog_rule();
  rule.evaluation_periods = rule.datapoints_to_alarm = 4;
  EXPECT_EQ(first_alarm(stalled_after(1h), rule), 1h + 20min);
}

TEST(Alarm, EightyPercentOfEightGpusIs640) {  // F31
  AlarmRule rule = blog_rule();
  rule.compare = Compare::less;
  rule.threshold = 80;  // 10 % of each GPU
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 8 * 79.0), rule), std::nullopt);
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 8 * 9.0), rule), 1h + 15min);
  rule.threshold = 640;
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 8 * 79.0), rule), 1h + 15min);
  EXPECT_EQ(first_alarm(stalled_after(1h, 760, 8 * 80.0), rule), std::nullopt);
}

// F32.  By the published algorithm real points in the evaluation range outrank the treatment of
// missing ones, so with the range of N + 2 the last good points must leave it: 25 minutes.  With a
// range of N alone it is 15.
TEST(Alarm, MetricsThatDieWithTheStall) {
  MetricSeries series;
  series.append(t0, 760);
  series.append(t0 + 1h, std::nullopt);
  AlarmRule rule = blog_rule();
  MetricsTiming no_extra;
  no_extra.extra_datapoints = 0;
  EXPECT_EQ(first_alarm(series, rule), std::nullopt);

  rule.missing = MissingData::breaching;
  // 1 minute after the creation the first datapoint exists; before that nothing but absence.
  const Instant created = t0 + 30min;
  EXPECT_EQ(first_alarm(series, rule, {}, created), 1h + 25min);
  EXPECT_EQ(first_alarm(series, rule, no_extra, created), 1h + 15min);

  rule.missing = MissingData::ignore;
  EXPECT_EQ(history(series, rule, {}, created),
            (std::vector<Transition>{{created, insufficient, ok}}));

  rule.missing = MissingData::missing;
  EXPECT_EQ(
      history(series, rule, {}, created),
      (std::vector<Transition>{{created, insufficient, ok}, {t0 + 1h + 25min, ok, insufficient}}));
}

TEST(Alarm, BreachingAlsoFiresInAGapOfAHealthyJob) {  // F32
  AlarmRule rule = blog_rule();
  rule.missing = MissingData::breaching;
  MetricsTiming no_extra;
  no_extra.extra_datapoints = 0;
  for (const auto& [timing, gap] :
       {std::pair{no_extra, 15min}, std::pair{MetricsTiming{}, 25min}}) {
    for (const Duration shorter : {Duration{0}, Duration{1min}}) {
      MetricSeries series;
      series.append(t0, 760);
      series.append(t0 + 1h, std::nullopt);
      series.append(t0 + 1h + gap - shorter, 760);
      EXPECT_EQ(first_alarm(series, rule, timing, t0 + 30min).has_value(), shorter == Duration{0});
    }
  }
}

TEST(Alarm, NodeFiveIsIdleAndNodeOneIsNot) {  // F33
  const MetricSeries node1 = stalled_after(1h, 800, 800);
  const MetricSeries node5 = stalled_after(1h, 800, 0);
  EXPECT_EQ(first_alarm(node1, blog_rule()), std::nullopt);
  EXPECT_EQ(first_alarm(node5, blog_rule()), 1h + 15min);
}

TEST(Alarm, UpdateKeepsTheStateSoASecondStallIsUnseen) {  // F39
  MetricSeries series = stalled_after(1h);
  std::vector<Transition> seen;
  Alarm kept{blog_rule(), {}, t0};
  kept.advance(series, t0 + 2h, seen);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(kept.state(), alarm);
  // The restarted job is idle at once; whoever puts the alarm anew leaves its state as it is.
  kept.update(blog_rule(), t0 + 2h);
  EXPECT_EQ(kept.state(), alarm);
  EXPECT_EQ(kept.peek(series), std::nullopt);
  // Whoever deletes and creates it gets the transition, and at once: older samples count.
  Alarm fresh{blog_rule(), {}, t0 + 2h};
  EXPECT_EQ(fresh.peek(series), (Transition{t0 + 2h, insufficient, alarm}));
}

TEST(Alarm, UpdateReplacesTheRule) {
  const MetricSeries series = stalled_after(1h, 760, 30);
  std::vector<Transition> seen;
  Alarm subject{blog_rule(), {}, t0};
  subject.advance(series, t0 + 2h, seen);
  EXPECT_EQ(subject.state(), ok);
  AlarmRule rule = blog_rule();
  rule.threshold = 40;
  subject.update(rule, t0 + 2h);
  EXPECT_EQ(subject.state(), ok);
  EXPECT_EQ(subject.peek(series), (Transition{t0 + 2h + 1min, ok, alarm}))
      << "the evaluation at the instant of the update came before it";
}

// ------------------------------------------------------------------------------ when it looks

TEST(Alarm, LooksAtItsOwnSecondOfTheMinute) {
  for (std::int64_t offset = 0; offset < 60; ++offset) {
    MetricsTiming timing;
    timing.evaluation_offset = offset * 1s;
    EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule(), timing), 1h + 15min + offset * 1s);
    timing.publish_delay = 60s;
    EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule(), timing), 1h + 16min + offset * 1s);
    timing.publish_delay = 20s;  // the sample of the last minute is there from second 20 on
    EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule(), timing),
              1h + (offset < 20 ? 16min : 15min) + offset * 1s);
  }
}

TEST(Alarm, MoreThanADayIsLookedAtOnceAnHour) {
  AlarmRule rule = blog_rule();
  rule.period = 1h;
  rule.evaluation_periods = 24;
  rule.datapoints_to_alarm = 1;
  MetricsTiming timing;
  timing.evaluation_offset = 7s;
  const MetricSeries series = stalled_after(30h + 10min);
  EXPECT_EQ(first_alarm(series, rule, timing), 31h + 10min + 7s) << "a day is not more than a day";
  rule.evaluation_periods = 25;
  EXPECT_EQ(first_alarm(series, rule, timing), 32h + 7s);
  EXPECT_EQ(first_alarm(series, rule, timing, t0 + 50h + 20min), 51h + 7s);
}

TEST(Alarm, ManyShortPeriodsAreLookedAtEveryMinute) {
  AlarmRule rule = blog_rule();
  for (const int periods : {24, 25, 100, 288}) {  // of 5 min: up to a day
    rule.evaluation_periods = rule.datapoints_to_alarm = static_cast<std::uint16_t>(periods);
    EXPECT_EQ(first_alarm(stalled_after(30h + 5min), rule), 30h + 5min + periods * 5min) << periods;
  }
  rule.period = 90min;
  rule.evaluation_periods = rule.datapoints_to_alarm = 13;
  EXPECT_EQ(first_alarm(stalled_after(30h + 5min), rule), 30h + 5min + 13 * 90min);
}

TEST(Alarm, AnUpdateMayChangeHowOftenItLooks) {
  AlarmRule rare = blog_rule();
  rare.period = 6h;
  rare.evaluation_periods = 5;
  Alarm subject{rare, {}, t0 + 1min};
  EXPECT_EQ(subject.next_evaluation(), t0 + 1h);
  std::vector<Transition> seen;
  subject.advance(stalled_after(1h), t0 + 10min, seen);
  subject.update(blog_rule(), t0 + 10min);
  EXPECT_EQ(subject.next_evaluation(), t0 + 11min);
  subject.update(rare, t0 + 10min);
  EXPECT_EQ(subject.next_evaluation(), t0 + 1h);
}

TEST(Alarm, FirstLookIsAtOrAfterCreation) {
  MetricsTiming timing;
  timing.evaluation_offset = 7s;
  EXPECT_EQ(Alarm(blog_rule(), timing, t0 + 7s).next_evaluation(), t0 + 7s);
  EXPECT_EQ(Alarm(blog_rule(), timing, t0 + 7s + 1ns).next_evaluation(), t0 + 67s);
  EXPECT_EQ(Alarm(blog_rule(), timing, t0).next_evaluation(), t0 + 7s);
}

TEST(Alarm, SamplesFromBeforeItsCreationCount) {
  EXPECT_EQ(first_alarm(stalled_after(1h), blog_rule(), {}, t0 + 2h), 2h);
}

// A bucket with one sample in it is a datapoint: where the metric begins idle, the oldest of the
// three buckets needs a single idle minute.
TEST(Alarm, IdleFromItsFirstSampleFiresAfter11Minutes) {
  MetricSeries series;
  series.append(t0, 0);
  EXPECT_EQ(first_alarm(series, blog_rule()), Duration{11min});
  AlarmRule wall_clock = blog_rule();
  wall_clock.window = Window::wall_clock;
  EXPECT_EQ(first_alarm(series, wall_clock), Duration{15min});
}

TEST(Alarm, TransitionsOnlyOnChange) {
  MetricSeries series;
  for (int i = 0; i < 20; ++i) {
    series.append(t0 + 2 * i * 1h, 760);
    series.append(t0 + (2 * i + 1) * 1h, 0);
  }
  const std::vector<Transition> seen = history(series, blog_rule(), {}, t0);
  ASSERT_EQ(seen.size(), 40u);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].from, seen[i - 1].to);
    EXPECT_NE(seen[i].from, seen[i].to);
    EXPECT_LT(seen[i - 1].at, seen[i].at);
  }
}

TEST(Alarm, AChangeAtTheInstantOfAnEvaluationIsTooLateForIt) {
  MetricSeries series = stalled_after(1h);
  const Instant fires = t0 + 1h + 15min;
  series.append(fires, 760);  // work resumes at the very instant of the evaluation
  EXPECT_EQ(first_alarm(series, blog_rule()), 1h + 15min);
  MetricSeries earlier = stalled_after(1h);
  earlier.append(fires - 1s, 760);
  EXPECT_EQ(first_alarm(earlier, blog_rule()), std::nullopt);
}

TEST(Alarm, ExplainsWhatItSaw) {
  const MetricSeries series = stalled_after(1h, 760, 0.5);
  const Alarm subject{blog_rule(), {}, t0};
  const std::vector<AlarmDatapoint> seen = subject.datapoints(series, t0 + 1h + 15min);
  ASSERT_EQ(seen.size(), 5u);
  const std::array<double, 5> values{760, 760, 0.5, 0.5, 0.5};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(seen[i].from, t0 + 50min + static_cast<std::int64_t>(i) * 5min);
    EXPECT_TRUE(seen[i].present);
    EXPECT_EQ(seen[i].value, values[i]);
  }
  EXPECT_FALSE(subject.datapoints(series, t0).back().present);
}

TEST(Alarm, ACenturyOfWorkIsNotWalkedThroughByTheMinute) {
  MetricSeries series;
  series.append(t0, 760);
  const Duration century = 24h * 365 * 100;
  series.append(t0 + century, 0);
  EXPECT_EQ(first_alarm(series, blog_rule()), century + 15min);
}

/// A metric with a sample every five minutes, and an alarm with a period of one minute: four of
/// five datapoints are missing.
std::optional<Duration> first_alarm_below_the_sample(MissingData missing) {
  AlarmRule rule = blog_rule();
  rule.period = 1min;
  rule.missing = missing;
  MetricsTiming timing;
  timing.sample_period = 5min;
  return first_alarm(stalled_after(1h), rule, timing);
}

TEST(Alarm, APeriodBelowTheSamplesLeavesDatapointsMissing) {
  EXPECT_EQ(first_alarm_below_the_sample(MissingData::not_breaching), std::nullopt);
  EXPECT_EQ(first_alarm_below_the_sample(MissingData::ignore), std::nullopt);
  // The idle sample ends at 1h05m.  Two minutes later it is three datapoints old.
  EXPECT_EQ(first_alarm_below_the_sample(MissingData::missing), 1h + 7min);
  // Before the first sample, all are missing.
  EXPECT_EQ(first_alarm_below_the_sample(MissingData::breaching), 0min);
}

TEST(Alarm, APeriodThatIsNoMultipleOfTheSamplesCountsThemWhereTheyEnd) {
  AlarmRule rule = blog_rule();
  rule.period = 3min;
  MetricsTiming timing;
  timing.sample_period = 2min;
  // Samples end every two minutes.  The first idle one ends at 1h02m; three windows of three
  // minutes without a busy one end at 1h09m.
  EXPECT_EQ(first_alarm(stalled_after(1h), rule, timing), 1h + 9min);
}

TEST(Alarm, RefusesWhatItDoesNotModel) {
  const auto refused = [](auto&& change) {
    AlarmRule rule = blog_rule();
    MetricsTiming timing;
    change(rule, timing);
    try {
      Alarm subject{rule, timing, t0};
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](AlarmRule&, MetricsTiming&) {}));
  EXPECT_TRUE(refused([](AlarmRule& rule, MetricsTiming&) { rule.period = 90s; }));
  EXPECT_TRUE(refused([](AlarmRule& rule, MetricsTiming&) { rule.period = 0s; }));
  EXPECT_TRUE(refused([](AlarmRule& rule, MetricsTiming&) { rule.datapoints_to_alarm = 0; }));
  EXPECT_TRUE(refused([](AlarmRule& rule, MetricsTiming&) { rule.datapoints_to_alarm = 4; }));
  EXPECT_TRUE(refused([](AlarmRule&, MetricsTiming& timing) { timing.sample_period = 7s; }));
  EXPECT_TRUE(refused([](AlarmRule&, MetricsTiming& timing) { timing.sample_period = 90s; }));
  EXPECT_FALSE(refused([](AlarmRule&, MetricsTiming& timing) { timing.sample_period = 2min; }));
  EXPECT_TRUE(refused([](AlarmRule&, MetricsTiming& timing) { timing.evaluation_offset = 60s; }));
  EXPECT_TRUE(refused([](AlarmRule&, MetricsTiming& timing) { timing.publish_delay = -1ns; }));
}

}  // namespace alarm_test
}  // namespace reeve::models
