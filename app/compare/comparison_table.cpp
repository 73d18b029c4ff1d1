#include "app/compare/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/compare/comparison_columns.hpp"
#include "app/compare/comparison_text.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/text/quantity_text.hpp"
#include "report/format.hpp"
#include "report/sentences.hpp"

namespace reeve::app {
namespace {

using experiments::Quantity;
using policy::Duration;
using report::Table;

/// "first_attempt_billed_usd", "detected_after_s": the name as a JSON key with its unit.
std::string json_key(const Study& study, std::string_view measure) {
  std::string key{measure};
  std::replace(key.begin(), key.end(), '.', '_');
  const std::size_t at = study.index(measure);
  for (const PolicyNumbers& numbers : study.policies) {
    if (at >= numbers.zero.size()) continue;
    if (std::holds_alternative<Duration>(numbers.zero[at])) return key + "_s";
  }
  return key;
}

report::Cell number_cell(const Study& study, const PolicyNumbers& of, std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value) return report::no_cell();
  report::Cell cell = quantity_cell(measure, *number.value);
  if (number.estimate.samples < 2) return cell;
  cell.text = estimate_text(measure, printed(number), number.estimate);
  return cell;
}

/// What the policy recovers against the baseline, to the hundredth of a GPU-hour.
report::Cell recovered_cell(const Study& study, const PolicyNumbers& of,
                            const PolicyNumbers& base) {
  const auto recovered = study.recovered(of, base, "gpu_hours");
  if (&of == &base || recovered.samples == 0) return report::no_cell();
  return report::cell(
      recovered.mean,
      estimate_text(recovered_key, experiments::Quantity{recovered.mean}, recovered));
}

/// Only reserved capacity is recovered; other instances are not paid for.
bool shows_recovered(const Study& study, const PolicyNumbers& base) {
  return any_reserved(study.scenario->world) &&
         std::ranges::any_of(study.policies, [&](const PolicyNumbers& of) {
           return std::abs(study.recovered(of, base, "gpu_hours").mean) >= 0.005;
         });
}

/// What the policy saves of all that could be saved.
report::Cell captured_cell(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const auto captured = study.captured(of, base);
  if (&of == &base || captured.samples == 0) return report::no_cell();
  return report::cell(captured.mean,
                      estimate_text(captured_key, experiments::Quantity{captured.mean}, captured));
}

bool shows_captured(const Study& study, const PolicyNumbers& base) {
  return std::ranges::any_of(study.policies, [&](const PolicyNumbers& of) {
    return &of != &base && study.captured(of, base).samples > 0;
  });
}

/// The number of a footnote in the table, which is there once.
std::uint8_t footnote(std::string text, Table& table) {
  const auto known = std::find(table.footnotes.begin(), table.footnotes.end(), text);
  const auto index = static_cast<std::uint8_t>(known - table.footnotes.begin());
  if (known == table.footnotes.end()) table.footnotes.push_back(std::move(text));
  return static_cast<std::uint8_t>(index + 1);
}

/// Whether an alarm of the policy fired and no rule or user acted on it.
bool is_unheard(const Study& study, const PolicyNumbers& of) {
  return !is_zero(study.number(of, "alarms_unheard")) &&
         !is_zero(study.number(of, "actions.put_alarm"));
}

/// The number of the footnote on a person who submits the job again; 0: the job has none.
std::uint8_t restart_footnote(const PolicyNumbers& of, Table& table) {
  if (of.person_restarts.empty()) return 0;
  std::string text = "a person restarts it at ";
  for (const Duration& at : of.person_restarts) {
    text += (&at == &of.person_restarts.front() ? "" : ", ") + report::short_duration(at);
  }
  return footnote(std::move(text), table);
}

void add_rows(const Study& study, const PolicyNumbers& base, Table& table) {
  const std::vector<ShownMeasure> columns = columns_of(study);
  const bool recovers = shows_recovered(study, base);
  const bool captures = shows_captured(study, base);
  table.columns.push_back({"policy", "policy", report::Align::left});
  for (const ShownMeasure& column : columns) {
    table.columns.push_back({json_key(study, column.measure), std::string{column.title}});
  }
  if (recovers) {
    table.columns.push_back({std::string{recovered_key}, std::string{recovered_title}});
  }
  if (captures) table.columns.push_back({std::string{captured_key}, std::string{captured_title}});
  for (const PolicyNumbers& numbers : study.policies) {
    report::TableRow row;
    row.cells.push_back(report::cell(numbers.policy->name));
    for (const ShownMeasure& column : columns) {
      report::Cell cell = number_cell(study, numbers, column.measure);
      if (column.measure.ends_with("detected_after") && is_unheard(study, numbers)) {
        cell.footnote = footnote("an alarm fired then, and no rule acted on it", table);
      }
      if (column.measure == "mean_wait_s" &&
          !is_zero(study.number(numbers, "jobs_never_started"))) {
        cell.footnote = footnote(std::string{waits_are_of_started_jobs}, table);
      }
      if (column.measure == "time_to_result" && !numbers.person_restarts.empty()) {
        cell.footnote = restart_footnote(numbers, table);
      }
      row.cells.push_back(std::move(cell));
    }
    if (recovers) row.cells.push_back(recovered_cell(study, numbers, base));
    if (captures) row.cells.push_back(captured_cell(study, numbers, base));
    table.rows.push_back(std::move(row));
  }
}

std::string machines(const models::World& world, policy::PoolId id, std::uint64_t instances) {
  const models::Pool& pool = world.pools[id.index];
  return fmt::format("{} × {} at {}", report::count(instances),
                     world.directory.types[pool.type.index].name, report::price(pool.price));
}

void add_facts(const Study& study, Table& table) {
  const scenarios::Scenario& scenario = *study.scenario;
  const models::World& world = scenario.world;
  std::vector<std::string> what{scenario.name};
  if (is_story(study)) {
    const models::JobSpec& job = world.jobs.specs[0];
    const models::JobProfile& profile = world.profiles[job.profile];
    what.push_back(machines(world, profile.pool, job.instances));
    what.push_back("work " + report::short_duration(job.work));
    if (profile.checkpoint.every > Duration{0}) {
      what.push_back("checkpoint " + report::short_duration(profile.checkpoint.every));
    }
  } else {
    const std::uint64_t drawn = world.drawn ? world.drawn->jobs : 0;
    std::string jobs = report::count(world.jobs.specs.size() + drawn) + " jobs";
    if (study.is_forecast()) {
      const std::uint32_t weeks = world.resampling->forecast->weeks;
      jobs = scenarios::counted(weeks, "week") + " drawn from " + jobs;
    }
    what.push_back(std::move(jobs));
    for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
      what.push_back(machines(world, {pool}, world.pools[pool].capacity));
    }
  }
  table.facts.push_back(std::move(what));
  table.facts.push_back({draws_text(study), "digest " + short_digest(study.digest)});
}

