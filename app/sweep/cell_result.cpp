#include "app/sweep/cell_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/files/text_file.hpp"
#include "app/study/study.hpp"
#include "app/study/study_arguments.hpp"
#include "app/study/study_collector.hpp"
#include "reeve/version.hpp"
#include "report/hash_chain.hpp"

namespace reeve::app {
namespace {

using experiments::Quantity;
using nlohmann::json;

constexpr std::array<std::string_view, 3> kind_names{"usd", "time", "number"};  // as in Quantity

Quantity kind_named(std::string_view name) {
  if (name == kind_names[0]) return policy::Usd{};
  if (name == kind_names[1]) return policy::Duration{0};
  return 0.0;
}

json samples_json(const std::vector<double>& samples) {
  json list = json::array();
  for (const double sample : samples) list.push_back(std::isnan(sample) ? json{} : json(sample));
  return list;
}

/// Of a policy that has the metric: one that no run has is a number.
Quantity kind_of(const Study& study, std::size_t measure) {
  for (const PolicyNumbers& numbers : study.policies) {
    if (measure >= numbers.zero.size()) continue;
    if (!std::holds_alternative<double>(numbers.zero[measure])) return numbers.zero[measure];
  }
  return 0.0;
}

}  // namespace

std::optional<CellResult> run_cell(const SweepPlan& plan, std::size_t cell, unsigned threads,
                                   const Console& console) {
  const scenarios::Scenario scenario = cell_scenario(plan, cell);
  StudyPlan what;
  for (const std::string& name : plan.policies) {
    what.policies.push_back(&policy_named(scenario, name));
  }
  what.runs = plan.runs;
  what.threads = threads;
  what.every_measure = std::any_of(plan.metrics.begin(), plan.metrics.end(),
                                   [](const auto& metric) { return counts_actions(metric); });
  const Study study = run_study(scenario, what, console);
  if (study.partial) return std::nullopt;
  CellResult result;
  result.jobs = jobs_of(scenario);
  for (const std::string& metric : plan.metrics) {
    result.kinds.push_back(kind_of(study, study.index(metric)));
  }
  for (const PolicyNumbers& numbers : study.policies) {
    PolicyCell& policy = result.policies.emplace_back();
    policy.digest = numbers.digest;
    for (const std::string& metric : plan.metrics) {
      const std::size_t index = study.index(metric);
      const bool is_there = index < numbers.samples.size();
      policy.samples.push_back(is_there ? numbers.samples[index]
                                        : std::vector<double>(plan.runs, no_sample));
    }
  }
  return result;
}

std::string cell_key(const SweepPlan& plan, std::size_t cell) {
  json all{{"engine", kVersion},    {"text", cell_text(plan, cell)}, {"seed", plan.seed},
           {"runs", plan.runs},     {"policies", plan.policies},     {"metrics", plan.metrics},
           {"folder", plan.folder}, {"inputs", plan.inputs},         {"cell", cell}};
  return report::sha256(all.dump());
}

std::string cell_file(const std::string& directory, std::size_t cell) {
  return fmt::format("{}/cells/{:06}.json", directory, cell);
}

void keep_cell(const std::string& directory, const SweepPlan& plan, std::size_t cell,
               const CellResult& result) {
  json policies = json::array();
  for (const PolicyCell& policy : result.policies) {
    json samples = json::array();
    for (const auto& metric : policy.samples) samples.push_back(samples_json(metric));
    policies.push_back({{"digest", policy.digest}, {"samples", std::move(samples)}});
  }
  json kinds = json::array();
  for (const Quantity& kind : result.kinds) kinds.push_back(kind_names[kind.index()]);
  const json text{{"key", cell_key(plan, cell)},
                  {"jobs", result.jobs},
                  {"kinds", kinds},
                  {"policies", policies}};
  write_text_file(cell_file(directory, cell), text.dump() + '\n');
}

std::optional<CellResult> kept_cell(const std::string& directory, const SweepPlan& plan,
                                    std::size_t cell) {
  std::ifstream file{cell_file(directory, cell), std::ios::binary};
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  try {
    const json read = json::parse(text);
    if (read.at("key") != cell_key(plan, cell)) return std::nullopt;
    CellResult result;
    result.jobs = read.at("jobs");
    for (const json& kind : read.at("kinds")) {
      result.kinds.push_back(kind_named(kind.get_ref<const std::string&>()));
    }
    for (const json& policy : read.at("policies")) {
      PolicyCell& numbers = result.policies.emplace_back();
      numbers.digest = policy.at("digest");
      for (const json& metric : policy.at("samples")) {
        std::vector<double>& samples = numbers.samples.emplace_back();
        for (const json& sample : metric) {
          samples.push_back(sample.is_null() ? no_sample : sample.get<double>());
        }
        if (samples.size() != plan.runs) return std::nullopt;
      }
      if (numbers.samples.size() != plan.metrics.size()) return std::nullopt;
    }
    const bool is_whole = result.kinds.size() == plan.metrics.size() &&
                          result.policies.size() == plan.policies.size();
    return is_whole ? std::optional{std::move(result)} : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace reeve::app
