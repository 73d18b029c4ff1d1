#include "app/compare/difference_table.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/text/quantity_text.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using experiments::Quantity;
using report::Table;

/// A difference as fine as half its interval; of percentages, in percentage points.
std::string difference_text(std::string_view measure, const Quantity& kind, double value,
                            double half) {
  std::string text = text_beside(measure, kind, value, half);
  if (measure.ends_with("_pct") && text.ends_with(" %")) text.replace(text.size() - 1, 1, "pp");
  return text;
}

report::Tone tone_of(std::string_view verdict) {
  if (verdict == "better") return report::Tone::good;
  if (verdict == "worse") return report::Tone::bad;
  return verdict == "differs" ? report::Tone::plain : report::Tone::faint;
}

/// The interval and its middle on a scale from -reach to reach, with zero in the middle: "  ──●──
/// │".
std::string forest_text(const Estimate& diff, double reach) {
  constexpr int half = 7;
  const auto place = [&](double value) {
    const auto steps = static_cast<int>(std::lround(half * std::clamp(value / reach, -1.0, 1.0)));
    if (value == 0 || steps != 0) return half + steps;
    return value > 0 ? half + 1 : half - 1;  // zero is inside only if it is in the interval
  };
  std::string out;
  for (int at = 0; at <= 2 * half; ++at) {
    const bool inside = place(diff.low) <= at && at <= place(diff.high);
    if (at == place(diff.mean)) {
      out += "●";
    } else if (at == half) {
      out += inside ? "┼" : "│";
    } else {
      out += inside ? "─" : " ";
    }
  }
  return out;
}

/// By column: how far the intervals of all policies reach from zero.
std::vector<double> reaches_of(const Study& study, const PolicyNumbers& base,
                               const std::vector<ShownMeasure>& columns) {
  std::vector<double> reaches(columns.size(), 0);
  for (const PolicyNumbers& numbers : study.policies) {
    for (std::size_t i = 0; i < columns.size() && &numbers != &base; ++i) {
      const std::size_t at = study.index(columns[i].measure);
      if (at == study.measures.size()) continue;
      const Estimate diff = study.difference(numbers, base, at);
      reaches[i] = std::max({reaches[i], std::abs(diff.low), std::abs(diff.high)});
    }
  }
  return reaches;
}

}  // namespace

Table difference_table(const Study& study, std::size_t baseline) {
  Table table;
  table.name = "differences";
  const PolicyNumbers& base = study.policies[baseline];
  if (study.draws() < 2 || study.policies.size() < 2) return table;
  table.facts = {{"against " + base.policy->name, "paired by run", "95 % intervals"}};
  table.names = 2;
  table.columns = {{"policy", "policy", report::Align::left},
                   {"metric", "measure", report::Align::left},
                   {"diff", "difference"},
                   {"lo", "from"},
                   {"hi", "to"},
                   {"forest", "       0", report::Align::left, true},
                   {"excludes_zero", "", report::Align::left}};
  const std::vector<ShownMeasure> columns = columns_of(study);
  const std::vector<double> reaches = reaches_of(study, base, columns);
  for (const PolicyNumbers& numbers : study.policies) {
    if (&numbers == &base || numbers.samples.empty()) continue;
    for (std::size_t place = 0; place < columns.size(); ++place) {
      const ShownMeasure& column = columns[place];
      const std::size_t at = study.index(column.measure);
      if (at == study.measures.size() || column.part) continue;
      const auto diff = study.difference(numbers, base, at);
      const bool nothing = std::max(std::abs(diff.low), std::abs(diff.high)) < 1e-9;
      if (diff.samples < 2 || nothing) continue;
      const bool excludes = diff.low > 0 || diff.high < 0;
      const std::string_view verdict = verdict_on(study, column, numbers, base, diff);
      report::TableRow row;
      row.cells = {report::cell(numbers.policy->name), report::cell(column.title)};
      for (const double value : {diff.mean, diff.low, diff.high}) {
        const Quantity as_shown = quantity_like(numbers.zero[at], value);
        report::Cell cell = quantity_cell(column.measure, as_shown);
        cell.text = difference_text(column.measure, numbers.zero[at], value, diff.half_width());
        row.cells.push_back(std::move(cell));
      }
      if (const auto shown = printed_difference(study, numbers, base, column.measure)) {
        row.cells[2].text = difference_text(column.measure, numbers.zero[at],
                                            experiments::as_double(*shown), diff.half_width());
      }
      row.cells.push_back({forest_text(diff, reaches[place]), {}, 0, tone_of(verdict)});
      row.cells.push_back({std::string{verdict}, excludes, 0, tone_of(verdict)});
      table.rows.push_back(std::move(row));
    }
  }
  if (table.rows.empty()) table.columns.clear();
  return table;
}

}  // namespace reeve::app
