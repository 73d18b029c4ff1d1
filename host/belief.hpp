// The host's belief about the fleet: columns updated from observations in any order of arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/seat.hpp"

namespace reeve::host {

/// The writable fleet view.  Observations of a job are ordered by (attempt, revision): an older or
/// repeated one never reverts the belief.  Revisions count from 1, as in SageMaker's transitions.
class Belief : public policy::FleetView {
 public:
  /// `directory` must outlive the belief; ids in observations must be valid in it.
  explicit Belief(const policy::Directory& directory, std::size_t jobs_expected = 0);

  void fold(const policy::Observation& seen);

  bool knows(policy::JobId job) const {
    return job.index < status_.size() && status_[job.index].attempt != 0;
  }
  /// Of the newest or an earlier attempt with an observed submission; attempt 0 means the newest of
  /// the job.  Nothing if the submission was not observed: unknown does not mean missing.
  std::optional<Whereabouts> whereabouts(policy::JobId job, policy::AttemptNumber attempt) const;
  /// Whether the newest attempt is in progress and holds instances.
  bool runs(policy::JobId job) const;
  /// When the newest attempt first held instances, startup included; `never` before.  A platform
  /// begins to count run time at this instant or later.
  policy::Instant machines_since(policy::JobId job) const;
  /// The number of jobs for which `runs` is believed to be true.
  std::size_t running() const { return running_; }
  /// Whether the effect of `verb` is observed.  False for verbs that do not affect a job's status.
  bool shows_effect(const policy::Verb& verb) const;
  /// Whether `verb` is pointless: its target is unknown, has ended, or is not the newest attempt.
  bool is_moot(const policy::Verb& verb) const;

  static constexpr std::uint32_t no_action = 0;
  /// The handle of the action in flight on the job, or `no_action`.  The job must be known.
  std::uint32_t in_flight(policy::JobId job) const { return own_[job.index].in_flight; }
  void set_in_flight(policy::JobId job, std::uint32_t handle) {
    own_[job.index].in_flight = handle;
    status_[job.index].busy = handle != no_action;
  }
  /// A stop of the attempt by `seat` is in flight.  If the attempt is observed to be stopped,
  /// however late, this stop ended it.
  void expect_stop(policy::JobId job, policy::AttemptNumber attempt, policy::SeatId seat) {
    own_[job.index].stop_sent_for = attempt;
    own_[job.index].stop_sent_by = static_cast<std::uint8_t>(seat.index + 1);
  }
  /// The same of a job that may not have been observed yet.
  void recall_stop(policy::JobId job, policy::AttemptNumber attempt, policy::SeatId seat) {
    grow(job);
    expect_stop(job, attempt, seat);
  }
  /// The stop was refused for good: something else ends the attempt.
  void expect_no_stop(policy::JobId job) { own_[job.index].stop_sent_for = 0; }
  /// The kind and name of the rule in each seat; at most 255 seats.
  void set_rules(std::vector<std::string> rules, std::vector<std::string> names);

 private:
  struct Own {
    std::uint32_t in_flight = no_action;
    policy::AttemptNumber stop_sent_for = 0;         ///< 0: none
    std::uint8_t stop_sent_by = 0;                   ///< 1 + seat
    policy::Instant machines_since = policy::never;  ///< of the newest attempt
  };
  static_assert(sizeof(Own) == 16, "one for each job of a fleet, which may be millions");

  /// The newest placement of a job.
  struct Placed {
    policy::AttemptNumber attempt = 0;
    policy::PoolId in;
    policy::Instant at;
  };

  struct Earlier {
    policy::AttemptNumber attempt = 0;
    Whereabouts where = {};
  };

  const Earlier* earlier(policy::JobId job, policy::AttemptNumber attempt) const;
  void keep_earlier(policy::JobId job, const Earlier& attempt);
  void fold(const policy::JobSubmitted& event, policy::Instant at);
  void fold(const policy::JobChanged& event, policy::Instant at);
  void fold(const policy::JobPlaced& event, policy::Instant at);
  void fold(const policy::ProgressReported& event, policy::Instant at);
  void place(policy::JobId job);
  void fold(const policy::CapacityChanged& event, policy::Instant at);
  void fold(const policy::KillSwitchChanged& event, policy::Instant at);
  void fold(const policy::QuotaChanged& event, policy::Instant at);
  void fold(const policy::PriorityChanged& event, policy::Instant at);
  void grow(policy::JobId job);
  void count_running(policy::Primary before, policy::Primary after);
  void begin_attempt(policy::JobId job, policy::AttemptNumber attempt, policy::Instant at);

  std::vector<Own> own_;
  /// By job: the attempts with an observed submission, except the newest, ascending.
  std::vector<std::vector<Earlier>> earlier_;
  std::map<policy::JobId, Placed> placed_;
  std::vector<policy::Instant> progress_at_;  ///< as progress_: when the believed value was true
  std::vector<policy::Instant> capacity_at_;  ///< per pool: when the believed capacity was true
  std::vector<policy::Instant> quota_at_;     ///< as quota_: when the believed value was true
  /// Of jobs with a changed priority: the time and the new value.
  std::map<policy::JobId, std::pair<policy::Instant, std::int32_t>> priorities_;
  std::size_t running_ = 0;
  policy::Instant kill_switch_at_ = policy::Instant::min();
};

}  // namespace reeve::host
