#include "app/compare/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/comparison_table.hpp"
#include "app/compare/comparison_text.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/study/metric_unit.hpp"
#include "app/text/estimate_json.hpp"
#include "models/platform_presets.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using nlohmann::ordered_json;

/// The mean, and the interval if there is one.
ordered_json number_json(const Study& study, const Number& number) {
  const bool interval = number.estimate.samples > 1 && study.draws() > 1;
  ordered_json json{{"mean", nullptr}, {"lo", nullptr}, {"hi", nullptr}};
  if (number.value) json["mean"] = experiments::as_double(*number.value);
  if (number.value && interval) {
    json["lo"] = number.estimate.low;
    json["hi"] = number.estimate.high;
  }
  json["runs"] = number.estimate.samples;
  return json;
}

/// The part of the possible savings that each policy captures; nothing if that is unknown for all.
ordered_json captured_json(const Study& study, const PolicyNumbers& base) {
  auto values = ordered_json::array();
  bool has_any = false;
  for (const PolicyNumbers& of : study.policies) {
    const Estimate captured = &of == &base ? Estimate{} : study.captured(of, base);
    values.push_back(estimate_json(captured, study.draws() > 1 && captured.samples > 1));
    has_any = has_any || !values.back()["mean"].is_null();
  }
  if (!has_any) return nullptr;
  return {{"metric", captured_key},
          {"title", captured_title},
          {"unit", "pct"},
          {"values", std::move(values)}};
}

ordered_json measures_json(const Study& study, const PolicyNumbers& base) {
  auto all = ordered_json::array();
  for (const ShownMeasure& column : columns_of(study)) {
    auto values = ordered_json::array();
    for (const PolicyNumbers& policy : study.policies) {
      values.push_back(number_json(study, study.number(policy, column.measure)));
    }
    all.push_back({{"metric", column.measure},
                   {"title", column.title},
                   {"unit", metric_unit(column.measure)},
                   {"values", std::move(values)}});
  }
  if (auto captured = captured_json(study, base); !captured.is_null()) {
    all.push_back(std::move(captured));
  }
  return all;
}

ordered_json differences_json(const Study& study, const PolicyNumbers& base) {
  auto all = ordered_json::array();
  for (const ShownMeasure& column : columns_of(study)) {
    const std::size_t measure = study.index(column.measure);
    if (column.part || measure == study.measures.size()) continue;
    for (const PolicyNumbers& policy : study.policies) {
      if (&policy == &base) continue;
      const Estimate diff = study.difference(policy, base, measure);
      if (diff.samples == 0) continue;
      const bool interval = study.draws() > 1 && study.has_interval(diff.samples);
      const std::string_view verdict = verdict_on(study, column, policy, base, diff);
      ordered_json row{{"policy", policy.policy->name},
                       {"metric", column.measure},
                       {"title", column.title},
                       {"unit", metric_unit(column.measure)},
                       {"diff", verdict == "the same" ? 0 : diff.mean},
                       {"lo", nullptr},
                       {"hi", nullptr},
                       {"runs", diff.samples},
                       {"verdict", nullptr}};
      if (interval) {
        row["lo"] = diff.low;
        row["hi"] = diff.high;
      }
      if (!verdict.empty()) row["verdict"] = verdict;
      all.push_back(std::move(row));
    }
  }
  return all;
}

ordered_json pareto_json(const Study& study) {
  const std::vector<std::string> front = pareto_front(study);
  auto all = ordered_json::array();
  for (const PolicyNumbers& policy : study.policies) {  // else the times are of different jobs
    if (!study.same_jobs_done(policy, study.policies.front())) return all;
  }
  for (const PolicyNumbers& policy : study.policies) {
    const bool on_front = std::find(front.begin(), front.end(), policy.policy->name) != front.end();
    all.push_back({{"policy", policy.policy->name},
                   {"cost", number_json(study, study.number(policy, "billed_usd"))},
                   {"time", number_json(study, study.number(policy, result_measure(study)))},
                   {"front", on_front}});
  }
  return all;
}

