// The results of a run as rows: the only source of all printed numbers and exported tables.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/alarm_rule.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/ledger.hpp"
#include "models/metric_series.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// One job at the end of the run; always kept.  A time that was not reached is `never`.
struct JobRow {
  Instant first_start;   ///< its first startup begins: the wait has ended
  Instant end;           ///< when its work was done, else the end of its last attempt
  Duration progress{0};  ///< durable work
  policy::AttemptNumber attempts = 0;
  std::uint16_t interruptions = 0;
  policy::Primary status = policy::Primary::queued;  ///< of its newest attempt
  policy::FailureClass failure = policy::FailureClass::none;
  policy::Secondary ended_as = policy::Secondary::queued;
  bool beyond_log = false;  ///< it ran again after an end that its log did not show to be its own
  Charge billed = 0;
  Charge wasted = 0;

  bool done() const { return status == policy::Primary::completed; }
};

/// The cause of the end of an attempt.
enum class EndReason : std::uint8_t {
  completed,
  failed,
  stopped,
  max_runtime,
  max_wait,
  capacity,
  horizon,         ///< the run ended first
  preempted,       ///< its queue preempted it for another job
  runnable_limit,  ///< it waited longer than its queue allows
};

/// One attempt, with or without instances; kept on request.
struct AttemptRow {
  policy::JobId job;
  policy::AttemptNumber number = 1;
  policy::Origin origin = policy::Origin::person;
  policy::PoolId pool = {};
  Instant requested;
  Instant billed_from;  ///< `never` if it was not billed
  Instant end;
  Duration resumed_from{0};  ///< durable work at its start
  EndReason reason = EndReason::completed;
  policy::FailureClass failure = policy::FailureClass::none;
  Duration billed{0};  ///< billed wall time
  std::uint16_t interruptions = 0;
  Duration billable{0};  ///< BillableTimeInSeconds: of managed Spot, scaled by its discount

  /// If false, its pool is only the one that it was queued for.
  bool had_machines() const { return billed_from != policy::never; }
};

/// The cost of one use of the instances of an attempt (or of an idle pool); kept on request.
struct LedgerLine {
  policy::JobId job;
  policy::AttemptNumber attempt = 0;  ///< 0: no job, the pool's own
  policy::PoolId pool;
  Use use = Use::productive;
  Instant from;
  Instant until;
  Charge amount = 0;  ///< price x instances x time in this use, which can be less than the period
  std::uint32_t instances = 0;
  Duration held{0};  ///< time in this use; of idle reserved instances the whole period
};

/// The use of one pool from `at` until the next row of that pool; kept on request.
struct UtilizationRow {
  Instant at;
  policy::PoolId pool;
  std::uint32_t allocated = 0;
  std::uint32_t used = 0;      ///< instances that make progress
  std::uint32_t runnable = 0;  ///< instances that queued attempts request
  std::uint32_t there = 0;     ///< on offer, held or not, plus held instances beyond the offer
};

/// The metric of a host from `at` on, for a job with variable utilization; kept with the
/// utilization of pools.
struct HostReadingRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::uint32_t host = 1;
  bool drawn = false;             ///< from a distribution: not an observation
  std::optional<double> percent;  ///< of one GPU; none: no metric
};

/// The StatusMessage of a SageMaker job that is Starting and waits for capacity.
inline constexpr std::string_view waits_for_capacity_message =
    "Insufficient capacity error from EC2 while launching instances, retrying!";

/// A status event that the platform sent; kept on request.
struct EventRow {
  Instant at;
  Instant delivered;  ///< `never`: lost
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Primary primary = policy::Primary::queued;
  policy::Secondary secondary = policy::Secondary::queued;
  policy::FailureClass failure = policy::FailureClass::none;
  bool duplicate = false;
  std::string reason = {};  ///< FailureReason of a failure
  bool lacks_capacity = false;
};

/// An attempt was submitted; kept with the status events.
struct SubmissionRow {
  Instant at;
  policy::JobSubmitted submitted;
};

