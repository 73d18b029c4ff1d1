// The state of loading one scenario: what was written, what it means so far, what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/utilization.hpp"
#include "scenarios/load/input.hpp"
#include "scenarios/load/resolve.hpp"
#include "scenarios/records/price_book.hpp"
#include "scenarios/records/utilization_trace.hpp"

namespace reeve::scenarios {

/// A change of the priority of a job in a JobList.
struct ListedPriority {
  std::size_t job = 0;
  Duration at{0};
  std::int32_t priority = 0;
};

/// Jobs as they are collected, in the order written; sorted by submission at the end.
struct JobList {
  std::vector<models::JobSpec> specs;
  std::vector<std::string> names;
  std::vector<ListedPriority> priority_changes = {};
};

/// A row of the book that a fleet pays by, and where that stands.
struct PaidRow {
  const PriceRow* row = nullptr;
  Node node;
  std::uint32_t pool = 0;
};

/// How a pool's market was recorded.
struct RecordTicks {
  Duration tick{0};         ///< 0: by its changes, or not at all
  std::uint64_t ticks = 0;  ///< 0: none
  Duration price_tick{0};   ///< 0: by its changes, or in the record of offers, or not at all
};

/// Where prices come from.
struct UsedPrices {
  std::shared_ptr<const PriceBook> book;  ///< null: inline prices only
  Day day;                                ///< as of which it is read
  std::vector<PaidRow> paid_rows;
};

/// The recorded markets of the pools.
struct RecordedMarkets {
  std::vector<std::string> regions;                         ///< of the pools, where known
  std::vector<std::string> zones;                           ///< likewise
  std::vector<RecordTicks> ticks;                           ///< of the pools
  std::map<std::filesystem::path, Convention> conventions;  ///< of records, as first said
  std::set<std::string> scarce_regions;                     ///< of fleets with that preset
};

/// Traces of GPU utilization.
struct UtilizationTraces {
  std::map<std::string, std::shared_ptr<const UtilFile>> files;  ///< by how they were read
  std::map<const models::UtilTrace*, std::uint32_t> ids;         ///< in the order of use
  std::set<std::size_t> too_short;  ///< reported; by where they are written
  std::set<std::size_t> too_long;   ///< likewise
};

/// What later keys may name.
struct KnownNames {
  /// By name, after sorting; the names are those of World::jobs.
  std::vector<std::pair<std::string_view, policy::JobId>> jobs;
  std::set<std::string, std::less<>> owners;  ///< of any job
  std::optional<policy::JobId> job(std::string_view name) const;
};

/// Equal profiles, and equal sets of tags, are one.
struct Interned {
  std::map<std::string, std::uint32_t> profiles;  ///< by contents
  std::map<std::vector<policy::Tag>, policy::TagSetId> tags;
};

/// What is resolved so far, and what later steps need of earlier ones.  The steps follow in their
/// order.  After a finding each continues with what still makes sense.  A step that only reads
/// takes a Resolved.
struct Loading : Resolved {
  Loading(Document parsed, std::filesystem::path traces_in, const LoadLimits& limited,
          Findings& told);

  std::filesystem::path folder;
  LoadLimits limits;
  Findings& findings;
  UsedPrices prices;
  RecordedMarkets markets;
  JobList jobs;
  UtilizationTraces utilization;
  KnownNames names;
  Interned interned;
  /// Of jobs that a forecast names: their time limits, as far as they have one.
  std::map<std::string, Duration, std::less<>> limits_of_running = {};

  void error(const Node& node, std::string_view code, std::string message, std::string label = {},
             std::string help = {});
  void warning(const Node& node, std::string_view code, std::string message, std::string label = {},
               std::string help = {});

