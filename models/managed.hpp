// What SageMaker adds to the life of a training job: quotas, repairs, API rates, odd ends.
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

/// How many instances of one type jobs may have at once, by QuotaFamily; none: no limit.
struct InstanceQuota {
  policy::TypeId type;
  std::array<std::optional<std::uint32_t>, quota_family_count> instances{};
};

/// After a hardware fault: the broken host is rebooted or replaced, unbilled, before anybody learns
/// of a failure.
struct ClusterRepair {
  std::uint32_t max = 10;  ///< per attempt; the next hardware fault fails it
  policy::Duration reboot = std::chrono::minutes{5};
  policy::Duration replace = std::chrono::minutes{20};
  double replace_share = 0.5;  ///< of the repairs
};

/// An upload after a stop that does not come to its end (sagemaker-python-sdk#3062).
struct LateUpload {
  double probability = 0;
  DurationLaw lasts;
};

/// What managed Spot bills: held time at the price of Spot, or that as whole seconds at the
/// on-demand price, as BillableTimeInSeconds has them.
enum class SpotBilling : std::uint8_t { exact, billable_seconds };

/// A window in which the control plane is out of order: probabilities of a call's outcome.
struct BrownOut {
  policy::Duration from{0};
  policy::Duration until{0};
  double throttled = 1;
  double lost_reply = 0;
};

/// From an alarm to whoever listens: in the windows, or by chance, its news are not delivered.
struct AlarmLink {
  std::vector<TimeSpan> down;
  double lost = 0;
};

/// The application's own: what stands still for `timeout` fails, unless it is missed.
struct Watchdog {
  policy::Duration timeout = std::chrono::minutes{30};
  double miss_probability = 0;
  policy::FailureClass failure = policy::FailureClass::unknown;
};

/// A zone is gone, with all that ran there.
struct Outage {
  struct Part {
    policy::PoolId pool;
    std::size_t zone = 0;  ///< of those that it is spread over
  };
  policy::Duration from{0};
  policy::Duration until{0};
  std::vector<policy::PoolId> pools;  ///< that stand there
  std::vector<Part> parts;            ///< of pools that are spread over several
};

}  // namespace reeve::models
