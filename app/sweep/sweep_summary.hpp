// What a sweep comes to, as data: manifest.json has it, and the report page shows it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/sweep/sweep_tables.hpp"

namespace reeve::app {

/// The best cell, heat maps, effects and the Pareto front. Dollars and seconds are plain numbers.
nlohmann::ordered_json summary_of(const SweepNumbers& numbers, const Objective& objective);

}  // namespace reeve::app
