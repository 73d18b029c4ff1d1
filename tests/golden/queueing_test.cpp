// Seven real traces under four orders of the queue, against results that an independent event loop
// had for them: every column, to a millionth, through scenario text, world, host, rule and
// measures.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "experiments/measures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace reeve {
namespace queueing_test {

namespace fs = std::filesystem;

constexpr const char* data = REEVE_SOURCE_DIR "/../shared/data";
constexpr std::size_t traces_known = 7;
constexpr std::size_t policies_known = 4;

/// A file of numbers by (trace, policy) and column; empty if no such file.
struct Expected {
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> by_trace;

  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> out;
    std::size_t from = 0;
    for (std::size_t comma = line.find(','); comma != line.npos; comma = line.find(',', from)) {
      out.push_back(line.substr(from, comma - from));
      from = comma + 1;
    }
    out.push_back(line.substr(from));
    return out;
  }

  Expected() {
    std::ifstream file{fs::path{data} / "expected" / "queueing_reference_visible.csv"};
    std::string line;
    if (!std::getline(file, line)) return;
    const std::vector<std::string> columns = cells(line);
    while (std::getline(file, line)) {
      const std::vector<std::string> row = cells(line);
      auto& numbers = by_trace[row.at(0)][row.at(2)];
      numbers["capacity"] = std::stod(row.at(1));
      for (std::size_t i = 3; i < columns.size(); ++i) numbers[columns[i]] = std::stod(row.at(i));
    }
  }
};

const Expected& expected() {
  static const Expected read;
  return read;
}

/// The policies carry the names that the expected results have.
scenarios::Scenario scenario(const std::string& trace, double capacity) {
  constexpr const char* text = R"jsonc({{
    "reeve": 1,
    "name": "{0}",
    "clock": {{ "start": "2020-01-01T00:00:00Z", "horizon": "until_done" }},
    "random": {{ "seed": 1, "runs": 1 }},
    "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 3.06, "gpus": 1 }} }} }},
    "fleet": [ {{ "name": "cluster", "instance_type": "gpu", "capacity": {1},
      "market": "reserved" }} ],
    "platform": {{ "model": "ideal" }},
    "workload": {{ "trace": "{0}.csv.gz", "format": "canonical", "instances_from": "gpus_total",
                   "estimates_from": "duration_s", "end_status": "ignore" }},
    "policies": {{
      "fifo_strict": [ {{ "rule": "schedule", "algorithm": "fifo" }} ],
      "fifo_anyfit": [ {{ "rule": "schedule", "algorithm": "fifo", "backfill": "any_fit" }} ],
      "sjf_strict":  [ {{ "rule": "schedule", "algorithm": "sjf" }} ],
      "sjf_anyfit":  [ {{ "rule": "schedule", "algorithm": "sjf", "backfill": "any_fit" }} ]
    }}
  }})jsonc";
  auto source = scenarios::SourceFile::from_text(
      trace + ".jsonc", fmt::format(text, trace, static_cast<int>(capacity)));
  return scenarios::load(std::move(source), fs::path{data} / "canonical").scenario;
}

/// The times to result in ascending order, in seconds.
std::vector<double> results_s(const models::Record& record) {
  std::vector<double> out;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const auto took = record.job_rows[job].end - record.jobs.specs[job].submit;
    out.push_back(std::chrono::duration<double>(took).count());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Queueing : public ::testing::TestWithParam<const char*> {};

TEST_P(Queueing, ComesOutAsTheReferenceHasIt) {
  const auto trace = expected().by_trace.find(GetParam());
  if (expected().by_trace.empty()) GTEST_SKIP() << "../shared/data is not here";
  ASSERT_NE(trace, expected().by_trace.end()) << GetParam();
  ASSERT_EQ(trace->second.size(), policies_known);
  for (const auto& [policy, numbers] : trace->second) {
    const scenarios::Scenario world = scenario(GetParam(), numbers.at("capacity"));
    const auto spec = std::find_if(
        world.policies.begin(), world.policies.end(),
        [&name = policy](const scenarios::PolicySpec& known) { return known.name == name; });
    ASSERT_NE(spec, world.policies.end()) << policy;
    const experiments::RunResult result = experiments::run(world, *spec, 0);
    std::map<std::string, double> measured;
    for (const experiments::Measure& measure : experiments::measures(world, result)) {
      if (measure.value) measured[measure.name] = experiments::as_double(*measure.value);
    }
    // Of an even number of jobs the reference has the lower of the two in the middle as median;
    // whatever lies between the two is one.
    const std::vector<double> sorted = results_s(result.record);
    const double lower = sorted.at((sorted.size() - 1) / 2);
    EXPECT_GE(measured.at("median_time_to_result_s"), lower * (1 - 1e-12)) << policy;
    EXPECT_LE(measured.at("median_time_to_result_s"), sorted[sorted.size() / 2] * (1 + 1e-12))
        << policy;
    measured["median_time_to_result_s"] = lower;
    measured["jobs"] = measured.at("jobs_done");
    measured["makespan_s"] = measured.at("makespan");
    measured["utilization"] = measured.at("mean_allocated_pct") / 100;
    for (const auto& [column, value] : numbers) {
      if (column == "capacity") continue;
      ASSERT_TRUE(measured.contains(column)) << column;
      EXPECT_NEAR(measured.at(column), value, 1e-6 * std::abs(value)) << policy << ": " << column;
    }
    EXPECT_EQ(measured.at("jobs_unfinished"), 0) << policy;
    EXPECT_EQ(measured.at("ledger.residual_usd"), 0) << policy;
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, Queueing,
                         ::testing::Values("ms_itp_cluster01", "ms_itp_cluster02",
                                           "ms_itp_cluster03", "ms_itp_cluster05",
                                           "ms_itp_cluster07", "ms_itp_cluster09",
                                           "ms_itp_cluster10"),
                         [](const auto& trace) { return std::string{trace.param}; });

TEST(QueueingReference, HoldsNoTraceThatIsNotTested) {
  if (expected().by_trace.empty()) GTEST_SKIP() << "../shared/data is not here";
  EXPECT_EQ(expected().by_trace.size(), traces_known);
}

}  // namespace queueing_test
}  // namespace reeve