/// A queue began to preempt an attempt.
struct PreemptionRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PreemptCause cause = policy::PreemptCause::reclaim;
  policy::JobId to;  ///< the job that needs the instances; itself if none does
  std::uint32_t instances = 0;
  bool requeued = true;  ///< the queue requeues the job
};

/// A queued attempt was placed in another pool; kept with the attempts.
struct PlacementRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId from;  ///< the pool that it was queued for before
};

/// A queue reported that it cannot start an attempt; kept with the attempts.
struct BlockageRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::QueueId queue;
  policy::Blockage by = policy::Blockage::capacity;
};

/// The instances of one pool that a share's jobs hold, from `at` until the next row of share and
/// pool; kept with the utilization of pools.
struct ShareUseRow {
  Instant at;
  policy::ShareId share;
  policy::PoolId pool;
  std::uint32_t used = 0;
  std::uint32_t quota = 0;
  std::uint32_t borrowed = 0;  ///< beyond the quota
  std::uint32_t lent = 0;      ///< of its quota: idle in the share and borrowed by others
};

/// Totals of a share, in instance-nanoseconds.
struct ShareRow {
  Charge borrowed = 0;
  Charge lent = 0;
  Charge lost_work = 0;
};

/// A call of a rule that the account's quota refused (ResourceLimitExceeded); kept with the events.
struct QuotaRefusalRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;  ///< for its instance type
  QuotaFamily family = QuotaFamily::training;
  std::uint64_t used = 0;  ///< instances, at that time
  std::uint32_t limit = 0;
};

/// A datapoint that an alarm evaluated.
struct AlarmDatapoint {
  Instant from;
  bool present = false;
  double value = 0;
};

/// A change of an alarm's state.
struct AlarmChange {
  Instant at;
  policy::AlarmState state = policy::AlarmState::insufficient_data;
  std::vector<AlarmDatapoint> datapoints;  ///< the evaluation range, oldest first
};

/// An alarm; always kept.
struct AlarmRow {
  policy::AlarmId id;
  policy::AttemptNumber attempt = 1;
  policy::AlarmRule rule;
  Instant created;
  Instant deleted;  ///< `never`: exists at the end of the run
  Instant fired;    ///< first ALARM; `never` if none
  policy::AlarmState state = policy::AlarmState::insufficient_data;
  bool orphan = false;    ///< exists at the end although its job has ended
  bool is_local = false;  ///< of a rule in shadow mode: reeve evaluates it, the account has none
  /// Since when an ALARM had no response: its attempt ran on, for more than an hour or to the end
  /// of the run, and no rule acted on it.  `never`: it had one.
  Instant unheard = policy::never;
  std::vector<AlarmChange> changes;  ///< kept on request
};

/// One stall of a job: the truth that stops are judged by.
struct StallRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant onset;
  Instant detected;  ///< first ALARM state or stop of a rule after the onset; `never`: missed
  Instant ended;     ///< recovery, or end of the attempt
  FaultKind kind = FaultKind::stall;  ///< or a spin hang
  std::string cause;                  ///< its label in the scenario; "drawn" of a drawn one
  policy::PoolId pool = {};           ///< of the attempt
  policy::TagSetId tags = {};         ///< likewise
  Charge cost = 0;                    ///< billed for the instances meanwhile
};

/// A stop by a rule that ended an attempt, and the truth when it took effect; always kept.
struct StopRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::JobId meant;  ///< the rule's target: an alarm's name can contain another job's name
  policy::SeatId seat;
  policy::StopCause cause = policy::StopCause::rule_broken;
  Instant decided;
  Instant onset;         ///< of the problem that it claims; `never`: the claim is false
  Charge stalled = 0;    ///< cost of the stall by then
  Charge late = 0;       ///< the part of it after World::late_after
  Charge destroyed = 0;  ///< by a false stop: drain, redone work, next startup (all in false_stop)
};

/// An attempt that learns no more (its loss is NaN or does not improve), from the first report that
/// shows it; or another condition that holds from then on.  A row with `so` false ends it: unsaved
/// work is repeated and learns again.
struct FutileRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant since;
  bool so = true;
};

