// Rules from shared objects: loaded before anything is read, refused if they do not fit.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/error_code.hpp"

namespace reeve::app {

/// Adds the rules of each file to the registry, for as long as the program runs.  Throws
/// InputError: E0295 it cannot be loaded, E0296 it was built for another contract, E0297 a rule is
/// none.
void load_plugins(const std::vector<std::string>& paths);

/// Begins the name that a watchdog has of a call into a plug-in that is no decision.
inline constexpr std::string_view plugin_call = "plug-in ";

/// What these codes mean.
std::span<const scenarios::ErrorCode> plugin_errors();

}  // namespace reeve::app
