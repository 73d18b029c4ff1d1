// What AWS Batch accepts of a queue, for its lints and for the export.
#pragma once

#include <chrono>
#include <cstddef>
#include <reeve/policy/units.hpp>

namespace reeve::scenarios {

/// Quota shares of a queue (CreateQuotaShare).
inline constexpr std::size_t most_batch_shares = 20;
/// Capacity limits of a quota share, and of its service environment.
inline constexpr std::size_t most_batch_limits = 5;

/// Whether `maxTimeSeconds` of `jobStateTimeLimitActions` can be it.
constexpr bool is_runnable_limit_of_batch(policy::Duration limit) {
  return limit % std::chrono::seconds{1} == policy::Duration{0} &&
         limit >= std::chrono::minutes{10} && limit <= std::chrono::hours{24};
}

}  // namespace reeve::scenarios
