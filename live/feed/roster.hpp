// Who is who: turns events with AWS's names into observations with dense ids.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/observation.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/events/fleet_event.hpp"

namespace reeve::live {

/// Tags that describe a job to reeve, in seconds.  Rules do not see them.
inline constexpr std::string_view expected_work_tag = "reeve:expected-work-s";
inline constexpr std::string_view deadline_tag = "reeve:deadline-s";
/// The name of a job's first attempt, and the number of this one: on further attempts.
inline constexpr std::string_view retry_of_tag = "reeve:retry-of";
inline constexpr std::string_view attempt_tag = "reeve:attempt";
/// The rule that created this training job; no tag: a person did.
inline constexpr std::string_view created_by_tag = "reeve:created-by";

/// What was taken and what was not.
struct RosterCounts {
  std::uint64_t taken = 0;    ///< gave an observation
  std::uint64_t unused = 0;   ///< of a kind that gives none
  std::uint64_t foreign = 0;  ///< of another account or region

  std::uint64_t all() const { return taken + unused + foreign; }
};

/// The training jobs of one account and region.  A job that SageMaker deleted leaves its name to
/// another one.  Further attempts have tags that say so.
class Roster {
 public:
  /// GPUs and price of an instance type; called once for each type that the directory lacks.
  using DescribeType = std::function<policy::InstanceType(std::string_view name)>;

  /// `directory` must outlive the roster, which adds types, fleets and tags to it.  An empty
  /// account or region accepts all.
  Roster(policy::Directory& directory, std::string account, std::string region,
         DescribeType describe_type);

  /// Called for each event of the account before it is taken, with the time it is taken at.
  using Listener = std::function<void(const FleetEvent&, policy::Instant)>;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

  /// Appends the capacity of the configured fleets, which no event tells.  Call it first.
  void open(policy::Instant now, std::vector<policy::Observation>& out) const;
  /// Appends what the event says.  Nothing happens after `now`: a later time of AWS is cut.
  void take(const FleetEvent& event, policy::Instant now, std::vector<policy::Observation>& out);

  /// The name of an attempt's training job, or the one that reeve would give it; empty for an
  /// unknown job.
  std::string name(policy::JobId job, policy::AttemptNumber attempt) const;
  /// What events say of an attempt; null: nothing.
  const TrainingJobState* known(policy::JobId job, policy::AttemptNumber attempt) const;
  /// The id of the service job of AWS Batch whose newest attempt that training job is; empty: no
  /// event has told it.
  std::string service_job(const std::string& training_job) const;
  /// Whether an event has named that training job, or a further attempt at it.
  bool has(const std::string& training_job) const { return by_name_.contains(training_job); }
  const policy::Directory& directory() const { return directory_; }
  /// Of an attempt; 0 if no event has told them.
  std::uint32_t instances(policy::JobId job, policy::AttemptNumber attempt) const;
  /// When the attempt began to train; nothing: it has not, as far as events tell.
  std::optional<policy::Instant> trains_since(policy::JobId job,
                                              policy::AttemptNumber attempt) const;
  /// When the attempt ended; nothing: it has not, as far as events tell.
  std::optional<policy::Instant> ended(policy::JobId job, policy::AttemptNumber attempt) const;
  std::size_t jobs() const { return attempts_.size(); }
  /// What is known of each attempt, the newest of each field, in the order of names.
  std::vector<const TrainingJobState*> training_jobs() const;
  /// Whether that training job is known with its tags, in that TrainingJobStatus and as of its last
  /// change or later.
  bool knows(const std::string& name, std::string_view status,
             std::optional<policy::Instant> modified) const;
  /// Whether that training job runs, and no event has told its tags or instances.
  bool lacks_description(const std::string& name) const;
  /// Attempts whose tags or instances no event has told: their submission is not observed yet.
  std::vector<std::string> undescribed() const;
  const RosterCounts& counts() const { return counts_; }

 private:
  struct Attempt {
    policy::JobId job;
    policy::AttemptNumber number = 1;
    TrainingJobState known;  ///< the newest of each field
    bool is_submitted = false;
    std::uint32_t revision = 0;  ///< of the newest change; 0: no status is known
    policy::Instant changed_at = policy::Instant::min();  ///< that change
    std::optional<policy::Instant> requested;             ///< by CloudTrail
  };
  using Names = std::map<policy::AttemptNumber, std::string>;
  using NumberedJob = std::pair<policy::JobId, policy::AttemptNumber>;
  using ByName = std::map<std::string, Attempt, std::less<>>;

  static bool is_undescribed(const Attempt& attempt);
  static bool is_stale(const Attempt& attempt, const TrainingJobState& state, policy::Instant at);
  static std::optional<policy::Instant> created_at(const Attempt& attempt);
  Attempt* attempt_of(const TrainingJobState& state);
  void add_name(policy::JobId job, policy::AttemptNumber number, const std::string& name);
  std::optional<NumberedJob> next_attempt(const std::string& name) const;
  std::optional<NumberedJob> further_attempt(const TrainingJobState& state);
  void take_job(const TrainingJobState& state, const FleetEvent& event, policy::Instant now,
                std::vector<policy::Observation>& out);
  void take_history(const Attempt& attempt, std::uint32_t from, policy::Instant now,
                    std::vector<policy::Observation>& out) const;
  void take_request(const TrainingJobState& request, policy::Instant at, policy::Instant now,
                    std::vector<policy::Observation>& out);
  void take_report(const TrainingReport& report, policy::Instant at,
                   std::vector<policy::Observation>& out);
  void submit(Attempt& attempt, policy::Instant now, std::vector<policy::Observation>& out);
  policy::PoolId pool_of(const TrainingJobState& state);
  policy::TypeId type_named(const std::string& name);

  policy::Directory& directory_;
  std::string account_;
  std::string region_;
  DescribeType describe_type_;
  Listener listener_;
  ByName by_name_;
  std::map<std::string, std::string> service_jobs_;  ///< by training job
  std::vector<Names> attempts_;                      ///< by job
  /// What reeve would name attempts that follow, by either naming of clones.
  std::map<std::string, NumberedJob, std::less<>> next_names_;
  std::map<std::vector<policy::Tag>, policy::TagSetId> tag_sets_;
  RosterCounts counts_;
};

}  // namespace reeve::live
