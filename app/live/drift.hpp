// The command `reeve live drift`: what the simulator predicts for the jobs of a record, beside what
// happened.
#pragma once

#include <cstdint>
#include <string>

#include "app/console.hpp"

namespace reeve::app {

struct DriftArguments {
  std::string directory;            ///< of a shadow run
  std::uint32_t replications = 20;  ///< of the prediction; one if nothing is drawn
};

/// Prints the time per status and the billed time of the jobs, and the proposals of the rules: each
/// predicted, observed, and the mean difference with its 95 % interval.  Returns the exit code.
int live_drift(const DriftArguments& arguments, const Console& console);

}  // namespace reeve::app
