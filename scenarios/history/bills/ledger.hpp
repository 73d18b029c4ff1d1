// The sums over the rows of bills, in which a line item of two deliveries of a report counts once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>  // tidy: allow order: see ByHash
#include <utility>
#include <vector>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Exact amounts of a row, or of many.
struct BillAmounts {
  std::int64_t hours = 0;     ///< 1e-10 instance-hours
  std::int64_t cost = 0;      ///< nano-dollars, like the others
  std::int64_t fallback = 0;  ///< its cost, if the file turns out to need another column for it
  std::int64_t list = 0;

  BillAmounts& operator+=(const BillAmounts& other);
  BillAmounts& operator-=(const BillAmounts& other);
};

/// What a row pays for; the texts live as long as the row.
struct BillTarget {
  enum class Kind : std::uint8_t { use, apart, unused, ignored } kind = Kind::ignored;
  std::string_view name;  ///< of what is apart
  std::string_view job, resource, instance_type, market, region, use;
  std::uint32_t provider = 0;  ///< whose columns are judged together
};

struct BillRow {
  BillTarget target;
  BillAmounts amounts;
  std::optional<policy::Instant> from, until;
  /// A hash of all that tells line items of a report apart, without amounts.
  std::uint64_t item = 0;
  std::uint64_t id = 0;  ///< a hash of the id that the file itself gives the line item; 0: none
  /// What a copy of the row has too: a hash of its id, or without one of `item` and the amounts.
  std::uint64_t copy = 0;
  enum class Invoice : std::uint8_t { unknown, open, sent } invoice = Invoice::unknown;
};

/// A set of 64-bit hashes: 8 bytes each in a table that is 40 to 80 % full.
class HashSet {
 public:
  bool insert(std::uint64_t hash);  ///< false if it was there
  bool contains(std::uint64_t hash) const;
  std::size_t size() const { return count_; }
  void insert_all(HashSet&& other);
  void prefetch(std::uint64_t hash) const;  ///< it is looked up soon; the table is not in a cache
  template <class Each>
  void for_each(const Each& each) const {
    for (const std::uint64_t hash : slots_) {
      if (hash != 0) each(hash);
    }
  }

 private:
  std::size_t first_place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash ^ (hash >> 32)) & (slots_.size() - 1);
  }
  std::size_t place(std::uint64_t hash) const;
  void grow();
  std::vector<std::uint64_t> slots_;  ///< 0: empty
  std::size_t count_ = 0;
};

/// Looked up; where all of it is gone through, the order does not matter.
template <class Value>
using ByHash = std::unordered_map<std::uint64_t, Value>;  // tidy: allow order: see above

/// A sum, and what it is of.
struct BillAccount {
  BillTarget::Kind kind;
  std::string name;
  BilledUse use;
  std::uint32_t provider = 0;
  BillAmounts sums;
  std::uint64_t tags = 0;  ///< a hash of the text of the last tags
};

/// What is kept across the files of a bill.  Memory: what the sums need; 20 to 40 bytes a row; and
/// 72 for a row whose report says that its month has no invoice yet.
class BillLedger {
 public:
  struct Place {
    BillTarget::Kind kind;
    std::string name;
    std::size_t use = 0;  ///< index in Bill::uses
    std::int64_t hours = 0;
  };
  struct OpenRow {
    std::uint32_t place;
    BillAmounts amounts;
  };
  struct Size {  ///< the sum of all amounts without their signs
    std::uint64_t nanos = 0, hours = 0;
  };

  ByHash<std::uint32_t> places_by_key;
  std::vector<Place> places;
  HashSet items, copies;
  ByHash<OpenRow> open;  ///< by item: rows without an invoice
  /// Account and month, and the form of the bill that has them.
  std::map<std::pair<std::string, std::string>, std::string> months;
  /// By the resource of a job, or its name: the form of the bill that has dollars of it.
  std::map<std::string, std::string, std::less<>> forms_of_jobs;
  Size size;
};

/// The rows of one file.  Nothing reaches the bill before finish().
class BillFile {
 public:
  explicit BillFile(Bill& bill);

  /// Adds a row and gives its account; null if the line item stands twice and does not count.
  BillAccount* add(const BillRow& row);
  void leave_out(std::string_view operation, std::uint64_t rows = 1);
  /// The bill covers a month of an account.  False if it stands in a bill of another form.
  bool covers(std::string_view account, std::string_view month, std::string_view form);

  /// A job of this file that a bill of another form has too; empty: none.  Both together would
  /// count it twice.
  std::string job_of_other_form(std::string_view form) const;

  void prefetch(const BillRow& row) const;  ///< of a row that comes
  std::uint64_t twice() const { return twice_; }
  /// Rows that an earlier file has with another id, or other amounts: they count too.
  std::uint64_t alike() const { return alike_; }
  /// Whether the amounts of the row, added to all before, stay within what can be counted exactly.
  bool has_room_for(const BillAmounts& amounts);

  /// Adds all to the bill, which has that form.  `fallback[provider]`: the other column is the
  /// cost.
  void finish(const std::vector<bool>& fallback, std::string_view form);

 private:
  struct OpenRow {
    std::uint64_t item;
    std::uint32_t account;
    BillAmounts amounts;
  };

  bool is_second(const BillRow& row);
  std::uint32_t account_of(const BillTarget& target);
  std::uint32_t place_of(const BillAccount& account, std::uint64_t key);
  void post(std::uint32_t place, const BillAmounts& amounts);
  void extend(const BillRow& row, BillAccount& account);
  void merge_use(const BilledUse& from, BilledUse& into) const;

  Bill& bill_;
  BillLedger& ledger_;
  std::vector<BillAccount> accounts_;
  std::vector<std::uint64_t> keys_;  ///< of the accounts
  ByHash<std::uint32_t> accounts_by_key_;
  std::string key_;
  HashSet items_, copies_, ids_, replaced_;
  ByHash<OpenRow> open_;  ///< by id, or else by item
  std::map<std::string, std::uint64_t, std::less<>> left_out_;
  std::set<std::pair<std::string, std::string>> months_;
  std::optional<policy::Instant> from_, until_;
  std::uint64_t twice_ = 0, alike_ = 0;
  BillLedger::Size size_;
};

/// Joins texts to one hash, never 0.
class BillHash {
 public:
  BillHash& operator<<(std::string_view text);
  BillHash& operator<<(const std::optional<policy::Instant>& at);
  std::uint64_t value();                          ///< and begins anew
  std::uint64_t value_with(std::uint64_t other);  ///< the same, of another hash too

 private:
  std::string text_;
};

}  // namespace reeve::scenarios
