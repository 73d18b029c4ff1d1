// Queues without a forecast: the first job blocks its pool, or any job that fits starts.
#pragma once

#include <memory>

#include "job_order.hpp"

namespace reeve::policies {

/// `strict`: the first job blocks its pool until there is room; else any job that fits starts.
std::unique_ptr<Algorithm> static_order(const JobOrder& order, bool strict);

}  // namespace reeve::policies
