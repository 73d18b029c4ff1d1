// What GPUs read over training time, and alarms that see it without ticks.
#include "models/utilization.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>

#include "sim/draws.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace utilization_test {

using policy::AlarmRule;
using policy::AlarmState;
using policy::MissingData;
using policy::PutAlarm;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Utilization traced(std::vector<UtilStep> steps, Duration length,
                   BeyondEnd beyond_end = BeyondEnd::hold) {
  auto trace = std::make_shared<UtilTrace>();
  trace->hosts.push_back(std::move(steps));
  trace->length = length;
  Utilization utilization;
  utilization.trace = std::move(trace);
  utilization.beyond_end = beyond_end;
  return utilization;
}

std::optional<double> at(const Utilization& of, Duration trained, std::uint16_t host = 1) {
  return read(of, {1, 0, {0}}, host, {trained, trained}, 95).percent;
}

TEST(Utilization, ATraceHoldsRepeatsOrEnds) {
  const std::vector<UtilStep> steps{{0s, 10}, {60s, 20}, {90s, nothing}, {120s, 30}};
  const Utilization hold = traced(steps, 180s);
  EXPECT_EQ(at(hold, 0s), 10);
  EXPECT_EQ(at(hold, 60s - 1ns), 10);
  EXPECT_EQ(at(hold, 60s), 20);
  EXPECT_EQ(at(hold, 100s), std::nullopt);
  EXPECT_EQ(at(hold, 9999h), 30);
  EXPECT_EQ(at(hold, 0s, 2), std::nullopt) << "host 2 was not recorded";
  EXPECT_EQ(at(traced(steps, 180s, BeyondEnd::missing), 180s), std::nullopt);
  EXPECT_EQ(at(traced(steps, 180s, BeyondEnd::repeat), 180s), 10);
  EXPECT_EQ(at(traced(steps, 180s, BeyondEnd::repeat), 3 * 180s + 70s), 20);
}

TEST(Utilization, AReadingLastsUntilTheNextStep) {
  const Utilization repeat = traced({{0s, 10}, {60s, 20}}, 90s, BeyondEnd::repeat);
  const auto lasts = [&](Duration trained) {
    return read(repeat, {}, 1, {trained, trained}, 95).lasts;
  };
  EXPECT_EQ(lasts(0s), 60s);
  EXPECT_EQ(lasts(59s), 1s);
  EXPECT_EQ(lasts(60s), 30s);
  EXPECT_EQ(lasts(90s), 60s);
}

TEST(Utilization, PhasesCountFromEachStart) {
  Utilization phased;
  phased.phases = {{"preparation", 0s, 0s, 10min, 3}, {"evaluation", 2h, 2h, 20min, 5}};
  const auto reading = [&](Duration since_start) {
    return read(phased, {}, 1, {50h, since_start}, 95);
  };
  EXPECT_EQ(reading(0s).percent, 3);
  EXPECT_EQ(reading(0s).lasts, 10min);
  EXPECT_EQ(reading(10min).percent, 95);
  EXPECT_EQ(reading(10min).lasts, 110min);
  EXPECT_EQ(reading(2h + 19min).percent, 5);
  EXPECT_EQ(reading(2h + 20min).percent, 95);
  EXPECT_EQ(reading(4h).percent, 5);
}

TEST(Utilization, QuantilesLieOnStraightLines) {
  const UtilLaw law{{{0.25, 0}, {0.5, 50}, {0.5, 80}, {1, 100}}, 1h};
  EXPECT_EQ(quantile(law, 0.1), 0) << "below the first point: its value";
  EXPECT_EQ(quantile(law, 0.375), 25);
  EXPECT_EQ(quantile(law, 0.75), 90);
  EXPECT_EQ(quantile(law, 1), 100);
}

TEST(Utilization, DrawsAreOfTheJobTheHostAndThePeriod) {
  Utilization drawn;
  drawn.law = {{{0, 0}, {1, 100}}, 30min};
  std::map<double, int> levels;
  for (std::uint32_t job = 0; job < 3; ++job) {
    for (std::uint16_t host = 1; host <= 3; ++host) {
      for (int period = 0; period < 3; ++period) {
        const Duration trained = period * 30min;
        const auto reading = read(drawn, {7, 1, {job}}, host, {trained, 0s}, 95);
        EXPECT_EQ(reading.lasts, 30min);
        EXPECT_EQ(*read(drawn, {7, 1, {job}}, host, {trained + 29min, 0s}, 95).percent,
                  *reading.percent);
        ++levels[*reading.percent];
      }
    }
  }
  EXPECT_EQ(levels.size(), 27u);
}

// ------------------------------------------------------------------------------ in a fleet

AlarmRule idle_rule() {
  AlarmRule rule;
  rule.period = 1min;
  rule.threshold = 8;
  rule.missing = MissingData::missing;
  return rule;
}

/// A job of one host, watched by an alarm from `created` on.
struct Watched {
  FleetRig rig;
  policy::JobId job;

