// Machines that one rents oneself (EC2, GCP): what no managed service takes care of, as data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <reeve/policy/job.hpp>
#include <reeve/policy/units.hpp>
#include <string>

#include "models/duration_law.hpp"

namespace reeve::models {

/// Part of a pool: `instances` of it stand in one zone.
struct ZonePart {
  std::string zone;
  std::uint32_t instances = 0;
};

using policy::Placement;

/// What becomes of an attempt whose Spot machines are taken: it fails, or waits for others.
enum class SpotRequest : std::uint8_t { one_time, persistent };

/// Spot says so `lead` before it takes machines, with `probability`.  Whoever runs on them looks
/// every `poll`, from when they run.
struct Notice {
  policy::Duration lead{0};  ///< 0: none
  double probability = 1;
  policy::Duration poll = std::chrono::seconds{5};
};

/// A signal `lead` before the notice would come, with `probability`.
struct Rebalance {
  policy::Duration lead{0};
  double probability = 0;
  double false_per_hour = 0;  ///< of each launch that no loss is known of; its first one counts
};

/// Nodes of a gang look every `poll` for the tag with the master's address, from the end of their
/// start-up on.  It is there `tags_after` the machines run; none: never.
struct Rendezvous {
  policy::Duration poll = std::chrono::seconds{5};
  std::optional<DurationLaw> tags_after;
};

/// When they go on: at the first look after a start-up at which the tag is there; all from the
/// launch.  Duration::max() if that is never.
constexpr policy::Duration meets_after(const Rendezvous& rendezvous, policy::Duration startup,
                                       policy::Duration tags) {
  using policy::Duration;
  if (tags <= startup) return startup;
  const Duration missed = tags - startup;
  const std::int64_t poll = rendezvous.poll.count();
  const std::int64_t looks = missed.count() / poll + (missed.count() % poll == 0 ? 0 : 1);
  std::int64_t waited = 0;
  if (__builtin_mul_overflow(looks, poll, &waited)) return Duration::max();
  const bool ever = waited <= (Duration::max() - startup).count();
  return ever ? startup + Duration{waited} : Duration::max();
}

/// How jobs live on machines of one's own.
struct Unmanaged {
  SpotRequest spot_request = SpotRequest::one_time;
  /// A request that does not fit is made again until it does; else the attempt fails at once.
  bool waits_for_capacity = false;
  Rebalance rebalance;
  std::optional<Rendezvous> rendezvous;
  double self_destruct_fails = 0;  ///< that machines outlive a script which is over
  double untagged_instances = 0;   ///< that machines of an attempt lack the tag with their job
  policy::Duration debug_hold{0};  ///< machines of a failed attempt are kept for so long
  policy::Duration log_flush{0};   ///< what a failed attempt said is known after so long
};

}  // namespace reeve::models
