// What SageMaker adds to a training job: quotas, cluster repairs, API errors, late uploads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <reeve/policy/units.hpp>
#include <vector>

#include "models/duration_law.hpp"
#include "models/market.hpp"

namespace reeve::models {

/// The three independent families of instance quotas of an account and region.
enum class QuotaFamily : std::uint8_t { training, spot, warm_pool };
inline constexpr std::size_t quota_family_count = 3;

/// The largest number of instances of one type at once, by QuotaFamily; none: no limit.
struct InstanceQuota {
  policy::TypeId type;
  std::array<std::optional<std::uint32_t>, quota_family_count> instances{};
};

/// After a hardware fault, SageMaker reboots or replaces the broken host, unbilled, without
/// reporting a failure.
struct ClusterRepair {
  std::uint32_t max = 10;  ///< per attempt; the next hardware fault fails it
  policy::Duration reboot = std::chrono::minutes{5};
  policy::Duration replace = std::chrono::minutes{20};
  double replace_share = 0.5;  ///< of the repairs
};

/// An upload after a stop that does not finish in time (sagemaker-python-sdk#3062).
struct LateUpload {
  double probability = 0;
  DurationLaw lasts;
};

/// The bill of managed Spot: held time at the Spot price, or scaled to whole seconds at the
/// on-demand price, like BillableTimeInSeconds.
enum class SpotBilling : std::uint8_t { exact, billable_seconds };

/// A window of control-plane trouble: probabilities of the outcome of a call.
struct BrownOut {
  policy::Duration from{0};
  policy::Duration until{0};
  double throttled = 1;
  double lost_reply = 0;
};

/// Between an alarm and its receivers: in the windows `down`, or with probability `lost`,
/// transitions are not delivered.
struct AlarmLink {
  std::vector<TimeSpan> down;
  double lost = 0;
};

/// The application's own watchdog: a job that stalls for `timeout` fails, unless the watchdog
/// misses it.
struct Watchdog {
  policy::Duration timeout = std::chrono::minutes{30};
  double miss_probability = 0;
  policy::FailureClass failure = policy::FailureClass::unknown;
};

/// An outage of a zone: all that runs there is lost.
struct Outage {
  struct Part {
    policy::PoolId pool;
    std::size_t zone = 0;  ///< index in the zones of the pool
  };
  policy::Duration from{0};
  policy::Duration until{0};
  std::vector<policy::PoolId> pools;  ///< entirely in that zone
  std::vector<Part> parts;            ///< of pools in several zones
};

}  // namespace reeve::models
