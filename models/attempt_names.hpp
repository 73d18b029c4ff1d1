// What attempts are called: SageMaker takes each name once, so no two of a world are called the
// same.
#pragma once

#include <cstdint>
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
  /// that no job has, so that further attempts come after it.
  std::string numbered(policy::JobId job, policy::AttemptNumber attempt) const;

 private:
  const Jobs& jobs_;
  std::vector<std::uint32_t> by_name_;  ///< those that have a name of their own
  bool may_meet_ = false;               ///< some job is called as a numbered attempt could be
};

}  // namespace reeve::models