/// How near the best policy comes to one that knows the future.
void add_captured(const Study& study, const PolicyNumbers& base, const PolicyNumbers& best,
                  Table& table) {
  const auto captured = study.captured(best, base);
  const auto bound = value_as<policy::Usd>(study, best, "clairvoyant_usd");
  if (captured.samples == 0 || captured.mean <= 0 || !bound) return;
  table.notes.push_back(
      fmt::format("{} captures {} of what could be saved, down to {}", best.policy->name,
                  quantity_text(captured_key, Quantity{captured.mean}), report::money(*bound)));
}

/// With every digit, and a time as a time; if the line compares it with a number, that too.
std::string measured_text(const scenarios::MetricComparison& that, const Quantity& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !that.metric.ends_with("_s") || std::abs(*number) > 9e9) {
    return exact_text(value);
  }
  const std::string time = exact_text(Duration{std::llround(*number * 1e9)});
  if (that.value.kind != scenarios::Literal::Kind::number) return time;
  return fmt::format("{} ({})", time, exact_text(value));
}

/// As fine as tables show it.
std::string number_text(const scenarios::MetricComparison& that, double value,
                        const Quantity& kind) {
  return quantity_text(that.metric, quantity_like(kind, value));
}

}  // namespace

std::string unmapped_text(const Study& study, const PolicyNumbers& of) {
  const Number left = study.number(of, "unmapped_instances");
  if (is_zero(left)) return {};
  const double instances = experiments::as_double(*left.value);
  return fmt::format("{:.4g} instance{} that no rule can map to a job", instances,
                     instances == 1 ? "" : "s");
}

