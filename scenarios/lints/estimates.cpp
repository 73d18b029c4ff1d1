// Lint for rules that plan by run times which no scheduler knows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/lints/scheduling_seats.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// Whether the order of the jobs depends on the estimates of their run times.
bool orders_by_estimates(const SeatSpec& seat) {
  constexpr std::array<std::string_view, 4> algorithms{"sjf", "srtf", "srsf", "themis"};
  if (seat.mode == host::Mode::off) return false;
  const auto is_run = [&](std::string_view name) { return runs(seat, name); };
  if (std::any_of(algorithms.begin(), algorithms.end(), is_run)) return true;
  return is_scheduler(*seat.kind) &&
         (says(seat, known::backfill, "easy") || says(seat, known::backfill, "conservative"));
}

/// Whether the rule weighs the price of another fleet against the wait that the estimates of the
/// jobs ahead make (`alternatives`).
bool weighs_waits(const SeatSpec& seat) {
  const auto* limit = value_of<double>(seat, known::usd_per_hour_gained);
  return seat.mode != host::Mode::off && moves_pending(*seat.kind) && limit != nullptr &&
         *limit >= 0;
}

void check_estimates(const Resolved& resolved, Findings& findings) {
  const TraceFacts& facts = resolved.trace_facts;
  if (facts.without_estimate == 0) return;
  std::string who = "the scheduler";
  const auto names_itself = [&](const SeatSpec& seat) {
    if (weighs_waits(seat)) who = fmt::format("the rule {}", seat.kind->name);
    return weighs_waits(seat);
  };
  if (!any_seat(resolved, orders_by_estimates) && !any_seat(resolved, names_itself)) return;
  const Node written = *resolved.input.workload->written;
  const bool all = facts.without_estimate == facts.jobs;
  findings.warning(
      written.find("trace").value_or(written), "W0318",
      all ? fmt::format("{} plans with the true run times of the jobs", who)
          : fmt::format("{} plans with the true run times of {} of {}", who, facts.without_estimate,
                        counted(facts.jobs, "job")),
      all ? "the trace has no estimates" : "these rows have no estimate",
      "add the column \"estimate_s\" or \"time_limit_s\"; to plan with the true run times, set "
      "\"estimates_from\": \"duration_s\"");
}

}  // namespace

std::span<const Lint> estimate_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0318", "estimates that are the true run times",
        "sjf, srtf, srsf, themis and backfill `easy` and `conservative` plan by the run time that "
        "the user expects, and so does `alternatives` with `usd_per_hour_gained`. Users often "
        "request much more than they need. If a trace has neither `estimate_s` nor "
        "`time_limit_s`, reeve takes the true run time, which no scheduler knows, so the plan "
        "looks better than it is.",
        "\"algorithm\": \"sjf\" and a trace without estimates",
        "the column estimate_s, or \"estimates_from\": \"duration_s\" for a study of perfect "
        "estimates"},
       check_estimates,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
