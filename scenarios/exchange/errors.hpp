// What the codes mean that the readers of other formats report: a table for each subject.
#pragma once

#include <span>

#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

std::span<const ErrorCode> exchange_errors();

}  // namespace reeve::scenarios
