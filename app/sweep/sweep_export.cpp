#include <algorithm>
#include <functional>
#include <sstream>
#include <string>

#include "app/files/text_file.hpp"
#include "app/sweep/sweep_summary.hpp"
#include "app/sweep/sweep_tables.hpp"
#include "reeve/version.hpp"
#include "report/csv.hpp"
#include "report/export_directory.hpp"
#include "report/json_text.hpp"
#include "report/sweep_tables.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using report::CsvWriter;

std::optional<double> if_any(const Estimate& of, double value) {
  return of.samples > 0 ? std::optional{value} : std::nullopt;
}

/// One random sample has no interval.
std::optional<double> if_interval(const SweepNumbers& numbers, const Estimate& of, double value) {
  return of.samples > 0 && numbers.has_interval(of.samples) ? std::optional{value} : std::nullopt;
}

void write_cells(CsvWriter& csv, const SweepPlan& plan) {
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t factor = 0; factor < plan.factors.size(); ++factor) {
      write_row(csv, report::SweepCellRow{cell, plan.factors[factor], plan.cells[cell][factor]});
    }
  }
}

void write_numbers(CsvWriter& csv, const SweepNumbers& numbers) {
  const SweepPlan& plan = numbers.plan();
  std::vector<std::string> metrics = plan.metrics;
  if (plan.policies.size() > 1) metrics.emplace_back(net_saving);
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
      for (const std::string& metric : metrics) {
        const Estimate of = numbers.estimate(cell, policy, metric);
        const Estimate change = numbers.change(cell, policy, metric);
        write_row(csv, report::SweepRow{
                           cell, plan.policies[policy], metric, if_any(of, of.mean),
                           if_interval(numbers, of, of.low), if_interval(numbers, of, of.high),
                           if_any(change, change.mean), if_interval(numbers, change, change.low),
                           if_interval(numbers, change, change.high), of.samples});
      }
    }
  }
}

void write_effects(CsvWriter& csv, const SweepNumbers& numbers, const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
    for (const Effect& effect : numbers.effects(policy, objective.metric)) {
      const Estimate& change = effect.change;
      write_row(csv, report::SweepEffectRow{
                         plan.policies[policy], objective.metric, plan.factors[effect.factor],
                         effect.value, if_any(change, change.mean),
                         if_interval(numbers, change, change.low),
                         if_interval(numbers, change, change.high), change.samples});
    }
  }
}

}  // namespace

void write_sweep_csv(const std::string& directory, const SweepNumbers& numbers,
                     const Objective& objective) {
  std::vector<report::WrittenTable> written;
  const auto write = [&](const report::TableSchema& schema,
                         const std::function<void(CsvWriter&)>& rows) {
    std::ostringstream out;
    const std::string path = directory + '/' + std::string{schema.name} + ".csv";
    CsvWriter csv{out, path};
    for (const report::Field& field : schema.fields) csv.verbatim(field.name);
    csv.end_row();
    rows(csv);
    csv.flush();
    write_text_file(path, out.str());
    written.push_back({&schema, out.str().size()});
  };
  report::remove_page(directory);  // it shows the numbers before these
  write(report::sweep_cells_schema(), [&](CsvWriter& csv) { write_cells(csv, numbers.plan()); });
  write(report::sweep_schema(), [&](CsvWriter& csv) { write_numbers(csv, numbers); });
  write(report::sweep_effects_schema(),
        [&](CsvWriter& csv) { write_effects(csv, numbers, objective); });
  const nlohmann::ordered_json manifest{{"reeve", kVersion},
                                        {"seed", numbers.plan().seed},
                                        {"runs", numbers.plan().runs},
                                        {"digest", numbers.digest()},
                                        {"summary", summary_of(numbers, objective)}};
  write_text_file(directory + "/manifest.json", report::json_text(manifest, 2) + '\n');
  write_text_file(directory + "/datapackage.json",
                  report::description_of(numbers.plan().name, written));
}

}  // namespace reeve::app
