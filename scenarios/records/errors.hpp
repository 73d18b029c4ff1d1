// What the codes mean that the readers of recorded series report: a table for each subject.
#pragma once

#include <span>

#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

std::span<const ErrorCode> market_errors();
std::span<const ErrorCode> price_book_errors();
std::span<const ErrorCode> trace_errors();

}  // namespace reeve::scenarios
