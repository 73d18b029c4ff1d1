#include "experiments/fit/fit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/format.hpp"

namespace reeve::experiments {
namespace {

using nlohmann::ordered_json;
using report::Align;
using report::cell;

std::string digits(double number) {
  return fmt::format("{:.6g}", number);
}

ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = std::strtod(digits(value).c_str(), nullptr);
  constexpr double exact = 1e15;
  if (rounded == std::floor(rounded) && std::abs(rounded) < exact) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

template <class Value>
ordered_json number_or_null(const std::optional<Value>& value) {
  return value ? number(*value) : ordered_json(nullptr);
}

ordered_json json_of(const HoldOut& scores) {
  return {{"weeks", scores.weeks},
          {"error", number(scores.mean_error)},
          {"relative_error", number(scores.relative_error)},
          {"coverage50", number(scores.coverage50)},
          {"coverage90", number(scores.coverage90)},
          {"interval_score", number(scores.score)},
          {"pit", scores.pit},
          {"pit_mean", number(scores.pit_mean)},
          {"widened", scores.is_widened()},
          {"widening", number(scores.widening)}};
}

ordered_json json_of(const FittedQuantity& row) {
  ordered_json parameters = ordered_json::object();
  for (const auto& [name, value] : row.parameters) parameters[name] = number(value);
  for (const auto& [name, values] : row.lists) {
    ordered_json list = ordered_json::array();
    for (const double value : values) list.push_back(number(value));
    parameters[name] = std::move(list);
  }
  ordered_json json{{"name", row.name},
                    {"group", row.group},
                    {"unit", row.unit},
                    {"value", number_or_null(row.value)},
                    {"n", number(row.n)},
                    {"exposure", number(row.exposure)},
                    {"exposure_unit", row.exposure_unit},
                    {"law", row.law},
                    {"parameters", std::move(parameters)}};
  json["interval90"] = nullptr;
  if (row.interval90) {
    json["interval90"] = {number(row.interval90->low), number(row.interval90->high)};
  }
  json["method"] = row.method;
  json["aic"] = number_or_null(row.aic);
  json["ks"] = number_or_null(row.ks);
  json["holdout"] = row.hold_out ? json_of(*row.hold_out) : ordered_json(nullptr);
  json["grade"] = std::string(1, letter_of(row.grade));
  if (!row.note.empty()) json["note"] = row.note;
  return json;
}

/// Four digits, of large numbers all; seconds as a duration.
std::string readable(double value, std::string_view unit) {
  constexpr double large = 1'000;
  constexpr double huge = 1e9;
  if (std::abs(value) >= huge) return fmt::format("{:.4g}", value);
  if (unit == "s") return report::duration(std::chrono::seconds{std::llround(value)});
  if (value < large) return fmt::format("{:.4g}", value);
  return report::count(static_cast<std::uint64_t>(std::llround(value)));
}

report::Cell number_cell(const std::optional<double>& value, std::string_view unit) {
  if (!value) return report::no_cell();
  return cell(std::strtod(digits(*value).c_str(), nullptr), readable(*value, unit));
}

report::Cell interval_cell(const std::optional<Interval>& interval, std::string_view unit) {
  if (!interval) return cell("no interval");
  if (std::isinf(interval->high)) return cell("above " + readable(interval->low, unit));
  return cell(readable(interval->low, unit) + " to " + readable(interval->high, unit));
}

report::Cell hold_out_cell(const FittedQuantity& row) {
  if (!row.hold_out) return cell("untested");
  const HoldOut& scores = *row.hold_out;
  const auto covered = std::lround(scores.coverage90 * static_cast<double>(scores.weeks));
  std::string text = fmt::format("{} of {}", covered, scores.weeks);
  if (scores.is_widened()) text += fmt::format(", widened {:.3g} times", scores.widening);
  return cell(text);
}

}  // namespace

std::string fit_json(const Fit& fit) {
  ordered_json json{{"reeve_fit", 1},
                    {"start", report::instant(fit.start)},
                    {"end", report::instant(fit.end)},
                    {"weeks", fit.weeks},
                    {"jobs", fit.jobs},
                    {"seed", fmt::format("{:016x}", fit.seed)}};
  ordered_json quantities = ordered_json::array();
  for (const FittedQuantity& row : fit.quantities) quantities.push_back(json_of(row));
  json["quantities"] = std::move(quantities);
  json["notes"] = fit.notes;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

report::Table fit_table(const Fit& fit, FitColumns columns) {
  report::Table table;
  table.name = "fit";
  table.facts = {{report::instant(fit.start) + " to " + report::instant(fit.end),
                  fmt::format("{} whole weeks", fit.weeks), fmt::format("{} jobs", fit.jobs)}};
  table.columns = {{"grade", "grade", Align::left},
                   {"name", "quantity", Align::left},
                   {"group", "group", Align::left},
                   {"value", "value"},
                   {"interval90", "90 % interval"},
                   {"unit", "unit", Align::left},
                   {"n", "n"},
                   {"holdout", "held out", Align::left}};
  const bool all = columns == FitColumns::all;
  if (all) {
    table.columns.push_back({"law", "law", Align::left});
    table.columns.push_back({"method", "interval by", Align::left});
  }
  table.names = 3;
  std::vector<const FittedQuantity*> rows;
  for (const FittedQuantity& row : fit.quantities) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->grade > b->grade; });
  for (const FittedQuantity* row : rows) {
    const std::string_view unit = row->unit;
    table.rows.push_back(
        {{cell(std::string(1, letter_of(row->grade))), cell(row->name), cell(row->group),
          number_cell(row->value, unit), interval_cell(row->interval90, unit), cell(unit),
          number_cell(row->n, "jobs"), hold_out_cell(*row)}});
    if (all) {
      table.rows.back().cells.push_back(cell(row->law));
      table.rows.back().cells.push_back(cell(row->method));
    }
    if (!row->note.empty()) {
      table.notes.push_back(fmt::format("{}, {}: {}", row->name, row->group, row->note));
    }
  }
  table.notes.insert(table.notes.end(), fit.notes.begin(), fit.notes.end());
  return table;
}

std::string fit_markdown(const Fit& fit) {
  return "# Fit\n\n"
         "Grades: A tested on weeks that were held out, and covered. B tested; the interval is "
         "widened, a test refuses the law, or the history drifts. C untested, or too few weeks to "
         "widen. D prior "
         "only.\n\n" +
         report::markdown(fit_table(fit, FitColumns::all));
}

}  // namespace reeve::experiments
