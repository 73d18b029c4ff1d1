// Alarms of random metrics agree with an evaluation of every minute from scratch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/alarm.hpp"
#include "models/metric_series.hpp"
#include "tests/sanitizers.hpp"
#include "tests/unit/models/print_transition.hpp"

namespace reeve::models::alarm_property_test {

using namespace std::chrono_literals;
using policy::Compare;
using policy::MissingData;
using policy::Statistic;
using policy::Window;

// An instant on a UTC hour, to which the checks are relative.
constexpr Instant t0 = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 15h;

constexpr AlarmState insufficient = AlarmState::insufficient_data;

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
  for (std::uint64_t seed = 1; seed <= tests::cases(12'000); ++seed) {
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
  EXPECT_GT(transitions, tests::cases(12'000));
  EXPECT_GT(eventful, tests::cases(2'000));
  EXPECT_GT(of_days, tests::cases(400));
}

// Evaluations at or before the append never change: the ground on which `advance` stands.
TEST(AlarmProperty, AnAppendLeavesThePastAlone) {
  for (std::uint64_t seed = 1; seed <= tests::cases(2'000); ++seed) {
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
  for (std::uint64_t seed = 1; seed <= tests::cases(3'000); ++seed) {
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
  EXPECT_GT(transitions, tests::cases(3'000));
  EXPECT_GT(of_several, tests::cases(200));
}

}  // namespace reeve::models::alarm_property_test
