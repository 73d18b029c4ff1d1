// Draws from the published distributions of GPU utilization have those distributions.
#include "models/utilization.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::models {
namespace utilization_test {

namespace fs = std::filesystem;
const fs::path file =
    fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data" / "util_acme" / "acme_cdfs.csv.gz";

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The rows `source_pkl,pair,metric,x,cdf_percent` of one GPU utilization.  Read off a plot, some
/// fall by a hair: then the larger value before counts.
UtilLaw law_of(const std::string& text, const std::string& source) {
  UtilLaw law;
  law.every = std::chrono::minutes{30};
  const std::string begin = source + ",0,gpu_util,";
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string_view row{text.data() + at + begin.size(),
                               text.find('\n', at) - at - begin.size()};
    const std::size_t comma = row.find(',');
    double share = number(row.substr(comma + 1)) / 100;
    double percent = number(row.substr(0, comma));
    if (!law.points.empty()) {
      share = std::max(share, law.points.back().first);
      percent = std::max(percent, law.points.back().second);
    }
    law.points.emplace_back(std::min(share, 1.0), std::clamp(percent, 0.0, 100.0));
  }
  return law;
}

/// The share of the distribution at or below `percent`: points on one level jump.
double cdf(const UtilLaw& law, double percent, bool below) {
  double share = 0;
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const auto& [at, value] = law.points[i];
    if (below ? value < percent : value <= percent) {
      share = at;
      continue;
    }
    if (i == 0) return 0;
    const auto& [before, low] = law.points[i - 1];
    if (value > low && percent > low) {
      share = before + (at - before) * (percent - low) / (value - low);
    }
    return share;
  }
  return share;
}

TEST(UtilizationDraws, HaveThePublishedDistributions) {
  if (!fs::exists(file)) GTEST_SKIP() << "no ../shared/data/util_acme/acme_cdfs.csv.gz";
  const std::string text =
      scenarios::read_whole(file.string(), scenarios::open_file(file), std::uint64_t{1} << 30);
  struct Source {
    const char* name;
    std::array<double, 3> quartiles;  ///< of the file; data.md says 2 where Seren has 0
  };
  const std::array<Source, 5> sources{{{"util_gpu_seren", {0, 99, 99.9}},
                                       {"util_gpu_kalos", {0, 97.5, 99.5}},
                                       {"util_gpu_kalos_full", {0, 97.5, 99.5}},
                                       {"util_gpu_philly", {0, 48.6, 92.0}},
                                       {"util_gpu_pai", {0, 4.0, 13.9}}}};
  for (const Source& source : sources) {
    SCOPED_TRACE(source.name);
    Utilization utilization;
    utilization.law = law_of(text, source.name);
    ASSERT_GE(utilization.law.points.size(), 70u);
    for (std::size_t i = 0; i < 3; ++i) {
      const double share = 0.25 * static_cast<double>(i + 1);
      EXPECT_NEAR(quantile(utilization.law, share), source.quartiles[i], 1.0) << share;
    }
    constexpr std::uint32_t draws = 100'000;
    std::vector<double> values;
    for (std::uint32_t nth = 0; nth < draws; ++nth) {
      const UtilDraws draws{1, 0, {nth % 100}};
      const UtilClock clock{std::chrono::minutes{30} * (nth / 1'000), {}};
      const auto host = static_cast<std::uint16_t>(1 + nth / 100 % 10);
      values.push_back(read(utilization, draws, host, clock, 0).percent.value());
    }
    std::sort(values.begin(), values.end());
    double distance = 0;  // Kolmogorov's
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool last_of_equals = i + 1 == values.size() || values[i + 1] > values[i];
      const bool first_of_equals = i == 0 || values[i - 1] < values[i];
      const double above = static_cast<double>(i + 1) / draws;
      const double below = static_cast<double>(i) / draws;
      if (last_of_equals) {
        distance = std::max(distance, std::abs(above - cdf(utilization.law, values[i], false)));
      }
      if (first_of_equals) {
        distance = std::max(distance, std::abs(below - cdf(utilization.law, values[i], true)));
      }
    }
    EXPECT_LT(distance, 0.006) << "of " << draws << " draws";
    RecordProperty(source.name, fmt::format("{:.4f}", distance));
  }
}

}  // namespace utilization_test
}  // namespace reeve::models
