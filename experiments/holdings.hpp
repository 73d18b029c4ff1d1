// When attempts had machines, as the events of a record tell.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "models/record.hpp"

namespace reeve::experiments {

/// A stretch in which an attempt had machines.
struct Holding {
  policy::Instant from;
  policy::Instant until;
  std::size_t place = 0;  ///< of its beginning among the run's events: who of one instant was first
  bool contains(policy::Instant at) const { return from <= at && at < until; }
};

/// In order of time, of each attempt that ever had machines.  The record must have attempts and
/// events.
using Holdings = std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::vector<Holding>>;
Holdings holdings_of(const models::Record& record);

/// The one that contains the instant, else the first after it; null: there is neither.
const Holding* holding_at_or_after(const Holdings& holdings, policy::JobId job,
                                   policy::AttemptNumber attempt, policy::Instant at);
/// Likewise of that attempt and those after it.
const Holding* holding_of_job_at_or_after(const Holdings& holdings, policy::JobId job,
                                          policy::AttemptNumber attempt, policy::Instant at);
/// Those of all attempts of the job, in order of time.
std::vector<Holding> holdings_of_job(const Holdings& holdings, policy::JobId job);

}  // namespace reeve::experiments
