// The journal of actions of an account in a table of DynamoDB.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/live/account.hpp"
#include "live/act/action_log.hpp"
#include "live/journal/action_journal.hpp"

namespace reeve::app {

/// A journal of actions, and how people know it.
struct NamedLog {
  std::string name;
  live::ActionLog log;
};

/// How a command line names a table instead of a file: `dynamodb:TABLE`.
inline constexpr std::string_view table_prefix = "dynamodb:";

/// The part of the table that is of the account and region.  `account` must outlive it.
std::unique_ptr<live::ActionJournal> table_journal(const std::string& table, Account& account);

/// Throws JournalFailure if it cannot be read, UsageError if it was changed.
NamedLog open_table_log(const std::string& table, Account& account);

/// Throws UsageError if the journal was changed: then nothing may be sent.
void check_chain(const NamedLog& journal);

}  // namespace reeve::app
