// Runs the parts of a sweep as array jobs of AWS Batch.
#pragma once

#include <string>
#include <string_view>

#include "app/console.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// The variable of a container with the shards of its job, "3,7-9": AWS_BATCH_JOB_ARRAY_INDEX
/// counts places in it from 0.  A job of one shard is no array job and has no index.
inline constexpr const char* shards_variable = "REEVE_SHARDS";

struct BatchOptions {
  std::string queue;
  std::string definition;  ///< of the job
  std::string program;     ///< in the image; empty: its entry point
};

/// As finish_on(), with the account of the environment.  The containers see the directory at the
/// same path.  Throws CloudError with what AWS answers.
bool finish_on_batch(const std::string& directory, const SweepPlan& plan,
                     const BatchOptions& options, const Console& console);

}  // namespace reeve::app
