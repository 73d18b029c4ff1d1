// The periods in which attempts held instances, from the events of a record.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "models/record.hpp"

namespace reeve::experiments {

/// A period in which an attempt held instances.
struct Holding {
  policy::Instant from;
  policy::Instant until;
  std::size_t place = 0;  ///< index of its first event in the run: orders equal instants
  bool contains(policy::Instant at) const { return from <= at && at < until; }
};

/// In order of time, for each attempt that ever held instances.  The record must have attempts and
/// events.
using Holdings = std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::vector<Holding>>;
Holdings holdings_of(const models::Record& record);

/// The period that contains the instant, else the first one after it; null if there is none.
const Holding* holding_at_or_after(const Holdings& holdings, policy::JobId job,
                                   policy::AttemptNumber attempt, policy::Instant at);
/// Likewise, of that attempt and later ones.
const Holding* holding_of_job_at_or_after(const Holdings& holdings, policy::JobId job,
                                          policy::AttemptNumber attempt, policy::Instant at);
/// The periods of all attempts of the job, in order of time.
std::vector<Holding> holdings_of_job(const Holdings& holdings, policy::JobId job);

}  // namespace reeve::experiments
