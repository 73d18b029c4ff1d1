// Machines that are drawn break like the recorded ones that they were fitted to: 400 GPU servers in
// 174 days (InfiniteHBD's trace).
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/node_clock.hpp"

namespace reeve::models {
namespace {

namespace fs = std::filesystem;
const fs::path file = fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data" /
                      "failures_infinitehbd" / "fault_trace_days_0_174.json.gz";
constexpr std::uint32_t servers = 400;
constexpr double days = 174;
constexpr double day_ns = 8.64e13;
constexpr std::uint32_t runs = 60;

std::string unpacked(const fs::path& path) {
  std::string text;
  std::array<char, 65'536> block{};
  gzFile in = gzopen(path.c_str(), "rb");
  for (int got = 0; (got = gzread(in, block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  gzclose(in);
  return text;
}

struct Fit {
  double faults = 0;
  double per_1000_up_days = 0;
  double median_repair_d = 0;
  double mean_repair_d = 0;
  double sigma = 0;  ///< of the lognormal with this median and this mean
};

/// Of the trace: a fault without an end lasts to the end of the slice.
Fit recorded() {
  std::map<std::string, std::optional<double>> since;
  std::vector<double> repairs;
  double away = 0;
  Fit fit;
  const auto events = nlohmann::json::parse(unpacked(file));
  for (const auto& event : events) {
    const double at = event.at("event_time");
    std::optional<double>& open = since[event.at("node_id")];
    if (event.at("event_type") == "fault_start") {
      EXPECT_FALSE(open) << "a server that broke is broken again";
      ++fit.faults;
      open = at;
    } else if (open) {
      repairs.push_back(at - *open);
      away += at - *open;
      open.reset();
    }
  }
  for (const auto& [server, open] : since) away += open ? days - *open : 0;
  std::sort(repairs.begin(), repairs.end());
  double sum = 0;
  for (const double repair : repairs) sum += repair;
  fit.median_repair_d = repairs[repairs.size() / 2];
  fit.mean_repair_d = sum / static_cast<double>(repairs.size());
  fit.sigma = std::sqrt(2 * std::log(fit.mean_repair_d / fit.median_repair_d));
  fit.per_1000_up_days = 1000 * fit.faults / (servers * days - away);
  return fit;
}

/// Mean faults of a run, and faults per thousand days of machines that were up.
std::pair<double, double> drawn(const Fit& fit) {
  World world;
  Pool pool;
  pool.capacity = servers;
  pool.node_faults = NodeFaults{};
  pool.node_faults->per_1000_node_days = fit.per_1000_up_days;
  pool.node_faults->repair = {Shape::lognormal,
                              Duration{static_cast<std::int64_t>(fit.median_repair_d * day_ns)},
                              fit.sigma, Duration{0}};
  world.pools = {pool};
  const Duration end{static_cast<std::int64_t>(days * day_ns)};
  double faults = 0;
  double up_days = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    NodeClock clock{world, run, {0}};
    Duration now{0};
    const auto pass = [&](Duration until) {
      up_days += static_cast<double>((until - now).count()) / day_ns * clock.up();
      now = until;
    };
    while (clock.next_at() < end) {
      pass(clock.next_at());
      if (clock.advance().kind == NodeClock::Change::Kind::breaks) ++faults;
    }
    pass(end);
  }
  return {faults / runs, 1000 * faults / up_days};
}

TEST(NodeFit, FourHundredServersBreakAsTheyDid) {
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file.string();
  const Fit fit = recorded();
  // What the defaults of `node_faults` say of repairs, and docs/faults.md of the rate.
  EXPECT_EQ(fit.faults, 312);
  EXPECT_NEAR(fit.per_1000_up_days, 4.61, 0.01);
  EXPECT_NEAR(fit.median_repair_d, 1.316, 0.001);
  EXPECT_NEAR(fit.mean_repair_d, 6.401, 0.001);
  EXPECT_NEAR(fit.sigma, 1.779, 0.001);
  const auto [faults, rate] = drawn(fit);
  EXPECT_NEAR(faults, fit.faults, 0.05 * fit.faults);
  EXPECT_NEAR(rate, fit.per_1000_up_days, 0.05 * fit.per_1000_up_days);
}

}  // namespace
}  // namespace reeve::models
