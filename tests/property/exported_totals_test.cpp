// What a person sums from exported rows is what the exported totals say, to the micro-dollar.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/measures.hpp"
#include "experiments/run.hpp"
#include "models/invoice.hpp"
#include "report/tables.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/keys/metric_names.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/random_ticks.hpp"
#include "tests/unit/report/csv_text.hpp"

namespace reeve::tests {
namespace exported_totals_test {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(report::TableName table, const report::RunRows& run) {
  std::ostringstream out;
  report::CsvWriter csv{out, "test"};
  report::write_header(csv, table);
  report::write_rows(csv, table, run);
  csv.flush();
  const report::CsvRows cells = report::parse_csv(out.str());
  std::vector<Row> rows;
  for (std::size_t row = 1; row < cells.size(); ++row) {
    rows.emplace_back();
    for (std::size_t at = 0; at < cells[row].size(); ++at) {
      rows.back()[cells[0][at]] = cells[row][at];
    }
  }
  return rows;
}

std::int64_t micros(std::string cell) {
  cell.erase(cell.find('.'), 1);
  return std::stoll(cell);
}

/// What an attempt ran on is what its lines of the bill are for, or the last of them where jobs
/// move from market to market; the newest one's is the job's, of those that had machines.  No two
/// attempts are called the same.
void check_machines(const report::RunRows& run) {
  using Attempt = std::pair<std::string, std::string>;  // of a job, its number
  std::map<Attempt, std::pair<std::string, std::string>> machines;
  std::map<std::string, std::pair<int, std::string>> newest;
  std::set<std::string> called;
  for (Row& attempt : rows_of(report::TableName::attempts, run)) {
    machines[{attempt["job"], attempt["attempt"]}] = {attempt["instance_type"], attempt["market"]};
    if (attempt["start_s"].empty()) continue;  // it had none
    EXPECT_TRUE(called.insert(attempt["log_ref"]).second) << attempt["log_ref"];
    auto& [number, type] = newest[attempt["job"]];
    if (std::stoi(attempt["attempt"]) < number) continue;
    number = std::stoi(attempt["attempt"]);
    type = attempt["instance_type"];
  }
  const bool moves = run.world.platform.model == models::PlatformModel::ticks;
  std::map<Attempt, std::string> last_market;
  for (Row& line : rows_of(report::TableName::ledger, run)) {
    if (line["x_job"].empty()) continue;
    const auto attempt = machines.find({line["x_job"], line["x_attempt"]});
    ASSERT_NE(attempt, machines.end()) << line["ResourceId"];
    EXPECT_EQ(attempt->second.first, line["x_instance_type"]) << line["ResourceId"];
    last_market[attempt->first] = line["x_market"];
    if (moves) continue;
    EXPECT_EQ(attempt->second.second, line["x_market"]) << line["ResourceId"];
  }
  for (const auto& [attempt, market] : last_market) EXPECT_EQ(machines[attempt].second, market);
  for (Row& job : rows_of(report::TableName::jobs, run)) {
    const auto last = newest.find(job["job"]);
    if (last == newest.end()) continue;
    EXPECT_EQ(job["instance_type"], last->second.second) << job["job"];
  }
}

/// What a tag was billed is what the lines with it say, but for their rounding.
void check_tags(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                const report::RunRows& run) {
  std::map<std::string, double> by_tag;
  std::vector<std::string> waste;
  for (std::size_t use = 0; use < models::use_count; ++use) {
    const auto of = static_cast<models::Use>(use);
    if (models::is_waste(of)) waste.emplace_back(models::name(of));
  }
  double rounding = 0;
  for (Row& line : rows_of(report::TableName::ledger, run)) {
    const double cost = std::stod(line["EffectiveCost"]);
    const bool wasted = std::ranges::find(waste, line["x_class"]) != waste.end();
    rounding += 1e-6;
    const auto tags = nlohmann::json::parse(line["Tags"]);
    for (const auto& [key, value] : tags.items()) {
      const std::string name = "tag." + scenarios::in_metric_name(key, true) + '.' +
                               scenarios::in_metric_name(value.get<std::string>(), false);
      by_tag[name + ".billed_usd"] += cost;
      if (wasted) by_tag[name + ".wasted_usd"] += cost;
    }
  }
  for (const auto& [name, value] : experiments::named_measures(scenario, result)) {
    if (!name.starts_with("tag.") || !name.ends_with("_usd")) continue;
    if (name.find("(untagged)") != std::string::npos) continue;
    EXPECT_NEAR(experiments::as_double(value.value()), by_tag[name], rounding + 1e-6) << name;
  }
}

/// What fleets were billed is the bill, and what they offered was held or free: on demand more may
/// be held than is offered, elsewhere not.
void check_pools(const report::RunRows& run, std::int64_t bill) {
  std::int64_t of_pools = 0;
  for (Row& pool : rows_of(report::TableName::pools, run)) {
    const auto seconds = [&](const char* column) { return std::stod(pool[column]); };
    of_pools += micros(pool["billed_usd"]);
    const double held = seconds("allocated_instance_s") + seconds("free_instance_s");
    const double offered = seconds("offered_instance_s");
    const double slack = 1e-9 * offered + 1e-6;
    EXPECT_GE(held, offered - slack) << pool["pool"];
    if (pool["market"] != "on_demand") {
      EXPECT_LE(held, offered + slack) << pool["pool"];
    }
    EXPECT_LE(offered + seconds("down_instance_s"), seconds("capacity_instance_s") + slack);
    EXPECT_LE(seconds("used_instance_s"), seconds("allocated_instance_s") + slack);
  }
  EXPECT_EQ(of_pools, bill);
}

/// What Spot took when is what its attempts, and what they left behind, lost.
void check_spot(const report::RunRows& run) {
  std::map<std::string, double> last;
  for (Row& row : rows_of(report::TableName::spot, run)) {
    EXPECT_GE(std::stod(row["t_s"]), last[row["pool"]]);
    last[row["pool"]] = std::stod(row["t_s"]);
    EXPECT_GT(std::stod(row["price_usd"]), 0);
    if (!row["notice_s"].empty()) {
      EXPECT_NE(row["nodes_hit"], "0");
    }
  }
}

/// Checks one run of each policy; the answer is how many ledger lines were looked at.
std::size_t check_totals(const scenarios::Scenario& scenario) {
  std::size_t lines = 0;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    SCOPED_TRACE(scenario.name + ", " + policy.name);
    const auto result =
        experiments::run(scenario, policy, 0, {.keep = {true, true, true, true, true}});
    const report::RunInfo info{.scenario = scenario.name,
                               .policy = policy.name,
                               .seed = scenario.world.seed,
                               .digest = {},
                               .engine_version = {},
                               .price_book = {},
                               .seats = {}};
    const report::RunRows run{info, scenario.world, result.record, {}};
    Row totals = rows_of(report::TableName::runs, run).at(0);
    std::map<std::string, std::int64_t> by_use;
    std::map<std::string, std::int64_t> by_job;
    std::int64_t bill = 0;
    std::int64_t invoiced = 0;
    for (Row& line : rows_of(report::TableName::ledger, run)) {
      const std::int64_t cost = micros(line["EffectiveCost"]);
      EXPECT_GE(cost, 0);
      by_use[line["x_class"]] += cost;
      by_job[line["x_job"]] += cost;
      bill += cost;
      invoiced += micros(line["BilledCost"]);
      ++lines;
    }
    EXPECT_EQ(bill, micros(totals["billed_usd"]));
    EXPECT_EQ(invoiced,
              models::to_usd(models::invoice(scenario.world, result.record).unblended).micros());
    for (std::size_t use = 0; use < models::use_count; ++use) {
      const std::string name{models::name(static_cast<models::Use>(use))};
      EXPECT_EQ(by_use[name], micros(totals[name + "_usd"])) << name;
    }
    std::int64_t jobs = 0;
    std::int64_t wasted = 0;
    for (Row& job : rows_of(report::TableName::jobs, run)) {
      EXPECT_EQ(by_job[job["job"]], micros(job["billed_usd"])) << job["job"];
      jobs += micros(job["billed_usd"]);
      wasted += micros(job["wasted_usd"]);
    }
    const std::int64_t idle = by_job[""];  // reserved machines; warm ones are some job's
    EXPECT_EQ(jobs + idle, bill);
    EXPECT_EQ(wasted + idle, micros(totals["wasted_usd"]));
    check_machines(run);
    check_tags(scenario, result, run);
    check_pools(run, bill);
    check_spot(run);
  }
  return lines;
}

std::size_t check_totals_of(const std::filesystem::path& folder) {
  std::size_t lines = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".jsonc") continue;
    lines += check_totals(scenarios::load(entry.path()).scenario);
  }
  return lines;
}

TEST(ExportedTotals, SumOverTheGallery) {
  EXPECT_GT(check_totals_of(REEVE_SOURCE_DIR "/scenarios/gallery"), 100u)
      << "nothing was looked at";
}

TEST(ExportedTotals, SumOverTheScenariosOfTests) {
  EXPECT_GT(check_totals_of(REEVE_SOURCE_DIR "/tests/scenarios"), 500u) << "nothing was looked at";
}

TEST(ExportedTotals, SumOverTheScenariosOfRules) {
  EXPECT_GT(check_totals_of(REEVE_SOURCE_DIR "/tests/rules"), 1000u) << "nothing was looked at";
}

TEST(ExportedTotals, SumInRandomWorlds) {
  std::size_t lines = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string text = seed % 4 == 0 ? RandomTicks{seed}.text() : RandomScenario{seed}.text();
    lines += check_totals(
        scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario);
    if (HasFailure()) return;
  }
  EXPECT_GT(lines, 1000u) << "nothing was looked at";
}

}  // namespace exported_totals_test
}  // namespace reeve::tests
