// Handlers of rules that are defective as they stand in print.
#pragma once

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

/// Whether its handler is one that does nothing at all: nothing else about the rule matters.
bool does_nothing(const SeatSpec& seat);

}  // namespace reeve::scenarios
