// The world of a scenario as plain data: machines, platform, people, work and trouble.  Truth.
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

/// Machines of one type; `capacity` instances in all, fewer where a market or windows say so.
/// Reserved ones are paid for around the clock, or while their windows last.
struct Pool {
  std::string name;
  policy::TypeId type;
  Market market = Market::on_demand;
  std::uint32_t capacity = 0;
  policy::UsdPerHour price;  ///< of one instance, unless `prices` say more
  std::optional<Reclaim> reclaim = std::nullopt;
  std::optional<Replay> replay = std::nullopt;
  std::optional<Synthesis> synthesis = std::nullopt;  ///< instead of `replay`
  std::vector<TimeSpan> windows = {};                 ///< of reserved ones; in order, disjoint
  std::vector<PriceStep> prices = {};
  ReclaimOrder reclaim_order = ReclaimOrder::random;
  std::optional<DurationLaw> capacity_wait = std::nullopt;  ///< of each launch, unbilled
  std::string zone = {};                                    ///< where it stands, if that is said
  std::vector<ZonePart> zones = {};      ///< that sum to `capacity`; empty: one zone
  std::uint32_t spread_ppm = 1'000'000;  ///< speed of a gang that is spread over them, millionths
  std::optional<Commitment> commitment = std::nullopt;  ///< of reserved ones; `price` has it
  Duration ends_early{0};   ///< of capacity blocks: machines go so long before a window ends
  Duration end_warning{0};  ///< likewise: attempts are told so long before; 0: they are not
  std::string region = {};  ///< empty: not stated
  std::optional<NodeFaults> node_faults = std::nullopt;
};

/// When progress becomes durable: while training, only at an orderly end, or never.
enum class Sync : std::uint8_t { during, at_end, none };

/// What a job does when Spot tells it that its machines go: all of its work is saved if `save` is
/// over by then and the hook that looks for the notice runs.
struct OnNotice {
  Duration save{0};
  double hook_probability = 1;
  bool pauses_work = false;  ///< no work is done while it saves
};

/// A checkpoint after each `every` of work since the attempt began; each pauses work for `cost`.
/// While one is uploaded none is written: it is put off until then, and work goes on.
struct Checkpoint {
  Duration every{0};  ///< 0: no checkpoints
  Duration cost{0};
  Sync sync = Sync::during;
  std::optional<OnNotice> on_notice = std::nullopt;
  Duration upload{0};   ///< beside the work, from the end of the pause until it counts
  Duration restore{0};  ///< of a start that goes on from one; billed
  /// How long its script takes to save all of its work when it is asked to (SaveCheckpoint), and
  /// when it is stopped (SIGTERM), as work goes on; none: it does not.
  std::optional<Duration> on_request = std::nullopt;
  std::optional<Duration> on_stop = std::nullopt;
};

/// What work is stated for, in millionths.
inline constexpr std::uint32_t full_speed = 1'000'000;

/// Hosts that are slower than others: a gang goes at the pace of its slowest.
struct Stragglers {
  double probability = 0;            ///< of each host of each launch
  std::vector<std::uint32_t> hosts;  ///< of the job's first launch besides, from 1
  std::uint32_t speed_ppm = full_speed;
};

/// How fast a job's machines work, and how fast they are fed; millionths of what work is stated
/// for.
struct Throughput {
  std::vector<std::uint32_t> of_types;  ///< by TypeId; empty: full speed on each
  std::optional<std::uint32_t> fed;     ///< what its loaders sustain; none: whatever is needed
  std::optional<Stragglers> stragglers;
};

/// A gang that goes on with what is left of it, and grows again: all stop, meet anew, and go on.
struct Elastic {
  std::uint32_t min = 1;    ///< with fewer it is like any other gang
  DurationLaw resize;       ///< of each change of its size; billed as start-up
  double scaling = 1;       ///< n of the N machines it wants do (n / N) ^ scaling of its work
  bool keeps_work = false;  ///< what is not saved is no more lost than what is
};

/// A loss that halves its distance to its floor with each `half_life` of work.
struct LossCurve {
  double start = 0;
  double floor = 0;
  Duration half_life{0};
  double noise = 0;                       ///< standard deviation, of the loss
  Duration nan_at = Duration::max();      ///< NaN from so much work on
  Duration plateau_at = Duration::max();  ///< no better from so much work on
};

