// What attempts are called: SageMaker takes each name once, so no two of a world are called the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/world.hpp"

namespace reeve::models {

/// The jobs of a world by name.  A job's name is its own from the beginning, whenever it is
/// submitted.  The jobs must outlive it, and not change.
class AttemptNames {
 public:
  explicit AttemptNames(const Jobs& jobs);

  /// The job of that name.
  std::optional<policy::JobId> job(std::string_view name) const;

  /// policy::clone_name with the attempt's number; where other jobs are called so, with the next
  /// that no job has, so that further attempts come after it.  Where another job's attempts are
  /// called so ("train" and "train-" have one name for theirs), a hash tells this job's apart.
  std::string numbered(policy::JobId job, policy::AttemptNumber attempt) const;

 private:
  /// A job is called so itself: `base`, which ends with "-r", and the number.
  struct Taken {
    std::string_view base;
    policy::AttemptNumber number = 0;
    friend auto operator<=>(const Taken&, const Taken&) = default;
  };

  void take_numbers();
  void tell_apart();
  /// How many of the numbers of `base` within [from, to) come before the free one that is `free`
  /// places behind the first, if `passed` others do.
  std::size_t skipped(std::string_view base, std::uint32_t from, std::uint32_t to,
                      std::uint32_t free, std::size_t passed) const;

  const Jobs& jobs_;
  std::vector<std::uint32_t> by_name_;          ///< those that have a name of their own
  std::vector<Taken> taken_;                    ///< sorted
  std::map<std::uint32_t, std::string> apart_;  ///< what stands for the names of some jobs
};

}  // namespace reeve::models
