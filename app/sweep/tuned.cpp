#include "app/sweep/tuned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/compare/comparison_table.hpp"
#include "app/sweep/inputs.hpp"
#include "app/text/quantity_text.hpp"
#include "app/usage_error.hpp"
#include "experiments/tuner.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using experiments::DesignPoint;
using experiments::Estimate;

/// Settings to choose from, spread evenly in their order.
struct Candidates {
  std::vector<std::vector<std::string>> values;
  std::vector<DesignPoint> places;
};

constexpr std::size_t most_candidates = 1'024;
/// The surrogate takes longer with each, and knows enough by then.
constexpr std::size_t most_settings = 100;

/// A value of a list has one place, wherever the point is that it was drawn by.
double middle_of(const Factor& factor, double drawn) {
  if (factor.values.empty()) return drawn;
  const auto count = static_cast<double>(factor.values.size());
  return (std::floor(drawn * count) + 0.5) / count;
}

Candidates candidates_of(const std::vector<Factor>& factors) {
  constexpr std::size_t most_drawn = 16 * most_candidates;
  Candidates all;
  std::set<std::vector<std::string>> known;
  for (const DesignPoint& drawn : experiments::sobol(most_drawn, factors.size())) {
    std::vector<std::string> values;
    DesignPoint place;
    for (std::size_t factor = 0; factor < factors.size(); ++factor) {
      values.push_back(factors[factor].at(drawn[factor]));
      place.push_back(middle_of(factors[factor], drawn[factor]));
    }
    if (!known.insert(values).second) continue;
    all.values.push_back(std::move(values));
    all.places.push_back(std::move(place));
    if (all.values.size() == most_candidates) break;
  }
  return all;
}

/// The mean and its standard error; exact samples have none.
experiments::Belief belief_in(const std::vector<double>& samples) {
  double sum = 0;
  std::size_t count = 0;
  for (const double sample : samples) {
    if (std::isnan(sample)) continue;
    sum += sample;
    ++count;
  }
  if (count == 0) return {};
  const double mean = sum / static_cast<double>(count);
  double squares = 0;
  for (const double sample : samples) {
    if (!std::isnan(sample)) squares += (sample - mean) * (sample - mean);
  }
  const auto n = static_cast<double>(count);
  return {mean, count > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
}

/// Against the file, paired by run: what all settings share has no part in the noise.
experiments::Measured measured(const SweepNumbers& numbers, std::size_t cell,
                               const Objective& objective, const std::vector<Limit>& limits) {
  const std::size_t policy = numbers.plan().policies.size() - 1;
  std::vector<double> losses = numbers.samples(cell, policy, objective.metric);
  const std::vector<double> before = numbers.samples(0, policy, objective.metric);
  for (std::size_t run = 0; run < losses.size(); ++run) {
    losses[run] = (losses[run] - before[run]) * (objective.is_most ? -1 : 1);
  }
  if (std::all_of(losses.begin(), losses.end(), [](double loss) { return std::isnan(loss); })) {
    throw UsageError{objective.metric + " has no value with " + numbers.plan().words(cell),
                     "choose another --objective"};
  }
  experiments::Measured out{belief_in(losses), {}};
  for (const Limit& limit : limits) {
    experiments::Belief value = belief_in(numbers.samples(cell, policy, limit.metric));
    value.mean = (value.mean - limit.value) * (limit.is_most ? 1 : -1);
    out.excess.push_back(value);
  }
  return out;
}

bool keeps(const SweepNumbers& numbers, std::size_t cell, const std::vector<Limit>& limits) {
  const std::size_t policy = numbers.plan().policies.size() - 1;
  return std::all_of(limits.begin(), limits.end(), [&](const Limit& limit) {
    const Estimate of = numbers.estimate(cell, policy, limit.metric);
    if (of.samples == 0) return false;
    return limit.is_most ? of.mean <= limit.value : of.mean >= limit.value;
  });
}

std::string text_of(const SweepNumbers& numbers, std::string_view metric, const Estimate& of) {
  if (of.samples == 0) return "–";
  return estimate_text(metric, quantity_like(numbers.kind(metric), of.mean), of);
}

report::Cell cell_of(const SweepNumbers& numbers, std::string_view metric, const Estimate& of) {
  if (of.samples == 0) return report::no_cell();
  report::Cell cell = quantity_cell(metric, quantity_like(numbers.kind(metric), of.mean));
  if (of.low != of.high) cell.text = text_of(numbers, metric, of);
  return cell;
}

/// The choice, judged by draws that had no part in it.
void add_closing(const SweepPlan& plan, const Tuned& tuned, const Objective& objective,
                 const std::vector<Limit>& limits, report::Table& table) {
  const std::size_t policy = plan.policies.size() - 1;
  if (tuned.is_interrupted) table.closing.push_back({"partial: interrupted", report::Tone::bad});
  if (tuned.fresh.size() == 2) {
    const SweepNumbers fresh{tuned.fresh_plan, tuned.fresh};
    const Estimate change = fresh.change(1, policy, objective.metric);
    const bool is_better = objective.is_most ? change.low > 0 : change.high < 0;
    table.closing.push_back(
        {fmt::format("best: {}. With seed {}, which had no part in the choice: {} {}, {} against "
                     "the file{}.",
                     plan.words(*tuned.best), tuned.fresh_plan.seed, objective.metric,
                     text_of(fresh, objective.metric, fresh.estimate(1, policy, objective.metric)),
                     text_of(fresh, objective.metric, change),
                     is_better ? "" : " (no improvement shown)"),
         report::Tone::strong});
    for (const Limit& limit : limits) {
      const bool is_kept = keeps(fresh, 1, {limit});
      table.closing.push_back(
          {fmt::format("{} {}: {}", is_kept ? "✓" : "✗", limit.text,
                       text_of(fresh, limit.metric, fresh.estimate(1, policy, limit.metric))),
           is_kept ? report::Tone::good : report::Tone::bad});
    }
  } else if (!tuned.is_interrupted && !tuned.best) {
    table.closing.push_back({"no setting keeps the limits", report::Tone::bad});
  }
}

}  // namespace

