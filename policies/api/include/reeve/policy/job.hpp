// A training job: its description at submission and its states.
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

/// SageMaker's TrainingJobStatus, and `queued` for work that no platform has received yet.
enum class Primary : std::uint8_t {
  queued,
  in_progress,
  stopping,
  completed,
  failed,
  stopped,
  deleting,
};

/// SageMaker's SecondaryStatus (DescribeTrainingJob).  `queued` is reeve's own; `other` is any
/// newer status.
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
  updating,    ///< listed by SageMaker without a published meaning
  restarting,  ///< likewise
  deleting,
};

/// True for `deleting` too: a job is deleted only after its end.
constexpr bool is_terminal(Primary status) {
  return status >= Primary::completed;
}

/// The prefix of a FailureReason, finer if reeve knows more.  `none`: nothing failed.
enum class FailureClass : std::uint8_t {
  none,
  unknown,
  infrastructure,
  capacity,
  code,
  out_of_memory,
  data,
  configuration,
  hardware,  ///< a health check found a broken host or GPU
  quota,     ///< the account's quota of instances is exhausted
};

/// The only spelling of each class, by value: in scenarios, options of rules, journals and reports.
inline constexpr std::array<std::string_view, 10> failure_class_names{
    "none",          "unknown", "infrastructure", "capacity", "code",
    "out_of_memory", "data",    "configuration",  "hardware", "quota"};

/// The class of that name, or nothing. "none" names no class.
constexpr std::optional<FailureClass> failure_class_named(std::string_view name) {
  const auto* const found =
      std::find(failure_class_names.begin() + 1, failure_class_names.end(), name);
  if (found == failure_class_names.end()) return std::nullopt;
  return static_cast<FailureClass>(found - failure_class_names.begin());
}

/// Where the platform may place the instances of a gang.
enum class Placement : std::uint8_t { any, single_zone };

/// The only spelling of each placement, by value.
inline constexpr std::array<std::string_view, 2> placement_names{"any", "single_zone"};

/// The submitter of an attempt.  `queue`: the queue preempted the job and requeued it.
enum class Origin : std::uint8_t { person, rule, queue };
/// The only spelling of each origin, by value.
inline constexpr std::array<std::string_view, 3> origin_names{"person", "rule", "queue"};

/// The description of a job at its submission.  Later attempts share it.
struct JobDescription {
  Instant submitted_at;
  Duration expected_work{0};               ///< the user's estimate of undisturbed run time
  Duration max_runtime = Duration::max();  ///< StoppingCondition.MaxRuntimeInSeconds
  Duration deadline = Duration::max();     ///< when the user needs the result, from submission
  std::uint32_t instances = 1;
  PoolId pool;
  TypeId type;
  TagSetId tags;
  std::int32_t priority = 0;  ///< within a share, larger runs first
  /// The attempt waits in no pool's queue until a rule has placed it.
  bool awaits_placement = false;
  Placement placement = Placement::any;
  std::uint16_t terms = 0;  ///< index in Directory::terms
};

}  // namespace reeve::policy
