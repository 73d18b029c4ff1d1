// Lint for schedulers that plan by run times which no scheduler knows.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/lints/scheduling_seats.hpp"
#include "scenarios/load/share_reach.hpp"

namespace reeve::scenarios {
namespace {

/// Whether the order of the jobs depends on the estimates of their run times.
bool plans_by_estimates(const SeatSpec& seat) {
  constexpr std::array<std::string_view, 4> algorithms{"sjf", "srtf", "srsf", "themis"};
  if (seat.mode == host::Mode::off) return false;
  const auto is_run = [&](std::string_view name) { return runs(seat, name); };
  if (std::any_of(algorithms.begin(), algorithms.end(), is_run)) return true;
  return is_scheduler(*seat.kind) &&
         (says(seat, known::backfill, "easy") || says(seat, known::backfill, "conservative"));
}

void check_estimates(const Resolved& resolved, Findings& findings) {
  const TraceFacts& facts = resolved.trace_facts;
  if (facts.without_estimate == 0 || !any_seat(resolved, plans_by_estimates)) return;
  const Node written = *resolved.input.workload->written;
  const bool all = facts.without_estimate == facts.jobs;
  findings.warning(
      written.find("trace").value_or(written), "W0318",
      all ? "the scheduler plans with the true run times of the jobs"
          : fmt::format("the scheduler plans with the true run times of {} of {}",
                        facts.without_estimate, counted(facts.jobs, "job")),
      all ? "the trace has no estimates" : "these rows have no estimate",
      "add the column \"estimate_s\" or \"time_limit_s\"; to plan with the true run times, set "
      "\"estimates_from\": \"duration_s\"");
}

}  // namespace

std::span<const Lint> estimate_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0318", "an order by estimates that plans with true run times",
        "sjf, srtf, srsf, themis and backfill `easy` and `conservative` plan by the run time that "
        "the user expects. Users often request much more than they need. If a trace has neither "
        "`estimate_s` nor `time_limit_s`, reeve takes the true run time, which no scheduler "
        "knows, so the order looks better than it is.",
        "\"algorithm\": \"sjf\" and a trace without estimates",
        "the column estimate_s, or \"estimates_from\": \"duration_s\" for a study of perfect "
        "estimates"},
       check_estimates,
       RunIf::no_errors},
  });
  return rows;
}

}  // namespace reeve::scenarios
