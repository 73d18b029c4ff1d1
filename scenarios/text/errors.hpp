// What the codes mean that the readers of texts and their values report: a table for each subject.
#pragma once

#include <span>

#include "scenarios/text/error_code.hpp"

namespace reeve::scenarios {

std::span<const ErrorCode> csv_errors();
std::span<const ErrorCode> text_errors();

}  // namespace reeve::scenarios
