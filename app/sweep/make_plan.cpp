#include "app/sweep/make_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "app/sweep/inputs.hpp"
#include "app/usage_error.hpp"
#include "scenarios/load/keys/metric_names.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

/// "wasted" is far from "wasted_usd" by its letters.
std::string nearest_metric(const std::string& written) {
  std::vector<std::string> names;
  std::vector<std::string> begin_so;
  for (const auto& spec : scenarios::metric_names()) {
    names.emplace_back(spec.name);
    if (spec.name.starts_with(written + '_')) begin_so.push_back(names.back());
  }
  const std::string hint = scenarios::did_you_mean(written, names);
  return hint.empty() && !begin_so.empty() ? "did you mean " + in_quotes(begin_so.front()) + "?"
                                           : hint;
}

std::vector<std::string> metrics_of(const SweepRequest& request,
                                    const scenarios::Scenario& scenario) {
  std::vector<std::string> metrics{"billed_usd",    "wasted_usd",  "guardrail_usd", "jobs_done",
                                   "missed_stalls", "false_stops", "mean_wait_s",   "makespan"};
  const bool is_story = scenario.world.jobs.specs.size() == 1 && !scenario.world.drawn;
  metrics.emplace_back(is_story ? "time_to_result" : "mean_time_to_result_s");
  metrics.emplace_back(is_story ? "detected_after" : "mean_detected_after");
  std::vector<std::string> wanted = request.metrics;
  const std::string& objective = request.objective;
  if (!objective.empty() && !objective.ends_with(net_saving)) {
    wanted.push_back(objective.substr(objective.starts_with("max:") ? 4 : 0));
  }
  for (const std::string& metric : wanted) {
    const auto known = scenarios::find_metric(metric);
    if (!known ||
        known->spec->name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos) {
      throw UsageError{"there is no metric " + in_quotes(metric) + " of a whole run",
                       nearest_metric(metric)};
    }
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
      metrics.push_back(metric);
    }
  }
  return metrics;
}

struct Sample {
  bool is_sobol = false;
  std::size_t points = 0;
};

std::optional<Sample> sample_of(const std::string& written) {
  if (written.empty()) return std::nullopt;
  const auto colon = written.find(':');
  const std::string kind = written.substr(0, colon);
  Sample sample{kind == "sobol", 0};
  const std::string number = colon == std::string::npos ? "" : written.substr(colon + 1);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), sample.points);
  const bool is_number = read.ec == std::errc{} && read.ptr == number.data() + number.size();
  if ((kind != "sobol" && kind != "lhs") || !is_number || sample.points < 2 ||
      sample.points > most_cells) {
    throw UsageError{"--sample " + in_quotes(written) + " is not lhs:N or sobol:N",
                     "--sample lhs:64"};
  }
  return sample;
}

void add_cells(SweepPlan& plan, const std::vector<Factor>& factors, std::optional<Sample> sample) {
  if (sample) {
    const auto drawn =
        sample->is_sobol ? experiments::sobol(sample->points, factors.size())
                         : experiments::latin_hypercube(sample->points, factors.size(), plan.seed);
    for (const auto& point : drawn) {
      auto& cell = plan.cells.emplace_back();
      for (std::size_t factor = 0; factor < factors.size(); ++factor) {
        cell.push_back(factors[factor].at(point[factor]));
      }
      plan.points.push_back(places_of(factors, cell));
    }
    return;
  }
  double cells = 1;
  for (const Factor& factor : factors) {
    if (factor.values.empty()) {
      throw UsageError{"--set " + factor.path + " has a range, of which samples are taken",
                       "add --sample lhs:64, or list its values: 1m,5m,10m"};
    }
    cells *= static_cast<double>(factor.values.size());
  }
  if (cells > static_cast<double>(most_cells)) {
    throw UsageError{fmt::format("{:.0f} cells are more than {}", cells, most_cells),
                     "--sample lhs:1000"};
  }
  for (auto& cell : grid(factors)) plan.cells.push_back(std::move(cell));
}

}  // namespace

