// Prints a finished comparison in the form requested, and judges it: shared by compare and demo.
#pragma once

#include <string>

#include "app/console.hpp"
#include "app/study/study.hpp"

namespace reeve::app {

/// How a comparison is shown.
struct ComparisonView {
  std::string baseline;  ///< empty: "none", else the first policy
  std::string next;      ///< the command to name last
  bool markdown = false;
  std::string format = {};  ///< as --format; empty: text, or JSON under --json
};

/// Finishes the export, if there is one.  Returns the exit code: 0, 1 (a ledger that does not
/// balance), 99 or 130.
int show_comparison(const Study& study, const ComparisonView& view, const Console& console);

}  // namespace reeve::app