/// Whether the GPUs of an attempt wait for data loaders or for each other from `at` on, if its pace
/// can vary; kept with Keep::gpu_minima.
struct HeldUpRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant at;
  bool held_up = false;
};

/// Totals of one pool; always kept.  Times are instance-nanoseconds.
struct PoolRow {
  Charge capacity_time = 0;  ///< of all instances: the observed time
  Charge offered_time = 0;   ///< of instances on offer, held or not
  Charge free_time = 0;      ///< of those, not held
  Charge down_time = 0;      ///< of broken nodes
  Charge there_time = 0;     ///< of instances on offer, and of those held beyond: see Occupancy
  Charge billed = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t node_faults = 0;  ///< of nodes, hangs included
  std::uint64_t node_hits = 0;  ///< attempts that lost a node to a fault, or stalled because of one
};

/// The offer of a pool from `at` on, held or not, and what it reclaimed then; kept with the
/// utilization of pools.
struct OfferRow {
  Instant at;
  policy::PoolId pool;
  std::uint32_t offered = 0;
  std::uint32_t lost = 0;                         ///< instances that attempts and orphans lost then
  std::optional<Duration> notice = std::nullopt;  ///< lead of the first notice
};

/// The largest part of the available instances in use at one time, as a fraction.
struct Peak {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;  ///< 0: none were ever available

  void see(std::uint64_t part_now, std::uint64_t whole_now);
};

/// The cost of attempts that a clone started without the job's tags; always kept.
struct UntaggedRow {
  std::vector<policy::AttemptNumber> attempts;  ///< ascending
  Charge billed = 0;
  Charge wasted = 0;
  Charge undelivered = 0;  ///< of productive time that can still be lost
};

/// Which of the tables that grow with time are kept.
struct Keep {
  bool attempts = false;
  bool ledger = false;
  bool utilization = false;
  bool events = false;
  bool alarm_changes = false;
  bool host_metrics = false;
  std::vector<double> gpu_minima = {};  ///< percent of one GPU, as rules require
};

/// What the metric of a host read while its attempt ran, in the unit that alarms see.
struct HostMetricRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::uint32_t host = 1;
  MetricSeries series;
};

/// The tables of a run; those that grow with time are kept on request.
struct RecordTables {
  std::vector<AttemptRow> attempts;
  std::vector<LedgerLine> ledger_lines;
  std::vector<UtilizationRow> utilization;
  std::vector<ShareUseRow> share_use;
  std::vector<ShareRow> share_rows;           ///< by ShareId
  std::vector<OfferRow> offers;               ///< by time
  std::vector<HostReadingRow> host_readings;  ///< by time, job, host and attempt
  std::vector<HostMetricRow> host_metrics;    ///< by end of the attempt
  std::vector<EventRow> events;
  std::vector<SubmissionRow> submissions;
  std::vector<QuotaRefusalRow> quota_rows;
  std::vector<AlarmRow> alarms;
  std::vector<StallRow> stalls;
  std::vector<StopRow> stops;
  std::vector<PreemptionRow> preemptions;
  std::vector<PlacementRow> placements;  ///< by time
  std::vector<BlockageRow> blockages;
  std::vector<FutileRow> futile;
  std::vector<FutileRow> endless;  ///< startups that never end, by their begin
  std::vector<HeldUpRow> held_up;
};