/// A number of the first page: before the change of policy, and after it.  A policy alone has no
/// number before.
ordered_json before_and_after(const Study& study, const PolicyNumbers& base,
                              const PolicyNumbers& best, std::string_view measure,
                              std::string_view title, Better better = Better::less) {
  const ordered_json before = &base == &best ? ordered_json{{"mean", nullptr}}
                                             : number_json(study, study.number(base, measure));
  const ordered_json after = number_json(study, study.number(best, measure));
  ordered_json row{{"title", title},         {"unit", metric_unit(measure)},
                   {"metric", measure},      {"before", before["mean"]},
                   {"after", after["mean"]}, {"lo", nullptr},
                   {"hi", nullptr},          {"verdict", nullptr}};
  const std::size_t at = study.index(measure);
  if (at == study.measures.size() || &base == &best) return row;
  const Estimate diff = study.difference(best, base, at);
  row["verdict"] =
      verdict_on(study, {.measure = measure, .title = title, .better = better}, best, base, diff);
  if (study.draws() > 1 && diff.samples > 1) {
    row["lo"] = diff.low;
    row["hi"] = diff.high;
  }
  return row;
}

/// Waste of reserved capacity is time: its dollars are paid in any case.
ordered_json numbers_json(const Study& study, const PolicyNumbers& base,
                          const PolicyNumbers& best) {
  const bool reserved = all_reserved(study.scenario->world);
  auto all = ordered_json::array();
  all.push_back(reserved ? before_and_after(study, base, best, "wasted_instance_hours",
                                            "Instance-hours lost, besides idle ones")
                         : before_and_after(study, base, best, "wasted_usd", "Wasted"));
  if (study.same_jobs_done(base, best)) {
    all.push_back(before_and_after(study, base, best, result_measure(study),
                                   is_story(study) ? "Time to result" : "Mean time to result"));
  } else {  // the mean times are of different jobs
    all.push_back(before_and_after(study, base, best, "jobs_done", "Jobs done", Better::more));
  }
  all.push_back(before_and_after(study, base, best, "false_stops", "Healthy jobs stopped"));
  return all;
}

/// Four lines on what the numbers rest on.
std::vector<std::string> assumptions_of(const Study& study, const report::Table& table) {
  const scenarios::Scenario& scenario = *study.scenario;
  std::vector<std::string> lines;
  std::string fleet;
  for (std::size_t part = 1; part < table.facts.front().size(); ++part) {
    fleet += (part > 1 ? ", " : "") + table.facts.front()[part];
  }
  lines.push_back(std::move(fleet));
  lines.push_back(fmt::format("Prices: price book {}; without storage, network, tax and discounts",
                              scenario.price_book));
  lines.push_back(draws_text(study));
  lines.push_back(fmt::format("Platform: {}", models::modelled_on(scenario.world.platform.model)));
  return lines;
}

std::string sentence_of(const Study& study, const PolicyNumbers& base, const PolicyNumbers* best) {
  if (study.partial) {
    return fmt::format("Partial: interrupted after {} of {} runs of each policy.",
                       report::count(study.runs), report::count(study.runs_asked));
  }
  if (best != nullptr) return closing_sentence(study, base, *best);
  const Number billed = study.number(base, "billed_usd");
  const Number wasted = study.number(base, "wasted_usd");
  if (!billed.value || !wasted.value) return {};
  return fmt::format("{} bills {}; {} of it is wasted.", base.policy->name,
                     report::money(std::get<policy::Usd>(*billed.value)),
                     report::money(std::get<policy::Usd>(*wasted.value)));
}

}  // namespace

ordered_json summary_of(const Study& study, std::optional<std::size_t> baseline) {
  const scenarios::Scenario& scenario = *study.scenario;
  const PolicyNumbers& base = study.policies[baseline.value_or(0)];
  const PolicyNumbers* best = baseline ? best_of(study, base) : nullptr;
  const report::Table table = comparison_table(study, baseline.value_or(0), {});
  auto policies = ordered_json::array();
  for (const PolicyNumbers& of : study.policies) {
    policies.push_back({{"name", of.policy->name}, {"digest", of.digest}});
  }
  ordered_json summary{{"scenario", scenario.name},
                       {"title", scenario.title},
                       {"sentence", sentence_of(study, base, best)},
                       {"notes", table.notes},
                       {"assumptions", assumptions_of(study, table)},
                       {"baseline", base.policy->name},
                       {"best", nullptr},
                       {"random", scenario.random},
                       {"runs", study.runs},
                       {"start", report::instant(scenario.world.start)},
                       {"policies", std::move(policies)},
                       {"numbers", numbers_json(study, base, best != nullptr ? *best : base)},
                       {"measures", measures_json(study, base)},
                       {"differences", differences_json(study, base)},
                       {"pareto", pareto_json(study)},
                       {"expectations", nullptr}};
  if (!study.partial) {
    summary["expectations"] = {{"held", study.lines_held()},
                               {"all", study.lines_asked()},
                               {"untrue", untrue_lines(study)}};
  }
  if (best != nullptr) summary["best"] = best->policy->name;
  return summary;
}

}  // namespace reeve::app
