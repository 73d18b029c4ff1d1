// Work from a trace: each row is a job.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <variant>

#include "models/progress.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/load/jobs/trace_ends.hpp"
#include "scenarios/load/jobs/trace_fleets.hpp"
#include "scenarios/load/jobs/trace_profiles.hpp"
#include "scenarios/load/jobs/trace_sizes.hpp"
#include "scenarios/records/trace.hpp"
#include "scenarios/text/foreign_file.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t row_errors_max = 10;

/// What the jobs of a trace are called in its file.
ColumnNames names_of(const TraceWorkloadInput& input) {
  ColumnNames names{.by = ColumnNames::By::key};
  for (const auto& [ours, theirs] : input.columns) names.stated.push_back({ours, theirs});
  return names;
}

/// Turns the rows of one trace into jobs.
class TraceJobs {
 public:
  TraceJobs(Loading& loading, const TraceWorkloadInput& input, models::JobProfile profile)
      : loading_{loading},
        input_{input},
        profile_{std::move(profile)},
        fleets_{loading, profile_.pool},
        profiles_{loading, input, profile_},
        ends_{input.end_status} {
    if (input.forecast) {
      for (const RunningJobsInput& running : input.forecast->running) {
        drawn_.insert(running.jobs.begin(), running.jobs.end());
      }
    }
    const policy::Directory& directory = loading.world().directory;
    const auto queue = directory.terms[profile_.terms].queue;
    if (!input.shares_from || !queue) return;
    for (const policy::ShareId share : directory.queues[queue->index].shares) {
      shares_.emplace(directory.shares[share.index].name, share);
    }
  }

  /// In which fleet most of what is said of all jobs holds, and the largest job there, in
  /// instances; 0 after errors.
  std::pair<policy::PoolId, std::uint32_t> read(const std::filesystem::path& path) {
    TraceReader reader{path, {}, names_of(input_)};
    if (input_.end_status == EndStatusUse::ignore) reader.ignore_end_status();
    TraceRow row;
    for (std::uint64_t rows = 0; rows < input_.first_jobs.value_or(~std::uint64_t{0}); ++rows) {
      if (errors_ >= row_errors_max || !reader.next(row)) break;
      if (loading_.jobs.specs.size() >= loading_.limits.written_jobs) {
        refuse(reader.at("job_id", "E0226",
                         fmt::format("more than {} jobs", loading_.limits.written_jobs)));
        break;
      }
      add(reader, row);
    }
    report_early();
    for (const Diagnostic& warning : reader.warnings()) loading_.findings.add(warning);
    if (errors_ == 0) {
      for (const auto& [pool, fleet] : used_) fleet.sizes.report(loading_);
      fleets_.report(loading_, jobs_);
      report_unused();
    }
    const bool tells_ends = errors_ == 0 && !loading_.input.history;  // of these import.md tells
    if (tells_ends) ends_.report_running(loading_, jobs_);
    if (tells_ends && jobs_ > 0) ends_.report_never_started(loading_, jobs_);
    report_too_long();
    report_late();
    if (jobs_ == 0 && errors_ == 0) refuse(ends_.none_started());
    if (errors_ > 0) return {profile_.pool, 0};
    for (const auto& [pool, fleet] : used_) {
      models::JobProfile there = profile_;
      there.pool = pool;
      for (const std::uint32_t size : fleet.instances) {
        refuse_endless_wait(loading_, input_.profile, there, size, loading_.findings);
      }
      note_largest(there, fleet);
    }
    const auto usual = used_.find(profile_.pool);
    const auto& [pool, fleet] = usual == used_.end() ? *used_.begin() : *usual;
    return {pool, *fleet.instances.rbegin()};
  }

 private:
  /// A fleet in which jobs of the trace run.
  struct Used {
    TraceSizes sizes;
    std::set<std::uint32_t> instances = {};  ///< sizes of its jobs
    std::map<std::uint16_t, std::pair<std::uint32_t, std::string>> largest = {};  ///< of each terms
  };

