#include "app/sweep/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "app/compare/comparison_table.hpp"
#include "app/text/quantity_text.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using report::Table;
using report::TableRow;

struct SweepColumn {
  std::string_view metric;
  std::string_view title;
  bool always = true;  ///< even if it is zero in all cells
};
constexpr std::array columns{
    SweepColumn{net_saving, "net saving"},
    SweepColumn{"billed_usd", "billed"},
    SweepColumn{"wasted_usd", "wasted"},
    SweepColumn{"guardrail_usd", "guardrails", false},
    SweepColumn{"jobs_done", "jobs done", false},
    SweepColumn{"time_to_result", "time to result", false},
    SweepColumn{"mean_time_to_result_s", "mean JCT", false},
    SweepColumn{"mean_wait_s", "mean wait", false},
    SweepColumn{"detected_after", "detected in", false},
    SweepColumn{"mean_detected_after", "detected in", false},
    SweepColumn{"missed_stalls", "missed stalls", false},
    SweepColumn{"false_stops", "false stops", false},
};

report::Cell estimate_cell(const SweepNumbers& numbers, std::string_view metric,
                           const Estimate& estimate) {
  if (estimate.samples == 0) return report::no_cell();
  const auto mean = quantity_like(numbers.kind(metric), estimate.mean);
  report::Cell cell = quantity_cell(metric, mean);
  if (numbers.is_random() && estimate.low != estimate.high) {
    cell.text = estimate_text(metric, mean, estimate);
  }
  return cell;
}

/// Of the baseline a net saving is always zero.
bool shows(const SweepNumbers& numbers, std::string_view metric) {
  const SweepPlan& plan = numbers.plan();
  if (metric == net_saving) return plan.policies.size() > 1;
  return std::find(plan.metrics.begin(), plan.metrics.end(), metric) != plan.metrics.end();
}

bool is_zero_everywhere(const SweepNumbers& numbers, std::string_view metric) {
  for (std::size_t cell = 0; cell < numbers.plan().cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < numbers.plan().policies.size(); ++policy) {
      const Estimate estimate = numbers.estimate(cell, policy, metric);
      if (estimate.samples > 0 && estimate.mean != 0) return false;
    }
  }
  return true;
}

std::vector<SweepColumn> shown_columns(const SweepNumbers& numbers, const Objective& objective) {
  std::vector<SweepColumn> shown;
  for (const SweepColumn& column : columns) {
    if (!shows(numbers, column.metric)) continue;
    if (column.always || !is_zero_everywhere(numbers, column.metric)) shown.push_back(column);
  }
  for (const std::string& metric : numbers.plan().metrics) {
    const bool is_known = std::any_of(columns.begin(), columns.end(),
                                      [&](const auto& column) { return column.metric == metric; });
    if (!is_known && metric == objective.metric) shown.push_back({metric, metric});
  }
  return shown;
}

/// The last keys of the paths, as long as they are different.
std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(path.substr(path.rfind('.') + 1));
  const std::set<std::string> different{names.begin(), names.end()};
  return different.size() == names.size() ? names : paths;
}

std::string change_text(const SweepNumbers& numbers, std::string_view metric,
                        const Estimate& change) {
  const auto mean = quantity_like(numbers.kind(metric), change.mean);
  return estimate_text(metric, mean, change);
}

void add_facts(const SweepNumbers& numbers, Table& table) {
  const SweepPlan& plan = numbers.plan();
  table.facts = {
      {table.name, scenarios::counted(plan.cells.size(), "cell"),
       fmt::format("{} polic{}", plan.policies.size(), plan.policies.size() == 1 ? "y" : "ies")},
      {fmt::format("seed {}, {} of each on the same draws", plan.seed,
                   scenarios::counted(plan.runs, "run")),
       "digest " + short_digest(numbers.digest())}};
}

}  // namespace

