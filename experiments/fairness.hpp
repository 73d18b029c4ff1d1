// Waits, slowdowns and fairness of groups of jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Durations in ascending order, in nanoseconds.
struct Sample {
  std::vector<std::int64_t> sorted;

  std::optional<double> mean_s() const;
  std::optional<policy::Duration> mean() const;
  std::optional<policy::Duration> largest() const;
  /// The smallest value that at least the fraction `p` does not exceed (Hyndman and Fan's type 1).
  /// The median of an even number of jobs is the lower middle one, a value of some job.
  std::optional<double> quantile_s(double p) const;
};

/// Time from submission to result divided by work, at least 1.  Work below ten seconds counts as
/// ten, so that the shortest jobs do not dominate (bounded slowdown; Feitelson et al., Theory and
/// practice in parallel job scheduling, JSSPP 1997).
double slowdown(policy::Duration time_to_result, policy::Duration work);

/// Waits and slowdowns of the jobs of a group.
class GroupTimes {
 public:
  /// Adds the wait of a job that got instances and the slowdown of a done job; `fairness` as in
  /// finish_time_fairness.
  void add(const models::Record& record, policy::JobId job, double fairness);
  void add(const GroupTimes& others);
  /// One of `group_metrics`; nothing if no job of the group has a value.
  std::optional<double> value(std::string_view what) const;
  bool any() const { return jobs_ > 0; }
  /// Their sum and number.
  std::pair<double, std::uint64_t> slowdowns() const { return {slowdowns_, done_}; }

 private:
  std::vector<std::int64_t> waits_;
  std::vector<std::int64_t> waits_again_;  ///< nonzero ones; other jobs in waits_ have 0
  double slowdowns_ = 0;
  double fairness_ = 0;  ///< the sum
  double worst_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t jobs_ = 0;
};

/// The metrics of a group, in the order of the help.
inline constexpr std::string_view group_metrics[] = {"mean_wait_s",
                                                     "p99_wait_s",
                                                     "mean_wait_again_s",
                                                     "p99_wait_again_s",
                                                     "mean_slowdown",
                                                     "mean_finish_time_fairness",
                                                     "worst_finish_time_fairness"};

/// Jain, Chiu and Hawe 1984: 1 if all are equal, 1/n if one of n has everything.  None for fewer
/// than two values.
std::optional<double> jain_index(const std::vector<double>& values);

/// Of the mean slowdowns of groups; the jobs are given by profile.
std::optional<double> jain_index_of_shares(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile);
std::optional<double> jain_index_of_owners(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile);
std::optional<double> jain_index_of(const std::map<std::string, GroupTimes, std::less<>>& groups);

/// By profile of the world.
std::vector<GroupTimes> times_by_profile(const models::World& world, const models::Record& record);

/// By owner of jobs; jobs without an owner are left out.
std::map<std::string, GroupTimes> times_by_owner(const models::World& world,
                                                 const models::Record& record);

/// By ShareId.
std::vector<GroupTimes> times_by_share(const models::World& world, const models::Record& record);

/// By key and value of tags; for each key also the jobs without it, as `untagged`.
std::map<std::string, std::map<std::string, GroupTimes, std::less<>>, std::less<>> times_by_tag(
    const models::World& world, const models::Record& record);

/// Of the jobs with that value of the tag; of `untagged`: without the key.
GroupTimes times_of_tag(const models::World& world, const models::Record& record,
                        std::string_view key, std::string_view value);

/// The value for jobs that lack the key.
inline constexpr std::string_view untagged = "(untagged)";

/// Means weighted by the job's weight: a row of a trace can stand for several jobs.
struct WeightedMeans {
  std::optional<double> time_to_result_s;  ///< over jobs that have a result
  std::optional<double> wait_s;            ///< over jobs that got instances
};
/// No values if every job has weight 1.
WeightedMeans weighted_means(const models::World& world, const models::Record& record);

}  // namespace reeve::experiments