  /// Of each line the largest job, for its share and its environment.
  void note_largest(models::JobProfile profile, const Used& fleet) {
    const Place place{*loading_.input.workload->written->find("trace"), {}};
    for (const auto& [terms, row] : fleet.largest) {
      profile.terms = terms;
      note_size(loading_, fmt::format("job {} of the trace", in_quotes(row.second)), row.first,
                profile, place);
    }
  }

  void refuse(Diagnostic diagnostic) {
    ++errors_;
    loading_.findings.add(std::move(diagnostic));
  }

  void add(const TraceReader& reader, const TraceRow& row) {
    if (ends_.never_started(reader, row)) return;
    const auto pool = fleet_of(reader, row);
    if (!pool) return;
    Used& fleet = used_.try_emplace(*pool, Used{TraceSizes{loading_, input_, *pool}}).first->second;
    const auto instances = size_of(fleet, reader, row);
    if (!row.duration) {
      refuse(reader
                 .at("duration_s", "E0241",
                     fmt::format("job {} has no duration", in_quotes(row.job_id)),
                     "the amount of work is missing")
                 .with_help(std::string{drop_rows_help}));
      return;
    }
    if (!instances) return;
    const auto submit = submission_of(reader, row);
    const auto logged = logged_run(reader, row);
    if (!submit || !logged || !has_good_tags(reader, row)) return;
    const Duration before = logged->startup.value_or(Duration{0}) + logged->lost;
    if (!ends_in_time(loading_, *submit + before, profile_, *row.duration)) {
      refuse(reader.at("duration_s", "E0225",
                       "the job would end after the year 2199, even without disturbance",
                       "too long"));
      return;
    }
    if (row.priority && *row.priority != static_cast<std::int32_t>(*row.priority)) {
      refuse(reader.at("priority", "E0315", "priority is out of range",
                       "must be -2147483648 to 2147483647"));
      return;
    }
    if (row.weight == 0) {
      refuse(reader.at("weight", "E0315", "weight is out of range", "must be 1 or more"));
      return;
    }
    models::JobSpec spec;
    spec.submit = loading_.world().start + *submit;
    const Duration stalled = std::min(row.stalled.value_or(Duration{0}), *row.duration);
    spec.work = std::max(Duration{1}, *row.duration - stalled);
    spec.expected = estimate_of(row);
    const bool is_drawn = drawn_.contains(row.job_id);
    if (is_drawn && row.time_limit) {
      loading_.limits_of_running.emplace(row.job_id, *row.time_limit);
    }
    spec.ends = ends_.end_of(row, is_drawn);
    spec.censored = row.censored.value_or(ends_from_outside(row.end_status));
    spec.instances = *instances;
    const auto terms = terms_for(reader, row);
    if (!terms) return;
    const auto profile = profile_for(row, *pool, *instances, *terms, logged->lost, spec.work);
    if (!profile) return;
    spec.profile = *profile;
    if (before > Duration{0} || logged->startup) spec.logged = keep(*logged);
    spec.priority = input_.profile.priority;
    if (row.priority) spec.priority = static_cast<std::int32_t>(*row.priority);
    const Duration trains = models::machine_time(spec.work, fastest(loading_, profile_));
    if (trains > profile_.max_runtime || logged->lost > profile_.max_runtime - trains) {
      ++too_long_;
    }
    if (spec.submit >= loading_.world().end) ++late_;
    first_ = std::min(first_.value_or(*submit), *submit);
    dated_ = row.date.has_value();
    ++jobs_;
    ++loading_.trace_facts.jobs;
    fleet.instances.insert(*instances);
    auto& largest = fleet.largest[*terms];
    if (*instances > largest.first) largest = {*instances, std::string{row.job_id}};
    loading_.jobs.specs.push_back(spec);
    loading_.jobs.names.push_back(std::string{row.job_id});
  }

  std::optional<policy::PoolId> fleet_of(const TraceReader& reader, const TraceRow& row) {
    auto fleet = fleets_.of(reader, row);
    if (auto* found = std::get_if<Diagnostic>(&fleet)) {
      refuse(std::move(*found));
      return std::nullopt;
    }
    return std::get<policy::PoolId>(fleet);
  }

