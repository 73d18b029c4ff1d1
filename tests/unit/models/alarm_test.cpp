// Alarms: the published tables, the acceptance numbers, and agreement with a minute-by-minute one.
#include "models/alarm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/metric_series.hpp"

namespace reeve::models {

void PrintTo(const Transition& transition, std::ostream* out) {
  static constexpr std::array<const char*, 3> names{"INSUFFICIENT_DATA", "OK", "ALARM"};
  *out << fmt::format("{} ns: {} -> {}", transition.at.time_since_epoch().count(),
                      names.at(static_cast<std::size_t>(transition.from)),
                      names.at(static_cast<std::size_t>(transition.to)));
}

namespace alarm_test {

using namespace std::chrono_literals;
using policy::Compare;
using policy::MissingData;
using policy::Statistic;
using policy::Window;

constexpr AlarmState insufficient = AlarmState::insufficient_data;
constexpr AlarmState ok = AlarmState::ok;
constexpr AlarmState alarm = AlarmState::alarm;

// An instant on a UTC hour, to which the checks are relative.
constexpr Instant t0 = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 15h;

/// The articles' alarm: average GPU use <= 1 in 3 of 3 times 5 minutes.
AlarmRule blog_rule() {
  AlarmRule rule;
  rule.threshold = 1;
  rule.missing = MissingData::not_breaching;
  return rule;
}

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

// ------------------------------------------------------- the same, minute by minute from scratch

class Draws {  // splitmix64
 public:
  explicit Draws(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  template <class T, std::size_t count>
  T of(const T (&choices)[count]) {
    return choices[below(count)];
  }

 private:
  std::uint64_t state_;
};

using Changes = std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>;

/// Every minute anew, in plain nanoseconds since t0 (a multiple of every sample used here).
class Oracle {
 public:
  Oracle(const Changes& changes, const MetricsTiming& timing, std::int64_t horizon)
      : Oracle{std::span{&changes, 1}, timing, horizon} {}

  /// Of several hosts: a datapoint is the lowest of those that have one.
  Oracle(std::span<const Changes> hosts, const MetricsTiming& timing, std::int64_t horizon)
      : timing_{timing} {
    for (const Changes& changes : hosts) hosts_.push_back(samples_of(changes, timing, horizon));
  }

  AlarmState look(const AlarmRule& rule, std::int64_t now, AlarmState current) const {
    std::vector<std::optional<double>> newest_first;
    const std::int64_t grain =
        std::max<std::int64_t>(60'000'000'000, timing_.sample_period.count());
    std::int64_t end = now - timing_.publish_delay.count();
    end -= modulo(end, grain);
    if (rule.window == Window::wall_clock) {
      end -= modulo(end + t0.time_since_epoch().count(), rule.period.count());
    }
    for (int i = 0; i < rule.evaluation_periods + timing_.extra_datapoints; ++i) {
      const std::int64_t from = end - rule.period.count();
      newest_first.push_back(bucket(rule.statistic, from, end));
      end = from;
    }
    return verdict(rule, newest_first, current);
  }

 private:
  using Samples = std::map<std::int64_t, double>;

  static Samples samples_of(const Changes& changes, const MetricsTiming& timing,
                            std::int64_t horizon) {
    const std::int64_t width = timing.sample_period.count();
    Samples samples;
    for (std::int64_t from = 0; from < horizon; from += width) {
      std::int64_t weight = 0;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < changes.size(); ++i) {
        const std::int64_t end = i + 1 < changes.size() ? changes[i + 1].first : horizon + width;
        const std::int64_t part = std::min(end, from + width) - std::max(changes[i].first, from);
        if (part <= 0 || !changes[i].second) continue;
        weight += part;
        sum += part * *changes[i].second;
      }
      if (weight > 0) samples[from] = static_cast<double>(sum) / static_cast<double>(weight);
    }
    return samples;
  }

