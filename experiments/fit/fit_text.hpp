// A fit as the files fit.json and fit.md, and as a table for the terminal.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/fit/fit.hpp"
#include "report/table.hpp"

namespace reeve::experiments {

/// The whole fit.  Numbers have six significant digits, so compilers agree on the bytes; an end of
/// an interval that the data do not bound is null.
std::string fit_json(const Fit& fit);

enum class FitColumns : std::uint8_t { of_terminal, all };

/// One row per quantity, the worst grade first.  A terminal has no room for laws and methods.
report::Table fit_table(const Fit& fit, FitColumns columns = FitColumns::of_terminal);

/// `fit_table` with all columns, a title and the meaning of the grades.
std::string fit_markdown(const Fit& fit);

}  // namespace reeve::experiments
