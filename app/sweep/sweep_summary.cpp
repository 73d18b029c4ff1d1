#include "app/sweep/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/study/metric_unit.hpp"
#include "app/text/estimate_json.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using nlohmann::ordered_json;

// Bounds that keep a page small, whatever the number of cells.
constexpr std::size_t most_points = 5'000;  ///< of one chart
constexpr std::size_t most_rows = 100;      ///< of the table of settings

ordered_json estimate_json(const SweepNumbers& numbers, const Estimate& of) {
  return app::estimate_json(of, numbers.is_random() && numbers.has_interval(of.samples));
}

/// The baseline has no net saving, and a policy that no key concerns has nothing to show.
bool is_left_out(const SweepNumbers& numbers, std::size_t policy) {
  const SweepPlan& plan = numbers.plan();
  if (policy == numbers.baseline() && plan.policies.size() > 1) return true;
  for (std::size_t cell = 1; cell < plan.cells.size(); ++cell) {
    if (!numbers.is_unchanged(cell, policy)) return false;
  }
  return true;
}

/// Of a grid of two keys: one map for each policy.
ordered_json heat_json(const SweepNumbers& numbers, const Objective& objective,
                       ordered_json& axes) {
  const SweepPlan& plan = numbers.plan();
  auto maps = ordered_json::array();
  if (!heat_map(numbers, 0, objective)) return maps;
  std::vector<std::vector<std::string>> values(2);
  for (std::size_t cell = 1; cell < plan.cells.size(); ++cell) {
    for (std::size_t factor = 0; factor < 2; ++factor) {
      const std::string& value = plan.cells[cell][factor];
      auto& known = values[factor];
      if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
    }
  }
  for (std::size_t factor = 0; factor < 2; ++factor) {
    axes.push_back({{"name", plan.factors[factor]}, {"values", values[factor]}});
  }
  for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
    if (is_left_out(numbers, policy)) continue;
    if ((maps.size() + 1) * plan.cells.size() > most_points) break;
    auto cells = ordered_json::array();
    for (std::size_t cell = 1; cell < plan.cells.size(); ++cell) {
      const Estimate of = numbers.estimate(cell, policy, objective.metric);
      const std::size_t row = (cell - 1) / values[1].size();
      const std::size_t column = (cell - 1) % values[1].size();
      cells.push_back({column, row, estimate_json(numbers, of)["mean"]});
    }
    maps.push_back({{"policy", plan.policies[policy]},
                    {"metric", objective.metric},
                    {"title", objective.metric == net_saving ? "net saving" : objective.metric},
                    {"unit", metric_unit(objective.metric)},
                    {"x", 1},
                    {"y", 0},
                    {"cells", std::move(cells)}});
  }
  return maps;
}

/// For each key the value that lowers the objective most, and the one that raises it most.
ordered_json tornado_json(const SweepNumbers& numbers, const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  auto all = ordered_json::array();
  for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
    if (is_left_out(numbers, policy)) continue;
    std::vector<ordered_json> rows(plan.factors.size());
    for (const Effect& effect : numbers.effects(policy, objective.metric)) {
      if (effect.change.samples == 0) continue;
      const double change = effect.change.mean;
      ordered_json& row = rows[effect.factor];
      if (row.is_null()) {
        row = {{"axis", plan.factors[effect.factor]},
               {"low_value", ""},
               {"low", 0.0},
               {"high_value", ""},
               {"high", 0.0}};
      }
      const char* end = change < 0 ? "low" : "high";
      if (std::abs(change) < std::abs(row[end].get<double>())) continue;
      row[end] = change;
      row[std::string{end} + "_value"] = effect.value;
    }
    auto shown = ordered_json::array();
    for (ordered_json& row : rows) {
      if (!row.is_null()) shown.push_back(std::move(row));
    }
    if (shown.empty()) continue;
    all.push_back({{"policy", plan.policies[policy]},
                   {"metric", objective.metric},
                   {"unit", metric_unit(objective.metric)},
                   {"rows", std::move(shown)}});
  }
  return all;
}

std::string time_metric(const SweepPlan& plan) {
  const bool is_story =
      std::find(plan.metrics.begin(), plan.metrics.end(), "time_to_result") != plan.metrics.end();
  return is_story ? "time_to_result" : "mean_time_to_result_s";
}

/// A cell and a policy that a key concerns.
struct Setting {
  std::size_t cell = 0;
  std::size_t policy = 0;
  bool is_on_front = false;
};