  static std::int64_t modulo(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

  std::optional<double> bucket(Statistic which, std::int64_t from, std::int64_t end) const {
    std::optional<double> lowest;
    for (const Samples& samples : hosts_) {
      const auto own = bucket(samples, which, from, end);
      if (own) lowest = std::min(lowest.value_or(*own), *own);
    }
    return lowest;
  }

  static std::optional<double> bucket(const Samples& samples, Statistic which, std::int64_t from,
                                      std::int64_t end) {
    std::vector<double> in;
    for (auto it = samples.lower_bound(from); it != samples.end() && it->first < end; ++it) {
      in.push_back(it->second);
    }
    if (in.empty()) return std::nullopt;
    double sum = 0;
    for (const double value : in) sum += value;
    switch (which) {
      case Statistic::average:
        return sum / static_cast<double>(in.size());
      case Statistic::minimum:
        return *std::min_element(in.begin(), in.end());
      case Statistic::maximum:
        return *std::max_element(in.begin(), in.end());
      case Statistic::sum:
        return sum;
      case Statistic::sample_count:
        return static_cast<double>(in.size());
    }
    return std::nullopt;
  }

  static bool bad(const AlarmRule& rule, double value) {
    if (value == rule.threshold) {
      return rule.compare == Compare::less_or_equal || rule.compare == Compare::greater_or_equal;
    }
    const bool wants_low = rule.compare == Compare::less_or_equal || rule.compare == Compare::less;
    return (value < rule.threshold) == wants_low;
  }

  /// AWS's words: take the newest N that exist; fill what is left as the treatment says.
  static AlarmState verdict(const AlarmRule& rule,
                            const std::vector<std::optional<double>>& newest_first,
                            AlarmState current) {
    std::vector<bool> taken;
    int oldest = 0;
    for (std::size_t i = 0; i < newest_first.size(); ++i) {
      if (newest_first[i] && taken.size() < rule.evaluation_periods) {
        taken.push_back(bad(rule, *newest_first[i]));
      }
      if (newest_first[i]) oldest = static_cast<int>(i) + 1;
    }
    const bool short_of = taken.size() < rule.evaluation_periods;
    const bool keeps = rule.missing == MissingData::ignore;
    const bool fills =
        rule.missing == MissingData::breaching || rule.missing == MissingData::not_breaching;
    const bool any_good = std::find(taken.begin(), taken.end(), false) != taken.end();
    if (fills) taken.resize(rule.evaluation_periods, rule.missing == MissingData::breaching);
    if (taken.empty()) return keeps ? current : AlarmState::insufficient_data;
    const bool enough = std::count(taken.begin(), taken.end(), true) >= rule.datapoints_to_alarm;
    if (enough) return AlarmState::alarm;
    if (!short_of || fills || any_good) return AlarmState::ok;
    return !keeps && oldest >= rule.datapoints_to_alarm ? AlarmState::alarm : current;
  }

  MetricsTiming timing_;
  std::vector<Samples> hosts_;
};

struct Case {
  Changes changes;
  std::vector<Changes> others;  ///< of further hosts
  MetricsTiming timing;
  AlarmRule rule;
  AlarmRule second_rule;
  Instant created;
  Instant updated;
  std::int64_t horizon = 0;
  bool of_days = false;  ///< its alarms look back for about a day, or more
};

constexpr std::int64_t second_ns = 1'000'000'000;

AlarmRule draw_rule(Draws& draws, const MetricsTiming& timing, bool of_days) {
  AlarmRule rule;
  rule.statistic = draws.of({Statistic::average, Statistic::average, Statistic::minimum,
                             Statistic::maximum, Statistic::sum, Statistic::sample_count});
  rule.period = timing.sample_period > 60s ? 2 * timing.sample_period
                                           : draws.of<Duration>({60s, 60s, 120s, 300s, 300s, 600s});
  if (of_days) rule.period = draws.of<Duration>({6h, 6h, 8h, 12h});
  const std::int64_t periods = draws.below(32) == 0 && !of_days ? 60 : 5;  // at most
  rule.evaluation_periods = static_cast<std::uint16_t>(1 + draws.below(periods));
  rule.datapoints_to_alarm = static_cast<std::uint16_t>(1 + draws.below(rule.evaluation_periods));
  rule.threshold = static_cast<double>(draws.of({0, 1, 1, 3, 5, 50, 50, 200}));
  rule.compare = draws.of({Compare::less, Compare::less_or_equal, Compare::less_or_equal,
                           Compare::greater, Compare::greater_or_equal});
  rule.missing = draws.of({MissingData::missing, MissingData::ignore, MissingData::breaching,
                           MissingData::not_breaching});
  rule.window = draws.of({Window::sliding, Window::sliding, Window::wall_clock});
  return rule;
}

Changes draw_changes(Draws& draws, bool of_days, std::int64_t& at) {
  Changes changes;
  // Coarse changes meet minutes exactly, fine ones fall anywhere, dense ones crowd a minute.
  const std::int64_t grain = draws.of<std::int64_t>({60 * second_ns, second_ns, 1});
  const std::int64_t slow = of_days ? 20 : 1;
  const std::int64_t mean = draws.of<std::int64_t>({20, 200, 900, 3000}) * slow * second_ns;
  at = draws.below(1800) * second_ns;
  const std::int64_t count = draws.below(12);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t level = draws.of<std::int64_t>({-1, 0, 0, 1, 1, 2, 5, 50, 90, 760});
    changes.emplace_back(at, level < 0 ? std::nullopt : std::optional{level});
    at += (draws.below(2 * mean) + 1) / grain * grain;
  }
  return changes;
}

Case draw_case(std::uint64_t seed, std::int64_t further_hosts = 0) {
  Draws draws{seed};
  Case out;
  out.of_days = draws.below(32) == 0;
  out.timing.sample_period = draws.of<Duration>({60s, 60s, 60s, 30s, 120s, 300s});
  if (out.of_days) out.timing.sample_period = draws.of<Duration>({5min, 20min, 30min, 1h});
  out.timing.publish_delay = draws.of<Duration>({0s, 0s, 60s, 90s, 37500ms, 300s});
  out.timing.evaluation_offset = draws.below(3) == 0 ? draws.below(60) * 1s : 0s;
  out.timing.extra_datapoints = static_cast<std::uint16_t>(draws.below(4));
  out.rule = draw_rule(draws, out.timing, out.of_days);
  out.second_rule = draw_rule(draws, out.timing, out.of_days);
  std::int64_t at = 0;
  out.changes = draw_changes(draws, out.of_days, at);
  for (std::int64_t host = 0; host < further_hosts; ++host) {
    std::int64_t its_last = 0;
    out.others.push_back(draw_changes(draws, out.of_days, its_last));
    at = std::max(at, its_last);
  }
  const std::int64_t slow = out.of_days ? 20 : 1;
  out.created = t0 + Duration{draws.below(at + 1800 * second_ns)};
  out.updated = out.created + Duration{draws.below(7200 * slow * second_ns)};
  const Instant last = std::max(out.updated, t0 + Duration{at});
  const auto looks_back = [](const AlarmRule& rule) {
    return (rule.evaluation_periods + 5) * rule.period;
  };
  out.horizon =
      (last - t0 + std::max(looks_back(out.rule), looks_back(out.second_rule)) + 2h).count();
  return out;
}

std::vector<Transition> by_minutes(const Case& c) {
  std::vector<Changes> hosts = c.others;
  hosts.push_back(c.changes);
  const Oracle oracle{hosts, c.timing, c.horizon};
  std::vector<Transition> out;
  AlarmState state = insufficient;
  for (std::int64_t now = c.timing.evaluation_offset.count(); now <= c.horizon;
       now += 60 * second_ns) {
    const Instant at = t0 + Duration{now};
    if (at < c.created) continue;
    const AlarmRule& rule = at <= c.updated ? c.rule : c.second_rule;
    const bool on_the_hour = (now - c.timing.evaluation_offset.count()) % (3600 * second_ns) == 0;
    if (rule.evaluation_periods * rule.period > 24h && !on_the_hour) continue;
    const AlarmState after = oracle.look(rule, now, state);
    if (after != state) out.push_back({at, state, after});
    state = after;
  }
  return out;
}

MetricSeries whole_series(const Changes& changes) {
  MetricSeries series;
  for (const auto& [at, value] : changes) {
    series.append(t0 + Duration{at},
                  value ? std::optional{static_cast<double>(*value)} : std::nullopt);
  }
  return series;
}

/// As a fleet does it: each change at its time, an event at each transition foreseen.
std::vector<Transition> as_a_fleet(const Case& c) {
  Alarm subject{c.rule, c.timing, c.created};
  MetricSeries series;
  std::vector<Transition> out;
  const auto live_until = [&](Instant until) {
    for (auto next = subject.peek(series); next && next->at <= until; next = subject.peek(series)) {
      const std::size_t before = out.size();
      subject.advance(series, next->at, out);
      EXPECT_EQ(out.size(), before + 1);
      EXPECT_EQ(out.back(), *next);
      const std::vector<AlarmDatapoint> why = subject.datapoints(series, next->at);
      EXPECT_EQ(evaluate(subject.rule(), why, next->from), next->to);
    }
    const std::size_t before = out.size();
    subject.advance(series, until, out);
    EXPECT_EQ(out.size(), before) << "a transition that peek did not foresee";
  };
  bool updated = false;
  for (const auto& [at, value] : c.changes) {
    const Instant now = t0 + Duration{at};
    if (!updated && c.updated < now) {
      live_until(c.updated);
      subject.update(c.second_rule, c.updated);
      updated = true;
    }
    live_until(now);
    series.append(now, value ? std::optional{static_cast<double>(*value)} : std::nullopt);
  }
  if (!updated) {
    live_until(c.updated);
    subject.update(c.second_rule, c.updated);
  }
  live_until(t0 + Duration{c.horizon});
  EXPECT_EQ(subject.peek(series), std::nullopt);
  return out;
}

TEST(AlarmProperty, AgreesWithAnEvaluationEveryMinute) {
  std::size_t transitions = 0;
  std::size_t eventful = 0;
  std::size_t of_days = 0;  // transitions
  for (std::uint64_t seed = 1; seed <= 12'000; ++seed) {
    const Case c = draw_case(seed);
    const std::vector<Transition> expected = by_minutes(c);
    Alarm subject{c.rule, c.timing, c.created};
    const MetricSeries series = whole_series(c.changes);
    std::vector<Transition> at_once;
    subject.advance(series, c.updated, at_once);
    subject.update(c.second_rule, c.updated);
    subject.advance(series, policy::never, at_once);
    ASSERT_EQ(at_once, expected) << "seed " << seed;
    ASSERT_EQ(as_a_fleet(c), expected) << "seed " << seed;
    transitions += expected.size();
    of_days += c.of_days ? expected.size() : 0u;
    eventful += expected.size() > 2 ? 1u : 0u;
  }
  EXPECT_GT(transitions, 12'000u);
  EXPECT_GT(eventful, 2'000u);
  EXPECT_GT(of_days, 400u);
}

// Evaluations at or before the append never change: the ground on which `advance` stands.
TEST(AlarmProperty, AnAppendLeavesThePastAlone) {
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    Case c = draw_case(seed);
    if (c.changes.empty()) continue;
    const Instant appended = t0 + Duration{c.changes.back().first};
    const auto until_append = [&] {
      Alarm subject{c.rule, c.timing, c.created};
      std::vector<Transition> out;
      subject.advance(whole_series(c.changes), appended, out);
      return out;
    };
    const std::vector<Transition> with = until_append();
    c.changes.pop_back();
    ASSERT_EQ(until_append(), with) << "seed " << seed;
  }
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

/// As a fleet does it for several hosts: each change at its time, and all that is foreseen between.
std::vector<Transition> lowest_as_a_fleet(const Case& c) {
  std::vector<Changes> hosts = c.others;
  hosts.push_back(c.changes);
  std::map<std::int64_t, std::vector<std::pair<std::size_t, std::optional<std::int64_t>>>> by_time;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    for (const auto& [at, value] : hosts[host]) by_time[at].emplace_back(host, value);
  }
  Alarm subject{c.rule, c.timing, c.created};
  std::vector<MetricSeries> series(hosts.size());
  std::vector<Transition> out;
  const auto live_until = [&](Instant until) {
    for (auto next = subject.peek(series); next && next->at <= until; next = subject.peek(series)) {
      subject.advance(series, next->at, out);
      EXPECT_FALSE(out.empty());
      EXPECT_EQ(out.back(), *next);
      const std::vector<AlarmDatapoint> why = subject.datapoints(series, next->at);
      EXPECT_EQ(evaluate(subject.rule(), why, next->from), next->to);
    }
    const std::size_t before = out.size();
    subject.advance(series, until, out);
    EXPECT_EQ(out.size(), before) << "a transition that peek did not foresee";
  };
  for (const auto& [at, changes] : by_time) {
    live_until(t0 + Duration{at});
    for (const auto& [host, value] : changes) {
      series[host].append(t0 + Duration{at},
                          value ? std::optional{static_cast<double>(*value)} : std::nullopt);
    }
  }
  live_until(t0 + Duration{c.horizon});
  return out;
}

TEST(LowestOfHosts, AgreesWithAnEvaluationEveryMinute) {
  std::size_t transitions = 0;
  std::size_t of_several = 0;  // cases in which no host alone would have given that
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    Case c = draw_case(seed, 1 + static_cast<std::int64_t>(seed % 4));
    c.second_rule = c.rule;  // metrics of several hosts and one rule
    const std::vector<Transition> expected = by_minutes(c);
    std::vector<MetricSeries> hosts;
    for (const Changes& changes : c.others) hosts.push_back(whole_series(changes));
    hosts.push_back(whole_series(c.changes));
    Alarm subject{c.rule, c.timing, c.created};
    std::vector<Transition> at_once;
    subject.advance(hosts, policy::never, at_once);
    ASSERT_EQ(at_once, expected) << "seed " << seed;
    ASSERT_EQ(lowest_as_a_fleet(c), expected) << "seed " << seed;
    transitions += expected.size();
    const bool alone = std::any_of(hosts.begin(), hosts.end(), [&](const MetricSeries& host) {
      std::vector<Transition> own;
      Alarm{c.rule, c.timing, c.created}.advance(host, policy::never, own);
      return own == expected;
    });
    of_several += alone ? 0u : 1u;
  }
  EXPECT_GT(transitions, 3'000u);
  EXPECT_GT(of_several, 200u);
}

}  // namespace alarm_test
}  // namespace reeve::models
