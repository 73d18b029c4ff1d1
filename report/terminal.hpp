// Draws a table for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "report/table.hpp"

namespace reeve::report {

/// The caller decides: colour only at a terminal without NO_COLOR, width as the terminal reports.
struct TerminalStyle {
  std::size_t width = 80;
  bool colour = false;
};

/// The table with rules of "─", numbers right-aligned, footnote marks outside the column.  To fit
/// the width, columns move together, then titles break at spaces, then "± 2" moves below its value.
/// Then a last column of words breaks at spaces, or else columns move below the others with the
/// first column repeated.  Values are never cut.  Sentences stay whole.  Ends with a line feed.
std::string terminal(const Table& table, const TerminalStyle& style = {});

}  // namespace reeve::report
