// The world of a scenario as plain data: instances, platform, people, work and faults.  Truth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/job.hpp>
#include <reeve/policy/observation.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/billing.hpp"
#include "models/duration_law.hpp"
#include "models/job_names.hpp"
#include "models/managed.hpp"
#include "models/market.hpp"
#include "models/node_faults.hpp"
#include "models/ticks.hpp"
#include "models/unmanaged.hpp"

namespace reeve::models {

using policy::Duration;
using policy::Instant;
using policy::Market;

/// Instances of one type: `capacity` in all, fewer if a market or windows limit them.  Reserved
/// instances are paid for around the clock, or during their windows.
struct Pool {
  std::string name;
  policy::TypeId type;
  Market market = Market::on_demand;
  std::uint32_t capacity = 0;
  policy::UsdPerHour price;  ///< of one instance, unless `prices` replace it
  std::optional<Reclaim> reclaim = std::nullopt;
  std::optional<Replay> replay = std::nullopt;
  std::optional<Synthesis> synthesis = std::nullopt;  ///< instead of `replay`
  std::vector<TimeSpan> windows = {};                 ///< of reserved pools; in order, disjoint
  std::vector<PriceStep> prices = {};
  ReclaimOrder reclaim_order = ReclaimOrder::random;
  std::optional<DurationLaw> capacity_wait = std::nullopt;  ///< of each launch, unbilled
  std::string zone = {};                                    ///< where the pool is, if stated
  std::vector<ZonePart> zones = {};                         ///< sum to `capacity`; empty: one zone
  std::uint32_t spread_ppm = 1'000'000;  ///< speed of a gang spread over zones, in millionths
  std::optional<Commitment> commitment = std::nullopt;  ///< of reserved pools; included in `price`
  Duration ends_early{0};   ///< of capacity blocks: instances go this long before a window ends
  Duration end_warning{0};  ///< likewise: attempts are notified this long before; 0: never
  std::string region = {};  ///< empty: not stated
  std::optional<NodeFaults> node_faults = std::nullopt;
};

/// When progress becomes durable: during training, only at an orderly end, or never.
enum class Sync : std::uint8_t { during, at_end, none };

/// The reaction of a job to a Spot notice: it saves all of its work if `save` fits before the
/// reclaim and the hook that checks for the notice runs.
struct OnNotice {
  Duration save{0};
  double hook_probability = 1;
  bool pauses_work = false;  ///< no work while it saves
};

/// A checkpoint after each `every` of work since the start of the attempt; each pauses work for
/// `cost`.  While one is uploaded, the next one is deferred and work continues.
struct Checkpoint {
  Duration every{0};  ///< 0: no checkpoints
  Duration cost{0};
  Sync sync = Sync::during;
  std::optional<OnNotice> on_notice = std::nullopt;
  Duration upload{0};   ///< in parallel to work, from the end of the pause until it counts
  Duration restore{0};  ///< billed, at a start from a checkpoint
  /// The time that the script needs to save all of its work on request (SaveCheckpoint) and on a
  /// stop (SIGTERM), while work continues; none: it does not save.
  std::optional<Duration> on_request = std::nullopt;
  std::optional<Duration> on_stop = std::nullopt;
};

/// The speed for which work is stated, in millionths.
inline constexpr std::uint32_t full_speed = 1'000'000;

/// Slow hosts: a gang runs at the speed of its slowest host.
struct Stragglers {
  double probability = 0;            ///< per host and launch
  std::vector<std::uint32_t> hosts;  ///< additional hosts of the job's first launch, from 1
  std::uint32_t speed_ppm = full_speed;
};

/// The speed of a job's instances and of its data loaders, in millionths of the stated speed.
struct Throughput {
  std::vector<std::uint32_t> of_types;  ///< by TypeId; empty: full speed on all
  std::optional<std::uint32_t> fed;     ///< the limit of its data loaders; none: no limit
  std::optional<Stragglers> stragglers;
};

/// A gang that continues with fewer instances and grows again: all stop, re-rendezvous and
/// continue.
struct Elastic {
  std::uint32_t min = 1;    ///< with fewer it is not elastic
  DurationLaw resize;       ///< of each change of its size; billed as startup
  double scaling = 1;       ///< n of N requested instances do (n / N) ^ scaling of its work
  bool keeps_work = false;  ///< a change of size loses no unsaved work
};

/// A loss that halves its distance to `floor` with each `half_life` of work.
struct LossCurve {
  double start = 0;
  double floor = 0;
  Duration half_life{0};
  double noise = 0;                       ///< standard deviation of the loss
  Duration nan_at = Duration::max();      ///< NaN from this much work on
  Duration plateau_at = Duration::max();  ///< no improvement from this much work on
};

/// The reports of the training script: its progress and its loss.
struct Reports {
  Duration every{0};  ///< in training time
  Duration delay{0};  ///< until a rule receives it
  std::optional<LossCurve> loss;
  bool steps = true;       ///< reports its progress
  std::uint8_t signs = 0;  ///< bits of policy::Sign: other signs of life
  bool chatters = false;   ///< writes log lines even while it stalls
};

enum class FaultKind : std::uint8_t {
  stall,         ///< no progress, GPUs at the `stalled` level
  spin_hang,     ///< no progress, GPUs at the `running` level
  failure,       ///< the attempt ends as Failed
  interruption,  ///< the platform reclaims the instances, and returns them `lasts` later
  metrics_lost,  ///< work continues without metrics
  node_lost,     ///< `hosts` are lost permanently; the others wait for them
  hardware,      ///< a host breaks; SageMaker repairs the cluster, elsewhere the attempt fails
};

/// The failure class that a reader of the logs assumes.
struct Diagnosis {
  policy::FailureClass read_as = policy::FailureClass::none;  ///< none: the true class
  std::uint8_t doubt_pct = 0;                                 ///< the uncertainty of the class
};

/// A fault of one job at a training time, measured from the first Training of the attempt.
struct Fault {
  FaultKind kind = FaultKind::stall;
  Duration at{0};
  Duration lasts = Duration::max();   ///< until it recovers by itself; interruption: time away
  bool recovers_on_restart = true;    ///< false: further attempts have it too
  policy::AttemptNumber attempt = 1;  ///< the first attempt that has it
  policy::FailureClass failure = policy::FailureClass::unknown;
  Diagnosis diagnosis = {};          ///< of a failure
  std::vector<std::uint32_t> hosts;  ///< with affected metrics, from 1; empty: all
  std::string cause;                 ///< a label
};

/// A fault drawn for each attempt: with `probability`, after a drawn training time.
struct DrawnFault {
  FaultKind kind = FaultKind::stall;
  double probability = 0;
  DurationLaw after;
  std::optional<DurationLaw> lasts;                              ///< none: permanently
  std::vector<std::pair<policy::FailureClass, double>> classes;  ///< weights; failures only
  /// One draw for all attempts of the job: a retry has the same fault again.
  bool repeats = false;
  /// The time is drawn from what lies within the training of the attempt, so `probability` is the
  /// share of attempts that have the fault.
  bool within_attempt = false;
};

/// When a queue retries a job after a failed attempt (AWS Batch: ServiceJobRetryStrategy).
/// Failures for lack of capacity are retried independently of it.
struct RetryStrategy {
  struct OnExit {
    std::string reason;  ///< of the status; a `*` at its end: a prefix
    bool retries = false;
  };
  std::uint16_t attempts = 1;        ///< in all, including the first
  std::vector<OnExit> on_exit = {};  ///< the first match decides; none: it is retried
};

struct Utilization;  // models/utilization.hpp

/// The common properties of jobs of one kind.
struct JobProfile {
  policy::PoolId pool;
  policy::TagSetId tags;
  std::string owner;  ///< empty: no owner
  Duration max_runtime = Duration::max();
  Duration max_wait = Duration::max();     ///< per attempt, from its submission (MaxWaitTime)
  Duration deadline = Duration::max();     ///< per job, from its submission
  Duration max_pending = Duration::max();  ///< per attempt, in the queue (MaxPendingTime)
  Duration keep_alive{0};                  ///< of its instances after its end: a warm pool
  std::uint16_t retries = 0;  ///< by the platform, after infrastructure failures (RetryStrategy)
  std::optional<Watchdog> watchdog = std::nullopt;
  std::uint32_t min_instances = 0;  ///< it can start with fewer (MinCount); 0: it cannot
  Placement placement = Placement::any;
  Checkpoint checkpoint;
  std::shared_ptr<const Throughput> throughput = nullptr;  ///< null: full speed everywhere
  std::shared_ptr<const Reports> reports = nullptr;        ///< null: no reports
  std::shared_ptr<const Elastic> elastic = nullptr;        ///< null: a gang of fixed size
  double util_running = 95;                                ///< percent of one GPU
  double util_stalled = 0;
  double util_waiting = 95;                                  ///< of hosts that wait for other hosts
  std::shared_ptr<const Utilization> utilization = nullptr;  ///< null: `util_running` throughout
  std::vector<Fault> faults;
  std::vector<DrawnFault> drawn_faults;
  std::uint32_t weight = 1;  ///< jobs that it stands for; used only for weighted means
  std::uint16_t terms = 0;   ///< index in Directory::terms
  /// How often the queue requeues it; none: always.  Beyond that it ends as preempted.
  std::optional<std::uint32_t> max_preemptions = std::nullopt;
  std::shared_ptr<const RetryStrategy> retry_strategy = nullptr;  ///< null: its queue tries once
};

/// The smallest number of instances with which a job starts, if it requests `wanted`.
constexpr std::uint32_t least_instances(const JobProfile& kind, std::uint32_t wanted) {
  return kind.min_instances == 0 ? wanted : std::min(kind.min_instances, wanted);
}

/// The speed of the type at the job's work, without stragglers.
constexpr std::uint32_t speed_on(const Throughput* of, policy::TypeId type) {
  if (of == nullptr) return full_speed;
  const std::uint32_t own = of->of_types.empty() ? full_speed : of->of_types[type.index];
  return of->fed ? std::min(own, *of->fed) : own;
}

/// How an attempt ends once its work is done: `completed`, or as a log says that the job ended.  A
/// log tells no more work than was done, so a retry does the same and ends likewise.
enum class WorkEnd : std::uint8_t {
  completed,
  failed,
  out_of_memory,
  node_failure,
  stopped,  ///< by its user
  time_limit,
  running,  ///< it ran on when its log ended
};

/// The failure class of that end; none: it is no failure.
constexpr policy::FailureClass failure_of(WorkEnd end) {
  switch (end) {
    case WorkEnd::failed:
      return policy::FailureClass::unknown;
    case WorkEnd::out_of_memory:
      return policy::FailureClass::out_of_memory;
    case WorkEnd::node_failure:
      return policy::FailureClass::infrastructure;
    case WorkEnd::completed:
    case WorkEnd::stopped:
    case WorkEnd::time_limit:
    case WorkEnd::running:
      break;
  }
  return policy::FailureClass::none;
}

/// What a log says of the first attempt of a job, besides its work.
struct LoggedRun {
  std::optional<Duration> startup = std::nullopt;  ///< of each of its starts; none: the platform's
  Duration lost{0};  ///< training before the work, at full speed, of which nothing was saved
};

/// One job.  Work is undisturbed training time at full speed on its instances.
struct JobSpec {
  Instant submit;
  Duration work{0};
  Duration expected{0};  ///< the user's estimate; the only view of `work` that a policy has
  std::uint32_t instances = 1;
  std::uint32_t profile = 0;
  std::int32_t priority = 0;
  WorkEnd ends = WorkEnd::completed;
  bool censored = false;              ///< its log shows only a part of its work
  std::uint32_t logged = not_logged;  ///< in Jobs::logged
  static constexpr std::uint32_t not_logged = ~std::uint32_t{0};
};

/// Explicit jobs first, then drawn ones.  Ids are indices in `specs`; submission order is by time,
/// then id.
struct Jobs {
  std::vector<JobSpec> specs;
  JobNames names;  ///< explicit and traced jobs, by id; later ids are drawn jobs
  std::vector<LoggedRun> logged = {};
  std::string drawn_prefix = "job-";
  std::string name(policy::JobId job) const;
  LoggedRun log_of(policy::JobId job) const {
    const std::uint32_t index = specs[job.index].logged;
    return index == JobSpec::not_logged ? LoggedRun{} : logged[index];
  }
};

enum class Arrivals : std::uint8_t { poisson, fixed_gap, all_at_once };

/// Work drawn per replication, in addition to explicit jobs.
struct DrawnWorkload {
  std::uint32_t jobs = 0;
  std::string prefix = "job-";
  Arrivals arrivals = Arrivals::poisson;
  Duration gap{0};    ///< mean or fixed time between submissions
  Duration first{0};  ///< offset of the arrivals from the start of the clock
  DurationLaw work;
  std::vector<std::pair<std::uint32_t, double>> instances{{1, 1.0}};  ///< size and weight
  double missing_tag_probability = 0;  ///< of a submission without tags (`untagged_profile`)
  std::uint32_t profile = 0;
  std::uint32_t untagged_profile = 0;
  std::int32_t priority = 0;
  std::int32_t untagged_priority = 0;
};

/// What jobs do whose end the record does not show: their work in all, and how they end.
struct OpenLaw {
  FittedLaw work;
  double failed = 0;   ///< probability, of those that do not reach their time limit
  double stopped = 0;  ///< by their user; at most 1 with `failed`
};

/// A job whose end the record does not show: `work` is only what it had done.
struct OpenJob {
  std::uint32_t job = 0;            ///< index in the jobs of the world
  std::uint32_t law = 0;            ///< in Forecast::laws: of jobs like it
  Duration most = Duration::max();  ///< its time limit
};

/// Weeks to come, which replications draw from the recorded ones.  Each replication first draws as
/// many weeks as were recorded, and the weeks to come from these.  From three whole weeks on, each
/// week to come has as many of them as its level (WeekLevels) demands: so the replications differ
/// as much as two such periods do, whatever all users have in common.
struct Forecast {
  std::uint32_t weeks = 0;  ///< at least 1
  std::vector<OpenLaw> laws;
  std::vector<OpenJob> open;  ///< by job
};

/// Weeks of recorded jobs that replications draw again: for each week and group one of the recorded
/// weeks, with replacement (N. Zakay, D. G. Feitelson, "Workload resampling for performance
/// evaluation of parallel job schedulers", Concurrency Computat.: Pract. Exper. 26, 2014).
struct Resampling {
  std::vector<std::uint32_t> group;  ///< of each job of the world: its user
  std::uint32_t groups = 1;
  std::uint32_t weeks =
      0;             ///< whole ones since the start; what is left after them is a part of one
  Duration rest{0};  ///< its length
  std::optional<Forecast> forecast = std::nullopt;  ///< none: as many weeks as were recorded
};

enum class PlatformModel : std::uint8_t { ideal, sagemaker_training, ec2, gcp, ticks };

/// True if users rent instances themselves and no service manages them.
constexpr bool is_unmanaged(PlatformModel model) {
  return model == PlatformModel::ec2 || model == PlatformModel::gcp;
}

/// EventBridge: at-least-once delivery, in any order.
struct EventBus {
  Duration delay{0};
  Duration jitter{0};            ///< uniform, added to `delay`: reorders events
  double duplicates = 0;         ///< probability of a second delivery
  Duration duplicate_within{0};  ///< the second copy follows after a uniform time up to this
  double lost = 0;               ///< probability that an event of a job is never delivered
  Duration poll{0};              ///< period of a poll of all jobs, which finds lost events; 0: none
  double lack_tags = 0;          ///< probability that events of an attempt do not describe it
  Duration look_up{0};           ///< from a call for its description to the answer
};

/// A scripted API fault: the next `times` calls of `verb` (on `job`, if set) fail.
struct ScriptedApiFault {
  enum class Kind : std::uint8_t { throttled, lost_reply, rejected } kind = Kind::throttled;
  policy::VerbKind verb = policy::VerbKind::stop_job;
  std::optional<policy::JobId> job;
  std::uint32_t times = 1;
};

/// The control plane: latency, throttling, lost replies and rejections.
struct Api {
  Duration latency{0};     ///< from call to effect and reply
  double throttled = 0;    ///< probability, no effect
  double lost_reply = 0;   ///< probability: the effect happens, the reply is lost
  double rejected = 0;     ///< probability of a permanent rejection
  double calls_per_s = 0;  ///< per verb, with a burst of one second; 0: no limit
  /// Per verb, in place of `calls_per_s`; other verbs have no limit.  Starts and clones are both
  /// CreateTrainingJob.
  std::map<policy::VerbKind, double> rates;
  double burst = 0;  ///< calls at once; 0: those of one second
  std::vector<BrownOut> brownouts;
  std::vector<ScriptedApiFault> scripted;
};

struct Metrics {
  Duration period = std::chrono::seconds{60};
  Duration publish_delay{0};
  bool gpu_sum = true;  ///< SageMaker: 0..100 x GPUs; else the mean per GPU
  Duration evaluation_offset{0};
  bool random_offset = false;          ///< drawn per alarm instead, whole seconds 0..59
  std::uint16_t extra_datapoints = 2;  ///< evaluation range beyond N; unpublished
  policy::Usd alarm_per_month;         ///< per alarm and 30 days
  std::uint64_t alarm_limit = 5'000;   ///< alarms that can exist at once; 0: no limit
};

struct Platform {
  PlatformModel model = PlatformModel::ideal;
  Duration provisioning{0};               ///< unbilled wait for instances at each start
  Duration startup{0};                    ///< billed, at each start
  std::optional<Duration> first_startup;  ///< in place of `startup`, at a job's first start
  Duration stop_grace{0};
  Duration max_runtime_grace{0};
  /// MaxRuntime counts from the start of the billed startup, else from Training; AWS does not say
  /// which.  The clock stops while the platform has the instances (else MaxWaitTime would have no
  /// meaning).
  bool runtime_includes_startup = false;
  Duration upload{0};  ///< billed, after the work is done
  LateUpload late_upload;
  Duration warm_startup{0};  ///< billed, at a start on instances of a warm pool
  ClusterRepair cluster_repair;
  std::vector<InstanceQuota> quotas;
  SpotBilling spot_billing = SpotBilling::exact;
  /// The final status of an attempt that reached its MaxPendingTime; AWS does not say.
  policy::Secondary pending_ends_as = policy::Secondary::stopped;
  /// The status of a Spot attempt that waits for capacity: Starting on SageMaker, or Pending.
  policy::Secondary spot_waits_as = policy::Secondary::pending;
  EventBus events;
  Duration alarm_delivery{0};  ///< from transition to receiver
  AlarmLink alarm_link;
  Api api;
  Metrics metrics;
  BillingRules billing;
  Notice notice;
  Unmanaged unmanaged;             ///< only if the model is unmanaged
  std::uint8_t log_doubt_pct = 0;  ///< of a failure class that only logs show
};

enum class OnReturn : std::uint8_t { nothing, resubmit_unfinished };

/// The actions of a person when no rule acts.  Intervals are offsets from the start of the clock.
struct Human {
  std::string owner;
  std::vector<std::pair<Duration, Duration>> away;
  OnReturn on_return = OnReturn::resubmit_unfinished;
  std::optional<Duration> reacts_within;  ///< while present, to a job that ended unfinished
  std::optional<Duration> reads_within = std::nullopt;  ///< while present, messages about jobs
};

/// Times at which an operator engages the kill switch, and releases it.
struct KillSwitch {
  std::vector<std::pair<Duration, Duration>> engaged;
};

/// An operator changes a share's own quota of a pool, `at` after the start.
struct QuotaChange {
  Duration at{0};
  policy::ShareId share;
  policy::PoolId pool;
  std::uint32_t instances = 0;
};

/// A user changes a job's priority, `at` after the start.
struct PriorityChange {
  Duration at{0};
  policy::JobId job;
  std::int32_t priority = 0;
};

/// All that is true, independent of the policy.  Immutable while replications run on it.
struct World {
  Instant start;
  Instant end = policy::never;  ///< `never`: until all jobs have ended
  std::uint64_t seed = 1;
  policy::Directory directory;
  std::vector<Pool> pools;  ///< by PoolId, as directory.pools
  std::vector<Shocks> shocks;
  std::vector<Outage> outages;
  Platform platform;
  Ticks ticks;  ///< of the tick model
  std::vector<JobProfile> profiles;
  Jobs jobs;  ///< explicit and traced
  std::optional<DrawnWorkload> drawn;
  std::optional<Resampling> resampling;  ///< of `jobs`; but for a forecast, the first replication
                                         ///< has them as they are
  std::vector<Human> humans;
  KillSwitch kill_switch;
  std::vector<QuotaChange> quota_changes;
  std::vector<PriorityChange> priority_changes;
  Duration late_after = std::chrono::minutes{30};  ///< a stop of a stall after this time is late
};

/// The jobs of one replication: those of the world, then the drawn ones.
Jobs materialize(const World& world, std::uint32_t replication);

}  // namespace reeve::models
