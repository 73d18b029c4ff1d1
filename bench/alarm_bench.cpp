// What an alarm costs that steps from change to change, against one that looks every minute.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/alarm.hpp"
#include "models/metric_series.hpp"

namespace {

using reeve::models::Alarm;
using reeve::models::AlarmDatapoint;
using reeve::models::AlarmRule;
using reeve::models::AlarmState;
using reeve::models::Duration;
using reeve::models::Instant;
using reeve::models::MetricSeries;
using reeve::models::Transition;
using namespace std::chrono_literals;

constexpr std::size_t job_count = 1000;
constexpr Instant start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2};
constexpr Instant stop = start + 14 * 24h;

AlarmRule rule() {
  AlarmRule out;
  out.threshold = 1;
  return out;
}

/// A level for 45 minutes on average; a third of them idle, some almost.
std::vector<MetricSeries> draw_jobs() {
  std::uint64_t state = 1;
  const auto uniform = [&state] {  // splitmix64, in (0, 1]
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
  };
  std::vector<MetricSeries> jobs(job_count);
  for (MetricSeries& series : jobs) {
    for (Instant at = start; at < stop;) {
      const double u = uniform();
      series.append(at, u < 0.3 ? 0 : u < 0.4 ? 4 : 760 * u);
      at += Duration{1 + static_cast<std::int64_t>(-45 * 60e9 * std::log(uniform()))};
    }
  }
  return jobs;
}

const std::vector<MetricSeries>& jobs() {
  static const std::vector<MetricSeries> drawn = draw_jobs();
  return drawn;
}

/// Every minute: one new sample, then the five datapoints of five minutes from the last 25.
std::vector<Transition> by_ticks(const MetricSeries& series) {
  constexpr std::size_t range_minutes = 25;
  const AlarmRule blog = rule();
  std::vector<Transition> out;
  std::array<std::optional<double>, range_minutes> newest{};  // a ring
  AlarmState state = AlarmState::insufficient_data;
  std::size_t ticks = 0;
  std::size_t next = 0;
  for (Instant end = start; end <= stop; end += 1min, ++ticks) {
    while (next < series.segments() && series.segment_start(next) <= end - 1min) ++next;
    const auto sample = series.samples(next, end - 1min, end, 60s);
    newest[ticks % range_minutes] = sample.count > 0 ? std::optional{sample.sum} : std::nullopt;
    std::array<AlarmDatapoint, 5> range{};
    for (std::size_t bucket = 0; bucket < 5; ++bucket) {
      double sum = 0;
      int count = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        const auto& value = newest[(ticks + 1 + bucket * 5 + i) % range_minutes];
        if (!value) continue;
        sum += *value;
        ++count;
      }
      range[bucket] = {end, count > 0, count > 0 ? sum / count : 0};
    }
    const AlarmState after = evaluate(blog, range, state);
    if (after != state) out.push_back({end, state, after});
    state = after;
  }
  return out;
}

std::vector<Transition> analytic(const MetricSeries& series) {
  Alarm alarm{rule(), {}, start};
  std::vector<Transition> out;
  alarm.advance(series, stop, out);
  return out;
}

/// As a fleet uses it: an append, a look ahead, an event at what it sees.
std::vector<Transition> in_a_fleet(const MetricSeries& known) {
  Alarm alarm{rule(), {}, start};
  MetricSeries series;
  std::vector<Transition> out;
  for (std::size_t i = 0; i <= known.segments(); ++i) {
    const bool last = i == known.segments();
    const Instant now = last ? stop : known.segment_start(i);
    for (auto next = alarm.peek(series); next && next->at <= now; next = alarm.peek(series)) {
      alarm.advance(series, next->at, out);
    }
    alarm.advance(series, now, out);
    if (!last) series.append(now, known.segment_value(i));
  }
  return out;
}

using Method = std::vector<Transition> (*)(const MetricSeries&);

void all_jobs(benchmark::State& state, Method method) {
  jobs();
  std::size_t transitions = 0;
  for (auto _ : state) {
    transitions = 0;
    for (const MetricSeries& series : jobs()) transitions += method(series).size();
    benchmark::DoNotOptimize(transitions);
  }
  state.counters["transitions"] = static_cast<double>(transitions);
}

BENCHMARK_CAPTURE(all_jobs, ticks, by_ticks)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_jobs, analytic, analytic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(all_jobs, fleet, in_a_fleet)->Unit(benchmark::kMillisecond);

/// Prints as usual and keeps the least CPU time of each benchmark.
class Times : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const double time = run.GetAdjustedCPUTime();
      const auto [at, fresh] = least_.emplace(run.benchmark_name(), time);
      if (!fresh) at->second = std::min(at->second, time);
    }
  }
  double operator[](const std::string& name) const {
    const auto found = least_.find(name);
    return found == least_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, double> least_;
};

bool methods_agree() {
  for (const MetricSeries& series : jobs()) {
    if (by_ticks(series) != analytic(series) || in_a_fleet(series) != analytic(series)) {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view json_flag = "--json=";
  std::string json;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument{argv[i]};
    if (argument.starts_with(json_flag)) {
      json = argument.substr(json_flag.size());
    } else {
      rest.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  if (!methods_agree()) {
    fmt::print(stderr, "alarm_bench: the methods disagree\n");
    return 1;
  }
  Times times;
  benchmark::RunSpecifiedBenchmarks(&times);
  if (times["all_jobs/analytic"] <= 0 || times["all_jobs/ticks"] <= 0) return 0;  // filtered out
  const double ratio = times["all_jobs/ticks"] / times["all_jobs/analytic"];
  fmt::print("{} jobs x 14 days: ticks / analytic = {:.1f}\n", job_count, ratio);
  if (json.empty()) return 0;
  std::FILE* file = std::fopen(json.c_str(), "w");
  if (file == nullptr) {
    fmt::print(stderr, "alarm_bench: cannot write {}\n", json);
    return 1;
  }
  fmt::print(file, "{{\"alarm/ticks_over_analytic\": {:.3f}}}\n", ratio);
  return std::fclose(file) == 0 ? 0 : 1;
}