  /// What the row says of the job's run besides its work; nothing after a finding.
  std::optional<models::LoggedRun> logged_run(const TraceReader& reader, const TraceRow& row) {
    const Duration startup = row.startup.value_or(Duration{0});
    const Duration lost = row.lost.value_or(Duration{0});
    for (const auto& [column, length] : {std::pair{"startup_s", startup}, {"lost_s", lost}}) {
      if (length <= longest_duration / 2) continue;
      refuse(
          reader.at(column, "E0225", fmt::format("{} is more than 50 years", column), "too long"));
      return std::nullopt;
    }
    if (!has_ticks(loading_.world())) return models::LoggedRun{row.startup, lost};
    if (startup + lost > Duration{0}) ++unused_;
    return models::LoggedRun{};
  }

  bool has_good_tags(const TraceReader& reader, const TraceRow& row) {
    for (const auto& [key, value] : row.tags) {
      if (value != "(untagged)") continue;
      refuse(reader
                 .at(std::string{tag_prefix}.append(key), "E0229",
                     "\"(untagged)\" is reserved for jobs without a tag", "not a valid tag value")
                 .with_help("use another value, or leave the cell empty"));
      return false;
    }
    return true;
  }

  std::uint32_t keep(const models::LoggedRun& run) {
    auto& logged = loading_.world().jobs.logged;
    logged.push_back(run);
    return static_cast<std::uint32_t>(logged.size() - 1);
  }

  std::optional<std::uint32_t> size_of(Used& fleet, const TraceReader& reader,
                                       const TraceRow& row) {
    auto size = fleet.sizes.read(reader, row);
    if (auto* found = std::get_if<Diagnostic>(&size)) {
      refuse(std::move(*found));
      return std::nullopt;
    }
    return std::get<std::uint32_t>(size);
  }

  /// Since the start of the clock; nothing after a finding.
  std::optional<Duration> submission_of(const TraceReader& reader, const TraceRow& row) {
    const Instant start = loading_.world().start;
    if (row.date && *row.date < start) {
      if (!early_ || *row.date < earliest_) {
        earliest_ = *row.date;
        early_ = reader.at(
            "submit_s", "E0328",
            fmt::format("job {} is submitted before the clock starts", in_quotes(row.job_id)),
            fmt::format("the clock starts at {}", show(start)));
      }
      return std::nullopt;
    }
    const Duration submit = row.date ? *row.date - start : row.submit;
    if (submit <= longest_duration) return submit;
    refuse(reader.at("submit_s", "E0225", "more than 100 years after the start", "too late"));
    return std::nullopt;
  }

  /// The job that was submitted first, if any was too early.
  void report_early() {
    if (!early_) return;
    refuse((*std::move(early_))
               .with_help(fmt::format("\"clock\": {{ \"start\": \"{}\" }}, or an earlier start",
                                      show(earliest_))));
  }

  /// By what schedulers plan.
  Duration estimate_of(const TraceRow& row) {
    const auto from = input_.estimates_from;
    const auto said = [&](EstimatesFrom column, const std::optional<Duration>& value) {
      return from.value_or(column) == column && value && *value > Duration{0};
    };
    if (said(EstimatesFrom::estimate, row.estimate)) return *row.estimate;
    if (said(EstimatesFrom::time_limit, row.time_limit)) return *row.time_limit;
    if (from != EstimatesFrom::duration) ++loading_.trace_facts.without_estimate;
    return *row.duration;
  }

