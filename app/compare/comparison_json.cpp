#include "app/compare/comparison_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/docs/modelled.hpp"
#include "models/platform_presets.hpp"
#include "reeve/version.hpp"

namespace reeve::app {
namespace {

nlohmann::ordered_json number_json(const Number& number) {
  if (!number.value) return nullptr;
  const double value = experiments::as_double(*number.value);
  nlohmann::ordered_json json{{"value", value}, {"runs", number.estimate.samples}};
  if (number.estimate.samples > 1) {
    json["lo"] = number.estimate.low;
    json["hi"] = number.estimate.high;
  }
  return json;
}

nlohmann::ordered_json lines_json(const Study& study) {
  auto out = nlohmann::ordered_json::array();
  for (const ExpectLine& line : study.lines()) {
    for (const Verdict& verdict : line.verdicts) {
      nlohmann::ordered_json entry{{"policy", verdict.policy},
                                   {"that", line.expect->text},
                                   {"line", line.expect->position.line},
                                   {"held", verdict.held}};
      if (line.expect->at) {
        entry["at_s"] = experiments::as_double(experiments::Quantity{*line.expect->at});
      }
      entry["actual"] = verdict.actual
                            ? nlohmann::ordered_json(experiments::as_double(*verdict.actual))
                            : nlohmann::ordered_json(nullptr);
      entry["expected"] = verdict.expect->text.substr(verdict.expect->that.op_offset);
      if (verdict.estimate.samples > 1) {
        entry["mean"] = verdict.estimate.mean;
        entry["lo"] = verdict.estimate.low;
        entry["hi"] = verdict.estimate.high;
      }
      if (!verdict.broken.empty()) entry["broken_replications"] = verdict.broken;
      out.push_back(std::move(entry));
    }
  }
  return out;
}

nlohmann::ordered_json speed_json(const OtherSpeed& other) {
  const auto number = [](const std::optional<double>& value) -> nlohmann::ordered_json {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  auto numbers = nlohmann::ordered_json::array();
  for (const SpeedNumber& of : other.numbers) {
    numbers.push_back({{"policy", of.policy},
                       {"metric", of.metric},
                       {"value", number(of.now)},
                       {"then", number(of.then)},
                       {"diff", number(of.diff)},
                       {"lo", number(of.low)},
                       {"hi", number(of.high)},
                       {"runs", of.runs}});
  }
  return {{"factor", other.factor}, {"numbers", std::move(numbers)}};
}

nlohmann::ordered_json differences_json(const Study& study, std::size_t baseline) {
  auto out = nlohmann::ordered_json::array();
  const PolicyNumbers& base = study.policies[baseline];
  for (const PolicyNumbers& numbers : study.policies) {
    if (&numbers == &base) continue;
    const auto add = [&](std::string_view metric, const experiments::Estimate& diff) {
      if (diff.samples == 0) return;
      const bool interval = study.has_interval(diff.samples);
      const auto end = [&](double value) -> nlohmann::ordered_json {
        return interval ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
      };
      out.push_back({{"policy_a", numbers.policy->name},
                     {"policy_b", base.policy->name},
                     {"metric", metric},
                     {"diff", diff.mean},
                     {"lo", end(diff.low)},
                     {"hi", end(diff.high)},
                     {"runs", diff.samples},
                     {"paired", true}});
    };
    for (std::size_t measure = 0; measure < study.measures.size(); ++measure) {
      add(study.measures[measure], study.difference(numbers, base, measure));
    }
    add(recovered_key, study.recovered(numbers, base, "gpu_hours"));
    add(captured_key, study.captured(numbers, base));
  }
  return out;
}

nlohmann::ordered_json saved_json(const experiments::Estimate& saved) {
  nlohmann::ordered_json json{{"value", saved.mean}};
  if (saved.samples > 1) json["lo"] = saved.low, json["hi"] = saved.high;
  return json;
}

nlohmann::ordered_json savings_json(const std::vector<HistorySaving>& savings) {
  auto out = nlohmann::ordered_json::object();
  for (const HistorySaving& saving : savings) {
    auto& of = out[saving.policy->policy->name];
    of = {{"saved_usd", saved_json(saving.of_bill)}};
    if (const auto& change = saving.change) {
      of["jobs_stopped"] = change->stopped;
      of["jobs_without_result"] = change->without_result;
      of["jobs_later"] = change->later;
      of["lost_usd"] = experiments::as_double(change->lost);
      of["weeks_usd"] = change->saved_usd;
    }
    if (saving.at_list) of["list_usd"] = saved_json(*saving.at_list);
    if (!saving.hold_out) continue;
    of["held_out"] = {{"weeks", saving.hold_out->weeks},
                      {"coverage90_pct", 100 * saving.hold_out->coverage90},
                      {"error_pct", 100 * saving.hold_out->relative_error}};  // NaN: null
  }
  return out;
}

}  // namespace

std::string comparison_json(const Study& study, std::size_t baseline,
                            const std::vector<report::Table>& tables,
                            const std::vector<HistorySaving>& savings) {
  using nlohmann::ordered_json;
  ordered_json out{{"scenario", study.scenario->name},
                   {"title", study.scenario->title},
                   {"engine_version", kVersion},
                   {"modelled_on", models::modelled_on(study.scenario->world.platform.model)},
                   {"seed", study.scenario->world.seed},
                   {"runs", study.runs},
                   {"runs_asked", study.runs_asked},
                   {"partial", study.partial},
                   {"digest", study.digest},
                   {"baseline", study.policies[baseline].policy->name},
                   {"pareto_front", pareto_front(study)}};
  auto& policies = out["policies"] = ordered_json::object();
  for (const PolicyNumbers& numbers : study.policies) {
    auto& of = policies[numbers.policy->name] = ordered_json::object();
    of["digest"] = numbers.digest;
    for (const policy::JobId job : numbers.not_in_data) {
      of["not_in_data"].push_back(study.scenario->world.jobs.name(job));
    }
    for (const Modelled& one : modelled(*numbers.policy)) of["model"][one.option] = one.value;
    for (const std::string& measure : study.measures) {
      of["measures"][measure] = number_json(study.number(numbers, measure));
    }
    for (const OwnNumber& own : numbers.own) {
      of["measures"][own.measure] = number_json(study.number(own));
    }
  }
  out["differences"] = differences_json(study, baseline);
  out["expectations"] = {{"held", study.lines_held()},
                         {"all", study.lines_asked()},
                         {"unbalanced_runs", study.unbalanced},
                         {"lines", lines_json(study)}};
  if (!savings.empty()) out["savings"] = savings_json(savings);
  if (study.other_speed) out["what_if_speed"] = speed_json(*study.other_speed);
  auto& printed = out["printed"] = ordered_json::array();
  for (const report::Table& table : tables) {
    if (!table.columns.empty()) printed.push_back(ordered_json::parse(report::json(table)));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace reeve::app
