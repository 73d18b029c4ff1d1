// What every error and warning code means: the catalogue behind `reeve explain E0203`, joined from
// the tables that stand by the code that reports them.
#pragma once

#include <span>
#include <string_view>

#include "scenarios/text/error_code.hpp"

namespace reeve::app {

using scenarios::ErrorCode;

/// Ordered by code, errors first.
std::span<const ErrorCode> error_codes();

/// Null if there is no such code.
const ErrorCode* find_error_code(std::string_view code);

}  // namespace reeve::app
