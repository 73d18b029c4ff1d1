// A decision of a rule as the journal of actions has it.
#pragma once

#include <cstdint>
#include <string>

#include "live/act/action_log.hpp"
#include "live/feed/roster.hpp"

namespace reeve::live {

/// What a rule decided, and why.
struct Decided {
  std::string rule;
  const policy::Verb& verb;
  std::uint64_t incident = 0;  ///< of a message: its key in the host
  std::string reason;
  std::string basis;
};

/// Its id is the same whenever the same is decided again.  The job of a further attempt is the
/// attempt before.
LoggedAction logged_action(const Decided& decided, const Roster& roster);

/// The value of the tag `owner`; empty: unknown.
std::string owner_of(const Roster& roster, policy::JobId job, policy::AttemptNumber attempt);

}  // namespace reeve::live