  Resolved take() { return std::move(static_cast<Resolved&>(*this)); }
  policy::TagSetId intern(std::vector<policy::Tag> tags);
  std::uint32_t intern(models::JobProfile profile);
};

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

/// "key" or "key=value", checked; W0520 if no job has it.
host::TagPattern tag_pattern(const Resolved& resolved, const std::string& text, const Node& node,
                             Findings& findings);
/// The fleet of that name, or E0212.
std::optional<policy::PoolId> fleet_named(const Resolved& resolved, const std::string& name,
                                          const Node& node, Findings& findings);

/// Of a policy, alerts included: the host numbers them in one byte.
inline constexpr std::size_t most_rules = 255;

/// Jobs that all come after so long count from 1970, as a rule.
inline constexpr Duration doubtful_start = std::chrono::days{10 * 366};

/// `base` + `step` x `times`, or nothing where that leaves the range of Duration.  None negative.
std::optional<Duration> stepped(Duration base, Duration step, std::uint64_t times);

void load_live(Loading& loading);  ///< what `reeve live` observes, and where messages go
void load_clock(Loading& loading);
void load_prices(Loading& loading);  ///< inline prices, and the book
void load_fleet(Loading& loading);
void load_shocks(Loading& loading);
void load_outages(Loading& loading);
void load_platform(Loading& loading);
void load_ticks(Loading& loading);    ///< the tick world, and what has no meaning in it
void load_queues(Loading& loading);   ///< environments, shares and queues
void load_managed(Loading& loading);  ///< what SageMaker adds to it
void load_alarm_link(Loading& loading);
void load_jobs(Loading& loading);  ///< explicit jobs
void load_trace(Loading& loading, const TraceWorkloadInput& input);
void load_workload(Loading& loading);   ///< traced and drawn jobs
void resample_weeks(Loading& loading);  ///< of a trace; after sort_jobs
void load_history(Loading& loading);    ///< that the trace is one
void sort_jobs(Loading& loading);       ///< names must be unique; ids are known from here on
void check_tick_jobs(const Resolved& resolved, Findings& findings);
void check_bill(const Resolved& resolved,
                Findings& findings);  ///< more dollars than a run can count
void load_people(Loading& loading);   ///< humans and kill switch
void load_policies(Loading& loading);
void load_alerts(Loading& loading);  ///< as rules of every policy
GuardSpec resolve_guards(const Resolved& resolved, Findings& findings);
/// Scripted API faults, which name jobs.
std::vector<models::ScriptedApiFault> resolve_api_faults(const ScenarioInput& input,
                                                         const KnownNames& names,
                                                         Findings& findings);
std::vector<Expect> resolve_expects(const Resolved& resolved, const KnownNames& names,
                                    Findings& findings);

/// What a fleet says of its market, checked; its pool is the newest.
void load_market(Loading& loading, const PoolInput& input);

/// What a fleet says of its instances' faults; its pool is the newest.
void load_node_faults(Loading& loading, const PoolInput& input);

/// Reports a job of `instances` that loses some for good and waits for them, if nothing ends the
/// run.
void refuse_endless_wait(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, std::uint32_t instances,
                         Findings& findings);

/// Reports faults that let a job without a limit stall, if nothing ends the run: in
/// its own fleet, and in those where rules may have it run.
void check_node_faults(const Resolved& resolved, Findings& findings);

/// What the platform says of billing, notices and instances of one's own, checked.
void load_unmanaged(Loading& loading);

/// In which zones a fleet stands; its pool is the newest.
void load_zones(Loading& loading, const PoolInput& input);

/// 100 minus the confidence of a diagnosis, in whole percent.
std::uint8_t doubt_pct(double confidence);
/// Reports keys of a job that only self-managed instances support, if this platform does not.
void check_unmanaged_job(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, const Place& place, Findings& findings);

/// Reports a job of `instances` that no zone of its pool has room for.
void check_places(const Resolved& resolved, const std::string& who, std::uint32_t instances,
                  const models::JobProfile& profile, const Place& place, Findings& findings);

/// EC2's price, on the same terms, of what a fleet pays for as managed instances; nothing where
/// that is unknown.
std::optional<policy::UsdPerHour> same_terms_of_ec2(const Loading& loading, const PoolInput& fleet);

/// What the scenario or its book says an instance of the type costs in the market; nothing if
/// neither does.
std::optional<policy::UsdPerHour> listed_price(const Loading& loading,
                                               const policy::InstanceType& type,
                                               policy::Market market);
/// Warns of rows that change while the clock runs; after all jobs.
void check_price_changes(Loading& loading);
/// Warns of a price of the book that is old, or dearer on Spot than on demand.
void check_listed_price(Loading& loading, const policy::InstanceType& type, policy::Market market,
                        const Node& node);
/// Reports a fleet of Spot whose price stands nowhere.
void report_no_spot_price(Loading& loading, const std::string& type, const PoolInput& input);

/// Which part of the recorded markets each run meets.
void load_tick_windows(Loading& loading, const TickWindowsInput& input);

/// Reports a job that has no fleets on Spot and on demand to choose from, tick by tick.
void check_tick_fleets(const Resolved& resolved, policy::PoolId pool, const Place& place,
                       Findings& findings);

/// Warns of a deadline that even on-demand instances miss.
void check_tick_deadline(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                         const Place& place, Findings& findings);

/// Reports a rule that has no meaning in this world, or says of it what is not so.
void check_tick_rule(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                     Findings& findings);

/// Reports a policy that gets no job an instance; it stands at `node`.
void check_tick_policy(const PolicySpec& policy, const Node& node, Findings& findings);

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

/// The file of a trace, which is looked for relative to the scenario; nothing after a finding.
std::optional<std::filesystem::path> find_trace(Loading& loading, const std::string& name,
                                                const Node& node);

/// Reports intervals that do not stand in order or overlap; each is well formed already.
void check_order(const std::vector<models::TimeSpan>& intervals, const Node& list,
                 Findings& findings);

/// Keeps an entry of `jobs`, or the workload, for lints; its profile is of no job.
void note_job(Loading& loading, WrittenJob job, models::JobProfile profile);
/// Keeps how much such a job requests, where queues may limit it; `place` holds "instances".
void note_size(Loading& loading, std::string_view who, std::uint32_t instances,
               const models::JobProfile& profile, const Place& place, Duration since = {});

/// The profile a job input describes, with its pool; nothing if that cannot be found.
std::optional<models::JobProfile> resolve(Loading& loading, const ProfileInput& input,
                                          const Place& place);

/// The instance type a fleet names, from the inline prices or else from the book; nothing after a
/// finding at `node`.
std::optional<policy::TypeId> price_type(Loading& loading, const std::string& name,
                                         const Node& node);

/// Reports a name that is no type of the prices; `as_key`: it is the key of `node`.
void report_unknown_type(Loading& loading, std::string_view name, const Node& node,
                         bool as_key = false);

/// In which line the job stands, checked; false after a finding.
bool load_terms(Loading& loading, const TermsInput& input, models::JobProfile& profile,
                const Place& place);
/// Where jobs of its queue run that name neither a fleet nor another type or market.
std::optional<policy::PoolId> fleet_of_queue(const Loading& loading, const ProfileInput& input);
/// Of the jobs of the list, which have these ids.
void resolve_priority_changes(Loading& loading, const std::vector<policy::JobId>& ids);
/// In place of the priorities that jobs have.
void apply_queue_priorities(Loading& loading);

/// Reports a job that its pool can never run; `place` holds "instances".
void check_fits(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                policy::PoolId pool, const Node& place, Findings& findings);

/// What a job saves and when, with its pauses and uploads as times.
void load_checkpoint(Loading& loading, const CheckpointInput& input, models::JobProfile& profile,
                     const Place& place);

/// How fast a job trains where, checked; the profile has its pool.
void load_throughput(Loading& loading, const TrainingInput& input, models::JobProfile& profile,
                     const Place& place);

/// The contents as bytes, so that equal profiles are one.
void append_training(std::string& key, const models::JobProfile& profile);

/// What SageMaker takes with a job, checked; the profile has its pool.
void load_managed_job(Loading& loading, const ManagedJobInput& input, models::JobProfile& profile,
                      const Place& place);

/// Warns of a job that its quota always refuses; `place` holds "instances".
void check_quota(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                 policy::PoolId pool, const Node& place, Findings& findings);

/// The number, from 1, of the drawn job of that name; nothing if it is none.
std::optional<std::uint64_t> drawn_number(std::string_view name,
                                          const models::DrawnWorkload& drawn);

/// Reports faults and limits that do not go with so much work.
void check_against_work(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                        const Place& place, Findings& findings);

}  // namespace reeve::scenarios
