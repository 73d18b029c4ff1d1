// Where the journal of actions of an account is kept, and its check.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/status.hpp"
#include "app/live/table_journal.hpp"
#include "live/act/action_log.hpp"

namespace reeve::app {

/// `place`: a file or a table; none is a file in the state directory of the user, one for each
/// account and region.  `account` must outlive the log.  Throws UsageError if it cannot be used:
/// another process writes it, or it was changed.
NamedLog open_action_log(const std::optional<std::string>& place, Account& account);

/// Prints each action of the journal, by the time of its last entry.  Returns the exit code.
int print_action_log(const std::string& place, const LogFilter& filter, const Console& console);

/// Checks the hash chain of a journal of actions.  Returns the exit code: 1 if it is broken.
int verify_action_log(const std::string& place, const Console& console);

}  // namespace reeve::app
