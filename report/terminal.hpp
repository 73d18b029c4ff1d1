// Draws a table for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/table.hpp"

namespace reeve::report {

/// The caller decides: colour only at a terminal without NO_COLOR; width as the terminal says.
struct TerminalStyle {
  std::size_t width = 80;
  bool colour = false;
};

/// The table with rules of "─", numbers to the right, footnote marks outside the column.  Columns
/// move together, then titles break at spaces, then "± 2" goes below its value, then a last
/// column of words is broken at spaces, or else columns go below the others beside the first one
/// once more, to fit the width; values are never cut.
/// Sentences are left whole.  Ends with a line feed.
std::string terminal(const Table& table, const TerminalStyle& style = {});

}  // namespace reeve::report