Objective objective_of(const std::string& written, const SweepPlan& plan) {
  Objective objective{net_saving.data(), true};
  if (plan.policies.size() == 1) objective = {"billed_usd", false};
  if (written.empty()) return objective;
  constexpr std::string_view most = "max:";
  objective.is_most = written.starts_with(most) || written == net_saving;
  objective.metric = written.starts_with(most) ? written.substr(most.size()) : written;
  const bool is_known =
      (objective.metric == net_saving && plan.policies.size() > 1) ||
      std::find(plan.metrics.begin(), plan.metrics.end(), objective.metric) != plan.metrics.end();
  if (!is_known) {
    std::string hint = scenarios::did_you_mean(objective.metric, plan.metrics);
    if (hint.empty()) hint = "add --metric " + objective.metric;
    throw UsageError{"--objective " + in_quotes(written) + " is not among the metrics", hint};
  }
  return objective;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw UsageError{"cannot read " + path.string(), "reeve sweep plan FILE --set -o DIR"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void check_values(SweepPlan& plan, const std::vector<Factor>& factors) {
  SweepPlan one = plan;
  one.points.clear();
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    std::vector<std::string> values = factors[factor].values;
    if (values.empty()) values = {factors[factor].at(0), factors[factor].at(1)};
    for (const std::string& value : values) {
      one.factors = {plan.factors[factor]};
      one.cells = {{}, {value}};
      const scenarios::Scenario scenario = cell_scenario(one, 1);
      plan.is_random = plan.is_random || scenario.random;
      add_inputs(plan, scenario.files);
      for (const std::string& policy : plan.policies) policy_named(scenario, policy);
    }
  }
  // Of a scenario that loads quickly, all combinations too.
  constexpr std::chrono::seconds longest{20};
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t cell = 1; cell < plan.cells.size(); ++cell) {
    if (std::chrono::steady_clock::now() - began > longest) break;
    cell_scenario(plan, cell);
  }
  if (!plan.is_random) plan.runs = 1;
}

std::vector<Factor> factors_of(const SweepRequest& request) {
  if (request.sets.empty()) {
    throw UsageError{"--set names no key whose values to try",
                     "--set policies.alarm.stalled_gpu.period=1m,5m,10m"};
  }
  std::vector<Factor> factors;
  for (const std::string& written : request.sets) {
    Factor factor = read_factor(written);
    const bool is_twice = std::any_of(factors.begin(), factors.end(), [&](const Factor& other) {
      return other.path == factor.path;
    });
    if (is_twice) {
      throw UsageError{"--set " + factor.path + " is given twice", "list all values: 1m,5m,10m"};
    }
    factors.push_back(std::move(factor));
  }
  return factors;
}

SweepPlan plan_of_file(const SweepRequest& request, const std::vector<Factor>& factors,
                       const Console& console) {
  const scenarios::Scenario scenario = load_scenario(request.study, console);
  SweepPlan plan;
  plan.file = request.study.file;
  plan.name = scenario.name;
  plan.folder = std::filesystem::absolute(request.study.file).parent_path().string();
  plan.text = text_of(request.study.file);
  plan.seed = scenario.world.seed;
  plan.runs = scenario.runs;
  plan.is_random = scenario.random;
  StudyArguments policies = request.study;
  policies.out.reset();  // the directory of a sweep has other files
  for (const auto* policy : plan_study(scenario, policies).policies) {
    plan.policies.push_back(policy->name);
  }
  const auto has = [&](const std::string& name) {
    return std::find(plan.policies.begin(), plan.policies.end(), name) != plan.policies.end();
  };
  if (!request.baseline.empty() && !has(request.baseline)) {
    throw UsageError{"the baseline " + in_quotes(request.baseline) + " is not among the policies",
                     scenarios::did_you_mean(request.baseline, plan.policies)};
  }
  plan.baseline = !request.baseline.empty() ? request.baseline
                  : has("none")             ? "none"
                                            : plan.policies.front();
  plan.metrics = metrics_of(request, scenario);
  for (const Factor& factor : factors) plan.factors.push_back(factor.path);
  plan.cells.emplace_back();
  for (const std::string& path : plan.factors) {
    plan.cells.front().push_back(value_in_file(plan, path));
  }
  add_inputs(plan, scenario.files);
  plan.cells_per_shard = plan.cells.size();
  return plan;
}

SweepPlan make_plan(const SweepRequest& request, const Console& console) {
  const std::vector<Factor> factors = factors_of(request);
  SweepPlan plan = plan_of_file(request, factors, console);
  add_cells(plan, factors, sample_of(request.sample));
  check_values(plan, factors);
  plan.cells_per_shard = plan.cells.size();
  return plan;
}

}  // namespace reeve::app
