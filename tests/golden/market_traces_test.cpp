// Every published Spot trace at hand reads, with the counts that its numbers have on paper.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace market_traces_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using policy::Duration;

const fs::path data = fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data";

#define NEEDS(folder) \
  if (!fs::exists(data / (folder))) GTEST_SKIP() << "no traces in ../shared/data/" << (folder)

std::vector<fs::path> files_below(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The share of the time in which at least `wanted` instances were on offer, in percent.
double availability(const MarketTrace& trace, std::uint32_t wanted = 1) {
  Duration up{};
  for (std::size_t i = 0; i < trace.offers.size(); ++i) {
    const bool last = i + 1 == trace.offers.size();
    const Duration until = last ? trace.length : trace.offers[i + 1].at;
    if (trace.offers[i].instances >= wanted) up += until - trace.offers[i].at;
  }
  return 100.0 * static_cast<double>(up.count()) / static_cast<double>(trace.length.count());
}

std::uint32_t most(const MarketTrace& trace) {
  std::uint32_t most = 0;
  for (const auto& offer : trace.offers) most = std::max(most, offer.instances);
  return most;
}

/// What models::Offer and models::PriceStep promise of a list of them.
void expect_steps(const MarketTrace& trace) {
  const auto promise = [](const auto& steps, auto same) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i == 0) {
        EXPECT_EQ(steps[i].at, 0ns);
        continue;
      }
      EXPECT_LT(steps[i - 1].at, steps[i].at);
      EXPECT_FALSE(same(steps[i - 1], steps[i])) << "neighbours are equal";
    }
  };
  promise(trace.offers, [](auto a, auto b) { return a.instances == b.instances; });
  promise(trace.prices, [](auto a, auto b) { return a.price == b.price; });
}

MarketTrace offers(const fs::path& path, OfferFormat format,
                   std::optional<Convention> convention = {}) {
  OfferOptions options;
  options.format = format;
  options.convention = convention;
  MarketTrace trace = read_offers(path, options);
  expect_steps(trace);
  return trace;
}

struct Zone {
  const char* name;
  double availability;  // percent
  std::size_t steps;
};

// By an independent count of the files.
constexpr Zone zones[] = {
    {"us-east-1a", 16.668320, 507}, {"us-east-1c", 46.651454, 688}, {"us-east-1d", 44.726659, 588},
    {"us-east-1f", 59.117968, 572}, {"us-east-2a", 75.930152, 292}, {"us-east-2b", 68.221054, 350},
    {"us-west-2a", 88.307372, 317}, {"us-west-2b", 90.495089, 189}, {"us-west-2c", 89.130866, 285}};