  /// In which share it stands, and whether its machines may be taken; nothing after a finding.
  std::optional<std::uint16_t> terms_for(const TraceReader& reader, const TraceRow& row) {
    policy::Directory& directory = loading_.world().directory;
    policy::JobTerms terms = directory.terms[profile_.terms];
    if (row.preemptible && terms.queue) terms.keeps_machines = !*row.preemptible;
    if (input_.shares_from) {
      const bool by_queue = *input_.shares_from == SharesFrom::queue;
      std::string_view name = by_queue ? row.queue : row.user;
      const auto& otherwise = input_.profile.terms.share;
      if (name.empty() && otherwise) name = *otherwise;
      terms.share = share_named(*terms.queue, name);
      if (!terms.share) {
        refuse_share(reader, row, by_queue ? "queue" : "user", name);
        return std::nullopt;
      }
    }
    const auto interned = directory.intern(terms);
    if (!interned) {
      refuse(
          reader.at("job_id", "E0255",
                    "jobs have more than 65,535 combinations of queue, share and \"preemptible\"",
                    "one too many"));
    }
    return interned;
  }

  std::optional<policy::ShareId> share_named(policy::QueueId queue, std::string_view name) {
    const auto known = shares_.find(name);
    if (known != shares_.end()) return known->second;
    const auto made = share_of_prefix(loading_, queue, name);
    if (made) shares_.emplace(name, *made);
    return made;
  }

  void refuse_share(const TraceReader& reader, const TraceRow& row, std::string_view column,
                    std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& [known, share] : shares_) names.push_back(known);
    const bool none = name.empty();
    Diagnostic refusal =
        reader.at(column, "E0254",
                  none ? fmt::format("job {} has no {}", in_quotes(row.job_id), column)
                       : fmt::format("queue {} has no share {}",
                                     in_quotes(*input_.profile.terms.queue), in_quotes(name)),
                  "the share comes from this column");
    refuse(std::move(refusal).with_help(none ? "set \"share\" of the workload for such jobs"
                                             : did_you_mean(name, names)));
  }

  /// Nothing after a finding about its utilization.
  std::optional<std::uint32_t> profile_for(const TraceRow& row, policy::PoolId pool,
                                           std::uint32_t instances, std::uint16_t terms,
                                           Duration lost, Duration work) {
    const std::uint32_t shared = profiles_.of(row, pool, terms);
    const bool stalls = row.stalled.value_or(Duration{0}) > Duration{0};
    if (!input_.profile.gpu_util.trace && !stalls) return shared;
    models::JobProfile own = loading_.world().profiles[shared];
    if (stalls) {  // just before its work is done, so that its end follows
      own.faults.push_back({.kind = models::FaultKind::stall,
                            .at = lost + work - Duration{1},
                            .lasts = *row.duration - work,
                            .hosts = {},
                            .cause = "logged"});
    }
    if (!input_.profile.gpu_util.trace) return intern_profile(loading_, std::move(own));
    const Place place{*loading_.input.workload->written, {}};
    if (bind_utilization(loading_, input_.profile, place, row.job_id, instances,
                         *row.duration + lost, own)) {
      return intern_profile(loading_, std::move(own));
    }
    ++errors_;
    return std::nullopt;
  }

  void report_too_long() {
    if (too_long_ == 0) return;
    const Node node = *loading_.input.workload->written;
    const auto written = node.find("max_runtime");
    loading_.warning(
        written.value_or(node.find("trace").value_or(node)), "W0403",
        fmt::format("{} of the trace's {} need longer than max_runtime, {}", too_long_,
                    counted(jobs_, "job"), show(profile_.max_runtime)),
        "their first attempt cannot complete the work",
        written ? "" : "write a \"max_runtime\"; without one AWS ends a job after 24h");
  }

  void report_unused() {
    if (unused_ == 0) return;
    loading_.warning(
        *loading_.input.workload->written->find("trace"), "W0613",
        fmt::format("startup or lost time in {} of the trace's {}", unused_, counted(jobs_, "job")),
        "ignored: in the tick model a start takes \"restart_overhead\"");
  }

  /// Times since 1970, and jobs that the clock never gets to.
  void report_late() {
    const Node node = *loading_.input.workload->written->find("trace");
    if (first_ && *first_ > doubtful_start) {
      loading_.warning(
          node, "W0483",
          fmt::format("the first job is submitted {} after the start", show(*first_)),
          "used as written",
          dated_ ? "set \"start\" of \"clock\" shortly before the first job"
          : *first_ < std::chrono::years{29}  // no known log is from before 1999
              ? "submit_s is in seconds from clock.start: convert it if these are milliseconds"
              : "submit_s counts from clock.start, not from 1970");
    }
    if (late_ == 0) return;
    loading_.warning(node, "W0484",
                     fmt::format("{} of the trace's {} are submitted after the clock ends", late_,
                                 counted(jobs_, "job")),
                     fmt::format("it ends after {}: they never run",
                                 show(loading_.world().end - loading_.world().start)),
                     "use a longer \"horizon\", or submit_s in seconds after clock.start");
  }

  Loading& loading_;
  const TraceWorkloadInput& input_;
  models::JobProfile profile_;
  TraceFleets fleets_;
  TraceProfiles profiles_;
  TraceEnds ends_;
  std::map<policy::PoolId, Used> used_ = {};
  std::map<std::string, policy::ShareId, std::less<>> shares_ = {};  ///< of the queue, by name
  std::set<std::string, std::less<>> drawn_ = {};                    ///< running jobs of a forecast
  std::size_t errors_ = 0;
  std::uint64_t too_long_ = 0;
  std::uint64_t jobs_ = 0;
  std::uint64_t late_ = 0;    ///< submitted after the end
  std::uint64_t unused_ = 0;  ///< with times that the tick model does not have
  std::optional<Duration> first_;
  bool dated_ = false;               ///< submission times are dates
  std::optional<Diagnostic> early_;  ///< about the first job, if it is before the clock's start
  Instant earliest_;
};

