// What a run leaves behind, as rows: the one source of every printed number and exported table.
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
#include <tuple>
#include <utility>
#include <vector>

#include "models/ledger.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// One job at the end of the run; always kept.  Times that never came are `never`.
struct JobRow {
  Instant first_start;   ///< of start-up: its first machines are there, waiting is over
  Instant end;           ///< when its work was done, else when its last attempt ended
  Duration progress{0};  ///< durable work
  policy::AttemptNumber attempts = 0;
  std::uint16_t interruptions = 0;
  policy::Primary status = policy::Primary::queued;  ///< of its newest attempt
  policy::FailureClass failure = policy::FailureClass::none;
  policy::Secondary ended_as = policy::Secondary::queued;
  Charge billed = 0;
  Charge wasted = 0;

  bool done() const { return status == policy::Primary::completed; }
};

/// What ended an attempt.
enum class EndReason : std::uint8_t {
  completed,
  failed,
  stopped,
  max_runtime,
  max_wait,
  capacity,
  horizon,         ///< the run ended first
  preempted,       ///< its queue took its machines for others
  runnable_limit,  ///< it waited longer than its queue allows
};

/// One attempt, whether or not it ever had machines; kept if asked for.
struct AttemptRow {
  policy::JobId job;
  policy::AttemptNumber number = 1;
  policy::Origin origin = policy::Origin::person;
  policy::PoolId pool = {};
  Instant requested;
  Instant billed_from;  ///< `never` if it never was
  Instant end;
  Duration resumed_from{0};  ///< work already durable when it began
  EndReason reason = EndReason::completed;
  policy::FailureClass failure = policy::FailureClass::none;
  Duration billed{0};  ///< wall time that was billed
  std::uint16_t interruptions = 0;
  Duration billable{0};  ///< BillableTimeInSeconds: of managed Spot scaled by its discount

  /// Else its pool is only the one that it waited for.
  bool had_machines() const { return billed_from != policy::never; }
};

/// What an attempt's (or an idle pool's) machine time in one use cost; kept if asked for.
struct LedgerLine {
  policy::JobId job;
  policy::AttemptNumber attempt = 0;  ///< 0: no job, the pool's own
  policy::PoolId pool;
  Use use = Use::productive;
  Instant from;
  Instant until;
  Charge amount = 0;  ///< price x instances x time in this use, which may be less than the stretch
  std::uint32_t instances = 0;
};

/// Capacity in use of one pool from `at` until the next row of that pool; kept if asked for.
struct UtilizationRow {
  Instant at;
  policy::PoolId pool;
  std::uint32_t allocated = 0;
  std::uint32_t used = 0;      ///< instances that make progress
  std::uint32_t runnable = 0;  ///< instances that queued attempts ask for
  std::uint32_t there = 0;     ///< on offer, held or not; and what is held of more than that
};

/// What a host's metric read from `at` on, of a job whose utilization is no constant; kept with
/// the pools' utilization.
struct HostReadingRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::uint32_t host = 1;
  bool drawn = false;             ///< from a distribution: never to be called observed
  std::optional<double> percent;  ///< of one GPU; none: no metric
};

/// A status event as the platform sent it; kept if asked for.
struct EventRow {
  Instant at;
  Instant delivered;  ///< `never`: it was lost
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Primary primary = policy::Primary::queued;
  policy::Secondary secondary = policy::Secondary::queued;
  policy::FailureClass failure = policy::FailureClass::none;
  bool duplicate = false;
  std::string reason = {};  ///< FailureReason of a failure
};

/// A queue began to take an attempt's machines away.
struct PreemptionRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PreemptCause cause = policy::PreemptCause::reclaim;
  policy::JobId to;  ///< who needs them; itself where nobody does
  std::uint32_t instances = 0;
  bool requeued = true;  ///< it stands in its line again
};

/// An attempt that waited was placed in another pool; kept with the attempts.
struct PlacementRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId from;  ///< where it waited before
};

/// A queue said that it could not start an attempt; kept with the attempts.
struct BlockageRow {
  Instant at;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::QueueId queue;
  policy::Blockage by = policy::Blockage::capacity;
};

/// What jobs of a share have of one pool from `at` until the next row of both; kept with the pools'
/// utilization.
struct ShareUseRow {
  Instant at;
  policy::ShareId share;
  policy::PoolId pool;
  std::uint32_t used = 0;
  std::uint32_t quota = 0;
  std::uint32_t borrowed = 0;  ///< beyond the quota
  std::uint32_t lent = 0;      ///< idle of its quota, and borrowed by others
};

/// What a share came to, in instance-nanoseconds.
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
  policy::PoolId pool;  ///< whose type it is about
  QuotaFamily family = QuotaFamily::training;
  std::uint64_t used = 0;  ///< instances, then
  std::uint32_t limit = 0;
};

/// A datapoint an alarm looked at.
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

