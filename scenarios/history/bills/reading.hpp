// What the readers of bills share: rows into accounts, their tags, and what is said of the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/history/bills/ledger.hpp"
#include "scenarios/history/bills/table.hpp"
#include "scenarios/history/bills/usage.hpp"

namespace reeve::scenarios {

/// The value of a key in a map that is written as JSON in a cell; empty if there is none.
std::string text_in_map(std::string_view json, std::string_view key);

/// The tags of one resource; the first value of a key stays.
class BillTags {
 public:
  explicit BillTags(std::map<std::string, std::string>& tags) : tags_{tags} {}
  void take(std::string_view key, std::string_view value);
  /// All of a JSON object, keys without `prefix`.  False if the text is none.
  bool take_map(std::string_view json, std::string_view prefix);

 private:
  std::map<std::string, std::string>& tags_;
};

/// The bill that one file is.
class BillReading {
 public:
  BillReading(HistoryInput& input, BillTable& table, Bill& bill, std::string_view form)
      : input_{input}, table_{table}, file_{bill}, form_{form} {}

  /// Throws E0415 if a bill of another form has that month of the account.
  void covers(std::string_view account, std::string_view month);
  void prefetch(const BillRow& row) const { file_.prefetch(row); }
  void leave_out(std::string_view operation) { file_.leave_out(operation); }
  /// A row whose discount the costs of other rows may have in them.
  void discount(std::string_view type) { ++discounts_[std::string{type}]; }
  /// Adds the row if all its values could be read.  Throws E0416.
  BillAccount* add(const BillRow& row);
  /// The same of a row that is used so; `text` is a hash of its tags, which `read` takes if needed.
  template <class Read>
  void add_usage(BillRow& row, const BillUsage& usage, const BillWords& words,
                 std::string_view operation, std::uint64_t text, const Read& read) {
    BillAccount* account = add_to(row, usage, words, operation);
    if (account == nullptr || account->kind != BillTarget::Kind::use || account->tags == text) {
      return;
    }
    account->tags = text;
    BillTags tags{account->use.tags};
    read(tags);
  }
  /// Whether its amount counts as instance-hours.
  static bool counts_time(const BillUsage& usage);

  /// Adds the file to the bill, and says what is odd in it.
  void finish(const std::vector<bool>& fallback, History& into);

 private:
  struct Odd {
    std::uint64_t rows = 0;
    std::uint64_t line = 0;  ///< of the first
    void note(std::uint64_t at) {
      if (rows++ == 0) line = at;
    }
  };

  BillAccount* add_to(BillRow& row, const BillUsage& usage, const BillWords& words,
                      std::string_view operation);
  void note(const BillRow& row, const BillUsage& usage, const BillWords& words);
  void tell(std::string_view code, const Odd& odd, std::string_view what, std::string help = {});

  HistoryInput& input_;
  BillTable& table_;
  BillFile file_;
  std::string_view form_;
  std::string account_, month_;  ///< covered last
  std::map<std::string, std::uint64_t> discounts_;
  std::set<std::string, std::less<>> new_types_;
  Odd long_, nameless_, twice_;
  std::optional<policy::Instant> newest_;
};

}  // namespace reeve::scenarios
