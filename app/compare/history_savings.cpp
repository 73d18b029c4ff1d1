#include "app/compare/history_savings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "app/compare/study_numbers.hpp"
#include "app/text/quantity_text.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using experiments::HoldOut;
using experiments::Quantity;

constexpr double well_matched_pct = 95;
constexpr std::size_t shown_jobs = 5;  ///< of each policy

/// Whether savings are dollars of the bill: those of nearly all jobs are on it.
bool is_of_bill(const scenarios::HistoryFacts& facts) {
  return facts.matched_pct && !facts.at_list && facts.covered_pct >= well_matched_pct;
}

using Saved =
    std::function<double(const experiments::HistoryBill& base, const experiments::HistoryBill& of)>;

/// Over the runs of both; nothing if a run has none.
std::optional<Estimate> estimate_saved(const Study& study, const PolicyNumbers& base,
                                       const PolicyNumbers& of, const Saved& saved) {
  std::vector<double> by_run;
  for (std::size_t run = 0; run < std::min(base.bills.size(), of.bills.size()); ++run) {
    by_run.push_back(saved(base.bills[run], of.bills[run]));
    if (std::isnan(by_run.back())) return std::nullopt;
  }
  return study.estimate(by_run);
}

report::Cell dollars_cell(const Estimate& saved) {
  const policy::Usd usd = policy::Usd::from_micros(std::llround(saved.mean * 1e6));
  report::Cell cell = report::cell(usd);
  if (saved.samples > 1) cell.text = estimate_text("saved_usd", Quantity{usd}, saved);
  return cell;
}

/// As far as the commitments of no fleet matter, what the two printed bills say.
report::Cell bill_cell(const Study& study, const PolicyNumbers& base, const HistorySaving& saving) {
  const auto shown = printed_difference(study, base, *saving.policy, "billed_usd");
  report::Cell cell = dollars_cell(saving.of_bill);
  const bool is_plain =
      shown && std::abs(experiments::as_double(*shown) - saving.of_bill.mean) < 0.02;
  if (is_plain) cell.text = estimate_text("saved_usd", *shown, saving.of_bill);
  return cell;
}

/// "5 of 6"
report::Cell covered_cell(const HoldOut& hold_out) {
  const double covered = std::round(hold_out.coverage90 * static_cast<double>(hold_out.weeks));
  return report::cell(100 * hold_out.coverage90,
                      fmt::format("{:.0f} of {}", covered, hold_out.weeks));
}

report::Cell error_cell(const HoldOut& hold_out) {
  if (std::isnan(hold_out.relative_error)) return report::no_cell();
  const double percent = 100 * hold_out.relative_error;
  return report::cell(percent, fmt::format("{:.0f} %", percent));
}

/// None also if there is nothing to predict.
std::optional<HoldOut> tested(const std::vector<double>& saved_usd) {
  const bool saves = std::ranges::any_of(saved_usd, [](double week) { return week != 0; });
  return saves ? experiments::hold_out_savings(saved_usd) : std::nullopt;
}

void add_trust(const Study& study, const std::vector<HistorySaving>& savings,
               report::Table& table) {
  const auto matched = study.scenario->history->matched_pct;
  const bool has_commitments = std::ranges::any_of(
      study.scenario->committed_pct, [](const auto& part) { return part.value_or(0) > 0; });
  if (has_commitments) {
    table.notes.emplace_back(
        "what Savings Plans and reservations cover is paid all the same, and is not saved of the "
        "bill");
    table.notes.emplace_back(
        "which jobs they cover is not told: each hour counts at the mean price of its fleet, so "
        "that real savings can be smaller or larger");
  }
  if (study.scenario->history->at_list) {
    table.notes.emplace_back("all dollars are at list prices");
  } else if (!matched) {
    table.notes.emplace_back("no bill: all dollars are at the prices of the scenario");
  } else {
    table.notes.push_back(fmt::format("{:.1f} % of what instances cost on the bill matches jobs{}",
                                      *matched,
                                      *matched < well_matched_pct ? "; the rest is in no saving: "
                                                                    "see import.md"
                                                                  : ""));
  }
  if (const double covered = study.scenario->history->covered_pct; matched && covered < 99.95) {
    table.notes.push_back(fmt::format(
        "{:.1f} % of the instance-hours of jobs are on the bill; the others count at its prices",
        covered));
  }
  if (!savings.front().change) {
    table.notes.emplace_back(
        "of drawn weeks, with the interval in which 95 % of the runs are; reeve compare of the "
        "history shows the jobs that each policy hurts");
    return;
  }
  const std::size_t weeks = savings.front().change->saved_usd.size();
  table.notes.push_back(
      weeks < experiments::least_tested_weeks
          ? "fewer than 6 whole weeks: no saving is tested on held-out weeks"
          : fmt::format("held-out weeks: weeks 5 to {}, each predicted from the weeks before it, "
                        "within the 90 % interval",
                        weeks));
}

}  // namespace

