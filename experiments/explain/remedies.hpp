// Single changes that might have started a waiting job earlier, each with its own run.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/options.hpp>
#include <string>
#include <variant>
#include <vector>

#include "experiments/explain/run_at_instant.hpp"

namespace reeve::experiments {

/// More instances in its pool, from the start of the run.
struct MoreInstances {
  std::int64_t count = 0;
  std::string pool;
};
/// Higher limits of its environment, from the start: of all instances, and of those of the pool.
struct MoreRoom {
  std::int64_t of_all = 0;
  std::int64_t of_pool = 0;
  std::string pool;
  std::string environment;
};
/// From the instant on.
struct OtherPriority {
  std::int32_t priority = 0;
};
/// From the instant on.
struct OtherQuota {
  std::int64_t quota = 0;
  std::string share;
};
/// From the start; in units of `policy::weight_one`.
struct OtherWeight {
  std::uint32_t weight = 0;
  std::string share;
};
/// Of the scheduling rule.
struct OtherOption {
  std::string option;
  std::variant<std::int64_t, std::string> value;
};

struct Remedy {
  std::variant<MoreInstances, MoreRoom, OtherPriority, OtherQuota, OtherWeight, OtherOption> change;
  policy::Instant starts = policy::never;
  bool keeps = false;  ///< it has its instances since `starts`, from before it waits
  /// Its last attempt, if that ends by the instant.
  struct End {
    policy::Instant at;
    models::EndReason reason = models::EndReason::completed;
  };
  std::optional<End> ended = {};
  /// Instances that it has meanwhile and loses again before the instant.
  struct Span {
    policy::Instant from;
    policy::Instant until;
  };
  std::optional<Span> held_before = {};
};

/// Runs the scenario once for each.
std::vector<Remedy> remedies(RunAtInstant& run, const Waiter& waiter);

}  // namespace reeve::experiments
