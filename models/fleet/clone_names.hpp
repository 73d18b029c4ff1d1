// Names of training jobs that are in use: a clone needs one that is not.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "models/attempt_names.hpp"
#include "models/record.hpp"

namespace reeve::models {

/// The names of a fleet's attempts.  The jobs must outlive it.
class CloneNames {
 public:
  explicit CloneNames(const Jobs& jobs) : jobs_{jobs} {}

  /// The job whose first attempt has that name.
  std::optional<policy::JobId> job(const std::string& name);
  /// Gives a clone the name of its job with a number appended; false if SageMaker does not take it:
  /// it is too long or in use.
  bool append(policy::JobId job, policy::AttemptNumber attempt);

 private:
  const AttemptNames& names();

  const Jobs& jobs_;
  std::optional<AttemptNames> names_;  ///< once they are requested
  std::set<std::string> appended_;
};

}  // namespace reeve::models
