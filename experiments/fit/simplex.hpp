// The minimum of a function of a few numbers, without derivatives.
#pragma once

#include <functional>
#include <vector>

namespace reeve::experiments {

/// The simplex search of Nelder and Mead (Computer Journal 7, 1965) from `start` with steps of
/// `step`.  It ends when the values of the simplex differ by less than `tolerance`, or after 400
/// values per dimension.  Deterministic.  A value that is not finite counts as worse than all.
std::vector<double> minimize(const std::function<double(const std::vector<double>&)>& value,
                             std::vector<double> start, double step, double tolerance = 1e-7);

}  // namespace reeve::experiments
