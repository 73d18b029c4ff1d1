#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/page/sections.hpp"
#include "report/page/shared_out.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

/// Texts: run_id, job, rule, mode, verdict, action, outcome, threshold, inputs and alternatives.
struct ShownDecision {
  std::array<std::string, 10> texts;
  double id = 0, at_s = 0;
  std::optional<double> latency_s, cost_if_not_usd;
};

/// In place of JSON for which there is no room.
constexpr std::string_view not_held = "{\"omitted\":\"see decisions.csv\"}";

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// A cell that holds JSON; null if it is empty.  `room`: bytes that the page has left.
ordered_json json_cell(const std::string& cell, std::size_t& room) {
  if (cell.empty()) return nullptr;
  if (cell.size() > room) return {{"omitted", "see decisions.csv"}};
  room -= cell.size();
  ordered_json json = parsed(cell);
  if (json.is_discarded()) return cell;
  return json;
}

/// Of the policies in their order: rows of decisions.csv that may be shown.
struct Decisions {
  std::size_t total = 0;
  /// Stops and the like, and what is routine: it gives way.
  std::array<std::vector<std::vector<ShownDecision>>, 2> kinds;
};

Decisions decisions_of(const ResultDirectory& results) {
  constexpr std::size_t most_held = 16 * most_inputs;  // more than the page has room for
  constexpr std::size_t first_json = 7;
  std::size_t held = 0;
  Decisions all;
  for (auto& kind : all.kinds) kind.resize(results.policies().size());
  ResultTable rows =
      results.table("decisions", {"run_id", "job", "rule", "mode", "verdict", "action", "outcome",
                                  "threshold", "inputs_json", "alternatives_json", "decision_id",
                                  "t_s", "latency_s", "cost_if_not_usd"});
  while (rows.next()) {
    const RunId run = run_of(rows.text(0));
    const auto policy = results.policy(run.policy);
    if (!policy || !run.is_first) continue;
    ++all.total;
    auto& of = all.kinds[is_routine(rows.text(5)) ? 1 : 0][*policy];
    if (of.size() >= most_decisions) continue;
    ShownDecision& row = of.emplace_back();
    for (std::size_t i = 0; i < row.texts.size(); ++i) {
      const bool is_held = i < first_json || held + rows.text(i).size() <= most_held;
      row.texts[i] = is_held ? rows.text(i) : not_held;
      held += row.texts[i].size();
    }
    row.id = rows.number_or(10, 0);
    row.at_s = rows.number_or(11, 0);
    row.latency_s = rows.number(12);
    row.cost_if_not_usd = rows.number(13);
  }
  return all;
}

ordered_json decision_json(const ShownDecision& row, std::size_t& room) {
  const auto& [run, job, rule, mode, verdict, action, outcome, threshold, inputs, alternatives] =
      row.texts;
  return {{"run", run},
          {"id", row.id},
          {"t_s", row.at_s},
          {"job", job},
          {"rule", rule},
          {"mode", mode},
          {"verdict", verdict},
          {"action", action},
          {"outcome", outcome},
          {"latency_s", number_or_null(row.latency_s)},
          {"cost_if_not_usd", number_or_null(row.cost_if_not_usd)},
          {"threshold", json_cell(threshold, room)},
          {"inputs", json_cell(inputs, room)},
          {"alternatives", json_cell(alternatives, room)}};
}

}  // namespace

ordered_json decision_section(const ResultDirectory& results) {
  Decisions all = decisions_of(results);
  std::vector<std::vector<ShownDecision>> chosen(results.policies().size());
  std::size_t places = most_decisions;
  for (auto& kind : all.kinds) {
    std::vector<std::size_t> asked;
    for (const auto& of : kind) asked.push_back(of.size());
    const std::vector<std::size_t> given = shared_out(places, asked);
    for (std::size_t policy = 0; policy < kind.size(); ++policy) {
      places -= given[policy];
      const auto first = kind[policy].begin();
      std::move(first, first + static_cast<std::ptrdiff_t>(given[policy]),
                std::back_inserter(chosen[policy]));
    }
  }
  std::size_t room = most_inputs;
  auto rows = ordered_json::array();
  for (auto& of : chosen) {
    std::stable_sort(of.begin(), of.end(),
                     [](const ShownDecision& a, const ShownDecision& b) { return a.id < b.id; });
    for (const ShownDecision& row : of) rows.push_back(decision_json(row, room));
  }
  return {{"total", all.total}, {"rows", std::move(rows)}};
}

}  // namespace reeve::report
