// Machines that are drawn break like the recorded ones that they were fitted to: 400 GPU servers in
// 174 days (InfiniteHBD's trace).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/node_clock.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::models {
namespace node_fit_test {

namespace fs = std::filesystem;
const fs::path file = fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data" /
                      "failures_infinitehbd" / "fault_trace_days_0_174.json.gz";
constexpr std::uint32_t servers = 400;
constexpr double days = 174;
constexpr double day_ns = 8.64e13;
constexpr std::uint32_t runs = 60;

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
  const auto events = nlohmann::json::parse(
      scenarios::read_whole(file.string(), scenarios::open_file(file), std::uint64_t{1} << 30));
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

/// Servers that break as often as the recorded ones, and else as reeve has it where a scenario says
/// nothing; the record has no hangs.
World servers_by_default(double per_1000_up_days) {
  const std::string text =
      R"({ "reeve": 1, "clock": { "start": "2023-01-01T00:00:00Z", "horizon": "174d" },
  "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu.8", "capacity": )" +
      std::to_string(servers) + R"(, "market": "reserved",
    "node_faults": { "hangs": 0, "per_1000_node_days": )" +
      std::to_string(per_1000_up_days) + R"( } } ],
  "jobs": [ { "name": "train", "work": "1h" } ] })";
  return scenarios::load(scenarios::SourceFile::from_text("servers.jsonc", text), ".")
      .scenario.world;
}

/// Mean faults of a run, and faults per thousand days of machines that were up.
std::pair<double, double> drawn(const World& world) {
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
  // What docs/explanation/faults.md says.
  EXPECT_EQ(fit.faults, 312);
  EXPECT_NEAR(fit.per_1000_up_days, 4.61, 0.01);
  EXPECT_NEAR(fit.median_repair_d, 1.316, 0.001);
  EXPECT_NEAR(fit.mean_repair_d, 6.401, 0.001);
  EXPECT_NEAR(fit.sigma, 1.779, 0.001);
  const World world = servers_by_default(fit.per_1000_up_days);
  const auto& repair = world.pools.at(0).node_faults.value().repair;
  const double median = static_cast<double>(repair.scale.count()) / day_ns;
  EXPECT_NEAR(median, fit.median_repair_d, 0.005);
  EXPECT_NEAR(repair.parameter, fit.sigma, 0.005);
  const auto [faults, rate] = drawn(world);
  EXPECT_NEAR(faults, fit.faults, 0.05 * fit.faults);
  EXPECT_NEAR(rate, fit.per_1000_up_days, 0.05 * fit.per_1000_up_days);
}

}  // namespace node_fit_test
}  // namespace reeve::models
