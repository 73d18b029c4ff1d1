// The rows of sacct with delimiters: which field is which column, also where a name has delimiters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/reading/reader.hpp"
#include "scenarios/text/line_scanner.hpp"

namespace reeve::scenarios {

class SlurmRows {
 public:
  enum class Column : std::uint8_t {
    job_id,
    raw_id,
    state,
    submit,
    start,
    end,
    elapsed,
    elapsed_raw,
    limit,
    limit_raw,
    nodes,
    allocated,
    requested,
    user,
    partition,
    account,
    cluster,
    restarts,
    exit_code,
    comment,
  };
  static constexpr std::size_t column_count = 20;

  /// Whether a file begins as sacct writes, with or without a header.
  static bool recognizes(std::string_view head);

  /// Reads the header.  Throws InputError: E0320 no line, E0321 a column is missing, E0394 the
  /// table with cut columns, E0401 no header and no HistoryOptions::columns, E0412 they do not fit.
  SlurmRows(HistoryInput& input, const HistoryOptions& options);

  bool next();
  /// Whether the row has as many fields as there are columns, or it is clear which of them are one.
  bool is_whole() const { return is_whole_; }
  std::string fault() const;  ///< of a row that is not whole

  bool has(Column column) const { return places_[index(column)] != absent; }
  std::string_view text(Column column) const {
    const std::size_t place = places_[index(column)];
    return place == absent ? std::string_view{} : fields_[place];
  }
  Diagnostic at(Column column, std::string_view code, std::string message, std::string label) const;
  std::uint64_t line() const { return lines_.number(); }
  std::uint64_t bytes() const { return lines_.bytes(); }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  static constexpr std::size_t index(Column column) { return static_cast<std::size_t>(column); }

  void read_columns(std::span<const std::string> stated);
  void place_columns(std::span<const std::string_view> names);
  void require_columns() const;
  void split(std::string_view line);
  bool mend();
  bool is_plausible(std::size_t free, std::size_t extra) const;

  LineScanner lines_;
  std::string delimiter_;
  std::string header_;        ///< empty: none
  bool has_header_ = false;   ///< the line at hand is not yet a row otherwise
  bool is_trailing_ = false;  ///< each line ends with the delimiter
  std::size_t width_ = 0;
  std::array<std::size_t, column_count> places_{};
  std::vector<std::size_t> free_;  ///< columns of free text, which may hold the delimiter
  std::vector<std::string_view> fields_;
  bool is_whole_ = true;
};

}  // namespace reeve::scenarios
