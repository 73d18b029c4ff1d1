// Can't Be Late's published simulator: 2 traces, 5 strategies, 1,000 windows each, every window
// against what the reference has for it: what it costs and how many ticks it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/measures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/csv.hpp"

namespace reeve {
namespace cantbelate_test {

namespace fs = std::filesystem;

const fs::path data = fs::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data";
constexpr std::size_t windows_known = 1000;

/// One row of the reference.  A run that the trace ends first costs nothing there.
struct Row {
  bool finished = false;
  double usd = 0;
  std::uint64_t ticks = 0;
};

using Key = std::tuple<std::string, std::string, int>;  ///< trace, strategy, hours to the deadline

std::map<Key, std::vector<Row>> read_expected() {
  std::map<Key, std::vector<Row>> expected;
  const fs::path path = data / "expected" / "cantbelate_reference_visible_windows.csv.gz";
  if (!fs::exists(path)) return expected;
  scenarios::CsvReader csv{
      path.string(),
      scenarios::Inflater{path.string(), scenarios::open_file(path), std::uint64_t{1} << 30},
      std::size_t{1} << 20};
  csv.next();
  while (csv.next()) {
    const std::vector<std::string> cells{csv.fields().begin(), csv.fields().end()};
    std::vector<Row>& rows = expected[{cells.at(0), cells.at(2), std::stoi(cells.at(3))}];
    EXPECT_EQ(std::stoul(cells.at(1)), rows.size()) << "windows in order";
    const bool finished = !cells.at(4).empty();
    rows.push_back({finished, finished ? std::stod(cells.at(4)) : 0, std::stoul(cells.at(5))});
  }
  return expected;
}

const std::map<Key, std::vector<Row>>& expected() {
  static const auto read = read_expected();
  return read;
}

/// The world of one row of the table in data.md.
scenarios::Scenario scenario(const std::string& trace, int deadline_h, const std::string& rule,
                             bool asks_when_done) {
  constexpr const char* text = R"jsonc({{
    "reeve": 1,
    "random": {{ "runs": {5} }},
    "prices": {{ "instances": {{
      "v100": {{ "usd_per_hour": 3.06, "spot_usd_per_hour": 0.9731, "gpus": 1 }} }} }},
    "fleet": [
      {{ "name": "spot", "instance_type": "v100", "capacity": 1, "market": "spot",
         "availability": {{ "trace": "spot_cantbelate_golden/preempted_traces.json.gz",
            "format": "preempted-bits", "series": "{0}", "convention": "preempted" }} }},
      {{ "name": "on-demand", "instance_type": "v100", "capacity": 1 }} ],
    "platform": {{ "model": "ticks", "tick": "600s", "restart_overhead": "6m",
      "asks_when_done": {1},
      "windows": {{ "file": "spot_cantbelate_golden/windows.csv.gz", "trace": "{0}" }} }},
    "jobs": [ {{ "name": "a", "work": "48h", "deadline": "{2}h" }} ],
    "policies": {{ "it": [ {{ "rule": "{3}"{4} }} ] }}
  }})jsonc";
  const bool counts = rule == "strawman";
  std::string options = counts ? R"(, "tick": "600s", "restart_overhead": "6m")" : "";
  if (asks_when_done) options += R"(, "upstream_extra_tick": true)";
  return scenarios::load(scenarios::SourceFile::from_text(
                             "window.jsonc", fmt::format(text, trace, asks_when_done, deadline_h,
                                                         rule, options, windows_known)),
                         data)
      .scenario;
}

struct Case {
  const char* trace;
  const char* strategy;  ///< as the reference calls it
  int deadline_h;
  const char* rule;
  double mean_usd;         ///< of the windows that finish
  std::size_t unfinished;  ///< the trace ends first
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.trace << ' ' << of.strategy << ' ' << of.deadline_h;
}

class CantBeLate : public ::testing::TestWithParam<Case> {};

TEST_P(CantBeLate, EveryWindowCostsWhatTheReferenceHasForIt) {
  const Case& of = GetParam();
  if (expected().empty()) GTEST_SKIP() << "../shared/data is not here";
  const std::vector<Row>& rows = expected().at({of.trace, of.strategy, of.deadline_h});
  ASSERT_EQ(rows.size(), windows_known);
  const bool upstream = std::string{of.strategy} == "strawman_upstream";
  const auto world = scenario(of.trace, of.deadline_h, of.rule, upstream);
  const std::clock_t began = std::clock();
  double sum = 0;
  std::size_t finished = 0;
  for (std::uint32_t window = 0; window < windows_known; ++window) {
    const auto result = experiments::run(world, world.policies.front(), window);
    const models::JobRow& job = result.record.job_rows.front();
    const bool done = job.status == policy::Primary::completed;
    EXPECT_EQ(done, rows[window].finished) << "window " << window;
    EXPECT_TRUE(result.record.ledger.residual() == 0) << "window " << window;
    if (!done) {  // all of the window's ticks, and no tick after them
      EXPECT_EQ(result.record.job_ticks.front(), rows[window].ticks) << "window " << window;
      continue;
    }
    const double usd = static_cast<double>(models::to_usd(job.billed).micros()) / 1e6;
    EXPECT_NEAR(usd, rows[window].usd, 1e-6) << "window " << window;
    // The reference counts the tick at whose start the run ends.
    EXPECT_EQ(result.record.job_ticks.front() + 1, rows[window].ticks) << "window " << window;
    sum += usd;
    ++finished;
    if (HasFailure()) return;
  }
  EXPECT_EQ(windows_known - finished, of.unfinished);
  EXPECT_NEAR(sum / static_cast<double>(finished), of.mean_usd, 1e-5);
  std::cout << windows_known << " windows in "
            << static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC << " CPU s\n";
}

constexpr const char* west = "us-west-2a_v100_1";
constexpr const char* k80 = "us-west-2b_k80_8";

INSTANTIATE_TEST_SUITE_P(UsWest2a, CantBeLate,
                         ::testing::Values(Case{west, "on_demand", 1000, "on_demand", 147.39, 0},
                                           Case{west, "only_spot", 1000, "spot_only", 48.189696, 0},
                                           Case{west, "strawman", 52, "strawman", 109.144224, 0},
                                           Case{west, "strawman", 72, "strawman", 57.274704, 0},
                                           Case{west, "strawman_upstream", 52, "strawman",
                                                109.610770, 0}));
INSTANTIATE_TEST_SUITE_P(
    K80, CantBeLate,
    ::testing::Values(Case{k80, "on_demand", 1000, "on_demand", 147.39, 0},
                      Case{k80, "only_spot", 1000, "spot_only", 51.908572, 165},
                      Case{k80, "strawman", 52, "strawman", 139.096732, 0},
                      Case{k80, "strawman", 72, "strawman", 108.888939, 0},
                      Case{k80, "strawman_upstream", 52, "strawman", 139.606732, 0}));

}  // namespace cantbelate_test
}  // namespace reeve
