// Since when, and for how long in total, each job has held instances, derived from statuses.
#pragma once

#include <algorithm>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <utility>
#include <variant>

namespace reeve::policies {

/// An attempt holds instances from Starting until its end, except while it is Interrupted or waits
/// for capacity.
inline bool holds_machines(const policy::JobStatus& status) {
  if (status.primary != policy::Primary::in_progress &&
      status.primary != policy::Primary::stopping) {
    return false;
  }
  return status.secondary != policy::Secondary::queued && !policy::awaits_capacity(status) &&
         status.secondary != policy::Secondary::interrupted;
}

/// When an attempt began to hold instances.
struct Start {
  policy::AttemptNumber attempt = 0;
  policy::Instant at;
};

/// The last observed start.  The belief does not keep a start that is observed after Training.
class StartEvents {
 public:
  void hear(const policy::Observation& seen) {
    const auto* told = std::get_if<policy::JobChanged>(&seen.fact);
    if (told == nullptr || told->secondary != policy::Secondary::starting) return;
    if (told->lacks_capacity) return;
    job_ = told->job;
    start_ = Start{told->attempt, seen.happened_at};
  }
  /// Returns the start once, if it is of this job.
  std::optional<Start> take(policy::JobId job) {
    return start_ && job_ == job ? std::exchange(start_, std::nullopt) : std::nullopt;
  }

 private:
  policy::JobId job_;
  std::optional<Start> start_;
};

/// The time for which one job holds instances.  Observations can be late: a period begins and ends
/// at the time of the events, and a start observed later extends its period.  An interruption that
/// is observed after the following start is missed, because the belief keeps only the newest
/// status.
class HeldMachines {
 public:
  policy::Instant since() const { return since_; }  ///< `never` while it holds none
  /// The total before `since`, or of all periods while it holds none.
  policy::Duration before() const { return before_; }
  policy::Duration until(policy::Instant now) const {
    return since_ == policy::never || now <= since_ ? before_ : before_ + (now - since_);
  }

  /// Takes the current belief, and a start of this job if one was just observed.
  void note(const policy::JobStatus& status, const std::optional<Start>& told) {
    if (status.attempt > attempt_) {
      end(status.requested_at);  // the end of the previous attempt was not observed
      attempt_ = status.attempt;
      ended_ = status.requested_at;
    }
    if (!holds_machines(status)) return end(status.since);
    if (since_ == policy::never) since_ = std::max(status.since, ended_);
    const bool of_it = told && told->attempt == attempt_ && told->at >= ended_;
    if (of_it) since_ = std::min(since_, told->at);
  }

 private:
  void end(policy::Instant at) {
    if (since_ != policy::never) before_ += std::max(at - since_, policy::Duration{0});
    since_ = policy::never;
    ended_ = std::max(ended_, at);
  }

  policy::Instant since_ = policy::never;
  policy::Instant ended_ = policy::Instant::min();  ///< end of the newest period
  policy::Duration before_{0};
  policy::AttemptNumber attempt_ = 0;
};

}  // namespace reeve::policies
