// Makes a scenario of queues that AWS Batch has: `reeve import batch`.
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"

namespace reeve::app {

struct BatchArguments {
  std::vector<std::string> queues = {};  ///< empty: all
  std::string instance_type = {};
  std::string jobs = {};
  std::string name = {};

  bool any() const {
    return !queues.empty() || !instance_type.empty() || !jobs.empty() || !name.empty();
  }
};

/// Writes the scenario to `out`, or without says what it would have.  Returns an exit code.
int import_batch(const std::vector<std::string>& files, const BatchArguments& arguments,
                 const std::string& out, const Console& console);

}  // namespace reeve::app
