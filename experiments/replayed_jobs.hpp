// What a rule would have changed in a recorded history: dollars by week, and the jobs it hurts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// What became of the jobs of a history in its replay under one policy.
struct ReplayedJobs {
  struct Job {
    models::Charge billed = 0;
    models::Charge wasted = 0;
    policy::Instant done = policy::never;  ///< `never`: it has no result
    bool stopped = false;                  ///< a rule stopped it
  };
  std::vector<Job> jobs;  ///< by JobId
};

/// Of the run that replays the history itself.
ReplayedJobs replayed_jobs(const RunResult& result);

/// A job that has its result under the baseline, and none, or a later one, under the rule.
struct HurtJob {
  policy::JobId job;
  bool has_result = false;
  policy::Duration later{0};  ///< if it has
  policy::Usd lost;           ///< what it wastes beyond the baseline, at least 0
};

/// A policy beside the baseline in the replay.
struct HistoryChange {
  std::size_t stopped = 0;         ///< jobs that its rules stop
  std::size_t without_result = 0;  ///< of the hurt jobs
  std::size_t later = 0;           ///< the others
  policy::Usd lost;                ///< of all hurt jobs
  std::vector<HurtJob> hurt;       ///< by dollars lost, then those without a result, then by JobId
  std::vector<double> saved_usd;   ///< by whole week of submission; negative: it costs more
};

HistoryChange change_of(const models::World& world, const ReplayedJobs& base,
                        const ReplayedJobs& of);

/// The bill of one run.
struct HistoryBill {
  std::vector<policy::Usd> fleets;  ///< by fleet
  double list_usd = 0;  ///< at the list prices of the fleets; NaN if one on the bill has none
};

HistoryBill history_bill(const scenarios::Scenario& scenario, const models::Record& record);

/// The mean of each fleet; at least one bill.
HistoryBill mean_bill(std::span<const HistoryBill> bills);

/// What `of` saves of the bill, in dollars.  What Savings Plans and reservations cover is paid all
/// the same: of each fleet, no more than the rest is saved.  `recorded`: the bill of the history,
/// or the mean bill of a forecast.  `covered_pct`: the part of the hours of `base` that is on the
/// bill; no more than these cost is saved of it.
double saved_of_bill(const scenarios::Scenario& scenario, const HistoryBill& recorded,
                     const HistoryBill& base, const HistoryBill& of, double covered_pct = 100);

}  // namespace reeve::experiments