std::vector<Setting> settings_of(const SweepNumbers& numbers) {
  const SweepPlan& plan = numbers.plan();
  const std::vector<bool> front = numbers.front();
  std::vector<Setting> all;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t policy = 0; policy < plan.policies.size(); ++policy) {
      if (cell > 0 && numbers.is_unchanged(cell, policy)) continue;
      const bool is_on = !front.empty() && front[cell * plan.policies.size() + policy];
      all.push_back({cell, policy, is_on});
    }
  }
  return all;
}

ordered_json setting_json(const SweepNumbers& numbers, const Setting& of) {
  const SweepPlan& plan = numbers.plan();
  const auto estimate = [&](const std::string& metric) {
    return estimate_json(numbers, numbers.estimate(of.cell, of.policy, metric));
  };
  return {{"cell", of.cell},
          {"policy", plan.policies[of.policy]},
          {"settings", plan.words(of.cell)},
          {"cost", estimate("billed_usd")},
          {"time", estimate(time_metric(plan))},
          {"front", of.is_on_front}};
}

/// The settings of the front, and others as long as there is room.
ordered_json front_json(const SweepNumbers& numbers, std::vector<Setting> settings) {
  auto all = ordered_json::array();
  if (numbers.front().empty()) return all;
  std::stable_partition(settings.begin(), settings.end(),
                        [](const Setting& of) { return of.is_on_front; });
  if (settings.size() > most_points) settings.resize(most_points);
  for (const Setting& of : settings) all.push_back(setting_json(numbers, of));
  return all;
}

/// The best settings by the objective; a mean over fewer runs is of other ones, and stands last.
ordered_json best_json(const SweepNumbers& numbers, const Objective& objective,
                       std::vector<Setting> settings) {
  struct Ranked {
    Setting of;
    Estimate value;
  };
  std::vector<Ranked> ranked;
  const bool has_base = numbers.plan().policies.size() > 1 && objective.metric == net_saving;
  for (const Setting& of : settings) {
    if (has_base && of.policy == numbers.baseline()) continue;
    const Estimate value = numbers.estimate(of.cell, of.policy, objective.metric);
    if (value.samples > 0) ranked.push_back({of, value});
  }
  const double sign = objective.is_most ? -1 : 1;
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.value.samples != b.value.samples) return a.value.samples > b.value.samples;
    return sign * a.value.mean < sign * b.value.mean;
  });
  auto rows = ordered_json::array();
  for (const Ranked& row : ranked) {
    if (rows.size() == most_rows) break;
    ordered_json json = setting_json(numbers, row.of);
    json["value"] = estimate_json(numbers, row.value);
    rows.push_back(std::move(json));
  }
  return {{"metric", objective.metric},
          {"unit", metric_unit(objective.metric)},
          {"total", ranked.size()},
          {"rows", std::move(rows)}};
}

}  // namespace

ordered_json summary_of(const SweepNumbers& numbers, const Objective& objective) {
  const SweepPlan& plan = numbers.plan();
  auto policies = ordered_json::array();
  for (const std::string& name : plan.policies) policies.push_back({{"name", name}});
  std::string keys;
  for (const std::string& factor : plan.factors) keys += (keys.empty() ? "" : ", ") + factor;
  auto axes = ordered_json::array();
  ordered_json heat = heat_json(numbers, objective, axes);
  const std::vector<Setting> settings = settings_of(numbers);
  return {{"kind", "sweep"},
          {"scenario", plan.name},
          {"title", "Settings of " + plan.name},
          {"sentence", best_line(numbers, objective)},
          {"notes", notes_on(numbers)},
          {"assumptions",
           {fmt::format("{} settings of {}", report::count(plan.cells.size() - 1), keys),
            fmt::format("seed {}, {} run{} of each policy and setting on the same draws", plan.seed,
                        report::count(plan.runs), plan.runs == 1 ? "" : "s")}},
          {"baseline", plan.baseline},
          {"random", plan.is_random},
          {"runs", plan.runs},
          {"policies", std::move(policies)},
          {"sweep",
           {{"effects", meaning_of_effects(plan)},
            {"axes", std::move(axes)},
            {"heat", std::move(heat)},
            {"tornado", tornado_json(numbers, objective)},
            {"best", best_json(numbers, objective, settings)},
            {"front", front_json(numbers, settings)}}}};
}

}  // namespace reeve::app
