// The file of `live plan --out`, as `live enforce` carries it out.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/live/rule_run.hpp"
#include "live/act/kill_switch.hpp"
#include "live/feed/account_jobs.hpp"

namespace reeve::app {

/// How every plan begins.
inline constexpr std::string_view plan_begins = "{\"reeve_plan\":1";

struct PlannedAction {
  std::string rule;
  std::string action;  ///< a verb of rules, such as `stop_job`
  std::string job;     ///< name of the training job
  /// CreationTime.  A job with the same name and another time is another job.
  policy::Instant created;
  std::string reason;
  std::string basis;
};

struct PlanFile {
  policy::Instant at;
  std::string account;
  std::string region;
  std::optional<std::uint32_t> stops_per_hour;  ///< a guard of the configuration
  std::vector<std::string> protected_tags;      ///< `key` or `key=value`
  live::KillPlaces kill_switch;                 ///< of the configuration
  std::vector<PlannedAction> actions;
  std::string digest;  ///< SHA-256 of the file
};

/// The key "enforce" of a plan: what the rules in enforce mode would do and no guard refuses.
nlohmann::ordered_json enforceable(const RuleRun& rules, const live::AccountJobs& jobs);

/// Throws UsageError if the file is no plan of this version.
PlanFile read_plan(const std::string& file);

}  // namespace reeve::app
