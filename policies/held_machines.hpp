// Since when, and for how long in all, machines have been held for each job, as statuses tell.
#pragma once

#include <algorithm>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <utility>
#include <variant>

namespace reeve::policies {

/// Machines are held from Starting on until the end of the attempt, but while it is Interrupted.
inline bool holds_machines(const policy::JobStatus& status) {
  if (status.primary != policy::Primary::in_progress &&
      status.primary != policy::Primary::stopping) {
    return false;
  }
  return status.secondary != policy::Secondary::queued &&
         status.secondary != policy::Secondary::pending &&
         status.secondary != policy::Secondary::interrupted;
}

/// When an attempt began to hold machines.
struct Start {
  policy::AttemptNumber attempt = 0;
  policy::Instant at;
};

/// The start that was told last, which the belief does not keep if it was told after Training.
class StartNews {
 public:
  void hear(const policy::Observation& seen) {
    const auto* told = std::get_if<policy::JobChanged>(&seen.fact);
    if (told == nullptr || told->secondary != policy::Secondary::starting) return;
    job_ = told->job;
    start_ = Start{told->attempt, seen.happened_at};
  }
  /// For the job that it is of, once.
  std::optional<Start> take(policy::JobId job) {
    return start_ && job_ == job ? std::exchange(start_, std::nullopt) : std::nullopt;
  }

 private:
  policy::JobId job_;
  std::optional<Start> start_;
};

/// The machines of one job.  News may be late: a stretch begins and ends when it happened, and one
/// whose beginning is told after its middle is made longer.  An interruption that is told after the
/// start that followed it is not seen: the belief is the newest news.
class HeldMachines {
 public:
  policy::Instant since() const { return since_; }  ///< `never` while none are held
  /// Before `since`, and while none are held in all.
  policy::Duration before() const { return before_; }
  policy::Duration until(policy::Instant now) const {
    return since_ == policy::never || now <= since_ ? before_ : before_ + (now - since_);
  }

  /// Takes in the belief as it is now, and a start of this job if one was just told.
  void note(const policy::JobStatus& status, const std::optional<Start>& told) {
    if (status.attempt > attempt_) {
      end(status.requested_at);  // how the attempt before ended was not told
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
  policy::Instant ended_ = policy::Instant::min();  ///< of the newest stretch
  policy::Duration before_{0};
  policy::AttemptNumber attempt_ = 0;
};

}  // namespace reeve::policies
