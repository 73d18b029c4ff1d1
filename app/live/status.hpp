// The commands `reeve live status` and `reeve live log`: what a record of a shadow run says.
#pragma once

#include <string>
#include <vector>

#include "app/console.hpp"

namespace reeve::app {

/// How the run stands: since when, the jobs by status, and what the rules propose.  The exit code
/// is 1 if the run ended without its last words.
int live_status(const std::string& directory, const Console& console);

struct LogFilter {
  std::vector<std::string> rules;  ///< names; none: all
  std::vector<std::string> jobs;   ///< names of training jobs; none: all

  bool takes(const std::string& rule, const std::string& job) const;
};

/// Each proposal, by time.  Throws UsageError for a rule that the run does not have.
int live_log(const std::string& directory, const LogFilter& filter, const Console& console);

}  // namespace reeve::app
