// Queues without a forecast: whoever is first blocks its pool, or anybody who fits starts.
#pragma once

#include <memory>

#include "job_order.hpp"

namespace reeve::policies {

/// `strict`: whoever is first blocks its pool until there is room; else anybody who fits starts.
std::unique_ptr<Algorithm> static_order(const JobOrder& order, bool strict);

}  // namespace reeve::policies
