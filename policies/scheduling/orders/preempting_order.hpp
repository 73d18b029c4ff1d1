// Orders in which jobs behind return instances to jobs ahead: shortest remaining first, least
// attained service, highest Gittins index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithm.hpp"

namespace reeve::policies {

/// By what is left of the work, as far as the user's estimate and the time on instances say: L.
/// Schrage, "A proof of the optimality of the shortest remaining processing time discipline"
/// (Operations Research 16, 1968).  Or by that times the GPUs, shortest remaining service first, as
/// in Tiresias and Y. Zhao et al., "Muri" (SIGCOMM 2022).  Then by submission.
enum class Remaining : std::uint8_t { time, gpu_time };
std::unique_ptr<Algorithm> shortest_remaining_first(Remaining of);

/// Queue k holds jobs that attained `limits[k - 1]` GPU-seconds or more and less than `limits[k]`;
/// `limits` ascend.  A job that has waited, since it lost its instances, `promote_after` times as
/// long as it ran starts again in the first queue; none: no job does.
struct LeastAttained {
  std::vector<std::int64_t> limits;
  std::optional<std::int64_t> promote_after = std::nullopt;
};

/// By the queue that a job's GPU-time so far puts it in, then by its first start, then by
/// submission: J. Gu et al., "Tiresias" (NSDI 2019), §3.2, 2D-LAS, and its STARVELIMIT.
std::unique_ptr<Algorithm> least_attained_service(LeastAttained model);

/// By the Gittins index of the GPU-time so far, among jobs of which equally many are as long as
/// each of `lengths` (GPU-seconds): the job that most likely ends for what is spent on it goes
/// first, then the earlier start.  J. C. Gittins, "Bandit processes and dynamic allocation indices"
/// (1979); Tiresias §3.3, 2D-Gittins, without its queues: lengths are where the index falls.
std::unique_ptr<Algorithm> highest_gittins_first(std::vector<std::int64_t> lengths);

}  // namespace reeve::policies
