// What more speed would be worth: the same study with faster training.
#pragma once

#include <string>
#include <vector>

#include "app/study/study.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// The same scenario, but that work takes 1 / `factor` of the time.  What loaders sustain stays.
scenarios::Scenario at_speed(const scenarios::Scenario& scenario, double factor);

/// Every measure of every policy at both speeds, and of each rule how its stops are judged.
OtherSpeed compare_speeds(const Study& study, const Study& faster, double factor);

/// One line per policy: what it then bills, when results are there, and which verdicts on stops
/// change.
std::vector<std::string> faster_notes(const Study& study, const Study& faster, double factor);

}  // namespace reeve::app
