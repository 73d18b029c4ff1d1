// The files that a sweep reads beside its scenario: traces, price books, plug-ins.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// By path as the scenario or a value of a factor names it: the SHA-256 of the bytes.
std::map<std::string, std::string> inputs_of(const SweepPlan& plan,
                                             const std::vector<Factor>& factors);

/// Throws UsageError if a file is missing or another one than the plan has: its cells would not be
/// paired with those that are kept.
void check_inputs(const SweepPlan& plan);

}  // namespace reeve::app
