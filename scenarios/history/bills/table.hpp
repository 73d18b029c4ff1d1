// A bill in CSV: its cells by column, money in dollars, times, and rows that cannot be used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/reading/reader.hpp"
#include "scenarios/text/csv_header.hpp"

namespace reeve::scenarios {

/// Reads the rows front to back.  A row that cannot be used is W0632, its number of fields or a
/// value; rows that repeat the header are passed over.  Throws as CsvReader and CsvHeader do, and
/// E0398.
class BillTable {
 public:
  /// The columns are numbered as in `known`; `required` are all but those that may be missing.
  BillTable(HistoryInput& input, const HistoryOptions& options,
            std::span<const std::string_view> known, std::span<const std::string_view> required,
            const ColumnNames& names = {});

  /// The next row with as many fields as the header, or false at the end.
  bool next();
  std::uint64_t line() const { return csv_.line(); }
  std::uint64_t bytes() const { return csv_.bytes(); }
  bool has(std::size_t column) const { return header_.has(column); }
  /// Names of all columns as the file has them.  Valid until next().
  const std::vector<std::string_view>& names() const { return csv_.fields(); }

  /// Empty also for NULL, which some programs write for no value, and for a missing column.
  std::string_view cell(std::size_t column) const;
  std::string_view field(std::size_t index) const;  ///< by its place in the row

  /// What currency() made of the amount, in nano-dollars; 0 without one.  Rounded.
  std::int64_t dollars(std::size_t column);
  /// Instance-hours in units of 1e-10, the finest that AWS writes; 0 without a number.
  std::int64_t hours(std::size_t column);
  std::optional<policy::Instant> instant(std::size_t column);
  std::optional<policy::Instant> instant_of_text(std::string_view text, std::size_t column);
  /// The amounts of this row are in the currency of that column.  Throws E0398 if it has no rate.
  void currency(std::size_t column);

  /// Whether all values of the row could be read so far; if not, the row is reported, once.
  bool is_good() const { return !is_bad_; }
  /// Reports the row as one that cannot be used.
  void refuse(std::size_t column, std::string message);
  /// Reports a value that is left out; the rest of the row counts.
  void doubt(std::size_t column, std::string message);

 private:
  struct Seen {  ///< the times of neighboring rows are often equal
    std::string text;
    std::optional<policy::Instant> at;
  };

  HistoryInput& input_;
  const HistoryOptions& options_;
  std::span<const std::string_view> known_;
  CsvReader csv_;
  CsvHeader header_;
  std::size_t first_required_ = 0;
  std::string first_name_;  ///< of the first required column, as the file has it
  std::vector<Seen> seen_;  ///< by column
  std::string currency_;
  std::int64_t nano_rate_ = 1'000'000'000;
  bool is_bad_ = false;
};

}  // namespace reeve::scenarios