/// What all jobs have but for their share, which a column says; nothing after a finding.
std::optional<models::JobProfile> resolve_all(Loading& loading, const TraceWorkloadInput& input,
                                              const Node& written) {
  ProfileInput profile = input.profile;
  if (input.shares_from && !profile.terms.share) {
    const auto& queues = loading.input.queues;
    const auto queue = std::find_if(queues.begin(), queues.end(), [&](const QueueInput& each) {
      return each.name == profile.terms.queue;
    });
    if (!profile.terms.queue || (queue != queues.end() && queue->shares.empty())) {
      loading.error(*written.find("shares_from"), "E0254",
                    "\"shares_from\" needs a queue that has shares",
                    "jobs need a queue and then a share of it",
                    "add \"queue\" here, and \"shares\" to that queue");
      return std::nullopt;
    }
    profile.terms.share_of_each_row = true;
  }
  return resolve(loading, profile, Place{written, {}});
}

/// Whether what turns the sizes of rows into instances was refused: each row would seem wrong.
bool size_is_refused(const Loading& loading, const Node& written, policy::PoolId pool) {
  const models::World& world = loading.world();
  const std::string& type = world.directory.types[world.pools[pool.index].type.index].name;
  const auto prices = loading.input.written->find("prices");
  const auto instances = prices ? prices->find("instances") : std::nullopt;
  const auto own = instances ? instances->find(type) : std::nullopt;
  return loading.findings.refused(written.find("instances_from")) ||
         loading.findings.refused(own ? own->find("gpus") : std::nullopt);
}

}  // namespace

void load_trace(Loading& loading, const TraceWorkloadInput& input) {
  const Node written = *loading.input.workload->written;
  auto profile = resolve_all(loading, input, written);
  if (!profile) return;
  WrittenJob all{.place = {written, {}}, .priority = input.profile.priority};
  // With names that were refused, each column would seem to be missing.
  const bool names_refused = input.columns.empty() && written.find("columns").has_value();
  if (names_refused || size_is_refused(loading, written, profile->pool)) {
    return note_job(loading, all, *profile);
  }
  const auto path = find_trace(loading, input.trace, *written.find("trace"));
  try {
    if (path) {
      std::tie(profile->pool, all.instances) = read_own(*path, FileUse::jobs, [&] {
        return TraceJobs{loading, input, *profile}.read(*path);
      });
    }
  } catch (const InputError& found) {
    loading.findings.add(found);
  }
  note_job(loading, all, *profile);
}

}  // namespace reeve::scenarios