std::vector<HistorySaving> history_savings(const Study& study, std::size_t baseline) {
  std::vector<HistorySaving> savings;
  if (!study.scenario->history || study.partial) return savings;
  const PolicyNumbers& base = study.policies[baseline];
  if (base.bills.empty()) return savings;
  const scenarios::HistoryFacts& facts = *study.scenario->history;
  const double covered_pct = is_of_bill(facts) ? facts.covered_pct : 100;
  const experiments::HistoryBill recorded =
      study.is_forecast() ? experiments::mean_bill(base.bills) : base.bills.front();
  for (const PolicyNumbers& of : study.policies) {
    if (&of == &base || of.bills.empty()) continue;
    HistorySaving& saving = savings.emplace_back();
    saving.policy = &of;
    const auto of_bill = [&](const auto& before, const auto& after) {
      return saved_of_bill(*study.scenario, recorded, before, after, covered_pct);
    };
    saving.of_bill = *estimate_saved(study, base, of, of_bill);
    saving.at_list = estimate_saved(study, base, of, [](const auto& before, const auto& after) {
      return before.list_usd - after.list_usd;
    });
    if (study.is_forecast()) continue;
    saving.change = experiments::change_of(study.scenario->world, base.replayed, of.replayed);
    saving.hold_out = tested(saving.change->saved_usd);
  }
  return savings;
}

report::Table savings_table(const Study& study, const PolicyNumbers& base,
                            const std::vector<HistorySaving>& savings) {
  report::Table table;
  table.name = "savings";
  const scenarios::HistoryFacts& facts = *study.scenario->history;
  const bool of_bill = is_of_bill(facts);
  table.facts = {{study.is_forecast()
                      ? fmt::format("what each policy would save in {} like those of the history",
                                    scenarios::counted(
                                        study.scenario->world.resampling->forecast->weeks, "week"))
                      : "what each policy would have saved of the history",
                  "against " + base.policy->name}};
  table.columns = {{"policy", "policy", report::Align::left},
                   {"saved_usd", of_bill ? "saved of the bill" : "saved"},
                   {"list_usd", "at list price"},
                   {"jobs_stopped", "jobs stopped"},
                   {"jobs_without_result", "without result"},
                   {"jobs_later", "later"},
                   {"lost_usd", "work lost"},
                   {"coverage90_pct", "held-out weeks"},
                   {"error_pct", "error"}};
  for (const HistorySaving& saving : savings) {
    const auto of_change = [&](auto cell_of) {
      return saving.change ? cell_of(*saving.change) : report::no_cell();
    };
    table.rows.push_back(
        {{report::cell(std::string_view{saving.policy->policy->name}),
          bill_cell(study, base, saving),
          saving.at_list ? dollars_cell(*saving.at_list) : report::no_cell(),
          of_change([](const auto& change) { return report::cell(std::uint64_t{change.stopped}); }),
          of_change([](const auto& change) {
            return report::cell(std::uint64_t{change.without_result});
          }),
          of_change([](const auto& change) { return report::cell(std::uint64_t{change.later}); }),
          of_change([](const auto& change) { return report::cell(change.lost); }),
          saving.hold_out ? covered_cell(*saving.hold_out) : report::no_cell(),
          saving.hold_out ? error_cell(*saving.hold_out) : report::no_cell()}});
  }
  add_trust(study, savings, table);
  return table;
}

std::optional<report::Table> hurt_table(const Study& study,
                                        const std::vector<HistorySaving>& savings) {
  report::Table table;
  table.name = "hurt_jobs";
  table.names = 2;
  table.facts = {{"jobs that policies hurt"}};
  table.columns = {{"policy", "policy", report::Align::left},
                   {"job", "job", report::Align::left},
                   {"later_s", "later by"},
                   {"lost_usd", "work lost"}};
  for (const HistorySaving& saving : savings) {
    if (!saving.change) continue;
    const auto& hurt = saving.change->hurt;
    const std::string& policy = saving.policy->policy->name;
    for (const experiments::HurtJob& job :
         std::span{hurt}.first(std::min(hurt.size(), shown_jobs))) {
      report::Cell later = job.has_result ? report::cell(job.later) : report::no_cell();
      if (!job.has_result) later.text = "no result";
      table.rows.push_back({{report::cell(std::string_view{policy}),
                             report::cell(study.scenario->world.jobs.name(job.job)),
                             std::move(later), report::cell(job.lost)}});
    }
    if (hurt.size() > shown_jobs) {
      table.notes.push_back(fmt::format("{} hurts {} more: -o DIR writes all to hurt_jobs.csv",
                                        policy, report::count(hurt.size() - shown_jobs)));
    }
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace reeve::app
