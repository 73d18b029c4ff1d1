// Waits and slowdowns of groups of jobs: who waits for whom.
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

/// Times in ascending order, in nanoseconds.
struct Sample {
  std::vector<std::int64_t> sorted;

  std::optional<double> mean_s() const;
  std::optional<policy::Duration> mean() const;
  std::optional<policy::Duration> largest() const;
  /// The smallest value that at least the share `p` does not exceed (Hyndman and Fan's type 1):
  /// of an even number of jobs the median is the lower middle one, a time that some job had.
  std::optional<double> quantile_s(double p) const;
};

/// How many times its work a job took from submission to result, 1 at least.  Work below ten
/// seconds counts as ten, so that the shortest jobs do not outweigh all others (bounded slowdown;
/// Feitelson et al., Theory and practice in parallel job scheduling, JSSPP 1997).
double slowdown(policy::Duration time_to_result, policy::Duration work);

/// What the jobs of a group waited, and how much longer than their work they took.
class GroupTimes {
 public:
  /// Waits of those that got machines, slowdowns of those done; `fairness` as
  /// finish_time_fairness.
  void add(const models::Record& record, policy::JobId job, double fairness);
  void add(const GroupTimes& others);
  /// One of `group_metrics`; nothing if no job of the group has one.
  std::optional<double> value(std::string_view what) const;
  bool any() const { return jobs_ > 0; }
  /// Their sum, and how many there are.
  std::pair<double, std::uint64_t> slowdowns() const { return {slowdowns_, done_}; }

 private:
  std::vector<std::int64_t> waits_;
  std::vector<std::int64_t> waits_again_;  ///< of jobs that had any; others of those in waits_: 0
  double slowdowns_ = 0;
  double fairness_ = 0;  ///< the sum
  double worst_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t jobs_ = 0;
};

/// The metrics of a group, in the order of help.
inline constexpr std::string_view group_metrics[] = {"mean_wait_s",
                                                     "p99_wait_s",
                                                     "mean_wait_again_s",
                                                     "p99_wait_again_s",
                                                     "mean_slowdown",
                                                     "mean_finish_time_fairness",
                                                     "worst_finish_time_fairness"};

/// Jain, Chiu and Hawe 1984: 1 where all are equal, 1/n where one of n has everything.  None of
/// fewer than two.
std::optional<double> jain_index(const std::vector<double>& values);

/// Of the mean slowdowns of groups of jobs that are given by profile.
std::optional<double> jain_index_of_shares(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile);
std::optional<double> jain_index_of_owners(const models::World& world,
                                           const std::vector<GroupTimes>& by_profile);
std::optional<double> jain_index_of(const std::map<std::string, GroupTimes, std::less<>>& groups);

/// By profile of the world.
std::vector<GroupTimes> times_by_profile(const models::World& world, const models::Record& record);

/// By owner of jobs, those of nobody left out.
std::map<std::string, GroupTimes> times_by_owner(const models::World& world,
                                                 const models::Record& record);

/// By ShareId.
std::vector<GroupTimes> times_by_share(const models::World& world, const models::Record& record);

/// By key and value of tags; of each key also those without it, as `untagged`.
std::map<std::string, std::map<std::string, GroupTimes, std::less<>>, std::less<>> times_by_tag(
    const models::World& world, const models::Record& record);

/// Of the jobs with that value of the tag, or, of `untagged`, without the key.
GroupTimes times_of_tag(const models::World& world, const models::Record& record,
                        std::string_view key, std::string_view value);

/// The value of jobs that lack the key.
inline constexpr std::string_view untagged = "(untagged)";

/// Means in which a job counts as often as its weight says: a row of a trace may stand for several.
struct WeightedMeans {
  std::optional<double> time_to_result_s;  ///< over jobs that have a result
  std::optional<double> wait_s;            ///< over jobs that got machines
};
/// Nothing where every job counts once.
WeightedMeans weighted_means(const models::World& world, const models::Record& record);

}  // namespace reeve::experiments
