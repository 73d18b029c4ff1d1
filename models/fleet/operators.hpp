// Operators who look after jobs: when they are away, when they read a message, when they react.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/fleet/core.hpp"

namespace reeve::models {

/// The operators of a fleet, and the jobs they own.
class Operators {
 public:
  explicit Operators(FleetCore& core) : core_{core} {}

  /// Null: the job has none.
  const Human* of(policy::JobId job) const;
  /// By job id.
  const std::vector<policy::JobId>& jobs_of(const Human& human);
  bool is_away(const Human& human, Instant at) const;
  bool is_away(const Human& human) const { return is_away(human, core_.now); }
  /// So long after the message, or after the end of the absence in which that would be; `never`:
  /// they do not come back.
  Instant reads_at(const Human& human, Instant sent) const;
  /// Unless it is done, or would be the 65,536th attempt: then they see that it never will be.
  bool may_resubmit(policy::JobId job) const;
  /// Whether a person has a reason to: no log says that the job ended so.
  bool wants_again(policy::JobId job) const;
  /// Whether an operator submits a job again at `from` or later, though no attempt is left.
  bool will_resubmit(Instant from) const;

 private:
  bool will_resubmit(policy::JobId job, const Human& human, Instant from) const;

  FleetCore& core_;
  std::map<std::string, std::vector<policy::JobId>, std::less<>> jobs_of_owner_;
};

}  // namespace reeve::models
