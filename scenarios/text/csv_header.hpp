// The first record of a CSV text: which field holds which column.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

inline constexpr std::size_t absent_column = static_cast<std::size_t>(-1);
inline constexpr std::size_t most_warnings = 20;  ///< of one kind, in one file

/// The columns by name, in any order.  Reading it throws InputError: E0320 no line at all, E0321 a
/// required column is missing, E0322 a column stands twice; columns not known are W0301.
class CsvHeader {
 public:
  CsvHeader() = default;
  /// Takes the next record of `csv` as the header.  The names outlive the header.
  static CsvHeader read(CsvReader& csv, std::span<const std::string_view> known,
                        std::span<const std::string_view> required);

  std::size_t width() const { return width_; }
  /// The field of the column known as number `column`; absent_column if the file lacks it.
  std::size_t field(std::size_t column) const { return fields_[column]; }
  bool has(std::size_t column) const { return fields_[column] != absent_column; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

  /// Throws E0312 if the record at hand has not as many fields as the header.
  void check_width(const CsvReader& csv) const;

 private:
  void place(const CsvReader& csv);
  void require(const CsvReader& csv, std::span<const std::string_view> required) const;
  void warn_of_strangers(const CsvReader& csv);
  std::string help(const CsvReader& csv, std::string_view missing,
                   const std::optional<std::string>& meant) const;

  std::span<const std::string_view> known_;
  std::size_t width_ = 0;
  std::vector<std::size_t> fields_;
  std::vector<std::size_t> strangers_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace reeve::scenarios
