// Where the kill switch of a live configuration is.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/console.hpp"
#include "live/act/kill_switch.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// `file`: of the command line; none: that of the configuration.
live::KillPlaces kill_places(const scenarios::LiveSpec& settings,
                             const std::optional<std::string>& file);

/// Complains that a place cannot be read.
std::function<void(const live::FailedCall&)> kill_trouble(const Console& console);

}  // namespace reeve::app
