// What the keys of queues decode into, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "scenarios/load/keys/raw_input.hpp"

namespace reeve::scenarios {

using FleetCounts = std::vector<std::pair<std::string, std::uint32_t>>;  ///< instances by fleet

struct EnvironmentInput {
  std::optional<Node> written;
  std::string name;
  FleetCounts limits;
  std::optional<std::uint32_t> instances;
};

struct QuotaChangeInput {
  std::optional<Node> written;
  Duration at{0};
  FleetCounts quota;
};

struct ShareInput {
  std::optional<Node> written;
  std::string name;
  FleetCounts quota;
  policy::Sharing sharing = policy::Sharing::reserve;
  std::int32_t borrow_limit_pct = policy::borrow_without_limit;
  bool in_share_preemption = false;
  double weight = 1;
  std::vector<QuotaChangeInput> changes;
};

/// A priority by tag.
struct TagPriorityInput {
  std::optional<Node> written;
  std::vector<std::string> tags;
  std::int32_t priority = 0;
};

struct QueueInput {
  std::optional<Node> written;
  std::string name;
  std::optional<std::string> fleet;
  std::optional<std::string> environment;
  std::vector<std::string> shares;
  std::int32_t priority = 0;
  std::optional<Duration> runnable_limit;
  std::vector<TagPriorityInput> priorities;
};

/// `priority` applies from `at` on and replaces any earlier one.
struct PriorityChangeInput {
  std::optional<Node> written;
  Duration at{0};
  std::int32_t priority = 0;
};

struct RetryEntryInput {
  std::optional<Node> written;
  std::string on_status_reason;
  bool retries = false;
};

/// What AWS Batch does with a job of a queue after an attempt failed.
struct QueueRetryInput {
  std::uint16_t attempts = 1;
  std::vector<RetryEntryInput> evaluate_on_exit;
};

}  // namespace reeve::scenarios