  Watched(Utilization utilization, const AlarmRule& rule, Duration created, Duration work) {
    rig.profile().utilization = std::make_shared<const Utilization>(std::move(utilization));
    job = rig.job(work);
    rig.call(created, PutAlarm{{job, 1, 0}, 1, rule});
  }
};

/// Where the training of the rig's first job begins: 60 s of provisioning, 120 s of start-up.
constexpr Duration training_at = 180s;

/// Percent over time, each minute asked anew: what the metric would be if somebody ticked.
std::optional<double> minute_mean(const Utilization& of,
                                  const std::vector<std::pair<Duration, Duration>>& trained,
                                  Duration from) {
  double sum = 0;
  double weight = 0;
  for (Duration at = from; at < from + 60s; at += 1s) {
    Duration before{0};
    for (const auto& [begin, end] : trained) {
      if (at >= end) before += end - begin;
      if (at < begin || at >= end) continue;
      const auto reading = read(of, {1, 0, {0}}, 1, {before + at - begin, before + at - begin}, 95);
      if (!reading.percent) continue;
      sum += *reading.percent;
      weight += 1;
    }
  }
  return weight > 0 ? std::optional{sum / weight} : std::nullopt;
}

/// The changes of state of an alarm that looks at every minute, as (seconds, state).
std::vector<std::pair<std::int64_t, AlarmState>> by_ticks(
    const Utilization& of, const std::vector<std::pair<Duration, Duration>>& trained,
    const AlarmRule& rule, std::uint16_t extra, Duration created, Duration until, double gpus) {
  std::vector<std::pair<std::int64_t, AlarmState>> out;
  std::map<std::int64_t, std::optional<double>> minutes;
  AlarmState state = AlarmState::insufficient_data;
  const std::int64_t period = rule.period / 60s;
  for (std::int64_t now = 0; now * 60s <= until; ++now) {
    if (now > 0) minutes[now - 1] = minute_mean(of, trained, (now - 1) * 60s);
    if (now * 60s < created) continue;
    std::vector<AlarmDatapoint> range;
    for (std::int64_t i = rule.evaluation_periods + extra; i-- > 0;) {
      double sum = 0;
      int count = 0;
      for (std::int64_t m = now - (i + 1) * period; m < now - i * period; ++m) {
        const auto known = minutes.find(m);
        if (known == minutes.end() || !known->second) continue;
        sum += *known->second * gpus;
        ++count;
      }
      range.push_back({rig_start, count > 0, count > 0 ? sum / count : 0});
    }
    const AlarmState after = evaluate(rule, range, state);
    if (after != state) out.emplace_back(now * 60, after);
    state = after;
  }
  return out;
}

std::vector<std::pair<std::int64_t, AlarmState>> seen_in(const FleetRig& rig) {
  std::vector<std::pair<std::int64_t, AlarmState>> out;
  for (const AlarmChange& change : rig.record.alarms.at(0).changes) {
    out.emplace_back(
        std::chrono::duration_cast<std::chrono::seconds>(change.at - rig_start).count(),
        change.state);
  }
  return out;
}

class Draws {
 public:
  explicit Draws(std::uint32_t seed) : seed_{seed} {}
  std::int64_t below(std::int64_t n) {
    const double u = sim::uniform({seed_, 0, sim::Cause::scenario_fuzz, 0, nth_++});
    return static_cast<std::int64_t>(u * 0.999999 * static_cast<double>(n));
  }

 private:
  std::uint64_t seed_;
  std::uint32_t nth_ = 0;
};

std::vector<UtilStep> random_steps(Draws& draws, std::int64_t count, std::int64_t apart_s) {
  constexpr std::array<double, 7> levels{0, 0, 1, 2, 5, 90, nothing};
  std::vector<UtilStep> steps;
  Duration when{0};
  for (std::int64_t i = 0; i < count; ++i) {
    const double level = levels[static_cast<std::size_t>(draws.below(7))];
    const bool same = !steps.empty() && (steps.back().percent == level ||
                                         (std::isnan(steps.back().percent) && std::isnan(level)));
    if (!same) steps.push_back({when, level});
    when += (1 + draws.below(apart_s)) * 1s;
  }
  return steps;
}

