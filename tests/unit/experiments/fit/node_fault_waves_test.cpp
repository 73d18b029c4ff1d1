// Node faults come in waves: what the first half of InfiniteHBD's trace says of the second.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/fit/forecast.hpp"
#include "experiments/fit/waves.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"
#include "tests/unit/experiments/fit/recorded_history.hpp"

namespace reeve::experiments {
namespace node_fault_waves_test {

constexpr double servers = 400;
constexpr int all_days = 174;
constexpr policy::Duration day = std::chrono::hours{24};

std::vector<policy::Instant> recorded_faults(const std::filesystem::path& file) {
  const auto events = nlohmann::json::parse(
      scenarios::read_whole(file.string(), scenarios::open_file(file), std::uint64_t{1} << 30));
  std::vector<policy::Instant> faults;
  for (const auto& event : events) {
    if (event.at("event_type") != "fault_start") continue;
    const double days = event.at("event_time");
    faults.emplace_back(policy::Duration{static_cast<std::int64_t>(days * 8.64e13)});
  }
  std::sort(faults.begin(), faults.end());
  return faults;
}

RateEvidence evidence_of(std::span<const policy::Instant> faults, int days) {
  const int weeks = days / 7;
  std::vector<double> counts(static_cast<std::size_t>(weeks), 0);
  for (const policy::Instant at : faults) {
    const auto week = static_cast<std::size_t>(at.time_since_epoch() / week_length);
    if (week < counts.size()) counts[week] += 1;
  }
  const std::vector<double> expected(counts.size(), static_cast<double>(faults.size()) * 7 / days);
  return {.events = static_cast<double>(faults.size()),
          .exposure = servers * days * 24,
          .dispersion = dispersion_of(faults, wave_window, day * days, counts, expected)};
}

TEST(NodeFaultWaves, TheSecondHalfIsWithinTheIntervalOfTheFirst) {
  const auto file = recorded_data / "failures_infinitehbd" / "fault_trace_days_0_174.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/data/failures_infinitehbd";
  const auto faults = recorded_faults(file);
  const auto half =
      std::lower_bound(faults.begin(), faults.end(), policy::Instant{day * (all_days / 2)});
  const std::span<const policy::Instant> first{faults.begin(), half};
  const auto next = static_cast<double>(faults.end() - half);
  const RateFit rate = fit_rate(evidence_of(first, all_days / 2));
  const CountForecast forecast{rate, servers * 24 * all_days / 2};
  const Interval of_90 = forecast.interval(0.9);
  const Interval of_95 = forecast.interval(0.95);
  const auto waves = waves_of(first, wave_window);
  std::printf(
      "[faults  ] first half %zu in %zu waves, dispersion %.2f, %.2f (%.2f to %.2f) per "
      "1,000 node-days; next half %g: 90 %% %.0f to %.0f, 95 %% %.0f to %.0f\n",
      first.size(), waves.size(), rate.dispersion, rate.per_hour * 24'000,
      rate.interval.low * 24'000, rate.interval.high * 24'000, next, of_90.low, of_90.high,
      of_95.low, of_95.high);
  EXPECT_GT(rate.dispersion, 2) << "weeks of this trace differ more than independent faults do";
  EXPECT_TRUE(of_90.contains(next));
  EXPECT_TRUE(of_95.contains(next));
}

/// Every week of the trace, from the weeks before it: waves make intervals honest.
TEST(NodeFaultWaves, IntervalsWithoutWavesMissWeeks) {
  const auto file = recorded_data / "failures_infinitehbd" / "fault_trace_days_0_174.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/data/failures_infinitehbd";
  const auto faults = recorded_faults(file);
  double weeks = 0;
  double with_waves = 0;
  double without = 0;
  for (int week = 8; week < all_days / 7; ++week) {
    const auto begin =
        std::lower_bound(faults.begin(), faults.end(), policy::Instant{week_length * week});
    const auto end =
        std::lower_bound(begin, faults.end(), policy::Instant{week_length * (week + 1)});
    const auto count = static_cast<double>(end - begin);
    RateEvidence evidence = evidence_of({faults.begin(), begin}, week * 7);
    const double exposure = servers * 24 * 7;
    weeks += 1;
    with_waves += CountForecast{fit_rate(evidence), exposure}.interval(0.9).contains(count) ? 1 : 0;
    evidence.dispersion = 1;
    without += CountForecast{fit_rate(evidence), exposure}.interval(0.9).contains(count) ? 1 : 0;
  }
  std::printf("[faults  ] weeks in the 90 %% interval: %g of %g with waves, %g without\n",
              with_waves, weeks, without);
  EXPECT_GT(with_waves, without);
}

TEST(Waves, EventsWithinTheWindowOfTheLastAreOne) {
  using std::chrono::minutes;
  const policy::Instant zero{};
  const std::vector<policy::Instant> events{zero, zero + minutes{3}, zero + minutes{6},
                                            zero + minutes{10}};
  const auto waves = waves_of(events, minutes{3});
  ASSERT_EQ(waves.size(), 2u);
  EXPECT_EQ(waves[0].events, 3u);
  EXPECT_EQ(waves[1].at, zero + minutes{10});
}

TEST(Waves, PairsDoubleTheVarianceAndSingleEventsDoNot) {
  std::vector<policy::Instant> single;
  std::vector<policy::Instant> pairs;
  for (int i = 0; i < 100; ++i) {
    const policy::Instant at{std::chrono::hours{i * 17}};
    single.push_back(at);
    pairs.push_back(at);
    pairs.push_back(at + std::chrono::seconds{5});
  }
  const policy::Duration length = std::chrono::hours{1'700};
  EXPECT_EQ(dispersion_of(single, wave_window, length, {}, {}), 1);
  EXPECT_NEAR(dispersion_of(pairs, wave_window, length, {}, {}), 2, 0.02);
}

}  // namespace node_fault_waves_test
}  // namespace reeve::experiments
