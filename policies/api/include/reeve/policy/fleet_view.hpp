// The belief about the fleet, updated from observations: columns by dense id.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <string_view>
#include <vector>

namespace reeve::policy {

/// The belief about the newest attempt of a job.
struct JobStatus {
  Instant since;           ///< when `secondary` was entered
  Instant requested_at;    ///< when the attempt was submitted (SageMaker: CreationTime)
  Instant training_since;  ///< first Training of the attempt; `never` before
  Instant ended_at;        ///< terminal status of the attempt; `never` before
  std::uint32_t revision = 0;
  AttemptNumber attempt = 0;        ///< 0: the job is not known yet
  AttemptNumber described = 0;      ///< newest attempt with an observed submission; 0: none
  std::uint16_t interruptions = 0;  ///< of the attempt
  Primary primary = Primary::queued;
  Secondary secondary = Secondary::queued;
  FailureClass failure = FailureClass::none;
  Origin origin = Origin::person;  ///< the submitter of this attempt
  std::uint8_t stopped_by = 0;     ///< 1 + seat whose stop was observed to end the attempt; 0: none
  bool busy = false;               ///< an action on the job is in flight
  std::uint8_t doubt_pct = 0;      ///< how unsure `failure` is
  bool lacks_capacity = false;     ///< Starting, but it waits for capacity
};

/// Whether the platform looks for instances for the attempt, in Pending or in Starting.
constexpr bool awaits_capacity(const JobStatus& status) {
  return status.primary == Primary::in_progress &&
         (status.secondary == Secondary::pending || status.lacks_capacity);
}

/// Confidence in the failure class of the attempt, in percent; 0 if the class is unknown.
constexpr std::uint32_t confidence_pct(const JobStatus& status) {
  return status.failure == FailureClass::unknown ? 0 : 100U - status.doubt_pct;
}

/// The progress that the newest attempt last reported.
struct JobProgress {
  Duration done{0};
  Duration overhead_left{0};
  PoolId pool;
  AttemptNumber attempt = 0;
  bool holds_machines = false;
};

/// Read-only for policies; the host writes it.  Any JobId that a policy has observed is a valid
/// index.
class FleetView {
 public:
  explicit FleetView(const Directory& directory) : directory_{directory} {}

  const Directory& directory() const { return directory_; }
  std::size_t job_count() const { return status_.size(); }
  /// Describes the newest attempt with an observed submission (`JobStatus::described`).  Unknown
  /// does not mean missing: a later attempt can differ (`is_described`).
  const JobDescription& description(JobId job) const { return description_[job.index]; }
  /// Whether the description (type, fleet, size, limits, tags) is of the newest attempt.
  bool is_described(JobId job) const {
    const JobStatus& newest = status(job);
    return newest.attempt != 0 && newest.described == newest.attempt;
  }
  const JobStatus& status(JobId job) const { return status_[job.index]; }
  /// As last reported; zero if the attempt has not reported.
  JobProgress progress(JobId job) const {
    const bool told =
        job.index < progress_.size() && progress_[job.index].attempt == status(job).attempt;
    return told ? progress_[job.index] : JobProgress{};
  }
  /// All instances of `pool`, as last observed.
  std::uint32_t capacity(PoolId pool) const { return capacity_[pool.index]; }
  std::size_t pool_count() const { return capacity_.size(); }
  /// The share's own quota of `pool` in instances, as last observed.
  std::uint32_t quota(ShareId share, PoolId pool) const {
    const std::size_t place = share.index * directory_.pools.size() + pool.index;
    return place < quota_.size() ? quota_[place] : 0;
  }
  /// As last observed.  While it is engaged, the host refuses every decision.
  bool kill_switch_engaged() const { return kill_switch_engaged_; }
  /// GPUs of one instance of the job.
  std::uint32_t gpus(JobId job) const { return directory_.types[description(job).type.index].gpus; }
  /// The queue and share of the job.
  const JobTerms& terms(JobId job) const { return directory_.terms[description(job).terms]; }
  /// How fast `pool` does the job's work, in millionths of the pace that the work is stated for; 0:
  /// the pool cannot run it.  A job without stated speeds can run only in its own pool.
  std::uint32_t speed(JobId job, PoolId pool) const {
    const SpeedsByType& stated = directory_.speeds[terms(job).speeds];
    if (stated.empty()) return pool == description(job).pool ? 1'000'000 : 0;
    return stated[directory_.pools[pool.index].type.index];
  }
  std::optional<std::string_view> tag(JobId job, std::string_view key) const {
    return directory_.tag(description(job).tags, key);
  }
  /// The kind of the rule (`stalled_gpu`) that stopped the newest attempt; empty if none did.
  std::string_view stopped_by(JobId job) const {
    const std::uint8_t seat = status(job).stopped_by;
    return seat == 0 ? std::string_view{} : std::string_view{rules_[seat - 1]};
  }
  /// The name of that rule in its policy.
  std::string_view stopped_by_name(JobId job) const {
    const std::uint8_t seat = status(job).stopped_by;
    return seat == 0 ? std::string_view{} : std::string_view{rule_names_[seat - 1]};
  }

 protected:
  const Directory& directory_;
  std::vector<JobDescription> description_;
  std::vector<JobStatus> status_;
  std::vector<JobProgress> progress_;  ///< empty until a job reports
  std::vector<std::uint32_t> capacity_;
  std::vector<std::uint32_t> quota_;     ///< shares x pools, row-major
  std::vector<std::string> rules_;       ///< kind of the rule, by seat
  std::vector<std::string> rule_names_;  ///< name of the rule in the policy, by seat
  bool kill_switch_engaged_ = false;
};

}  // namespace reeve::policy
