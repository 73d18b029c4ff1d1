#include "app/compare/stop_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/measures.hpp"
#include "host/enum_names.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

using experiments::VerdictSums;

bool any_wrong(const SeatVerdicts& seat) {
  return seat.wrong > 0 || seat.late > 0 || seat.missed > 0;
}

bool any(const SeatVerdicts& seat) {
  return any_wrong(seat) || seat.right > 0 || seat.kept_rule > 0 || seat.gap != policy::Usd{};
}

/// Of so many runs together: a whole number where it is one.
report::Cell mean_cell(std::uint64_t sum, std::uint32_t runs) {
  const double mean = static_cast<double>(sum) / runs;
  return report::cell(mean,
                      sum % runs == 0 ? report::count(sum / runs) : fmt::format("{:.2f}", mean));
}

report::Cell money_cell(policy::Usd sum, std::uint32_t runs) {
  return report::cell(policy::Usd::from_micros(
      std::llround(static_cast<double>(sum.micros()) / static_cast<double>(runs))));
}

report::Cell delay_cell(std::uint32_t found, policy::Duration delay) {
  if (found == 0) return report::no_cell();
  return report::cell(policy::Duration{std::chrono::round<std::chrono::seconds>(delay)});
}

}  // namespace

void add_verdicts(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                  std::vector<SeatVerdicts>& seats) {
  if (seats.empty()) {
    for (const experiments::SeatedRule& rule : result.seats) {
      seats.push_back({.label = rule.label, .mode = rule.mode});
    }
  }
  if (seats.empty()) return;
  const std::vector<experiments::JudgedStop> stops = experiments::judge_stops(scenario, result);
  for (std::uint32_t index = 0; index < seats.size(); ++index) {
    const VerdictSums sums = experiments::sums_of(stops, {index});
    SeatVerdicts& seat = seats[index];
    ++seat.runs;
    seat.right += sums.right;
    seat.late += sums.late;
    seat.wrong += sums.wrong;
    seat.missed += sums.missed;
    seat.kept_rule += sums.kept_rule;
    seat.gap += experiments::gap_of(scenario, result, {index}).value_or(policy::Usd{});
    seat.false_stop += sums.false_stop;
    seat.late_stop += sums.late_stop;
    seat.missed_stall += sums.missed_stall;
    if (sums.mean_delay) {
      seat.mean_delays_s += static_cast<double>(sums.mean_delay->count()) / 1e9;
      ++seat.runs_with_delay;
    }
    if (sums.max_delay) seat.max_delay = std::max(seat.max_delay, *sums.max_delay);
  }
}

std::optional<report::Table> stop_table(const std::vector<const PolicyNumbers*>& policies,
                                        bool wrong_only) {
  report::Table table;
  table.name = "stops";
  table.names = 2;
  table.columns = {{"policy", "policy", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"right", "right stops"},
                   {"late", "late"},
                   {"false", "false"},
                   {"missed", "missed"},
                   {"kept_rule", "policy violation"},
                   {"mean_delay_s", "mean delay"},
                   {"max_delay_s", "longest"},
                   {"false_stop_usd", "false cost"},
                   {"late_stop_usd", "late cost"},
                   {"missed_stall_usd", "missed cost"}};
  const bool gaps = std::any_of(policies.begin(), policies.end(), [](const PolicyNumbers* of) {
    return std::any_of(of->verdicts.begin(), of->verdicts.end(),
                       [](const SeatVerdicts& seat) { return seat.gap != policy::Usd{}; });
  });
  if (gaps) table.columns.push_back({"gap_usd", "GPU gap"});
  bool shown = false;
  for (const PolicyNumbers* of : policies) {
    for (const SeatVerdicts& seat : of->verdicts) {
      if (!any(seat)) continue;
      shown = shown || !wrong_only || any_wrong(seat);
      const bool enforces = seat.mode == host::Mode::enforce;
      const std::string mode = enforces ? "" : fmt::format(" ({})", host::name_of(seat.mode));
      const std::uint32_t found = seat.runs_with_delay;
      const double mean_s = found == 0 ? 0 : seat.mean_delays_s / found;
      report::TableRow row;
      row.cells = {report::cell(std::string_view{of->policy->name}),
                   report::cell(std::string_view{seat.label + mode}),
                   mean_cell(seat.right, seat.runs),
                   mean_cell(seat.late, seat.runs),
                   mean_cell(seat.wrong, seat.runs),
                   mean_cell(seat.missed, seat.runs),
                   mean_cell(seat.kept_rule, seat.runs),
                   delay_cell(found, policy::Duration{std::llround(mean_s * 1e9)}),
                   delay_cell(found, seat.max_delay),
                   money_cell(seat.false_stop, seat.runs),
                   money_cell(seat.late_stop, seat.runs),
                   money_cell(seat.missed_stall, seat.runs)};
      if (gaps) row.cells.push_back(money_cell(seat.gap, seat.runs));
      table.rows.push_back(std::move(row));
    }
  }
  if (!shown) return std::nullopt;
  return table;
}

std::vector<report::StopVerdictRow> stop_rows(const scenarios::Scenario& scenario,
                                              const experiments::RunResult& result) {
  std::vector<report::StopVerdictRow> rows;
  for (const experiments::JudgedStop& stop : experiments::judge_stops(scenario, result)) {
    const experiments::SeatedRule& rule = result.seats[stop.seat.index];
    rows.push_back({.seat = rule.label,
                    .rule = rule.kind->name,
                    .mode = host::name_of(rule.mode),
                    .job = stop.job,
                    .attempt = stop.attempt,
                    .verdict = experiments::name(stop.verdict),
                    .onset = stop.onset,
                    .decided = stop.decided,
                    .usd = stop.usd});
  }
  return rows;
}

}  // namespace reeve::app
