// What the codes mean that the readers of exports report.
#pragma once

#include <span>

#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

std::span<const ErrorCode> history_errors();

}  // namespace reeve::scenarios
