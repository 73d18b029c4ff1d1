// Lints for rules that can never act, or that act at once, whatever comes.
#pragma once

#include "scenarios/load/loading.hpp"

namespace reeve::scenarios {

/// The seat is not off.
void check_acts(Loading& loading, const SeatSpec& seat, const OptionPlaces& places);

}  // namespace reeve::scenarios