std::string best_line(const SweepNumbers& numbers, const Objective& objective) {
  const auto best = best_cell(numbers, objective);
  if (!best) return "no cell has a value of " + objective.metric;
  const SweepPlan& plan = numbers.plan();
  const Estimate value = numbers.estimate(best->cell, best->policy, objective.metric);
  std::string line =
      fmt::format("{} {}: {} with {}, {}", objective.is_most ? "most" : "least", objective.metric,
                  plan.policies[best->policy], plan.words(best->cell),
                  change_text(numbers, objective.metric, value));
  if (best->cell == 0) return line + ".";
  const Estimate change = numbers.change(best->cell, best->policy, objective.metric);
  const bool is_shown = numbers.has_interval(change.samples) && (change.low > 0 || change.high < 0);
  line += fmt::format("; {} against the file", change_text(numbers, objective.metric, change));
  return line + (is_shown ? "." : " (no difference shown).");
}

std::vector<std::string> notes_on(const SweepNumbers& numbers) {
  const SweepPlan& plan = numbers.plan();
  std::vector<std::string> notes;
  if (shows(numbers, net_saving)) {
    notes.push_back("net saving: waste and guardrails of " + plan.baseline +
                    " in the same cell, minus those of the policy");
  }
  if (numbers.front().empty() && plan.cells.size() > 1) {
    notes.emplace_back("no Pareto front: not all get the same number of jobs done");
  }
  return notes;
}

std::string_view meaning_of_effects(const SweepPlan& plan) {
  if (!plan.points.empty())
    return "from the low end of its range to the high end, by least squares";
  if (plan.factors.size() == 1) return "against the file";
  return "mean over all cells with the value, against the mean over all cells";
}

std::optional<BestCell> best_cell(const SweepNumbers& numbers, const Objective& objective) {
  std::optional<BestCell> best;
  double least = 0;
  std::size_t most = 0;
  for (std::size_t cell = 0; cell < numbers.plan().cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < numbers.plan().policies.size(); ++policy) {
      most = std::max(most, numbers.estimate(cell, policy, objective.metric).samples);
    }
  }
  for (std::size_t cell = 0; cell < numbers.plan().cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < numbers.plan().policies.size(); ++policy) {
      const Estimate estimate = numbers.estimate(cell, policy, objective.metric);
      // A mean over fewer runs is of other ones: those that were done.
      if (estimate.samples == 0 || estimate.samples < most) continue;
      const double loss = objective.is_most ? -estimate.mean : estimate.mean;
      if (!best || loss < least) {
        best = BestCell{cell, policy};
        least = loss;
      }
    }
  }
  return best;
}

Table cells_table(const SweepNumbers& numbers, const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  Table table;
  table.name = plan.name;
  add_facts(numbers, table);
  const auto shown = shown_columns(numbers, objective);
  const auto front = numbers.front();
  table.columns.push_back({"cell", "cell"});
  for (const std::string& name : short_names(plan.factors)) table.columns.push_back({name, name});
  table.columns.push_back({"policy", "policy", report::Align::left});
  table.names = table.columns.size();
  for (const SweepColumn& column : shown) {
    table.columns.push_back({std::string{column.metric}, std::string{column.title}});
  }
  if (!front.empty()) table.columns.push_back({"pareto", "front", report::Align::left});
  bool has_rule = false;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
      const bool is_base = policy == numbers.baseline() && plan.policies.size() > 1;
      if (cell > 0 && is_base && numbers.is_unchanged(cell, policy)) continue;
      TableRow row;
      row.rule_above = cell == 1 && !has_rule;
      has_rule = has_rule || row.rule_above;
      row.cells.push_back(report::cell(std::uint64_t{cell}));
      for (const std::string& value : plan.cells[cell]) {
        row.cells.push_back(report::cell(value.empty() ? "default" : value));
      }
      row.cells.push_back(report::cell(plan.policies[policy]));
      for (const SweepColumn& column : shown) {
        const bool is_own = column.metric == net_saving && policy == numbers.baseline();
        const Estimate of = numbers.estimate(cell, policy, column.metric);
        row.cells.push_back(is_own ? report::no_cell() : estimate_cell(numbers, column.metric, of));
        if (!is_own && of.samples > 0 && of.samples < plan.runs) {
          table.footnotes = {"not all runs have a value: the mean is over the others"};
          row.cells.back() = report::marked(std::move(row.cells.back()), 1);
        }
      }
      if (!front.empty()) {
        const bool is_on = front[cell * plan.policies.size() + policy];
        report::Cell mark = report::cell(is_on ? "●" : "");
        mark.value = is_on;
        row.cells.push_back(std::move(mark));
      }
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = notes_on(numbers);
  table.closing.push_back({best_line(numbers, objective), report::Tone::strong});
  return table;
}

