// Uniform Progress on V100 Spot in three zones from five starts, as SkyNomad published what it
// cost: the 15 rows that can be checked, each within 0.01 %.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve {
namespace uniform_progress_test {

namespace fs = std::filesystem;

const fs::path data = fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data";
constexpr std::size_t rows_known = 15;

struct Start {
  double hours = 0;  ///< after the record's begin
  std::uint64_t tick = 0;
  double usd = 0;
};

/// The published rows by zone.
std::map<std::string, std::vector<Start>> published() {
  std::map<std::string, std::vector<Start>> by_zone;
  std::ifstream file{data / "expected" / "uniform_progress_v100_visible.csv"};
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells{line};
    std::vector<std::string> cell;
    for (std::string one; std::getline(cells, one, ',');) cell.push_back(one);
    by_zone[cell.at(1)].push_back(
        {std::stod(cell.at(5)), std::stoul(cell.at(6)), std::stod(cell.at(9))});
  }
  return by_zone;
}

/// Ticks are places in the record, although its samples are 194 to 280 s apart: upstream has it so.
std::uint64_t ticks_of(const std::string& zone) {
  const fs::path path =
      data / "spot_skynomad/aws_v100_1node_availability_2023-02-15" / (zone + ".csv.gz");
  scenarios::OfferOptions options;
  options.format = scenarios::OfferFormat::date_availability;
  options.convention = scenarios::Convention::up;
  options.span.tick = std::chrono::seconds{195};
  return scenarios::read_offers(path, options).ticks;
}

scenarios::Scenario scenario(const std::string& zone, const fs::path& windows, std::size_t runs) {
  constexpr const char* text = R"jsonc({{
    "reeve": 1,
    "random": {{ "runs": {2} }},
    "prices": {{ "instances": {{ "v100": {{ "usd_per_hour": 3.06, "gpus": 1 }} }} }},
    "fleet": [
      {{ "name": "spot", "instance_type": "v100", "capacity": 1, "market": "spot",
         "availability": {{ "format": "date-availability", "convention": "up", "tick": "195s",
            "trace": "aws_v100_1node_availability_2023-02-15/{0}.csv.gz" }},
         "price_trace": {{ "trace": "v100_spot_prices.json.gz", "format": "per-tick",
            "series": "{0}", "tick": "195s" }} }},
      {{ "name": "on-demand", "instance_type": "v100", "capacity": 1 }} ],
    "platform": {{ "model": "ticks", "tick": "195s", "restart_overhead": "720s",
      "windows": {{ "file": "{1}", "trace": "{0}" }} }},
    "jobs": [ {{ "name": "a", "work": "143780s", "deadline": "215670s" }} ],
    "policies": {{ "uniform_progress": [
      {{ "rule": "uniform_progress", "tick": "195s", "restart_overhead": "720s" }} ] }}
  }})jsonc";
  return scenarios::load(scenarios::SourceFile::from_text(
                             "zone.jsonc", fmt::format(text, zone, windows.string(), runs)),
                         data / "spot_skynomad")
      .scenario;
}

TEST(UniformProgress, CostsWhatWasPublished) {
  if (!fs::exists(data / "spot_skynomad")) GTEST_SKIP() << "../shared/data is not here";
  std::size_t rows = 0;
  const fs::path windows = fs::path{::testing::TempDir()} / "uniform_progress_windows.csv";
  for (const auto& [zone, starts] : published()) {
    const std::uint64_t recorded = ticks_of(zone);
    std::ofstream file{windows};
    file << "trace,start_index,len\n";
    for (const Start& start : starts) {
      EXPECT_EQ(start.tick, static_cast<std::uint64_t>(std::ceil(start.hours * 3600 / 195 - 1e-6)));
      file << zone << ',' << start.tick << ',' << recorded - start.tick << '\n';
    }
    file.close();
    const auto world = scenario(zone, windows, starts.size());
    for (std::uint32_t run = 0; run < starts.size(); ++run) {
      const auto result = experiments::run(world, world.policies.front(), run);
      const models::JobRow& job = result.record.job_rows.front();
      EXPECT_EQ(job.status, policy::Primary::completed) << zone << ' ' << run;
      EXPECT_TRUE(result.record.ledger.residual() == 0);
      const double usd = static_cast<double>(models::to_usd(job.billed).micros()) / 1e6;
      EXPECT_NEAR(usd / starts[run].usd, 1, 1e-4) << zone << " from tick " << starts[run].tick;
      ++rows;
    }
  }
  fs::remove(windows);
  EXPECT_EQ(rows, rows_known);
}

}  // namespace uniform_progress_test
}  // namespace reeve
