// The queues of a scenario as AWS Batch has them, and what creates them there.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/queue.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/keys/scenario.hpp"
#include "scenarios/load/resolved/batch_limits.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

/// The unit of capacity limits that pool all types.
inline constexpr std::string_view batch_all_types = "NUM_INSTANCES";

/// The reason of `jobStateTimeLimitActions` that reeve has a model of.
inline constexpr std::string_view batch_capacity_reason = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY";

/// Instances of one type, or of all.
struct BatchLimit {
  std::string unit;
  std::int64_t instances = 0;
  friend bool operator==(const BatchLimit&, const BatchLimit&) = default;
};

/// A service environment.
struct BatchEnvironment {
  std::string name;
  std::vector<BatchLimit> limits = {};
  friend bool operator==(const BatchEnvironment&, const BatchEnvironment&) = default;
};

/// A quota share, or a share identifier of fair share, which has a weight alone.
struct BatchShare {
  std::string name;
  std::vector<BatchLimit> limits = {};
  policy::Sharing sharing = policy::Sharing::reserve;
  std::int64_t borrow_limit_pct = policy::borrow_without_limit;
  bool in_share_preemption = false;
  std::uint32_t weight = policy::weight_one;
  friend bool operator==(const BatchShare&, const BatchShare&) = default;
};

/// How the scheduling policy of a queue is called.
inline std::string batch_policy_name(const std::string& queue) {
  return queue + "-policy";
}

/// By which scheduling policy a queue goes; the first has none.
enum class BatchOrder : std::uint8_t { fifo, fair_share, quota };

/// A job queue with its scheduling policy.
struct BatchQueue {
  std::string name;
  std::string environment = {};
  std::int64_t priority = 0;
  std::int64_t runnable_limit_s = 0;  ///< jobStateTimeLimitActions; 0: none
  BatchOrder order = BatchOrder::fifo;
  std::int64_t share_decay_s = 0;
  std::int64_t compute_reservation_pct = 0;
  std::vector<BatchShare> shares = {};
  friend bool operator==(const BatchQueue&, const BatchQueue&) = default;
};

/// What AWS Batch knows of queues.
struct BatchSet {
  std::vector<BatchEnvironment> environments = {};
  std::vector<BatchQueue> queues = {};
  friend bool operator==(const BatchSet&, const BatchSet&) = default;
};

/// With what is left out, as warnings.
struct BatchReading {
  BatchSet set = {};
  std::vector<Diagnostic> warnings = {};
};

/// The queues of a scenario under one of its policies.  Throws InputError: E0350 ... E0354, at the
/// place in the file, for what AWS Batch has not or refuses.  Warnings: W0580.
BatchReading batch_of(const Scenario& scenario, const PolicySpec& policy);
/// The same of a scenario that was read from a text in memory.
BatchReading batch_of(const Scenario& scenario, const PolicySpec& policy,
                      std::shared_ptr<const SourceFile> written);

/// A CloudFormation template in JSON.
std::string cloudformation_text(const BatchSet& set, std::string_view description);

/// One call of the AWS CLI: `aws batch OPERATION --cli-input-json file://FILE`.
struct BatchCall {
  std::string operation;
  std::string file;
  std::string text;
};

/// Where the calls are made; needed for the ARN of a scheduling policy alone.
struct BatchPlace {
  std::string region = {};
  std::string account = {};
};

/// The calls, in the order in which they must be made.
std::vector<BatchCall> batch_calls(const BatchSet& set, const BatchPlace& place);

}  // namespace reeve::scenarios
