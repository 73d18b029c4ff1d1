// Time limits: the values that users request, and the share of the limit that jobs use.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <map>
#include <utility>

#include "experiments/fit/fit.hpp"

namespace reeve::experiments {
namespace {

/// The jobs that requested one limit.
struct LimitUse {
  std::size_t at_limit = 0;
  std::vector<double> used;  ///< shares of the limit, below 1
  std::size_t jobs() const { return at_limit + used.size(); }
};

void describe_use(FittedQuantity& row, std::span<const double> used) {
  constexpr std::size_t least = 10;
  if (used.size() < least) return;
  const auto count = static_cast<double>(used.size());
  double mean = 0;
  for (const double share : used) mean += share / count;
  double variance = 0;
  for (const double share : used) variance += (share - mean) * (share - mean) / (count - 1);
  if (variance >= mean * (1 - mean)) return;
  constexpr double narrowest =
      1e-3;  // a narrower beta distribution has no quantiles in finite time
  if (variance < narrowest * narrowest * mean * (1 - mean)) {
    row.law = "constant, spike at 1";
    row.parameters.emplace_back("used_median", mean);
    return;
  }
  const double both = mean * (1 - mean) / variance - 1;  // by moments
  row.law = "beta, spike at 1";
  row.parameters.emplace_back("beta_alpha", mean * both);
  row.parameters.emplace_back("beta_beta", (1 - mean) * both);
  row.parameters.emplace_back("used_median",
                              boost::math::ibeta_inv(mean * both, (1 - mean) * both, 0.5));
}

FittedQuantity limit_row(std::string group, const LimitUse& use, std::size_t all) {
  FittedQuantity row{.name = "time_limit", .group = std::move(group), .unit = "share at the limit"};
  const auto jobs = static_cast<double>(use.jobs());
  const auto at_limit = static_cast<double>(use.at_limit);
  row.n = jobs;
  row.exposure = static_cast<double>(all);
  row.exposure_unit = "jobs with a limit";
  row.value = at_limit / jobs;
  row.law = "spike at 1";
  row.method = "Beta, Jeffreys";
  const double tail = (1 - fit_level) / 2;
  const double hits = at_limit + 0.5;
  const double misses = jobs - at_limit + 0.5;
  row.interval90 = Interval{at_limit == 0 ? 0 : boost::math::ibeta_inv(hits, misses, tail),
                            at_limit == jobs ? 1 : boost::math::ibeta_inv(hits, misses, 1 - tail)};
  row.parameters.emplace_back("share_of_jobs", jobs / static_cast<double>(all));
  describe_use(row, use.used);
  return row;
}

}  // namespace

void fit_time_limits(const ObservedHistory& history, Fit& fit) {
  constexpr std::size_t most_values = 20;  // cover 90 % of jobs (Tsafrir et al., JSSPP 2005)
  constexpr std::size_t least_jobs = 30;
  constexpr double at_limit = 0.99;
  std::map<policy::Duration, LimitUse> by_limit;
  LimitUse all;
  for (const ObservedJob& job : history.jobs) {
    if (!has_run(job) || !job.time_limit || job.time_limit->count() <= 0) continue;
    const bool timed_out =
        job.end_status == scenarios::EndStatus::timeout || job.end_cause == EndCause::limit;
    if (is_cut_short(job) && !timed_out) continue;
    const double used = seconds_of(*job.duration) / seconds_of(*job.time_limit);
    for (LimitUse* use : {&all, &by_limit[*job.time_limit]}) {
      if (timed_out || used >= at_limit) {
        ++use->at_limit;
      } else {
        use->used.push_back(used);
      }
    }
  }
  if (all.jobs() == 0) return;
  fit.quantities.push_back(limit_row("all", all, all.jobs()));
  std::vector<std::pair<policy::Duration, const LimitUse*>> popular;
  for (const auto& [limit, use] : by_limit) {
    if (use.jobs() >= least_jobs) popular.emplace_back(limit, &use);
  }
  std::stable_sort(popular.begin(), popular.end(), [](const auto& a, const auto& b) {
    return a.second->jobs() > b.second->jobs();
  });
  if (popular.size() > most_values) popular.resize(most_values);
  for (const auto& [limit, use] : popular) {
    fit.quantities.push_back(limit_row(fmt::format("{:.6g} h", hours_of(limit)), *use, all.jobs()));
  }
}

}  // namespace reeve::experiments
