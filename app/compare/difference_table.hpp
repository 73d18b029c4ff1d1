// The table of differences: each policy against the baseline, with a forest plot of the intervals.
#pragma once

#include <cstddef>

#include "app/study/study.hpp"
#include "report/table.hpp"

namespace reeve::app {

/// Every policy against the baseline, run by run, with 95 % intervals; no rows for a single run.
/// The intervals of a measure are drawn on one scale.
report::Table difference_table(const Study& study, std::size_t baseline);

}  // namespace reeve::app
