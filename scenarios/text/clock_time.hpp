// Durations as clocks and Slurm show them.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>
#include <string_view>

namespace reeve::scenarios {

/// "26:00:06" or "1-02:00:06": hours, minutes and seconds, and days in front; the seconds may have
/// a fraction.  Nothing for any other text, and beyond 100 years.
std::optional<policy::Duration> parse_clock_time(std::string_view text);

}  // namespace reeve::scenarios