Table effects_table(const SweepNumbers& numbers, const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  Table table;
  table.name = plan.name + "/effects";
  table.facts = {
      {"effect of each key on " + objective.metric, std::string{meaning_of_effects(plan)}}};
  table.columns = {{"policy", "policy", report::Align::left},
                   {"key", "key", report::Align::left},
                   {"value", "value"},
                   {"change", "change"},
                   {"lo", "from"},
                   {"hi", "to"},
                   {"verdict", "", report::Align::left}};
  table.names = 3;
  struct Line {
    std::size_t policy;
    Effect effect;
  };
  for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
    if (objective.metric == net_saving && policy == numbers.baseline()) continue;
    auto effects = numbers.effects(policy, objective.metric);
    // The widest first, as in a tornado chart: by factor, then in the order of its values.
    std::vector<double> reach(plan.factors.size(), 0);
    for (const Effect& effect : effects) {
      reach[effect.factor] = std::max(reach[effect.factor], std::abs(effect.change.mean));
    }
    std::stable_sort(effects.begin(), effects.end(), [&](const Effect& a, const Effect& b) {
      return reach[a.factor] != reach[b.factor] ? reach[a.factor] > reach[b.factor]
                                                : a.factor < b.factor;
    });
    for (const Effect& effect : effects) {
      TableRow row;
      const Estimate& change = effect.change;
      const auto text = [&](double value) {
        return quantity_cell(objective.metric,
                             quantity_like(numbers.kind(objective.metric), value));
      };
      row.cells = {report::cell(plan.policies[policy]), report::cell(plan.factors[effect.factor]),
                   report::cell(effect.value)};
      const bool is_there = change.samples > 0;
      for (const double value : {change.mean, change.low, change.high}) {
        row.cells.push_back(is_there ? text(value) : report::no_cell());
      }
      const bool differs =
          is_there && numbers.has_interval(change.samples) && (change.low > 0 || change.high < 0);
      row.cells.push_back(report::cell(differs ? "differs" : ""));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::optional<Table> heat_map(const SweepNumbers& numbers, std::size_t policy,
                              const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  if (plan.factors.size() != 2 || !plan.points.empty()) return std::nullopt;
  std::vector<std::string> rows;
  std::vector<std::string> across;
  const auto add = [](std::vector<std::string>& list, const std::string& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (std::size_t cell = 1; cell < plan.cells.size(); ++cell) {
    add(rows, plan.cells[cell][0]);
    add(across, plan.cells[cell][1]);
  }
  if (rows.size() * across.size() != plan.cells.size() - 1) return std::nullopt;
  const auto names = short_names(plan.factors);
  Table table;
  table.name = plan.name + "/" + plan.policies[policy];
  table.facts = {{objective.metric + " of " + plan.policies[policy],
                  "rows: " + names[0] + ", columns: " + names[1]}};
  table.columns.push_back({names[0], names[0]});
  for (const std::string& value : across) table.columns.push_back({value, value});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    TableRow line;
    line.cells.push_back(report::cell(rows[row]));
    for (std::size_t column = 0; column < across.size(); ++column) {
      const std::size_t cell = 1 + row * across.size() + column;
      const Estimate estimate = numbers.estimate(cell, policy, objective.metric);
      if (estimate.samples == 0) {
        line.cells.push_back(report::no_cell());
        continue;
      }
      line.cells.push_back(quantity_cell(
          objective.metric, quantity_like(numbers.kind(objective.metric), estimate.mean)));
    }
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace reeve::app