TEST(MarketTraces, NineZonesOfV100InBothOfTheirFormats) {
  NEEDS("spot_skypilot");
  NEEDS("spot_skynomad");
  for (const Zone& zone : zones) {
    const fs::path json = data / "spot_skypilot/availability/1-node/aws-02-15-2023" /
                          fmt::format("{}_v100_1.json.gz", zone.name);
    const MarketTrace counted = offers(json, OfferFormat::spot_traces, Convention::up);
    EXPECT_EQ(counted.ticks, 20'158u);
    EXPECT_EQ(counted.tick, 195s);
    EXPECT_EQ(counted.offers.size(), zone.steps) << zone.name;
    EXPECT_NEAR(availability(counted), zone.availability, 1e-6) << zone.name;
    const fs::path csv = data / "spot_skynomad/aws_v100_1node_availability_2023-02-15" /
                         fmt::format("{}_v100_1.csv.gz", zone.name);
    const MarketTrace sampled = offers(csv, OfferFormat::date_availability);
    EXPECT_EQ(sampled.offers, counted.offers) << zone.name;
    EXPECT_EQ(sampled.tick, 195s);
    EXPECT_TRUE(sampled.warnings.empty()) << render(sampled.warnings);
  }
}

TEST(MarketTraces, GangsOfSixteen) {
  NEEDS("spot_skypilot");
  const fs::path folder = data / "spot_skypilot/availability/16-node/aws-08-27-2023";
  const std::pair<const char*, double> full[] = {
      {"us-east-2b", 45.64}, {"us-west-2a", 41.83}, {"us-west-2c", 41.49}};
  for (const auto& [zone, share] : full) {
    const MarketTrace trace =
        offers(folder / fmt::format("{}_v100_1.json.gz", zone), OfferFormat::spot_traces);
    EXPECT_EQ(most(trace), 16u);
    EXPECT_NEAR(availability(trace, 16), share, 0.005) << zone;
  }
}

TEST(MarketTraces, EverySpotTraceOfSkypilotReads) {
  NEEDS("spot_skypilot");
  std::size_t with_prices = 0;
  const auto files = files_below(data / "spot_skypilot", ".json.gz");
  for (const fs::path& file : files) {
    const MarketTrace trace = offers(file, OfferFormat::spot_traces, Convention::up);
    EXPECT_TRUE(trace.warnings.empty()) << render(trace.warnings);
    EXPECT_EQ(trace.length, trace.tick * static_cast<std::int64_t>(trace.ticks));
    if (!trace.prices.empty()) ++with_prices;
  }
  EXPECT_EQ(files.size(), 28u);
  EXPECT_EQ(with_prices, 6u);
}

TEST(MarketTraces, TheThirteenDaysThatAreTwentySeven) {
  NEEDS("spot_skypilot");
  OfferOptions options;
  options.convention = Convention::up;
  options.span.stated_length = 13 * 24h;
  const MarketTrace trace = read_offers(
      data / "spot_skypilot/availability/1-node/aws-10-26-2022/us-west-2a_v100_1.json.gz", options);
  EXPECT_EQ(trace.length, 3'895 * 600s);
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "W0322");
}

TEST(MarketTraces, BitsOfPreemptionAreTheSameTraceTurnedRound) {
  NEEDS("spot_skypilot");
  NEEDS("spot_cantbelate_golden");
  for (const std::string name : {"us-west-2a_v100_1", "us-west-2b_k80_8"}) {
    OfferOptions options;
    options.format = OfferFormat::preempted_bits;
    options.series = name;
    const MarketTrace bits =
        read_offers(data / "spot_cantbelate_golden/preempted_traces.json.gz", options);
    const MarketTrace counts =
        offers(data / "spot_skypilot/availability/1-node/aws-10-26-2022" / (name + ".json.gz"),
               OfferFormat::spot_traces, Convention::up);
    EXPECT_EQ(bits.offers, counts.offers) << name;
    EXPECT_EQ(bits.length, counts.length) << name;
  }
}

TEST(MarketTraces, SkynomadConvertedAndRaw) {
  NEEDS("spot_skynomad");
  const Zone converted[] = {{"us-east-1f", 100 - 61.153359, 60},
                            {"us-east-2a", 100 - 37.769328, 21},
                            {"us-west-2c", 100 - 22.433460, 109}};
  for (const Zone& zone : converted) {
    const MarketTrace trace = offers(data / "spot_skynomad/converted_v100_4node_600s" /
                                         fmt::format("{}_v100_1/full.json.gz", zone.name),
                                     OfferFormat::skynomad);
    EXPECT_EQ(trace.ticks, 1'578u);
    EXPECT_EQ(trace.offers.size(), zone.steps) << zone.name;
    EXPECT_NEAR(availability(trace), zone.availability, 1e-6) << zone.name;
    EXPECT_EQ(trace.prices.size(), 1u);
    EXPECT_EQ(trace.on_demand, policy::UsdPerHour{3'060'000'000});
  }
  const auto raw = files_below(data / "spot_skynomad/v100_multinode_raw", ".json.gz");
  EXPECT_EQ(raw.size(), 6u);
  for (const fs::path& file : raw) {
    const MarketTrace trace = offers(file, OfferFormat::spot_traces);
    EXPECT_EQ(most(trace), file.string().find("16-nodes") != std::string::npos ? 16u : 4u);
  }
}

TEST(MarketTraces, PricesOfNineZonesPerTick) {
  NEEDS("spot_skynomad");
  const std::pair<const char*, std::size_t> changes[] = {
      {"us-east-1a", 178}, {"us-east-1c", 184}, {"us-east-1d", 181},
      {"us-east-1f", 191}, {"us-east-2a", 65},  {"us-east-2b", 40},
      {"us-west-2a", 93},  {"us-west-2b", 89},  {"us-west-2c", 89}};
  for (const auto& [zone, count] : changes) {
    PriceOptions options;
    options.format = PriceFormat::per_tick;
    options.series = fmt::format("{}_v100_1", zone);
    options.span.tick = 195s;
    options.ticks = 20'158;
    options.on_demand = policy::UsdPerHour{3'060'000'000};
    const MarketTrace trace = read_prices(data / "spot_skynomad/v100_spot_prices.json.gz", options);
    expect_steps(trace);
    EXPECT_EQ(trace.prices.size(), count + 1) << zone;
    EXPECT_EQ(trace.length, 20'158 * 195s);
  }
  for (const std::string zone : {"us-east-1f", "us-east-2a", "us-west-2c"}) {
    PriceOptions options;
    options.format = PriceFormat::per_tick;
    const MarketTrace trace =
        read_prices(data / "spot_skynomad/v100_1node_prices" / (zone + "_v100_1.json.gz"), options);
    EXPECT_EQ(trace.tick, 195s);
    EXPECT_EQ(trace.on_demand, policy::UsdPerHour{3'060'000'000});
    EXPECT_GT(trace.prices.size(), 1u);
  }
}

TEST(MarketTraces, ThreeMonthsOfAwsPrices) {
  NEEDS("spot_training_on_a_dime");
  const fs::path file = data / "spot_training_on_a_dime/aws_p2_p3_spot_price_history.csv.gz";
  PriceOptions options;
  options.type = "p3.2xlarge";
  options.zone = "us-east-1f";
  MarketTrace trace = read_prices(file, options);
  expect_steps(trace);
  EXPECT_EQ(trace.prices.front().price, policy::UsdPerHour{918'000'000});
  EXPECT_EQ(trace.prices.back().price, policy::UsdPerHour{1'031'800'000});
  EXPECT_LE(trace.prices.size(), 317u);
  EXPECT_EQ(trace.length, 92 * 24h + 7h + 20min + 4s);
  EXPECT_TRUE(trace.warnings.empty()) << render(trace.warnings);
  options.zone = "us-east-1a";
  EXPECT_THROW(read_prices(file, options), InputError);  // never had a p3.2xlarge
}

TEST(MarketTraces, LogsOfNodesAndTheirCounts) {
  NEEDS("spot_bamboo");
  NEEDS("spot_parcae");
  const MarketTrace p3 = offers(data / "spot_bamboo/p3-trace.csv", OfferFormat::node_log);
  EXPECT_EQ(most(p3), 32u);
  EXPECT_EQ(p3.offers.back().instances, 10u);
  EXPECT_EQ(p3.length, 40'920s);
  // Derived from the former by others: one row per event.
  const MarketTrace counts = offers(data / "spot_parcae/p3.csv", OfferFormat::count_log);
  EXPECT_EQ(counts.offers, p3.offers);
  const MarketTrace g4dn = offers(data / "spot_bamboo/g4dn-trace.csv", OfferFormat::node_log);
  EXPECT_EQ(most(g4dn), 24u);
  EXPECT_EQ(g4dn.offers.back().instances, 5u);
  ASSERT_EQ(g4dn.warnings.size(), 2u);
  EXPECT_EQ(g4dn.warnings[0].code, "W0313");
  EXPECT_EQ(g4dn.warnings[1].code, "W0492");  // no header: milliseconds
}

TEST(MarketTraces, CountsInSecondsAndTheSameInHours) {
  NEEDS("spot_bamboo");
  std::size_t pairs = 0;
  for (const fs::path& file : files_below(data / "spot_bamboo", "_scaled.csv")) {
    OfferOptions options;
    options.format = OfferFormat::count_log;
    options.unit = StampUnit::hours;
    const MarketTrace in_hours = read_offers(file, options);
    expect_steps(in_hours);
    const std::string scaled = file.string();
    options.unit = StampUnit::seconds;
    const MarketTrace in_seconds =
        read_offers(fs::path{scaled.substr(0, scaled.size() - 11) + ".csv"}, options);
    expect_steps(in_seconds);
    EXPECT_LT(std::chrono::abs(in_hours.length - in_seconds.length), 2s) << scaled;
    EXPECT_EQ(in_hours.offers.back().instances, in_seconds.offers.back().instances);
    options.unit.reset();  // decimals are no milliseconds
    EXPECT_THROW(read_offers(file, options), InputError);
    ++pairs;
  }
  EXPECT_EQ(pairs, 5u);
  OfferOptions options;
  options.format = OfferFormat::count_log;
  options.unit = StampUnit::hours;
  const MarketTrace days = read_offers(
      data / "spot_bamboo/aws-spot-instances-p2-xlarge-2020-11-20-to-2020-11-23.csv", options);
  EXPECT_EQ(most(days), 16u);
  EXPECT_EQ(days.length, 88'695 * 3600ms);
}

TEST(MarketTraces, CountsWithDates) {
  NEEDS("spot_bamboo");
  const MarketTrace a100 = offers(data / "spot_bamboo/a100x1-east1b.txt", OfferFormat::count_log);
  EXPECT_EQ(a100.offers.front().instances, 55u);
  EXPECT_EQ(a100.length, 27h + 1min + 6s);
  ASSERT_EQ(a100.warnings.size(), 1u);
  EXPECT_EQ(a100.warnings[0].code, "W0310");
  EXPECT_NE(a100.warnings[0].message.find("32 gaps"), std::string::npos);
  EXPECT_NE(a100.warnings[0].message.find("5h1m"), std::string::npos);
  // Each count stands there three times, a minute apart, so the next one may be earlier.
  OfferOptions options;
  options.format = OfferFormat::count_log;
  const fs::path v100 = data / "spot_bamboo/v100x1-east1c.txt";
  try {
    read_offers(v100, options);
    ADD_FAILURE() << "times out of order in line 4";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().at(0).code, "E0330");
    EXPECT_EQ(error.diagnostics().at(0).position.line, 4u);
  }
  options.later_rows_win = true;
  const MarketTrace trace = read_offers(v100, options);
  expect_steps(trace);
  EXPECT_EQ(most(trace), 80u);
  EXPECT_EQ(trace.length, 24h + 10min + 13s);
}

}  // namespace market_traces_test
}  // namespace reeve::scenarios
