// A journal of actions in a table of DynamoDB.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "live/aws/client.hpp"
#include "live/journal/action_journal.hpp"

namespace reeve::live {

/// The keys of the table: a text, whose items are one journal, and a number.
inline constexpr const char* journal_key = "journal";
inline constexpr const char* number_key = "number";

/// One item for each entry.  It is written on the condition that no item has its number.  So of two
/// processes that write, the second one fails, and sends nothing more: there is no lock.  A
/// condition that fails because of an earlier try of this object, whose reply was lost, is none.
class DynamoJournal final : public ActionJournal {
 public:
  /// `name`: of the journal in the table.  `client` must outlive it.
  DynamoJournal(Client& client, std::string table, std::string name);

 private:
  void write(const Row& row) override;
  void read(std::uint64_t after, const std::function<void(Row)>& take) override;
  bool is_own(const Row& row);
  nlohmann::json key_of(std::uint64_t number) const;

  Client& client_;
  std::string table_;
  std::string name_;
  std::string writer_;  ///< drawn: two processes may write the same entry at the same time
};

}  // namespace reeve::live
