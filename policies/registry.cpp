#include "registry.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "allowed_types.hpp"
#include "alternatives.hpp"
#include "budget.hpp"
#include "early_stop.hpp"
#include "failure_rate.hpp"
#include "heartbeat.hpp"
#include "idle_capacity.hpp"
#include "long_wait.hpp"
#include "market.hpp"
#include "max_instances.hpp"
#include "max_runtime.hpp"
#include "min_gpu.hpp"
#include "notify.hpp"
#include "office_hours.hpp"
#include "on_demand.hpp"
#include "orphan_sweep.hpp"
#include "relaunch.hpp"
#include "required_tags.hpp"
#include "resume.hpp"
#include "rule.hpp"
#include "save_on_notice.hpp"
#include "schedule.hpp"
#include "spot_fallback.hpp"
#include "spot_only.hpp"
#include "stalled_gpu.hpp"
#include "startup_limit.hpp"
#include "strawman.hpp"
#include "uniform_progress.hpp"
#include "uptime_cap.hpp"

namespace reeve::policies {

namespace {

std::vector<policy::PolicyKind>& all_kinds() {
  static std::vector<policy::PolicyKind> all{
      allowed_types_kind(),  alternatives_kind(),     budget_kind(),        early_stop_kind(),
      failure_rate_kind(),   heartbeat_kind(),        idle_capacity_kind(), long_wait_kind(),
      market_kind(),         max_instances_kind(),    max_runtime_kind(),   min_gpu_kind(),
      notify_kind(),         office_hours_kind(),     on_demand_kind(),     orphan_sweep_kind(),
      relaunch_kind(),       required_tags_kind(),    resume_kind(),        rule_kind(),
      save_on_notice_kind(),
#ifndef REEVE_NO_SCHEDULERS  // an account starts its jobs itself
      schedule_kind(),
#endif
      spot_fallback_kind(),  spot_only_kind(),        stalled_gpu_kind(),   startup_limit_kind(),
      strawman_kind(),       uniform_progress_kind(), uptime_cap_kind()};
  return all;
}

}  // namespace

std::span<const policy::PolicyKind> kinds() {
  return all_kinds();
}

void add_kind(policy::PolicyKind kind) {
  std::vector<policy::PolicyKind>& all = all_kinds();
  const auto after = std::find_if(all.begin(), all.end(), [&](const policy::PolicyKind& known) {
    return known.name > kind.name;
  });
  all.insert(after, std::move(kind));
}

const policy::PolicyKind* find_kind(std::string_view name) {
  for (const policy::PolicyKind& kind : kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace reeve::policies
