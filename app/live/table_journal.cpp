#include "app/live/table_journal.hpp"

#include <fmt/format.h>

#include "app/usage_error.hpp"
#include "live/journal/dynamo_journal.hpp"

namespace reeve::app {

std::unique_ptr<live::ActionJournal> table_journal(const std::string& table, Account& account) {
  return std::make_unique<live::DynamoJournal>(account.client(), table,
                                               account.id() + '/' + account.region());
}

NamedLog open_table_log(const std::string& table, Account& account) {
  NamedLog journal{std::string{table_prefix} + table,
                   live::ActionLog{table_journal(table, account)}};
  check_chain(journal);
  return journal;
}

void check_chain(const NamedLog& journal) {
  const auto& broken = journal.log.broken();
  if (!broken) return;
  throw UsageError{
      fmt::format("{}: entry {} was changed: {}", journal.name, broken->number, broken->why),
      "keep it as evidence, and name another journal"};
}

}  // namespace reeve::app
