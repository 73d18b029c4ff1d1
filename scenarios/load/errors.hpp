// What the codes mean that the readers of a scenario report: a table for each subject.
#pragma once

#include <span>

#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

std::span<const ErrorCode> fleet_errors();
std::span<const ErrorCode> job_errors();
std::span<const ErrorCode> platform_errors();
std::span<const ErrorCode> rule_errors();

}  // namespace reeve::scenarios
