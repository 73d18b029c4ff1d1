// A table of runs in CSV: columns by name, whatever their order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/reading/reader.hpp"
#include "scenarios/history/trackers/runs.hpp"
#include "scenarios/text/csv.hpp"

namespace reeve::scenarios {

class RunTable {
 public:
  /// Reads the header.  Throws InputError E0320 if there is none, and what CsvReader throws.
  explicit RunTable(HistoryInput& input);

  /// The next row that has all fields; other rows are findings W0632.
  bool next();
  std::uint64_t line() const { return csv_.line(); }
  /// The cell of the first of these columns that the file has; empty if it has none.
  std::string_view text(std::initializer_list<std::string_view> names) const;
  /// Gives all columns of the row to the list, as settings.
  void tell_settings(RunList& runs) const;

 private:
  HistoryInput& input_;
  CsvReader csv_;
  std::vector<std::string> names_;
};

/// The columns of a first line in CSV, without quotes.
bool has_columns(std::string_view head, std::initializer_list<std::string_view> names);

}  // namespace reeve::scenarios
