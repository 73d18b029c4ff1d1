// Orders that an attempt's place in does not change while it waits: first in first out, shortest
// job first.
#pragma once

#include <memory>

#include "algorithm.hpp"

namespace reeve::policies {

/// `strict`: whoever is first blocks its pool until there is room; else anybody who fits starts.
std::unique_ptr<Algorithm> first_in_first_out(bool strict);
std::unique_ptr<Algorithm> shortest_job_first(bool strict);

}  // namespace reeve::policies
