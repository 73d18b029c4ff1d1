// What the keys of jobs and workloads decode into, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/utilization.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/platform_input.hpp"
#include "scenarios/load/keys/queue_input.hpp"
#include "scenarios/records/utilization_options.hpp"

namespace reeve::scenarios {

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

}  // namespace reeve::scenarios
