// Asks the account what became of actions that an earlier run sent and did not settle.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "live/act/action_log.hpp"
#include "live/feed/service_job_reader.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// An action that is settled now.
struct FoundAction {
  std::string action;  ///< a verb of rules
  std::string job;
  ActionEnd end;
};

struct FoundActions {
  std::vector<FoundAction> settled;
  std::vector<UnreadJob> unread;  ///< whose actions stay open
};

/// Settles every open action of rules in the log.  A stop is done if its job does not run, or if
/// its service job of AWS Batch is terminated; a clone if the new job is there with the tags of
/// reeve; a message that was sent counts as done, because nothing shows whether it arrived.  What
/// was never sent is expired: its rule decides again.  A call that fails ends it.
std::variant<FoundActions, FailedCall> settle_unsettled(
    ActionLog& log, TrainingJobReader& reader, ServiceJobReader& service_jobs,
    const std::function<policy::Instant()>& now);

/// Settles stops that wait for a person, and whose jobs do not run any more.
void settle_ended_waits(ActionLog& log, TrainingJobReader& reader,
                        const std::function<policy::Instant()>& now);

}  // namespace reeve::live
