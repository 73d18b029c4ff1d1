// The steps of loading that read the jobs, the workload, and the queues in which jobs wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/resolved/loading.hpp"

namespace reeve::scenarios {

/// True if work that begins training that long after the start, undisturbed and with all its
/// checkpoints, is done before `latest_instant`.
bool ends_in_time(const Loading& loading, Duration begins, const models::JobProfile& profile,
                  Duration work);
/// Reports work that is not.
void refuse_endless(const Place& place, const models::JobProfile& profile, Duration work,
                    Findings& findings);

/// The share of that name that a prefix of the queue stands for, made when a job first names it;
/// nothing where no prefix fits, or where it would be no name.
std::optional<policy::ShareId> share_of_prefix(Loading& loading, policy::QueueId queue,
                                               std::string_view name);
void load_queues(Loading& loading);  ///< environments, shares and queues
void load_jobs(Loading& loading);    ///< explicit jobs
void load_trace(Loading& loading, const TraceWorkloadInput& input);
void load_workload(Loading& loading);   ///< traced and drawn jobs
void resample_weeks(Loading& loading);  ///< of a trace; after sort_jobs
void load_history(Loading& loading);    ///< that the trace is one
void sort_jobs(Loading& loading);       ///< names must be unique; ids are known from here on

/// Whether every job has a utilization trace of its own.
bool traced_by_job(const ProfileInput& input);

/// What a profile says of its GPUs, but for a trace, which `bind_utilization` adds; false after a
/// finding.
bool resolve_utilization(Loading& loading, const ProfileInput& input, const Place& place,
                         models::JobProfile& profile);

/// The trace of a job; false after a finding.  Does nothing where there is none.
bool bind_utilization(Loading& loading, const ProfileInput& input, const Place& place,
                      std::string_view job, std::uint32_t instances, Duration work,
                      models::JobProfile& profile);

/// The contents as bytes, so that equal profiles are one.
void append_utilization(std::string& key, const models::JobProfile& profile);

/// Keeps an entry of `jobs`, or the workload, for lints; its profile is of no job.
void note_job(Loading& loading, WrittenJob job, models::JobProfile profile);
/// Keeps how much such a job requests, where queues may limit it; `place` holds "instances".
void note_size(Loading& loading, std::string_view who, std::uint32_t instances,
               const models::JobProfile& profile, const Place& place, Duration since = {});

/// The profile a job input describes, with its pool; nothing if that cannot be found.
std::optional<models::JobProfile> resolve(Loading& loading, const ProfileInput& input,
                                          const Place& place);

/// In which line the job stands, checked; false after a finding.
bool load_terms(Loading& loading, const TermsInput& input, models::JobProfile& profile,
                const Place& place);
/// Where jobs of its queue run that name neither a fleet nor another type or market.
std::optional<policy::PoolId> fleet_of_queue(const Loading& loading, const ProfileInput& input);
/// Of the jobs of the list, which have these ids.
void resolve_priority_changes(Loading& loading, const std::vector<policy::JobId>& ids);
/// In place of the priorities that jobs have.
void apply_queue_priorities(Loading& loading);

/// What a job saves and when, with its pauses and uploads as times.
void load_checkpoint(Loading& loading, const CheckpointInput& input, models::JobProfile& profile,
                     const Place& place);

/// How fast a job trains where, checked; the profile has its pool.
void load_throughput(Loading& loading, const TrainingInput& input, models::JobProfile& profile,
                     const Place& place);

/// The contents as bytes, so that equal profiles are one.
void append_training(std::string& key, const models::JobProfile& profile);

/// Reports faults and limits that do not go with so much work.
void check_against_work(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                        const Place& place, Findings& findings);

/// The number of the profile, a new one if no equal profile has been met.
std::uint32_t intern_profile(Loading& loading, models::JobProfile profile);

}  // namespace reeve::scenarios
