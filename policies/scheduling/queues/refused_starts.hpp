// Refused starts: what refused them, and when each is proposed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <set>
#include <utility>
#include <vector>

#include "quota.hpp"
#include "waiting_jobs.hpp"

namespace reeve::policies {

/// Holds jobs whose start was refused until a timer fires, or until the limit that refused them may
/// have room.  A limit is the instances of a pool, or a quota of the account that pools share.
class RefusedStarts {
 public:
  /// The limits of one pool, as indices.
  struct Limits {
    std::size_t instances = 0;
    std::size_t quota = 0;
  };

  /// A start that a limit counts or refuses.
  struct Start {
    std::uint32_t instances = 0;
    bool has_preempted = false;  ///< others were preempted for it
  };

  /// A job that is not proposed again before `until`.
  struct Held {
    Waiting place;
    policy::Instant until = policy::never;
    std::optional<std::size_t> limit;  ///< what refused it, if that may have room
    Start start;
  };

  /// Refusals of one attempt that count for its wait: from a nanosecond to more than an hour.
  static constexpr std::uint8_t doublings_max = 42;

  explicit RefusedStarts(policy::Duration retry_after) : retry_after_{retry_after} {}

  policy::Duration retry_after() const { return retry_after_; }
  /// The limits of one pool more.
  Limits add_pool(Quota quota);
  /// What refused a start in the pool, if it may have room before a timer fires.
  static std::optional<std::size_t> limit_of(const policy::ActionSettled& refused, Limits of_pool);

  // Starts.

  void asked(Limits of_pool);
  /// A start that was proposed is no longer open: it happened, was refused, or was withdrawn.
  void answered(Limits of_pool);
  /// Starts that are proposed and not answered.
  std::size_t asked_in(Limits of_pool) const { return limits_[of_pool.instances].asked; }
  /// A start worked: so may one of as many instances that was refused.
  void worked(Limits of_pool, Start start);
  /// The limit is full for starts as large, as far as is known.
  void refused_by(std::size_t limit, Start start);

  // Jobs that are held.

  void hold(policy::JobId job, const Held& held) { held_[job] = held; }
  /// The held job waits at its limit, too.
  void wait_at_limit(policy::JobId job);
  void let_go(policy::JobId job);
  bool is_due(policy::JobId job, policy::Instant now) const {
    const auto held = held_.find(job);
    return held != held_.end() && held->second.until <= now;
  }
  /// How long an attempt waits after a number of refusals.
  policy::Duration wait_of(std::uint8_t refusals, bool has_preempted) const;

  // Limits.

  /// When the limit is to be looked at for all jobs without a timer; never: that is set already.
  policy::Instant look_later(std::size_t limit, policy::Instant now);
  /// The job that finds out at that time whether the limit has room.
  std::optional<policy::JobId> look(std::size_t limit, policy::Instant now);
  /// Something that the limit counts has ended.  If it was `preempted` for a job, that is no sign
  /// of room for jobs that preempt.
  void reopen(std::size_t limit, bool preempted = false);
  void reopen_all();
  /// Limits at which a job may be released at the end of the step.
  std::vector<std::size_t> take_stirred();
  /// The first job that the limit may have room for.  One at a time is proposed, so that thousands
  /// cost as much as those that start.
  std::optional<policy::JobId> next(std::size_t limit) const;
  /// Others were preempted for the job, if it is held.
  void has_preempted(policy::JobId job);

 private:
  static constexpr std::uint32_t none_refused = std::numeric_limits<std::uint32_t>::max();

  struct Limit {
    std::map<std::uint32_t, std::set<Waiting>> refused;  ///< by size
    /// Starts of this size or more are refused, as far as is known since something ended.
    std::uint32_t full_for = none_refused;
    /// The same of jobs that preempt, since something ended that was not preempted for a job.
    std::uint32_t full_for_preempting = none_refused;
    std::size_t asked = 0;                 ///< starts that are proposed and not answered
    policy::Instant look = policy::never;  ///< when one of them finds out whether there is room
    std::uint8_t refusals = 0;             ///< one after the other
    bool stirred = false;
  };

  void stir(std::size_t limit);
  policy::Duration wait_after(std::uint8_t refusals, policy::Duration enough) const;

  policy::Duration retry_after_;
  std::vector<Limit> limits_;
  std::map<Quota, std::size_t> quotas_;  ///< their indices in `limits_`
  std::vector<std::size_t> stirred_;     ///< likewise
  std::map<policy::JobId, Held> held_;
};

}  // namespace reeve::policies