std::vector<Limit> limits_of(const std::vector<std::string>& written) {
  std::vector<Limit> limits;
  for (const std::string& text : written) {
    const auto parsed = scenarios::parse_comparison(text);
    using scenarios::CompareOp;
    if (!parsed || parsed->op == CompareOp::equal || parsed->op == CompareOp::not_equal) {
      throw UsageError{"--subject-to " + scenarios::in_quotes(text) + " is no limit",
                       "--subject-to 'false_stops <= 0.5'"};
    }
    Limit limit{parsed->metric, text, parsed->value.number,
                parsed->op == CompareOp::less || parsed->op == CompareOp::less_equal};
    if (parsed->value.duration) {
      limit.value = std::chrono::duration<double>(*parsed->value.duration).count();
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

Tuned tune_cells(SweepPlan plan, const std::vector<Factor>& factors, const Objective& objective,
                 const std::vector<Limit>& limits, TuneBudget budget, const Console& console) {
  const Candidates candidates = candidates_of(factors);
  experiments::Tuner tuner{candidates.places, limits.size()};
  Tuned tuned{.plan = std::move(plan), .cells = {}, .best = std::nullopt};
  const std::uint64_t each = std::uint64_t{tuned.plan.runs} * tuned.plan.policies.size();
  const SweepPlan begun = tuned.plan;
  InputWatch inputs{begun};
  const auto run = [&](const SweepPlan& of, std::size_t cell, std::vector<CellResult>& into) {
    auto result = run_cell(of, cell, budget.threads, console);
    inputs.check();
    tuned.is_interrupted = !result;
    if (result) into.push_back(*std::move(result));
    return result.has_value();
  };
  if (!run(tuned.plan, 0, tuned.cells)) return tuned;
  std::vector<std::size_t> cell_by_candidate(candidates.values.size(), 0);
  // The file and the best setting are run again at the end.
  for (std::uint64_t used = 3 * each; used + each <= budget.runs; used += each) {
    const auto chosen = tuner.next();
    if (!chosen || tuned.plan.cells.size() > most_settings) break;
    cell_by_candidate[*chosen] = tuned.plan.cells.size();
    tuned.plan.cells.push_back(candidates.values[*chosen]);
    tuned.plan.points.push_back(places_of(factors, candidates.values[*chosen]));
    if (!run(tuned.plan, cell_by_candidate[*chosen], tuned.cells)) {
      tuned.plan.cells.pop_back();
      tuned.plan.points.pop_back();
      return tuned;
    }
    SweepPlan pair = tuned.plan;
    pair.cells = {tuned.plan.cells.front(), tuned.plan.cells.back()};
    tuner.tell(*chosen, measured(SweepNumbers{pair, {tuned.cells.front(), tuned.cells.back()}}, 1,
                                 objective, limits));
  }
  if (const auto best = tuner.best()) tuned.best = cell_by_candidate[*best];
  if (!tuned.best) return tuned;
  tuned.fresh_plan = tuned.plan;
  tuned.fresh_plan.seed = tuned.plan.seed + 1;
  tuned.fresh_plan.points.clear();
  tuned.fresh_plan.cells = {tuned.plan.cells.front(), tuned.plan.cells[*tuned.best]};
  if (run(tuned.fresh_plan, 0, tuned.fresh)) run(tuned.fresh_plan, 1, tuned.fresh);
  return tuned;
}

report::Table tuned_table(const SweepNumbers& numbers, const Tuned& tuned,
                          const Objective& objective, const std::vector<Limit>& limits) {
  const SweepPlan& plan = numbers.plan();
  const std::size_t policy = plan.policies.size() - 1;
  report::Table table;
  table.name = plan.name;
  table.facts = {{plan.name, plan.policies[policy],
                  scenarios::counted(plan.cells.size() - 1, "setting") + " and the file"},
                 {fmt::format("seed {}, {} of each on the same draws", plan.seed,
                              scenarios::counted(plan.runs, "run")),
                  "digest " + short_digest(numbers.digest())}};
  for (const std::string& path : plan.factors) {
    const std::string name = path.substr(path.rfind('.') + 1);
    table.columns.push_back({path, name});
  }
  table.names = plan.factors.size();
  table.columns.push_back({objective.metric, objective.metric});
  table.columns.push_back({"change", "against the file"});
  for (const Limit& limit : limits) table.columns.push_back({limit.metric, limit.metric});
  if (!limits.empty()) table.columns.push_back({"keeps", "keeps", report::Align::left});
  std::vector<std::size_t> order;
  for (std::size_t cell = 1; cell < tuned.cells.size(); ++cell) order.push_back(cell);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool keeps_a = keeps(numbers, a, limits);
    if (keeps_a != keeps(numbers, b, limits)) return keeps_a;
    const double of_a = numbers.estimate(a, policy, objective.metric).mean;
    const double of_b = numbers.estimate(b, policy, objective.metric).mean;
    return objective.is_most ? of_a > of_b : of_a < of_b;
  });
  constexpr std::size_t most_shown = 10;
  if (order.size() > most_shown) order.resize(most_shown);
  if (!tuned.cells.empty()) order.push_back(0);
  for (const std::size_t cell : order) {
    report::TableRow row;
    row.rule_above = cell == 0;
    for (const std::string& value : plan.cells[cell]) {
      row.cells.push_back(report::cell(value.empty() ? "default" : value));
    }
    row.cells.push_back(
        cell_of(numbers, objective.metric, numbers.estimate(cell, policy, objective.metric)));
    row.cells.push_back(
        cell_of(numbers, objective.metric, numbers.change(cell, policy, objective.metric)));
    for (const Limit& limit : limits) {
      row.cells.push_back(
          cell_of(numbers, limit.metric, numbers.estimate(cell, policy, limit.metric)));
    }
    if (!limits.empty()) {
      const bool is_kept = keeps(numbers, cell, limits);
      report::Cell mark = report::cell(is_kept ? "✓" : "✗");
      mark.value = is_kept;
      row.cells.push_back(std::move(mark));
    }
    table.rows.push_back(std::move(row));
  }
  add_closing(numbers.plan(), tuned, objective, limits, table);
  return table;
}

}  // namespace reeve::app