TEST(UtilizationInAFleet, AlarmEqualsItsTickByTickOracleOnATrace) {
  std::size_t transitions = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Draws draws{seed};
    // Up to thousands of steps: more than are told at once.
    const std::int64_t count = draws.below(4) == 0 ? 2'000 : 1 + draws.below(40);
    const std::int64_t apart = count == 2'000 ? 40 : 1 + draws.below(1'800);
    std::vector<UtilStep> steps = random_steps(draws, count, apart);
    const Duration length = steps.back().at + 60s;
    const auto beyond = static_cast<BeyondEnd>(draws.below(3));
    Utilization utilization = traced(std::move(steps), length, beyond);
    if (draws.below(4) == 0) {
      utilization.trace = nullptr;
      utilization.phases = {
          {"evaluation", draws.below(900) * 1s, 1800s, 1s + draws.below(1800) * 1s, 0}};
    }
    AlarmRule rule = idle_rule();
    rule.period = draws.below(2) == 0 ? 1min : 5min;
    rule.evaluation_periods = static_cast<std::uint16_t>(1 + draws.below(4));
    rule.datapoints_to_alarm = static_cast<std::uint16_t>(1 + draws.below(rule.evaluation_periods));
    rule.missing = static_cast<MissingData>(draws.below(4));
    const Duration created = draws.below(20'000) * 1s;
    Watched watched{utilization, rule, created, 40'000s};
    const std::uint16_t extra = watched.rig.world.platform.metrics.extra_datapoints;
    watched.rig.run(50'000s);
    const auto expected = by_ticks(utilization, {{training_at, training_at + 40'000s}}, rule, extra,
                                   created, 50'000s, 4);
    EXPECT_EQ(seen_in(watched.rig), expected);
    transitions += expected.size();
  }
  EXPECT_GT(transitions, 2'000u);
}

TEST(UtilizationInAFleet, TheTraceStandsStillWithTheWork) {
  // An hour at 90, an hour at 0; a stall of half an hour in the first.
  const Utilization trace = traced({{0s, 90}, {3600s, 0}, {7200s, 90}}, 8000s);
  Watched watched{trace, idle_rule(), 0s, 9000s};
  watched.rig.fault(FaultKind::spin_hang, 1800s, 1800s);
  watched.rig.run(20'000s);
  const auto seen = seen_in(watched.rig);
  ASSERT_EQ(seen.size(), 4u);
  const std::int64_t idle_from = 180 + 3600 + 1800;  // while it spins it reads `running`
  EXPECT_EQ(seen[1], (std::pair{idle_from + 180, AlarmState::alarm}));
  EXPECT_EQ(seen[2], (std::pair{idle_from + 3600 + 60, AlarmState::ok}));
  EXPECT_EQ(seen[3].second, AlarmState::insufficient_data) << "no metrics after the end";
}

TEST(UtilizationInAFleet, AStallAndLostMetricsHideTheTrace) {
  Watched watched{traced({{0s, 90}}, 3600s), idle_rule(), 0s, 9000s};
  watched.rig.fault(FaultKind::stall, 1800s, 900s);
  watched.rig.fault(FaultKind::metrics_lost, 4000s, 1200s);
  watched.rig.run(20'000s);
  std::vector<AlarmState> states;
  for (const auto& [when, state] : seen_in(watched.rig)) states.push_back(state);
  EXPECT_EQ(states, std::vector<AlarmState>({AlarmState::ok, AlarmState::alarm, AlarmState::ok,
                                             AlarmState::insufficient_data, AlarmState::ok,
                                             AlarmState::insufficient_data}));
}

TEST(UtilizationInAFleet, PhasesAreProductive) {
  Utilization phased;
  phased.phases = {{"preparation", 0s, 0s, 1200s, 0}, {"evaluation", 3600s, 3600s, 600s, 0}};
  FleetRig with;
  with.profile().utilization = std::make_shared<const Utilization>(phased);
  with.job(9000s);
  with.run();
  FleetRig without;
  without.job(9000s);
  without.run();
  EXPECT_EQ(with.usd(Use::productive), without.usd(Use::productive));
  EXPECT_EQ(with.billed(), without.billed());
}

TEST(UtilizationInAFleet, EachHostLeavesItsChanges) {
  FleetRig rig;
  auto trace = std::make_shared<UtilTrace>();
  trace->hosts = {{{0s, 90}, {600s, 0}}, {{0s, 80}, {900s, nothing}}};
  trace->length = 1200s;
  Utilization utilization;
  utilization.trace = trace;
  rig.profile().utilization = std::make_shared<const Utilization>(utilization);
  rig.job(1500s, 2);
  rig.run();
  std::vector<std::string> rows;
  for (const HostReadingRow& row : rig.record.host_readings) {
    EXPECT_FALSE(row.drawn);
    rows.push_back(fmt::format("{} algo-{} {}", (row.at - rig_start) / 1s, row.host,
                               row.percent ? fmt::format("{}", *row.percent) : "-"));
  }
  EXPECT_EQ(rows, std::vector<std::string>({"180 algo-1 90", "180 algo-2 80", "780 algo-1 0",
                                            "1080 algo-2 -", "1680 algo-1 -"}));
}

TEST(UtilizationInAFleet, DrawnReadingsAreMarked) {
  FleetRig rig;
  Utilization utilization;
  utilization.law = {{{0, 0}, {1, 100}}, 10min};
  rig.profile().utilization = std::make_shared<const Utilization>(utilization);
  rig.job(3600s);
  rig.run();
  ASSERT_EQ(rig.record.host_readings.size(), 7u);
  for (const HostReadingRow& row : rig.record.host_readings) EXPECT_TRUE(row.drawn);
}

}  // namespace utilization_test
}  // namespace reeve::models
