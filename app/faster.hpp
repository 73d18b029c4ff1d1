// What more speed would be worth: the same study of jobs that train so many times as fast.
#pragma once

#include <string>
#include <vector>

#include "app/study.hpp"
#include "scenarios/scenario.hpp"

namespace reeve::app {

/// The same scenario, but that work takes 1 / `factor` of the time.  What loaders sustain stays.
scenarios::Scenario at_speed(const scenarios::Scenario& scenario, double factor);

/// One line per policy: what it then bills, and when results are there.
std::vector<std::string> faster_notes(const Study& study, const Study& faster, double factor);

}  // namespace reeve::app