/// Counts of a whole run.
struct RecordCounts {
  std::uint64_t notifications = 0;
  std::uint64_t deliveries = 0;  ///< status events and alarm changes, duplicates included
  std::uint64_t first_attempt_notifications = 0;  ///< of those, about first attempts
  std::uint64_t first_attempt_deliveries = 0;     ///< likewise
  std::uint64_t interruptions = 0;
  std::uint64_t notices = 0;             ///< of a coming loss, to attempts
  std::uint64_t node_losses = 0;         ///< instances that attempts lost and continued without
  std::uint64_t resizes = 0;             ///< of elastic gangs
  std::uint64_t orphan_instances = 0;    ///< orphaned at the end of the run
  std::uint64_t unmapped_instances = 0;  ///< of those, without the tag that names their job
  std::uint64_t attempts_made = 0;
  std::uint64_t queue_blocks = 0;  ///< times that a queue reported that it cannot start an attempt
  std::uint64_t retries = 0;       ///< by the platform, within attempts
  std::uint64_t repairs = 0;       ///< of clusters, within attempts
  std::uint64_t quota_refusals = 0;     ///< of attempts and of calls
  std::uint64_t duplicate_creates = 0;  ///< calls that would have created a second clone
  std::uint64_t false_stops = 0;        ///< stops by rules of attempts that did not stall
  std::uint64_t events_simulated = 0;
  std::uint64_t peak_instances = 0;  ///< largest number allocated at once, over all pools
};

/// All results of one replication of one policy.
struct Record : RecordTables, RecordCounts {
  Jobs jobs;
  std::vector<JobRow> job_rows;          ///< by JobId
  std::vector<std::uint64_t> job_ticks;  ///< by JobId: elapsed ticks, idle too; tick model only
  /// Requeue wait by job, in the queue or for provisioning after its first instances; only if any.
  std::map<policy::JobId, Duration> waits_again;
  std::map<policy::JobId, UntaggedRow> untagged;  ///< of jobs that have tags
  Ledger ledger;
  Instant start;
  Instant end;  ///< end of the run
  bool partial = false;
  Instant held_until = Instant::min();  ///< when an instance was last taken or returned
  Charge waived = 0;                    ///< the price of launches that were free
  Charge starved = 0;                   ///< part of the bill that faster data loaders would save
  Charge straggled = 0;                 ///< likewise, without stragglers
  /// Part of the bill for GPU utilization below a minimum, by index in Keep::gpu_minima, pool and
  /// tags of the attempts.
  std::map<std::tuple<std::uint32_t, policy::PoolId, policy::TagSetId>, Charge> gpu_gaps;
  bool cut_off = false;  ///< the run was ended because no job made progress for too long
  Peak peak_allocated;   ///< of all pools together
  Peak peak_used;        ///< likewise, of instances that make progress
  std::vector<Charge> allocated_time;        ///< by pool, instance-nanoseconds
  std::vector<Charge> billed_time;           ///< by pool, instance-nanoseconds on the bill
  std::vector<PoolRow> pool_rows;            ///< by pool
  std::array<Charge, use_count> use_time{};  ///< by use, instance-nanoseconds
  std::array<Charge, use_count> gpu_time{};  ///< by use, GPU-nanoseconds
  std::vector<Charge> used_time;             ///< by pool, instance-nanoseconds of progress
};

/// First submission to last end; a job without an end counts until the end of the run.  None if no
/// job was submitted.
std::optional<Duration> makespan(const Record& record);

/// The tags with which the attempt was submitted; `tags` are those of its job.
policy::TagSetId tags_of(const Record& record, policy::JobId job, policy::AttemptNumber attempt,
                         policy::TagSetId tags);

/// Requeue wait in the queue or for provisioning, after the job's first instances; mostly 0.
Duration waited_again(const Record& record, policy::JobId job);

/// How often a queue preempted the job.
std::uint64_t preemptions_of(const Record& record, policy::JobId job);

/// The bill of each pool; they sum to the rounded total.
std::vector<policy::Usd> pool_bills(const Record& record);

/// Instance-nanoseconds of all pools over the makespan, and beyond it until the last instance is
/// returned: available, held, and in progress.  What a pool does not offer (outside its windows,
/// not in the market, broken, away) is not available.
struct Occupancy {
  Charge capacity = 0;
  Charge allocated = 0;
  Charge used = 0;
};

Occupancy occupancy(const Record& record);

/// From the first submission to the last end of a job; none if no job was submitted.
std::optional<std::pair<Instant, Instant>> span(const Record& record);

}  // namespace reeve::models
