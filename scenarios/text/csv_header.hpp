// The first record of a CSV text: which field holds which column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

inline constexpr std::size_t absent_column = static_cast<std::size_t>(-1);
inline constexpr std::size_t most_warnings = 20;  ///< of one kind, in one file

/// What a file calls a column that reeve knows by another name.
struct ColumnName {
  std::string ours;
  std::string theirs;
};

/// The names of a file's columns, as the user states them, and how.
struct ColumnNames {
  enum class By : std::uint8_t { nothing, key, option };
  By by = By::nothing;  ///< how the user can state them: `columns` of a scenario, or --columns
  std::vector<ColumnName> stated = {};
  /// What other programs call a column, to suggest it: lower case, letters and digits only.
  std::span<const std::pair<std::string_view, std::string_view>> usual = {};
  /// Columns whose names begin so are known too, whatever follows; empty: none are.
  std::string_view prefix = {};
  /// Our spelling of a file's name, for files with several; null: as it stands.
  std::string (*spelled)(std::string_view theirs) = nullptr;
};

/// A column that is known by the beginning of its name.
struct PrefixedColumn {
  std::string name;  ///< ours, whole
  std::size_t field = 0;
};

/// The columns by name, in any order.  Reading it throws InputError: E0320 no line at all, E0321
/// required columns are missing, or one that the user states, E0322 a column stands twice; columns
/// not known are W0301.
class CsvHeader {
 public:
  CsvHeader() = default;
  /// Takes the next record of `csv` as the header.  The names outlive the header.
  static CsvHeader read(CsvReader& csv, std::span<const std::string_view> known,
                        std::span<const std::string_view> required, const ColumnNames& names = {});

  std::size_t width() const { return width_; }
  /// The field of the column known as number `column`; absent_column if the file lacks it.
  std::size_t field(std::size_t column) const { return fields_[column]; }
  bool has(std::size_t column) const { return fields_[column] != absent_column; }
  /// In the order of the file.
  std::span<const PrefixedColumn> prefixed() const { return prefixed_; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

  /// Throws E0312 if the record at hand has not as many fields as the header.
  void check_width(const CsvReader& csv) const;

 private:
  void place(const CsvReader& csv, const ColumnNames& names);
  bool place_prefixed(const CsvReader& csv, std::size_t field, const ColumnNames& names);
  bool found(std::string_view ours) const;
  void require(const CsvReader& csv, std::span<const std::string_view> required,
               const ColumnNames& names) const;
  void warn_of_strangers(const CsvReader& csv, const ColumnNames& names);
  std::string help(std::span<const std::string_view> missing, std::span<const ColumnName> likely,
                   ColumnNames::By by) const;

  std::span<const std::string_view> known_;
  std::size_t width_ = 0;
  std::vector<std::size_t> fields_;
  std::vector<PrefixedColumn> prefixed_;
  std::vector<std::size_t> strangers_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace reeve::scenarios
