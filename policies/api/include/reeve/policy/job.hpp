// What a training job is and can be: its description at submission and the states it goes through.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <string_view>

namespace reeve::policy {

/// SageMaker's TrainingJobStatus, and `queued` for work no platform has been asked to run yet.
enum class Primary : std::uint8_t {
  queued,
  in_progress,
  stopping,
  completed,
  failed,
  stopped,
  deleting,
};

/// SageMaker's SecondaryStatus (DescribeTrainingJob); `queued` is reeve's own, `other` any newer
/// one.
enum class Secondary : std::uint8_t {
  queued,
  pending,
  starting,
  downloading,
  training,
  interrupted,
  uploading,
  stopping,
  completed,
  failed,
  stopped,
  max_runtime_exceeded,
  max_wait_time_exceeded,
  other,
  updating,    ///< in SageMaker's list, without a published meaning
  restarting,  ///< likewise
  deleting,
};

/// A job that is being deleted was over before.
constexpr bool is_terminal(Primary status) {
  return status >= Primary::completed;
}

/// The prefix of a FailureReason, finer where reeve knows more.  `none`: nothing failed.
enum class FailureClass : std::uint8_t {
  none,
  unknown,
  infrastructure,
  capacity,
  code,
  out_of_memory,
  data,
  configuration,
  hardware,  ///< a host or GPU that a health check found broken
  quota,     ///< the account may not have so many instances
};

/// The one spelling of each class, in the order of their values: in scenarios, options of rules,
/// journals and reports.
inline constexpr std::array<std::string_view, 10> failure_class_names{
    "none",          "unknown", "infrastructure", "capacity", "code",
    "out_of_memory", "data",    "configuration",  "hardware", "quota"};

/// Nothing for a name that no class of failure has; "none" is none.
constexpr std::optional<FailureClass> failure_class_named(std::string_view name) {
  const auto* const found =
      std::find(failure_class_names.begin() + 1, failure_class_names.end(), name);
  if (found == failure_class_names.end()) return std::nullopt;
  return static_cast<FailureClass>(found - failure_class_names.begin());
}

/// Where the machines of a gang may stand.
enum class Placement : std::uint8_t { any, single_zone };

/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 2> placement_names{"any", "single_zone"};

/// Who asked for an attempt.  `queue`: it was preempted and stands in its line again.
enum class Origin : std::uint8_t { person, rule, queue };
/// The one spelling of each, in the order of their values.
inline constexpr std::array<std::string_view, 3> origin_names{"person", "rule", "queue"};

/// What is known of a job when it is submitted.  Later attempts share it.
struct JobDescription {
  Instant submitted_at;
  Duration expected_work{0};               ///< the user's own estimate of undisturbed run time
  Duration max_runtime = Duration::max();  ///< StoppingCondition.MaxRuntimeInSeconds
  Duration deadline = Duration::max();     ///< when the user needs the result, after submission
  std::uint32_t instances = 1;
  PoolId pool;
  TypeId type;
  TagSetId tags;
  std::int32_t priority = 0;  ///< larger runs first inside a share
  /// The attempt waits, in no pool's line, until a rule has placed it.
  bool awaits_placement = false;
  Placement placement = Placement::any;
  std::uint16_t terms = 0;  ///< place in Directory::terms
};

}  // namespace reeve::policy
