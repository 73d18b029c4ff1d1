#include "app/compare/comparison_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/compare/study_numbers.hpp"

namespace reeve::app {
namespace {

/// The parts of `wasted_usd`.
constexpr std::array of_waste{ShownMeasure{"stalled_usd", "stalled", false, true},
                              ShownMeasure{"lost_work_usd", "lost work", false, true},
                              ShownMeasure{"drain_usd", "stop grace", false, true},
                              ShownMeasure{"orphan_usd", "orphaned", false, true},
                              ShownMeasure{"idle_reserved_usd", "idle reserved", false, true},
                              ShownMeasure{"false_stop_usd", "false-stop cost", false, true}};

std::vector<ShownMeasure> around_waste(std::span<const ShownMeasure> before,
                                       std::span<const ShownMeasure> after) {
  std::vector<ShownMeasure> all{before.begin(), before.end()};
  all.insert(all.end(), of_waste.begin(), of_waste.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

/// Whether it gets as many jobs done in each run, and more in one.
bool does_more(const Study& study, const PolicyNumbers& of, const PolicyNumbers& than) {
  const std::size_t at = study.index("jobs_done");
  if (at == study.measures.size()) return false;
  const auto& mine = of.samples[at];
  const auto& theirs = than.samples[at];
  bool more = false;
  for (std::size_t run = 0; run < std::min(mine.size(), theirs.size()); ++run) {
    if (!(mine[run] >= theirs[run])) return false;
    more = more || mine[run] > theirs[run];
  }
  return more;
}

}  // namespace

std::span<const ShownMeasure> story_columns() {
  static const std::vector<ShownMeasure> columns =
      around_waste(std::array{ShownMeasure{"first_attempt.billed_usd", "first attempt", true},
                              ShownMeasure{"wasted_usd", "wasted", true}},
                   std::array{ShownMeasure{"detected_after", "detected in"},
                              ShownMeasure{"billed_usd", "cost to result", true},
                              ShownMeasure{"time_to_result", "time to result", true},
                              ShownMeasure{"jobs_unfinished", "unfinished", false, true},
                              ShownMeasure{"jobs_not_in_data", "not in data"},
                              ShownMeasure{"false_stops", "false stops"},
                              ShownMeasure{"interruptions", "interruptions"},
                              ShownMeasure{"orphan_alarms", "orphan alarms"}});
  return columns;
}

std::span<const ShownMeasure> fleet_columns() {
  static const std::vector<ShownMeasure> columns = around_waste(
      std::array{ShownMeasure{"jobs_done", "jobs done", true, false, Better::more},
                 ShownMeasure{"jobs_unfinished", "unfinished", false, true},
                 ShownMeasure{"jobs_failed", "failed", false, true},
                 ShownMeasure{"jobs_never_started", "never started"},
                 ShownMeasure{"jobs_not_in_data", "not in data"},
                 ShownMeasure{"mean_wait_s", "mean wait", true},
                 ShownMeasure{"mean_wait_again_s", "requeue wait"},
                 ShownMeasure{"mean_time_to_result_s", "mean JCT", true},
                 ShownMeasure{"makespan", "makespan", true},
                 ShownMeasure{"billed_usd", "billed", true},
                 ShownMeasure{"cost_per_job_usd", "cost per job", true},
                 ShownMeasure{"wasted_usd", "wasted"}},
      std::array{ShownMeasure{"mean_detected_after", "detected in"},
                 ShownMeasure{"missed_stalls", "missed stalls"},
                 ShownMeasure{"false_stops", "false stops"},
                 ShownMeasure{"mean_allocated_pct", "allocated", true, false, Better::neither},
                 ShownMeasure{"orphan_alarms", "orphan alarms"}});
  return columns;
}

std::vector<ShownMeasure> columns_of(const Study& study) {
  std::vector<ShownMeasure> out;
  for (const ShownMeasure& column : is_story(study) ? story_columns() : fleet_columns()) {
    const auto has_some = [&](const PolicyNumbers& of) {
      return !is_zero(study.number(of, column.measure));
    };
    if (column.always || std::ranges::any_of(study.policies, has_some)) out.push_back(column);
  }
  return out;
}

std::string_view verdict_on(const Study& study, const ShownMeasure& column, const PolicyNumbers& of,
                            const PolicyNumbers& base, const experiments::Estimate& diff) {
  constexpr double rounding = 1e-9;
  if (diff.samples == 0 || !study.has_interval(diff.samples)) return {};
  if (study.draws() < 2 && std::abs(diff.mean) < rounding) return "the same";
  if (diff.low <= 0 && diff.high >= 0) return "no difference shown";
  if (column.better == Better::neither) return "differs";
  const bool is_better = (diff.mean < 0) == (column.better == Better::less);
  if (!column.measure.starts_with("jobs_") && !study.same_jobs_done(of, base)) {
    const bool is_of_other_jobs = column.measure == "mean_time_to_result_s";
    const bool is_earned = is_better ? does_more(study, of, base) : does_more(study, base, of);
    if (is_of_other_jobs || !is_earned) return "differs";
  }
  return is_better ? "better" : "worse";
}

}  // namespace reeve::app