std::string not_in_data_text(const Study& study, const PolicyNumbers& of) {
  constexpr std::size_t shown = 5;
  if (of.not_in_data.empty()) return {};
  std::string names;
  std::size_t count = 0;
  for (const policy::JobId job : of.not_in_data) {
    if (++count > shown) break;
    names += (count > 1 ? ", " : "") + study.scenario->world.jobs.name(job);
  }
  const std::size_t all = of.not_in_data.size();
  if (all > shown) names += fmt::format(" and {} more", all - shown);
  return fmt::format("{} job{} beyond the end in the log, not in the data: {}", all,
                     all == 1 ? " runs" : "s run", names);
}

std::size_t baseline_of(const Study& study, const std::string& name) {
  const std::string wanted = name.empty() ? "none" : name;
  for (std::size_t i = 0; i < study.policies.size(); ++i) {
    if (study.policies[i].policy->name == wanted) return i;
  }
  return 0;
}

std::string draws_text(const Study& study) {
  const scenarios::Scenario& scenario = *study.scenario;
  const std::string seed = fmt::format("seed {}", scenario.world.seed);
  if (!scenario.random) return seed + ", nothing random: 1 run is exact";
  return fmt::format("{}, {} run{} of each policy on the same draws", seed,
                     report::count(study.runs), study.runs == 1 ? "" : "s");
}

std::string short_digest(const std::string& digest) {
  if (digest.size() < 8) return digest;
  return digest.substr(0, 4) + "…" + digest.substr(digest.size() - 4);
}

Table comparison_table(const Study& study, std::size_t baseline, const std::string& next) {
  Table table;
  table.name = study.scenario->name;
  const PolicyNumbers& base = study.policies[baseline];
  add_facts(study, table);
  add_rows(study, base, table);
  const PolicyNumbers* best = best_of(study, base);
  table.notes = comparison_notes(study);
  if (best != nullptr) add_captured(study, base, *best, table);
  if (study.partial) {
    table.closing.push_back(
        {fmt::format("partial: interrupted after {} of {} runs of each policy",
                     report::count(study.runs), report::count(study.runs_asked)),
         report::Tone::bad});
  } else if (best != nullptr) {
    table.closing.push_back({closing_sentence(study, base, *best), report::Tone::strong});
  }
  const bool asked = !study.scenario->expects.empty() && !study.partial;
  if (asked || study.unbalanced > 0) {
    table.closing.push_back({});
    const std::size_t all = study.lines_asked();
    const std::size_t held = study.lines_held();
    table.closing.push_back(
        {report::expectations(held, all), held == all ? report::Tone::good : report::Tone::bad});
    for (std::string& line : untrue_lines(study)) {
      table.closing.push_back({std::move(line), report::Tone::bad});
    }
  }
  if (!next.empty()) table.closing.push_back({"next: " + next, report::Tone::faint});
  return table;
}

std::string actual_text(const Study& study, const Verdict& verdict) {
  const scenarios::MetricComparison& that = verdict.expect->that;
  std::string text =
      fmt::format("{}: measured {}", verdict.policy,
                  verdict.actual ? measured_text(that, *verdict.actual) : std::string{"no value"});
  if (study.runs > 1 && !verdict.broken.empty()) {
    text += fmt::format(" in replication {}", verdict.broken.front());
    text += verdict.broken.size() == 1 ? fmt::format(", the only one of {} that fails", study.runs)
                                       : fmt::format(", the first of {} that fail, of {}",
                                                     verdict.broken.size(), study.runs);
  } else if (study.draws() > 1) {
    text += fmt::format(", the mean of {} of {} runs", verdict.samples, study.runs);
  }
  text += "; expected " + verdict.expect->text.substr(that.op_offset);
  if (study.draws() > 1 && verdict.estimate.samples > 1) {
    text += fmt::format("; 95 % interval of the mean: {} to {}",
                        number_text(that, verdict.estimate.low, verdict.zero),
                        number_text(that, verdict.estimate.high, verdict.zero));
  }
  return text;
}

std::vector<std::string> untrue_lines(const Study& study) {
  std::vector<std::string> out;
  const std::string file = study.scenario->file.generic_string();
  for (const ExpectLine& line : study.lines()) {
    for (const Verdict& verdict : line.verdicts) {
      if (verdict.held) continue;
      out.push_back(fmt::format("✗ {}:{}: {}; {}", file, line.expect->position.line,
                                line.expect->line(), actual_text(study, verdict)));
    }
  }
  if (study.unbalanced > 0) {
    out.push_back(fmt::format("✗ {}: {} runs have a ledger that does not sum to their bill", file,
                              study.unbalanced));
  }
  return out;
}

}  // namespace reeve::app
