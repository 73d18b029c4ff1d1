// Slurm's multifactor priority: a weighted sum of age, past usage of the user, size and priority.
// It preempts no job.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/units.hpp>

#include "algorithm.hpp"

namespace reeve::policies {

/// Which jobs may start ahead of the first: none, any that fits, or any that fits and does not
/// delay the first.
enum class Passing : std::uint8_t { none, any_fit, easy };

/// Weights are points for a factor of 1 (slurm.conf, PriorityWeightAge and so on).
struct MultifactorModel {
  Passing passing = Passing::none;
  std::int64_t age_weight = 0;
  std::int64_t fair_share_weight = 0;
  std::int64_t size_weight = 0;
  std::int64_t priority_weight = 0;
  policy::Duration max_age{0};      ///< PriorityMaxAge: the age at which its factor is 1
  policy::Duration half_life{0};    ///< PriorityDecayHalfLife; 0: nothing is forgotten
  policy::Duration calc_period{0};  ///< PriorityCalcPeriod: fair factors are as of a multiple of it
  std::int64_t max_priority = 1;    ///< the priority whose factor is 1
  bool favors_small = false;        ///< PriorityFavorSmall
  bool fair_tree = true;            ///< else the classic formula (PriorityFlags=NO_FAIR_TREE)
};

/// Slurm, priority_multifactor.html: a job's priority is the weighted sum of its factors; ties go
/// to the earlier submission.  Accounts are the shares, with 1/weight as their shares, and one more
/// for jobs in no share; users are the tags `username`, else `owner`, each with one share, and one
/// more for jobs with neither tag.  O(pending users x log jobs) for each job that starts, and
/// O(users x log users) once in a period.
std::unique_ptr<Algorithm> multifactor(const MultifactorModel& model);

}  // namespace reeve::policies
