// The nearest value of each threshold of a rule with which it would have spared an attempt.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/explain/job_outcome.hpp"
#include "experiments/explain/thresholds.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// What a run with one option at another value does to the attempt.
struct NearestChange {
  Setting setting;
  std::optional<RuleStop> stop;           ///< that ends the attempt there; none: no rule ends it
  std::optional<policy::Duration> later;  ///< of that stop, than without the change
  bool is_cut_off = false;                ///< the run ends before the attempt does
  /// Billed for the attempt, other than for reserved instances; none: it has only these.
  std::optional<policy::Usd> attempt_more;
  policy::Usd run_more;  ///< billed in all
};

/// Of one stop: each threshold of its rule by itself.
struct NearestChanges {
  RuleStop stop;
  std::vector<NearestChange> changes;  ///< first those that spare it, then by delay
  std::vector<std::string>
      no_difference;      ///< subjects of thresholds that spare the attempt nowhere
  bool all_tried = true;  ///< false: the search ended before its last threshold
};

/// What becomes of the job under another policy; none: interrupted.
using Replay = std::function<std::optional<JobOutcome>(const scenarios::PolicySpec&)>;

/// Of the first stop of `outcome` by a rule, if any.  For each threshold: the nearest value with
/// which the rule does not stop the attempt; if there is none, the first one that stops it later.
/// None if interrupted.  At most `replays_at_most` replays.
std::optional<NearestChanges> nearest_changes(const scenarios::PolicySpec& policy,
                                              const JobOutcome& outcome, const Replay& replay);
inline constexpr int replays_at_most = 200;

}  // namespace reeve::experiments
