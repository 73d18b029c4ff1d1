// Where the journal of actions of an account is kept, and its check.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/status.hpp"
#include "app/live/table_journal.hpp"
#include "live/act/action_log.hpp"

namespace reeve::app {

/// `file`: none is that of the account and region in the state directory of the user.  `of`: the
/// name of a command with a default file of its own, so that it does not wait for a run of rules.
/// Throws UsageError if it has no place.
std::string action_journal_file(const std::optional<std::string>& file, const std::string& account,
                                const std::string& region, std::string_view of = {});

/// `place`: a file or a table; none is the default file.  `account` must outlive the log.  Throws
/// UsageError if it cannot be used: another process writes it, or it was changed.
NamedLog open_action_log(const std::optional<std::string>& place, Account& account,
                         std::string_view of = {});

/// While another process acts with it, too.  Throws UsageError and JournalFailure.
live::ActionLog read_action_log(const std::string& file);

/// Prints each action of the journal, by the time of its last entry.  Returns the exit code.
int print_action_log(const std::string& place, const LogFilter& filter, const Console& console);

/// Checks the hash chain of a journal of actions.  Returns the exit code: 1 if it is broken.
int verify_action_log(const std::string& place, const Console& console);

}  // namespace reeve::app
