// Orders in which whoever is behind gives its machines to whoever is before: shortest remaining
// first, least attained service.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithm.hpp"

namespace reeve::policies {

/// By what is left of the work, as far as the user's estimate and the time on machines say: L.
/// Schrage, "A proof of the optimality of the shortest remaining processing time discipline"
/// (Operations Research 16, 1968).  Then by submission.
std::unique_ptr<Algorithm> shortest_remaining_first();

/// By the queue that a job's GPU-time so far puts it in, then by its first start, then by
/// submission: J. Gu et al., "Tiresias" (NSDI 2019), §3.2, 2D-LAS.  Queue k holds those who
/// attained `limits[k - 1]` GPU-seconds or more and less than `limits[k]`; `limits` ascend.
std::unique_ptr<Algorithm> least_attained_service(std::vector<std::int64_t> limits);

}  // namespace reeve::policies
