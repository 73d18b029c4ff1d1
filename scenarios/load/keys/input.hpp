// A scenario file as written: what its tables decode into, before names are resolved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/mode.hpp"
#include "models/utilization.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/call_prices.hpp"
#include "scenarios/load/keys/object_table.hpp"
#include "scenarios/load/keys/scenario.hpp"
#include "scenarios/records/market_options.hpp"
#include "scenarios/records/utilization_options.hpp"

namespace reeve::scenarios {

/// A value kept as it stands, to be read when more is known.
struct RawInput {
  std::optional<Node> written;
};

/// `horizon`: a duration, or "until_done".
struct ClockInput {
  Instant start;
  std::optional<Duration> horizon;  ///< none: until everything is done
  std::string timezone;
};

struct RandomInput {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;
};

struct InstanceTypeInput {
  std::optional<Node> written;
  UsdPerHour price;
  std::optional<UsdPerHour> spot_price;
  std::optional<double> savings;        ///< percent of the price that Spot saves
  std::optional<UsdPerHour> ec2_price;  ///< of the same instance without the managed service
  std::uint32_t gpus = 0;
  bool managed = true;
};

struct PricesInput {
  std::optional<Node> written;
  std::string book;
  std::vector<std::pair<std::string, InstanceTypeInput>> instances;
  Usd alarm_per_month;
  Usd ops_per_month;
  CallPrices calls;
};

/// Markets that are no one's record: estimates with a name.
enum class MarketPreset : std::uint8_t { calm, scarce };

/// How many instances can be had when: exactly one of trace, steps, up and preset.
struct AvailabilityInput {
  std::optional<Node> written;
  std::optional<std::string> trace;
  OfferOptions read;  ///< of the trace
  models::AfterEnd after_end = models::AfterEnd::hold;
  std::vector<models::Offer> steps;
  std::optional<models::DurationLaw> up;
  std::optional<models::DurationLaw> down;
  double all_lost = 1;
  std::optional<MarketPreset> preset;
  std::optional<double> band;  ///< of calm: the share of instances interrupted in a month
};

struct PriceTraceInput {
  std::optional<Node> written;
  std::string trace;
  PriceOptions read;
};

/// What was agreed for reserved instances.
struct CommitmentInput {
  std::optional<Node> written;
  std::optional<policy::UsdPerHour> hourly;
  policy::Usd upfront;
  Duration term = std::chrono::hours{24 * 365};
  Duration before{0};
};

struct LemonsInput {
  double share = 0.05;
  double factor = 10;
};

struct RacksInput {
  std::uint32_t machines = 2;
  double share = 0;
};

struct StatedFaultInput {
  std::optional<Node> written;
  std::uint32_t machine = 0;
  Duration at{0};
  Duration lasts{0};
};

/// How a fleet's instances break.
struct NodeFaultsInput {
  double rate = 3.8;
  std::optional<bool> replaced;
  std::optional<models::DurationLaw> repair;
  double hangs = 0.12;
  std::optional<LemonsInput> lemons;
  std::optional<RacksInput> racks;
  std::vector<StatedFaultInput> stated;
};

/// What a fleet says of its market.
struct MarketInput {
  std::string zone;
  std::string region;
  std::optional<AvailabilityInput> availability;
  std::optional<PriceTraceInput> price_trace;
  models::ReclaimOrder reclaim_order = models::ReclaimOrder::random;
  std::optional<models::DurationLaw> capacity_wait;
  std::vector<models::TimeSpan> windows;
  std::optional<CommitmentInput> commitment;
  std::optional<Duration> ends_early;
  std::optional<Duration> end_warning;
  std::optional<NodeFaultsInput> node_faults;
};

/// `correlation`: of any two fleets, or of each with each.
struct ShocksInput {
  std::optional<Node> written;
  std::string region;
  double per_hour = 0;
  double hit = 0;
  std::vector<std::vector<double>> correlation;
};

/// Where a fleet's instances stand, if in several zones.
struct ZonesInput {
  std::vector<std::pair<std::string, std::uint32_t>> zones;
  double spread_speed = 1;
};

struct PoolInput {
  std::optional<Node> written;
  std::optional<std::string> name;
  std::string instance_type;
  std::uint32_t capacity = 0;
  policy::Market market = policy::Market::on_demand;
  std::optional<models::Reclaim> reclaim;
  std::optional<UsdPerHour> list_price;
  std::optional<double> committed_pct;
  MarketInput of_market;
  ZonesInput zones;
};

struct ApiFaultInput {
  std::optional<Node> written;
  models::ScriptedApiFault fault;
  std::optional<std::string> job;
};

/// Of metric evaluation: a second of the minute, or drawn per alarm.
struct EvaluationOffset {
  Duration offset{0};
  bool random = false;
};

/// Calls per second by AWS's name of the call.
using CallRates = std::vector<std::pair<std::string, double>>;

struct BrownOutInput {
  std::optional<Node> written;
  models::BrownOut trouble;
};

/// The API's own keys; its scripted faults name jobs and stay apart until those are known.
struct ApiInput {
  models::Api api;
  std::vector<ApiFaultInput> faults;
  CallRates rates;
  std::vector<BrownOutInput> brownouts;
};

struct MetricsInput {
  models::Metrics metrics;
  EvaluationOffset offset;
};

struct BillingInput {
  std::optional<Duration> minimum;
  std::optional<bool> first_hour_free;
};

struct PhasesInput {
  Duration download{0};
  Duration install{0};
  Duration run{0};
};

/// `tags_after`: a law, or "never".
struct RendezvousInput {
  Duration poll = std::chrono::seconds{5};
  std::optional<models::DurationLaw> tags_after;
};

struct LogsInput {
  Duration flush_delay{0};
};

/// What is said of Spot's notices, of billing and of instances of one's own.
struct UnmanagedInput {
  std::optional<BillingInput> billing;
  std::optional<Duration> notice;
  double notice_probability = 1;
  Duration imds_poll = std::chrono::seconds{5};
  models::Rebalance rebalance;
  models::SpotRequest spot_request = models::SpotRequest::one_time;
  std::optional<bool> on_insufficient;  ///< whether it waits
  std::optional<PhasesInput> phases;
  std::optional<RendezvousInput> rendezvous;
  double self_destruct_fails = 0;
  bool self_destruct_right = true;
  double untagged_instances = 0;
  Duration debug_hold{0};
  LogsInput logs;
};

struct TickWindowsInput {
  std::optional<Node> written;
  std::string file;
  std::optional<std::string> trace;
};

/// Of the model `ticks` alone.
struct TicksInput {
  std::optional<Duration> tick;
  std::optional<Duration> restart_overhead;
  std::optional<bool> asks_when_done;
  std::optional<TickWindowsInput> windows;
};

/// By models::QuotaFamily.
struct QuotaInput {
  std::optional<Node> written;
  std::array<std::optional<std::uint32_t>, models::quota_family_count> instances{};
};

/// What SageMaker adds to a platform.
struct ManagedInput {
  std::vector<std::pair<std::string, QuotaInput>> quotas;
  models::ClusterRepair cluster_repair;
  models::LateUpload late_upload;
  Duration warm_startup{0};
  models::SpotBilling spot_billing = models::SpotBilling::exact;
  policy::Secondary pending_ends_as = policy::Secondary::stopped;
  policy::Secondary spot_waits_as = policy::Secondary::starting;
};

struct RetryInput {
  std::uint16_t attempts = 1;
};

/// What SageMaker takes with a job.
struct ManagedJobInput {
  std::optional<Duration> max_pending;
  Duration keep_alive{0};
  std::optional<RetryInput> retry;
};

struct OutageInput {
  std::optional<Node> written;
  std::string zone;
  Duration from{0};
  Duration until{0};
};

struct PlatformInput {
  std::optional<Node> written;
  TicksInput ticks;
  models::Platform platform;  ///< the keys that need no second thought
  std::optional<Duration> stop_grace;
  std::optional<Duration> default_max_runtime;
  ApiInput api;
  MetricsInput metrics;
  std::optional<Duration> provisioning;
  UnmanagedInput unmanaged;
  ManagedInput managed;
  models::AlarmLink alarm_link;
  double log_confidence = 1;
};

struct FaultInput {
  std::optional<Node> written;
  models::Fault fault;
  std::optional<Duration> lasts;
  std::optional<Duration> away;
  std::optional<policy::FailureClass> failure;
  std::optional<policy::FailureClass> read_as;
  double confidence = 1;
  Duration at_step{0};
};

struct DrawnFaultInput {
  std::optional<Node> written;
  models::DrawnFault fault;
  std::vector<std::pair<std::string, double>> classes;
};

/// A drawn failure with defaults.
struct SoftwareFailuresInput {
  std::optional<Node> written;
  double share = 0.05;
  double shape = 0.5;
  Duration scale = std::chrono::hours{6};
  std::vector<std::pair<std::string, double>> classes;
  bool repeats = false;
};

/// A distribution of utilization, from the scenario or a file of its own.
struct UtilLawInput {
  std::optional<Node> written;
  std::string file;                               ///< empty: `points`
  std::vector<std::pair<double, double>> points;  ///< percentile and percent
};

struct GpuUtilInput {
  double running = 95;  ///< percent of one GPU
  double stalled = 0;
  std::optional<double> waiting;
  std::optional<std::string> trace;
  UtilOptions read;  ///< of the trace
  models::BeyondEnd beyond_end = models::BeyondEnd::hold;
  bool may_lack_file = false;         ///< a job without a file of its own has no metric
  std::optional<std::uint16_t> host;  ///< that the trace is of; 0: of all alike
  std::optional<UtilLawInput> cdf;
  std::optional<Duration> changes_every;
};

struct GpuPhaseInput {
  std::optional<Node> written;
  models::UtilPhase phase;
};

/// `save`: without, as long as the checkpoint's size takes.
struct OnNoticeInput {
  std::optional<Node> written;
  models::OnNotice hook;
  std::optional<Duration> save;
};

/// `save`: without, as long as the checkpoint's size takes.
struct SaveInput {
  std::optional<Node> written;
  std::optional<Duration> save;
};

/// A checkpoint's pause, or how large it is and how fast it goes: GB, and GB a second.
struct CheckpointInput {
  models::Checkpoint plan;
  std::optional<Duration> cost;
  std::optional<double> size;
  std::optional<double> write;
  std::optional<double> upload;
  std::optional<double> restore;
  std::optional<OnNoticeInput> on_notice;
  std::optional<SaveInput> on_request;
  std::optional<SaveInput> on_stop;
};

struct StragglersInput {
  std::optional<Node> written;
  double probability = 0;
  std::vector<std::uint32_t> hosts;
  double speed = 1;
};

struct DataLoadingInput {
  double rate = 1;
};

struct LossInput {
  std::optional<Node> written;
  models::LossCurve curve;
  std::optional<Duration> nan_at;
  std::optional<Duration> plateau_at;
};

/// By what a job gives signs of life.
enum class ReportSign : std::uint8_t { steps, log_lines, network, power };

struct ReportsInput {
  Duration every{0};
  Duration delay{0};
  std::optional<LossInput> loss;
  std::vector<ReportSign> signals{ReportSign::steps};
  bool chatters = false;
};

struct ElasticInput {
  std::optional<Node> written;
  models::Elastic of;
};

/// How fast a job trains, and what it says of that.
struct TrainingInput {
  std::vector<std::pair<std::string, double>> throughput;
  std::optional<DataLoadingInput> data_loading;
  std::optional<StragglersInput> stragglers;
  std::optional<ReportsInput> reports;
  std::optional<ElasticInput> elastic;
};

using FleetCounts = std::vector<std::pair<std::string, std::uint32_t>>;  ///< instances by fleet

struct EnvironmentInput {
  std::optional<Node> written;
  std::string name;
  FleetCounts limits;
  std::optional<std::uint32_t> instances;
};

struct QuotaChangeInput {
  std::optional<Node> written;
  Duration at{0};
  FleetCounts quota;
};

struct ShareInput {
  std::optional<Node> written;
  std::string name;
  FleetCounts quota;
  policy::Sharing sharing = policy::Sharing::reserve;
  std::int32_t borrow_limit_pct = policy::borrow_without_limit;
  bool in_share_preemption = false;
  double weight = 1;
  std::vector<QuotaChangeInput> changes;
};

/// A priority by tag.
struct TagPriorityInput {
  std::optional<Node> written;
  std::vector<std::string> tags;
  std::int32_t priority = 0;
};

struct QueueInput {
  std::optional<Node> written;
  std::string name;
  std::optional<std::string> fleet;
  std::optional<std::string> environment;
  std::vector<std::string> shares;
  std::int32_t priority = 0;
  std::optional<Duration> runnable_limit;
  std::vector<TagPriorityInput> priorities;
};

/// `priority` applies from `at` on and replaces any earlier one.
struct PriorityChangeInput {
  std::optional<Node> written;
  Duration at{0};
  std::int32_t priority = 0;
};

struct RetryEntryInput {
  std::optional<Node> written;
  std::string on_status_reason;
  bool retries = false;
};

/// What AWS Batch does with a job of a queue after an attempt failed.
struct QueueRetryInput {
  std::uint16_t attempts = 1;
  std::vector<RetryEntryInput> evaluate_on_exit;
};

/// In which line a job stands, and who may take its instances.
struct TermsInput {
  std::optional<std::string> queue;
  std::optional<std::string> share;
  bool share_of_each_row = false;  ///< of a trace: a column says in which
  bool preemptible = true;
  std::int64_t max_preemptions = -1;
  std::optional<QueueRetryInput> queue_retry;
};

/// The keys of a job that a whole workload can share.
struct ProfileInput {
  std::optional<std::string> owner;
  std::optional<std::string> instance_type;
  std::optional<std::string> fleet;
  std::optional<policy::Market> market;
  std::vector<policy::Tag> tags;
  std::optional<Duration> max_runtime;
  std::optional<Duration> max_wait;
  std::optional<Duration> deadline;
  std::int32_t priority = 0;
  std::uint32_t weight = 1;
  std::optional<std::uint32_t> min_instances;
  std::optional<models::Placement> placement;  ///< none: as the platform's calls do
  CheckpointInput checkpoint;
  TrainingInput training;
  GpuUtilInput gpu_util;
  std::vector<GpuPhaseInput> gpu_phases;
  ManagedJobInput managed;
  TermsInput terms;
  std::optional<models::Watchdog> watchdog;
  std::vector<FaultInput> faults;
  std::vector<DrawnFaultInput> drawn_faults;
  std::optional<SoftwareFailuresInput> software_failures;
};

struct JobInput {
  std::optional<Node> written;
  std::optional<Node> defaults;  ///< job_defaults
  std::string name;
  Duration submit{0};
  std::uint32_t instances = 1;
  Duration work{0};
  std::optional<Duration> expected_work;
  std::uint64_t count = 1;
  Duration submit_every{0};
  std::vector<PriorityChangeInput> priority_changes;
  ProfileInput profile;
};

enum class InstancesFrom : std::uint8_t { gpus_total, nodes };

enum class SharesFrom : std::uint8_t { queue, user };

/// What schedulers take for the run time of a traced job.
enum class EstimatesFrom : std::uint8_t { estimate, time_limit, duration };

enum class EndStatusUse : std::uint8_t { replay, ignore };

/// Jobs that ran when the trace ended, and the law of the work of jobs like them.
struct RunningJobsInput {
  std::optional<Node> written;
  std::vector<std::string> jobs;
  models::OpenLaw law;
};

struct ForecastInput {
  std::optional<Node> written;
  std::uint32_t weeks = 0;
  std::vector<RunningJobsInput> running;
};

struct TraceWorkloadInput {
  std::string trace;
  std::string format;
  std::vector<std::pair<std::string, std::string>> columns;  ///< ours and theirs
  std::optional<InstancesFrom> instances_from;               ///< none: gpus_total, if nodes agree
  std::optional<EstimatesFrom> estimates_from;  ///< none: the first of them that a row has
  EndStatusUse end_status = EndStatusUse::replay;
  std::optional<std::uint64_t> first_jobs;
  std::optional<SharesFrom> shares_from;
  bool resample = false;
  std::optional<ForecastInput> forecast;
  ProfileInput profile;
};

struct ArrivalsInput {
  std::optional<Node> written;
  models::Arrivals process = models::Arrivals::poisson;
  std::optional<Duration> gap;
  Duration first{0};
};

struct DrawnWorkloadInput {
  std::string prefix;
  std::uint64_t jobs = 0;
  ArrivalsInput arrivals;
  models::DurationLaw work;
  std::vector<std::pair<std::uint32_t, double>> instances;
  double untagged = 0;
  ProfileInput profile;
};

struct WorkloadInput {
  std::optional<Node> written;
  std::optional<TraceWorkloadInput> trace;
  std::optional<DrawnWorkloadInput> drawn;
};

struct ReadsInput {
  Duration within{0};
};

struct HumanInput {
  std::optional<Node> written;
  models::Human human;
  std::optional<ReadsInput> reads;
};

struct ExemptionInput {
  std::optional<Node> written;
  std::string tag;
  std::string owner;
  Instant until;
  std::vector<std::string> rules;
};

struct OfficeHoursInput {
  std::vector<std::size_t> days;  ///< 0: Monday
  Duration from{0};
  Duration to{0};
  double utc_offset_h = 0;
};

struct CanaryInput {
  std::optional<Node> written;
  std::optional<std::uint32_t> first;
  std::optional<std::uint32_t> percent;
  Duration watch{0};
};

struct GuardsInput {
  std::optional<Node> written;
  std::optional<std::uint32_t> stops_per_hour;
  std::optional<std::uint32_t> stops_pct_per_hour;
  std::optional<std::uint32_t> actions_per_hour;
  std::optional<std::uint32_t> actions_per_rule_per_day;
  std::vector<std::string> protected_tags;
  std::vector<ExemptionInput> exempt;
  std::optional<OfficeHoursInput> office_hours;
  Duration dry_start{0};
  std::optional<CanaryInput> canary;
};

/// Which jobs a rule is for.
struct ScopeInput {
  std::vector<std::string> tags;
  std::vector<std::string> fleets;
};

/// One rule of a policy.  Its own keys stay in `written` until the kind of rule is known.
struct SeatInput {
  std::optional<Node> written;
  std::string rule;
  std::optional<std::string> use;
  std::optional<std::string> name;
  std::int32_t priority = 0;
  host::Mode mode = host::Mode::enforce;
  ScopeInput scope;
  std::vector<Node> options;  ///< members that are not the keys above
};

/// What an alert looks at: each is a kind of rule.
enum class Watched : std::uint8_t { job_wait, allocated_pct, failures };

/// Its own keys are those of what it watches; which were written tells `written`.
struct AlertInput {
  std::optional<Node> written;
  std::string name;
  std::optional<Watched> watch;
  Duration above{0};
  double below = 0;
  Duration lasts{0};
  std::string fleet;
  bool while_runnable = true;
  std::int64_t failures = 0;
  std::int64_t last = 0;
  std::vector<policy::Tag> tags;
};

struct ExpectInput {
  std::optional<Node> written;
  std::string policy;
  std::optional<Duration> at;
  RawInput that;
};

struct NotifyInput {
  std::optional<Node> written;
  std::string sns;
  std::string webhook;
  std::string slack;
};

struct LiveInput {
  std::optional<Node> written;
  std::string account;
  std::string region;
  std::string queue;
  Duration reconcile_every{0};
  std::optional<NotifyInput> notify;
  std::string kill_file;
  std::string kill_parameter;
  std::string kill_tag;
  std::uint32_t confirm_first = 0;
};

struct HistoryFactsInput {
  std::optional<Node> written;
  HistoryFacts facts;
};

struct ScenarioInput {
  std::optional<Node> written;
  std::string schema;
  std::uint32_t version = 0;
  std::string name;
  std::string title;
  std::string source;
  ClockInput clock;
  RandomInput random;
  PricesInput prices;
  std::vector<PoolInput> fleet;
  std::vector<ShocksInput> shocks;
  std::vector<OutageInput> outages;
  PlatformInput platform;
  std::vector<EnvironmentInput> environments;
  std::vector<ShareInput> shares;
  std::vector<QueueInput> queues;
  RawInput job_defaults;
  RawInput jobs;  ///< read after job_defaults, wherever the two stand
  std::optional<WorkloadInput> workload;
  std::optional<HistoryFactsInput> history;
  std::vector<HumanInput> humans;
  models::KillSwitch kill_switch;
  Duration late_after{0};
  GuardsInput guards;
  std::vector<std::pair<std::string, std::vector<SeatInput>>> policies;
  std::vector<std::pair<std::string, RawInput>> presets;  ///< of `rules`
  std::vector<AlertInput> alerts;
  std::vector<ExpectInput> expect;
  std::optional<LiveInput> live;
};

/// The file as a whole, and the tables of its parts.
const ObjectTable<ScenarioInput>& scenario_table();
const ObjectTable<LiveInput>& live_table();
const ObjectTable<HistoryFactsInput>& history_table();
const ObjectTable<PlatformInput>& platform_table();
const ObjectTable<TicksInput>& ticks_table();
const ObjectTable<AlertInput>& alert_table();
const ObjectTable<ProfileInput>& profile_table();
const ObjectTable<JobInput>& text_table();
const ObjectTable<JobInput>& job_defaults_table();  ///< the same keys but for `name`; none required
const ObjectTable<PricesInput>& prices_table();
const ObjectTable<PoolInput>& pool_table();
const ObjectTable<MarketInput>& market_table();
const ObjectTable<NodeFaultsInput>& node_faults_table();
const ObjectTable<ShocksInput>& shocks_table();
const ObjectTable<UnmanagedInput>& unmanaged_table();
const ObjectTable<GpuUtilInput>& gpu_util_table();
const ObjectTable<GpuPhaseInput>& gpu_phase_table();
const ObjectTable<ManagedInput>& managed_table();
const ObjectTable<ManagedJobInput>& managed_text_table();
const ObjectTable<EnvironmentInput>& environment_table();
const ObjectTable<ShareInput>& share_table();
const ObjectTable<QueueInput>& queue_table();
const ObjectTable<TermsInput>& terms_table();
const ObjectTable<PriorityChangeInput>& priority_change_table();
const ObjectTable<OutageInput>& outage_table();
const ObjectTable<BrownOutInput>& brownout_table();
const ObjectTable<models::AlarmLink>& alarm_link_table();
const ObjectTable<models::Watchdog>& watchdog_table();
const ObjectTable<CheckpointInput>& checkpoint_table();
const ObjectTable<TrainingInput>& training_table();
/// AWS's names of the calls that reeve makes.
const std::vector<Choice<policy::VerbKind>>& api_calls();
Codec<CallRates> call_rates();
Codec<policy::FailureClass> failure_class();
Codec<SeatInput> seat();
Codec<models::DurationLaw> law(bool above_zero);
Codec<WorkloadInput> workload();
Codec<std::vector<policy::Tag>> tags();
Codec<policy::Market> market_choice();

}  // namespace reeve::scenarios
