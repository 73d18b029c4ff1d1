// Rules beside the running jobs of an account at one instant.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/rule_run.hpp"
#include "live/feed/account_jobs.hpp"

namespace reeve::app {

/// Throws UsageError if a guard has a memory: it ends with the pass, so the guard would not hold.
/// `command`: of the message.
void check_guards_of_pass(const std::string& command, const scenarios::GuardSpec& guards);

class SnapshotRun {
 public:
  /// Reads the running jobs.  Throws CloudError.  The references must outlive it.
  SnapshotRun(RuleRun& rules, Account& account, const Console& console);

  host::Feed& feed() { return snapshot_; }
  const live::AccountJobs& jobs() const { return jobs_; }
  policy::Instant at() const { return at_; }
  /// What else the rules observe, behind the running jobs.  Call it before `observe`.
  void add(live::FleetEvent event) { jobs_.jobs.push_back(std::move(event)); }
  /// Call it once.  `feed`: this feed, or one that adds to it.
  void observe(host::Feed& feed, Acting acting);
  /// Empty: all was read and judged.
  std::string why_partial() const;

 private:
  RuleRun& rules_;
  Account& account_;
  const Console& console_;
  policy::Instant at_;  ///< before the reading: a job that is read later may have changed by then
  live::AccountJobs jobs_;
  live::Snapshot snapshot_;
  std::optional<live::FailedCall> unread_metrics_;
};

}  // namespace reeve::app