/// What the training script writes down of itself: how far it is, and its loss.
struct Reports {
  Duration every{0};  ///< of training
  Duration delay{0};  ///< until a rule knows
  std::optional<LossCurve> loss;
  bool steps = true;       ///< it says how far it is
  std::uint8_t signs = 0;  ///< bits of policy::Sign: what else is seen of it
  bool chatters = false;   ///< it writes log lines while it stands still, too
};

enum class FaultKind : std::uint8_t {
  stall,         ///< no progress, GPUs at the `stalled` level
  spin_hang,     ///< no progress, GPUs at the `running` level
  failure,       ///< the attempt ends as Failed
  interruption,  ///< the platform takes the machines away, and returns them `lasts` later
  metrics_lost,  ///< work goes on, its metrics do not
  node_lost,     ///< `hosts` are gone for good; the others wait for them
  hardware,      ///< a host breaks; SageMaker repairs the cluster, elsewhere the attempt fails
};

/// What a failure is taken for by whoever reads of it.
struct Diagnosis {
  policy::FailureClass read_as = policy::FailureClass::none;  ///< none: what it is
  std::uint8_t doubt_pct = 0;                                 ///< how unsure that is
};

/// Trouble of one job, at a time of training (measured from the first Training of the attempt).
struct Fault {
  FaultKind kind = FaultKind::stall;
  Duration at{0};
  Duration lasts = Duration::max();   ///< until it recovers by itself; interruption: time away
  bool recovers_on_restart = true;    ///< false: every further attempt meets it too
  policy::AttemptNumber attempt = 1;  ///< the first attempt that meets it
  policy::FailureClass failure = policy::FailureClass::unknown;
  Diagnosis diagnosis = {};          ///< of a failure
  std::vector<std::uint32_t> hosts;  ///< whose metrics it touches, from 1; empty: all
  std::string cause;                 ///< a person's word for it
};

/// Trouble drawn anew for each attempt: with `probability`, after a drawn time of training.
struct DrawnFault {
  FaultKind kind = FaultKind::stall;
  double probability = 0;
  DurationLaw after;
  std::optional<DurationLaw> lasts;                              ///< none: for ever
  std::vector<std::pair<policy::FailureClass, double>> classes;  ///< weights; failures only
  /// The same draw for each attempt of the job: a retry meets the same trouble again.
  bool repeats = false;
};

/// When a job of a queue is tried again after an attempt failed (AWS Batch:
/// ServiceJobRetryStrategy).  What fails for want of capacity is tried again without it.
struct RetryStrategy {
  struct OnExit {
    std::string reason;  ///< of the status; a `*` at its end: how that begins
    bool retries = false;
  };
  std::uint16_t attempts = 1;        ///< in all, the first among them
  std::vector<OnExit> on_exit = {};  ///< the first that fits decides; none: it is tried again
};

struct Utilization;  // models/utilization.hpp

/// What jobs of one kind share.
struct JobProfile {
  policy::PoolId pool;
  policy::TagSetId tags;
  std::string owner;  ///< empty: nobody looks after it
  Duration max_runtime = Duration::max();
  Duration max_wait = Duration::max();     ///< of an attempt from its submission (MaxWaitTime)
  Duration deadline = Duration::max();     ///< for the job, from its submission
  Duration max_pending = Duration::max();  ///< of an attempt in the line (MaxPendingTime)
  Duration keep_alive{0};                  ///< of its machines after its end: a warm pool
  std::uint16_t retries = 0;  ///< by the platform, after infrastructure failures (RetryStrategy)
  std::optional<Watchdog> watchdog = std::nullopt;
  std::uint32_t min_instances = 0;  ///< it starts with fewer too (MinCount); 0: never
  Placement placement = Placement::any;
  Checkpoint checkpoint;
  std::shared_ptr<const Throughput> throughput = nullptr;  ///< null: full speed everywhere
  std::shared_ptr<const Reports> reports = nullptr;        ///< null: it says nothing of itself
  std::shared_ptr<const Elastic> elastic = nullptr;        ///< null: a gang of a fixed size
  double util_running = 95;                                ///< percent of one GPU
  double util_stalled = 0;
  double util_waiting = 95;                                  ///< of hosts that wait for others
  std::shared_ptr<const Utilization> utilization = nullptr;  ///< null: `util_running` throughout
  std::vector<Fault> faults;
  std::vector<DrawnFault> drawn_faults;
  std::uint32_t weight =
      1;                    ///< how many jobs it stands for: of weighted means, and of nothing else
  std::uint16_t terms = 0;  ///< in Directory::terms
  /// How often it stands in its line again; none: each time.  Then it ends as preempted.
  std::optional<std::uint32_t> max_preemptions = std::nullopt;
  std::shared_ptr<const RetryStrategy> retry_strategy = nullptr;  ///< null: its queue tries once
};

