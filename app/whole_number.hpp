// A whole number on the command line, in decimal digits and within its limits.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace reeve::app {

/// For CLI::Option::transform.  Refuses signs, fractions, exponents and what lies outside of
/// `min`..`max`; leading zeros mean nothing (to CLI11 they mean octal).
CLI::Validator whole_number(std::uint64_t min,
                            std::uint64_t max = std::numeric_limits<std::uint64_t>::max());

}  // namespace reeve::app
