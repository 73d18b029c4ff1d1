// Self-managed instances (EC2, GCP): what no managed service does for a job, as data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <reeve/policy/job.hpp>
#include <reeve/policy/units.hpp>
#include <string>

#include "models/duration_law.hpp"

namespace reeve::models {

/// A part of a pool: `instances` of it are in one zone.
struct ZonePart {
  std::string zone;
  std::uint32_t instances = 0;
};

using policy::Placement;

/// An attempt that loses its Spot instances fails (one_time) or waits for others (persistent).
enum class SpotRequest : std::uint8_t { one_time, persistent };

/// With `probability`, Spot gives notice `lead` before a reclaim.  The job checks for it every
/// `poll` from its launch on.
struct Notice {
  policy::Duration lead{0};  ///< 0: none
  double probability = 1;
  policy::Duration poll = std::chrono::seconds{5};
};

/// A signal `lead` before the notice, with `probability`.
struct Rebalance {
  policy::Duration lead{0};
  double probability = 0;
  double false_per_hour = 0;  ///< per launch without a known loss; only its first one counts
};

/// After their startup, the nodes of a gang check every `poll` for the tag with the master's
/// address.  The tag is set `tags_after` the launch; none: never.
struct Rendezvous {
  policy::Duration poll = std::chrono::seconds{5};
  std::optional<DurationLaw> tags_after;
};

/// The delay from the launch until the nodes continue: the first check after startup that finds the
/// tag.  Duration::max() if it never does.
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

/// Jobs on self-managed instances.
struct Unmanaged {
  SpotRequest spot_request = SpotRequest::one_time;
  /// A launch without capacity is requested again until it succeeds; else the attempt fails at
  /// once.
  bool waits_for_capacity = false;
  Rebalance rebalance;
  std::optional<Rendezvous> rendezvous;
  double self_destruct_fails = 0;  ///< probability that instances outlive a script that has ended
  double untagged_instances = 0;   ///< probability that instances lack the tag that names their job
  policy::Duration debug_hold{0};  ///< how long instances of a failed attempt are kept
  policy::Duration log_flush{0};   ///< delay until the logs of a failed attempt are available
};

}  // namespace reeve::models
