// What a job of AWS Batch requests: instances, GPUs, limits.
#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/history/data/findings.hpp"
#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// Reads a container, a multi-node job or the request of a service job.  Warns: W0622 of a second
/// instance type, W0632 of a request that is no JSON.
void read_batch_size(const nlohmann::json& job, HistoryJob& to, FileFindings& findings);

}  // namespace reeve::scenarios