/// With how few of the instances it wants a job starts.
constexpr std::uint32_t least_instances(const JobProfile& kind, std::uint32_t wanted) {
  return kind.min_instances == 0 ? wanted : std::min(kind.min_instances, wanted);
}

/// How fast the type's machines do the job's work, if none of them straggles.
constexpr std::uint32_t speed_on(const Throughput* of, policy::TypeId type) {
  if (of == nullptr) return full_speed;
  const std::uint32_t own = of->of_types.empty() ? full_speed : of->of_types[type.index];
  return of->fed ? std::min(own, *of->fed) : own;
}

/// One job.  Work is undisturbed training time on its machines.
struct JobSpec {
  Instant submit;
  Duration work{0};
  Duration expected{0};  ///< the user's estimate, all that a policy may know of `work`
  std::uint32_t instances = 1;
  std::uint32_t profile = 0;
  std::int32_t priority = 0;
};

/// Jobs as written, drawn ones last.  Ids are places in `specs`; submission order is by instant,
/// then id.
struct Jobs {
  std::vector<JobSpec> specs;
  JobNames names;  ///< explicit and traced jobs, by id; later ids are drawn jobs
  std::string drawn_prefix = "job-";
  std::string name(policy::JobId job) const;
};

enum class Arrivals : std::uint8_t { poisson, fixed_gap, all_at_once };

/// Work that is drawn per replication.  Stands in one scenario beside explicit jobs.
struct DrawnWorkload {
  std::uint32_t jobs = 0;
  std::string prefix = "job-";
  Arrivals arrivals = Arrivals::poisson;
  Duration gap{0};    ///< mean or fixed time between submissions
  Duration first{0};  ///< offset of the process from the start of the clock
  DurationLaw work;
  std::vector<std::pair<std::uint32_t, double>> instances{{1, 1.0}};  ///< size and weight
  double missing_tag_probability = 0;  ///< of submitting without tags (`untagged_profile`)
  std::uint32_t profile = 0;
  std::uint32_t untagged_profile = 0;
};

enum class PlatformModel : std::uint8_t { ideal, sagemaker_training, ec2, gcp, ticks };

/// True if machines are rented one by one and nobody looks after them.
constexpr bool is_unmanaged(PlatformModel model) {
  return model == PlatformModel::ec2 || model == PlatformModel::gcp;
}

/// EventBridge: at least once, in any order.
struct EventBus {
  Duration delay{0};
  Duration jitter{0};            ///< uniform on top of `delay`: reorders
  double duplicates = 0;         ///< probability that an event comes twice
  Duration duplicate_within{0};  ///< the second copy follows after a uniform time up to this
  double lost = 0;               ///< probability that an event of a job never comes
  Duration poll{0};      ///< what was lost is seen by the next look at all jobs; 0: nobody looks
  double lack_tags = 0;  ///< probability that events of an attempt do not describe it
  Duration look_up{0};   ///< from a call that asks for its description to the answer
};

/// An API fault at a known place: the next `times` calls of `verb` (on `job`, if named) go wrong.
struct ScriptedApiFault {
  enum class Kind : std::uint8_t { throttled, lost_reply, rejected } kind = Kind::throttled;
  policy::VerbKind verb = policy::VerbKind::stop_job;
  std::optional<policy::JobId> job;
  std::uint32_t times = 1;
};

