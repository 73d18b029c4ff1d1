// The recorded GPU utilization of one job as the CSV that a scenario's `gpu_util` reads.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// What was written.
struct UtilizationFile {
  std::uint64_t rows = 0;
  std::uint32_t hosts = 0;      ///< with at least one sample
  double covered = 0;           ///< share of the hosts' work that has samples, 0 to 1
  policy::Duration coarsest{};  ///< the longest period; an alarm must look back at least that long
  std::uint64_t too_high = 0;   ///< values above 100 % of each GPU: `gpus` is too small
};

/// Writes t_s,host,gpu_util_pct,period_s: percent of one GPU, the mean over those of a host, by
/// host and time.  t_s counts the time in `work`, stretches by time, all with an end; what is
/// outside is left out.  `series`: of one job, by host and GPU.  Hosts "algo-N" keep their number,
/// others are numbered by name.  `gpus`: of a host, to divide sums by; > 0 if a series is a sum.
/// `instances` of the replay that no metrics are of have one row without a value.
UtilizationFile write_utilization(std::ostream& out,
                                  std::span<const UtilizationSeries* const> series,
                                  std::span<const Stretch> work, std::int64_t gpus,
                                  std::int64_t instances = 0);

/// The series of each job, by its name.  A name of several jobs has none: metrics tell neither
/// region nor account.
std::map<std::string, std::vector<const UtilizationSeries*>> series_by_job(const History& history,
                                                                           const PackedJobs& jobs);

/// W0634: metrics of a name that several jobs have; W0635: metrics of only part of a job's hosts.
void tell_metrics(const History& history, const PackedJobs& jobs, FileFindings& findings);

}  // namespace reeve::scenarios