/// An alarm that existed; always kept.
struct AlarmRow {
  policy::AlarmId id;
  policy::AttemptNumber attempt = 1;
  policy::AlarmRule rule;
  Instant created;
  Instant deleted;  ///< `never`: still there at the end
  Instant fired;    ///< first ALARM, `never` if none
  policy::AlarmState state = policy::AlarmState::insufficient_data;
  bool orphan = false;  ///< there at the end although its job is over
  /// Since when it was in ALARM while its attempt ran on, for more than an hour or to the end of
  /// the run, and no rule acted on the attempt; `never`: it was heard.
  Instant unheard = policy::never;
  std::vector<AlarmChange> changes;  ///< kept if asked for
};

/// One incident in which a job stood still: the truth that stops are judged by.
struct StallRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant onset;
  Instant detected;  ///< first alarm in ALARM state or rule's stop after the onset; `never`: missed
  Instant ended;     ///< recovery or end of the attempt
  FaultKind kind = FaultKind::stall;  ///< or a spin hang
  std::string cause;                  ///< a person's word for it; "drawn" of a drawn one
  policy::PoolId pool = {};           ///< of the attempt
  policy::TagSetId tags = {};         ///< likewise
  Charge cost = 0;                    ///< of the machines meanwhile, as it was billed
};

/// A rule's stop that ended an attempt, and what was true when it took effect; always kept.
struct StopRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::JobId meant;  ///< of whom the rule spoke: another's name may be in its alarm's name
  policy::SeatId seat;
  policy::StopCause cause = policy::StopCause::rule_broken;
  Instant decided;
  Instant onset;       ///< of what it accuses the attempt of; `never`: that was not so
  Charge stalled = 0;  ///< what a standstill had cost by then
  Charge late = 0;     ///< of this, what came later than World::late_after
  Charge destroyed =
      0;  ///< by a wrong stop: its drain, redone work and the start-up after it, all in false_stop
};

/// An attempt whose training learns no more (its loss is NaN, or gets no better), from the first
/// report on that shows it; or what else is true of one from then on.  A row that is not `so` ends
/// it: work that was not saved is done again, and learns anew.
struct FutileRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant since;
  bool so = true;
};

/// Whether the GPUs of an attempt wait for loaders or for each other from `at` on, where its pace
/// may differ; kept with Keep::gpu_minima.
struct HeldUpRow {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  Instant at;
  bool held_up = false;
};

/// What one pool had, and what happened to it; always kept.  Times are instance-nanoseconds.
struct PoolRow {
  Charge capacity_time = 0;  ///< of all machines: how long it was looked at
  Charge offered_time = 0;   ///< of machines on offer, held or not
  Charge free_time = 0;      ///< of those, of which nobody held
  Charge down_time = 0;      ///< of machines that were broken
  Charge there_time = 0;     ///< of machines on offer, and of what was held beyond: see Occupancy
  Charge billed = 0;
  std::uint64_t interruptions = 0;
  std::uint64_t node_faults = 0;  ///< of machines, hangs included
  std::uint64_t node_hits = 0;    ///< attempts that lost a machine to one, or stood still for it
};

/// What a pool offers from `at` on, held or not, and what it took then; kept with the pools'
/// utilization.
struct OfferRow {
  Instant at;
  policy::PoolId pool;
  std::uint32_t offered = 0;
  std::uint32_t lost = 0;  ///< instances that attempts, and what was left behind, lost then
  std::optional<Duration> notice = std::nullopt;  ///< how long before it the first was told
};

/// The largest part of what was there that was in use at one time, as a fraction.
struct Peak {
  std::uint64_t part = 0;
  std::uint64_t whole = 0;  ///< 0: nothing ever was there

  void see(std::uint64_t part_now, std::uint64_t whole_now);
};

/// What attempts cost that a clone began without the job's tags; always kept.
struct UntaggedRow {
  std::vector<policy::AttemptNumber> attempts;  ///< ascending
  Charge billed = 0;
  Charge wasted = 0;
  Charge undelivered = 0;  ///< of productive time that may yet be lost
};

/// Which of the tables that grow with time are kept.
struct Keep {
  bool attempts = false;
  bool ledger = false;
  bool utilization = false;
  bool events = false;
  bool alarm_changes = false;
  std::vector<double> gpu_minima = {};  ///< percent of one GPU that somebody asks for
};