/// The control plane: slow, rate-limited, forgetful.
struct Api {
  Duration latency{0};     ///< from call to effect and reply
  double throttled = 0;    ///< probability, no effect
  double lost_reply = 0;   ///< probability: the effect happens, the reply never comes
  double rejected = 0;     ///< probability of a permanent refusal
  double calls_per_s = 0;  ///< per verb, burst of one second; 0: no limit
  /// Instead: by verb, others have no limit.  Starts are CreateTrainingJob, as clones are.
  std::map<policy::VerbKind, double> rates;
  double burst = 0;  ///< calls that may come at once; 0: those of one second
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
  std::uint64_t alarm_limit = 5'000;   ///< alarms that may exist at once; 0: any number
};

struct Platform {
  PlatformModel model = PlatformModel::ideal;
  Duration provisioning{0};               ///< unbilled wait for machines of every start
  Duration startup{0};                    ///< billed, of every start
  std::optional<Duration> first_startup;  ///< of a job's first start instead
  Duration stop_grace{0};
  Duration max_runtime_grace{0};
  /// MaxRuntime counts from the start of the billed start-up, else from Training.  AWS says
  /// neither. Its clock stands while the platform has the machines (else MaxWaitTime had no
  /// meaning).
  bool runtime_includes_startup = false;
  Duration upload{0};  ///< billed, after the work is done
  LateUpload late_upload;
  Duration warm_startup{0};  ///< billed, of a start on machines of a warm pool
  ClusterRepair cluster_repair;
  std::vector<InstanceQuota> quotas;
  SpotBilling spot_billing = SpotBilling::exact;
  /// What an attempt that waited for its MaxPendingTime ends as; AWS does not say.
  policy::Secondary pending_ends_as = policy::Secondary::stopped;
  EventBus events;
  Duration alarm_delivery{0};  ///< from transition to its receiver
  AlarmLink alarm_link;
  Api api;
  Metrics metrics;
  BillingRules billing;
  Notice notice;
  Unmanaged unmanaged;             ///< where the model is
  std::uint8_t log_doubt_pct = 0;  ///< of a class of failure that only logs tell
};

enum class OnReturn : std::uint8_t { nothing, resubmit_unfinished };

/// What a person does when no rule does it.  Intervals are offsets from the start of the clock.
struct Human {
  std::string owner;
  std::vector<std::pair<Duration, Duration>> away;
  OnReturn on_return = OnReturn::resubmit_unfinished;
  std::optional<Duration> reacts_within;  ///< while present, to a job that ended unfinished
  std::optional<Duration> reads_within = std::nullopt;  ///< while present, messages about jobs
};

/// Times at which somebody pulls the kill switch, and releases it.
struct KillSwitch {
  std::vector<std::pair<Duration, Duration>> engaged;
};

/// Somebody changes, so long after the start, how much of a pool is a share's own.
struct QuotaChange {
  Duration at{0};
  policy::ShareId share;
  policy::PoolId pool;
  std::uint32_t instances = 0;
};

/// Somebody changes a job's priority, so long after the start.
struct PriorityChange {
  Duration at{0};
  policy::JobId job;
  std::int32_t priority = 0;
};

/// Everything that is so, whoever governs.  Immutable while replications run on it.
struct World {
  Instant start;
  Instant end = policy::never;  ///< `never`: until everything is done
  std::uint64_t seed = 1;
  policy::Directory directory;
  std::vector<Pool> pools;  ///< by PoolId, as directory.pools
  std::vector<Shocks> shocks;
  std::vector<Outage> outages;
  Platform platform;
  Ticks ticks;  ///< of the model of that name
  std::vector<JobProfile> profiles;
  Jobs jobs;  ///< explicit and traced
  std::optional<DrawnWorkload> drawn;
  std::vector<Human> humans;
  KillSwitch kill_switch;
  std::vector<QuotaChange> quota_changes;
  std::vector<PriorityChange> priority_changes;
  Duration late_after = std::chrono::minutes{30};  ///< a stop of what stands still longer is late
};

/// The jobs of one replication: those of the world, then the drawn ones.
Jobs materialize(const World& world, std::uint32_t replication);

}  // namespace reeve::models
