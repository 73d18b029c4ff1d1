// The Kaplan-Meier estimate of a duration, with censoring and left truncation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "experiments/fit/interval.hpp"

namespace reeve::experiments {

/// How long one job ran, in seconds.
struct Lifetime {
  double at = 0;            ///< the end of the work, or its length when it was last seen
  double entry = 0;         ///< its length when the window began; below `at`
  bool ended = true;        ///< false: `at` is a lower bound
  double weight = 1;        ///< how many jobs it stands for
  double limit = 0;         ///< length at which it would have been cut short; 0: unknown
  std::size_t cluster = 0;  ///< jobs of one user's week end alike
};

/// What survives: a step function that falls at each length at which jobs ended.
class SurvivalCurve {
 public:
  explicit SurvivalCurve(std::span<const Lifetime> lifetimes);

  /// The share of jobs longer than `length`.
  double at(double length) const;
  /// The smallest length that at least `share` of the jobs do not exceed; nothing if too many jobs
  /// are censored.
  std::optional<double> quantile(double share) const;
  /// The interval of that length (Brookmeyer and Crowley, Biometrics 38, 1982, on the scale of
  /// log(-log S)).  `dispersion` multiplies the variance.  Nothing without an end; `high` is
  /// infinite if the data do not bound it.
  std::optional<Interval> quantile_interval(double share, double level, double dispersion) const;

  double ended() const { return ended_; }  ///< the number of jobs that ended by themselves
  double all() const { return all_; }

 private:
  struct Step {
    double at = 0;
    double survival = 1;
    double variance = 0;  ///< Greenwood's sum
  };
  std::vector<Step> steps_;
  double ended_ = 0;
  double all_ = 0;
};

/// How much more the share below `length` varies than that of independent jobs, because jobs of a
/// cluster end alike; at least 1.
double cluster_dispersion(std::span<const Lifetime> lifetimes, double length);

}  // namespace reeve::experiments