/// Everything one replication of one policy left behind.
struct Record {
  Jobs jobs;
  std::vector<JobRow> job_rows;          ///< by JobId
  std::vector<std::uint64_t> job_ticks;  ///< by JobId: gone through, idle ones too; tick world only
  /// By job, if it did: in line, or for provisioning, after its first machines were there.
  std::map<policy::JobId, Duration> waits_again;
  std::map<policy::JobId, UntaggedRow> untagged;  ///< of jobs that have tags
  std::vector<AttemptRow> attempts;
  std::vector<LedgerLine> ledger_lines;
  std::vector<UtilizationRow> utilization;
  std::vector<ShareUseRow> share_use;
  std::vector<ShareRow> share_rows;           ///< by ShareId
  std::vector<OfferRow> offers;               ///< by time
  std::vector<HostReadingRow> host_readings;  ///< by time, job, host and attempt
  std::vector<EventRow> events;
  std::vector<QuotaRefusalRow> quota_rows;
  std::vector<AlarmRow> alarms;
  std::vector<StallRow> stalls;
  std::vector<StopRow> stops;
  std::vector<PreemptionRow> preemptions;
  std::vector<PlacementRow> placements;  ///< by time
  std::vector<BlockageRow> blockages;
  std::vector<FutileRow> futile;
  std::vector<FutileRow> endless;  ///< start-ups that never come to their end, by when they began
  std::vector<HeldUpRow> held_up;
  Ledger ledger;
  Instant start;
  Instant end;  ///< when the run ended
  bool partial = false;
  std::uint64_t notifications = 0;
  std::uint64_t deliveries = 0;                   ///< status events and alarm changes, copies too
  std::uint64_t first_attempt_notifications = 0;  ///< of those, about first attempts
  std::uint64_t first_attempt_deliveries = 0;     ///< likewise
  std::uint64_t interruptions = 0;
  std::uint64_t notices = 0;             ///< that told an attempt of a loss to come
  Instant held_until = Instant::min();   ///< when a machine was last taken or given back
  std::uint64_t node_losses = 0;         ///< instances that attempts lost and went on without
  std::uint64_t resizes = 0;             ///< of elastic gangs
  std::uint64_t orphan_instances = 0;    ///< still there at the end although their job is over
  std::uint64_t unmapped_instances = 0;  ///< of those, without the tag that says whose they are
  Charge waived = 0;                     ///< what launches would have cost that were free
  Charge starved = 0;    ///< of the bill: what loaders that keep up would have saved
  Charge straggled = 0;  ///< likewise: no stragglers
  /// Of the bill: what GPU use below a minimum comes to, by place in Keep::gpu_minima and by where
  /// the attempts were and with which tags.
  std::map<std::tuple<std::uint32_t, policy::PoolId, policy::TagSetId>, Charge> gpu_gaps;
  std::uint64_t attempts_made = 0;
  std::uint64_t queue_blocks = 0;       ///< times that a queue said it could not start an attempt
  std::uint64_t retries = 0;            ///< by the platform, within attempts
  std::uint64_t repairs = 0;            ///< of clusters, within attempts
  std::uint64_t quota_refusals = 0;     ///< of attempts and of calls
  std::uint64_t duplicate_creates = 0;  ///< calls that would have made a second clone
  std::uint64_t false_stops = 0;        ///< stops by rules of attempts that were not standing still
  std::uint64_t events_simulated = 0;
  bool cut_off = false;  ///< no job came closer to its end for so long that the run was ended
  std::uint64_t peak_instances = 0;          ///< most allocated together, over all pools
  Peak peak_allocated;                       ///< of all pools together
  Peak peak_used;                            ///< likewise, of instances that make progress
  std::vector<Charge> allocated_time;        ///< by pool, instance-nanoseconds
  std::vector<Charge> billed_time;           ///< by pool, instance-nanoseconds on the bill
  std::vector<PoolRow> pool_rows;            ///< by pool
  std::array<Charge, use_count> use_time{};  ///< by use, instance-nanoseconds
  std::vector<Charge> used_time;             ///< by pool, instance-nanoseconds of progress
};

/// First submission to last end; a job that did not end counts until the end of the run.  None if
/// no job was submitted.
std::optional<Duration> makespan(const Record& record);

/// The tags with which the attempt was submitted; `tags` are its job's.
policy::TagSetId tags_of(const Record& record, policy::JobId job, policy::AttemptNumber attempt,
                         policy::TagSetId tags);

/// In line, or for provisioning, after its first machines were there; most jobs never were.
Duration waited_again(const Record& record, policy::JobId job);

/// How often a queue took machines of the job for others.
std::uint64_t preemptions_of(const Record& record, policy::JobId job);

/// What each pool is billed, so that they sum to the rounded bill.
std::vector<policy::Usd> pool_bills(const Record& record);

/// Instance-nanoseconds of all pools over the makespan, and on until nobody holds a machine any
/// more: what was there, held, and made progress.  What a pool does not offer (outside its windows,
/// to the market, broken, away) is not there.
struct Occupancy {
  Charge capacity = 0;
  Charge allocated = 0;
  Charge used = 0;
};

Occupancy occupancy(const Record& record);

/// From the first submission to the last end of a job; none if no job was submitted.
std::optional<std::pair<Instant, Instant>> span(const Record& record);

}  // namespace reeve::models
