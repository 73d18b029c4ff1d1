// The names of attempts.  SageMaker accepts each name once, so all names of a world are distinct.
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

/// The jobs of a world by name.  A job's name is reserved from the start, whenever the job is
/// submitted.  The jobs must outlive this object and not change.
class AttemptNames {
 public:
  explicit AttemptNames(const Jobs& jobs);

  /// The job of that name, or nothing.
  std::optional<policy::JobId> job(std::string_view name) const;

  /// policy::clone_name with the attempt's number.  If other jobs have that name, the number is the
  /// next free one, and later attempts follow it.  If the attempts of another job would have the
  /// same names ("train" and "train-"), a hash distinguishes this job's names.
  std::string numbered(policy::JobId job, policy::AttemptNumber attempt) const;

 private:
  /// The name of a job: `base`, which ends with "-r", and a number.
  struct Taken {
    std::string_view base;
    policy::AttemptNumber number = 0;
    friend auto operator<=>(const Taken&, const Taken&) = default;
  };

  void take_numbers();
  void tell_apart();
  /// How many numbers of `base` within [from, to) come before the free number at index `free`, if
  /// `passed` other numbers do.
  std::size_t skipped(std::string_view base, std::uint32_t from, std::uint32_t to,
                      std::uint32_t free, std::size_t passed) const;

  const Jobs& jobs_;
  std::vector<std::uint32_t> by_name_;          ///< those with an explicit name
  std::vector<Taken> taken_;                    ///< sorted
  std::map<std::uint32_t, std::string> apart_;  ///< replacements for the names of some jobs
};

}  // namespace reeve::models
