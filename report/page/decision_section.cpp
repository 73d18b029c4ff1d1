#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "report/page/sections.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

/// A cell that holds JSON; null if it is empty.  `room`: bytes that the page has left.
ordered_json json_cell(std::string_view cell, std::size_t& room) {
  if (cell.empty()) return nullptr;
  if (cell.size() > room) return {{"omitted", "see decisions.csv"}};
  room -= cell.size();
  ordered_json json = ordered_json::parse(cell, nullptr, false);
  if (json.is_discarded()) return std::string{cell};
  return json;
}

/// A start of a job is routine: it gives way if there are too many decisions.
bool is_routine(std::string_view action) {
  return action == "start_job";
}

}  // namespace

ordered_json decision_section(const ResultDirectory& results) {
  const std::size_t share = most_decisions / std::max<std::size_t>(results.policies().size(), 1);
  std::size_t total = 0;
  std::size_t room = most_inputs;
  std::vector<std::array<std::vector<ordered_json>, 2>> kept(results.policies().size());
  ResultTable rows =
      results.table("decisions", {"run_id", "decision_id", "t_s", "job", "rule", "mode", "verdict",
                                  "action", "outcome", "latency_s", "cost_if_not_usd", "threshold",
                                  "inputs_json", "alternatives_json"});
  while (rows.next()) {
    const RunId run = run_of(rows.text(0));
    const auto policy = results.policy(run.policy);
    if (!policy || !run.is_first) continue;
    ++total;
    auto& of = kept[*policy][is_routine(rows.text(7)) ? 1 : 0];
    if (of.size() >= share) continue;
    of.push_back({{"run", rows.text(0)},
                  {"id", rows.number_or(1, 0)},
                  {"t_s", rows.number_or(2, 0)},
                  {"job", rows.text(3)},
                  {"rule", rows.text(4)},
                  {"mode", rows.text(5)},
                  {"verdict", rows.text(6)},
                  {"action", rows.text(7)},
                  {"outcome", rows.text(8)},
                  {"latency_s", number_or_null(rows.number(9))},
                  {"cost_if_not_usd", number_or_null(rows.number(10))},
                  {"threshold", json_cell(rows.text(11), room)},
                  {"inputs", json_cell(rows.text(12), room)},
                  {"alternatives", json_cell(rows.text(13), room)}});
  }
  auto all = ordered_json::array();
  for (auto& of : kept) {
    std::size_t places = share;
    std::vector<ordered_json> chosen;
    for (auto& kind : of) {
      for (ordered_json& row : kind) {
        if (places == 0) break;
        --places;
        chosen.push_back(std::move(row));
      }
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) {
      return a["id"].template get<double>() < b["id"].template get<double>();
    });
    for (ordered_json& row : chosen) all.push_back(std::move(row));
  }
  return {{"total", total}, {"rows", std::move(all)}};
}

}  // namespace reeve::report
