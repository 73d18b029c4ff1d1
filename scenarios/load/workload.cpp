// Work from a trace, or drawn from distributions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "models/progress.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/trace_ends.hpp"
#include "scenarios/load/trace_sizes.hpp"
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
        sizes_of_rows_{loading, input, profile_.pool},
        ends_{input.end_status} {
    const policy::Directory& directory = loading.world().directory;
    const auto queue = directory.terms[profile_.terms].queue;
    if (!input.shares_from || !queue) return;
    for (const policy::ShareId share : directory.queues[queue->index].shares) {
      shares_.emplace(directory.shares[share.index].name, share);
    }
  }

  /// The largest of the trace, in instances; 0 after errors.
  std::uint32_t read(const std::filesystem::path& path) {
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
    if (errors_ == 0) sizes_of_rows_.report(loading_);
    if (errors_ == 0) ends_.report_running(loading_, jobs_);
    if (errors_ == 0 && jobs_ > 0) ends_.report_never_started(loading_, jobs_);
    report_too_long();
    report_late();
    if (jobs_ == 0 && errors_ == 0) refuse(ends_.none_started());
    if (errors_ > 0) return 0;
    for (const std::uint32_t size : sizes_) {
      refuse_endless_wait(loading_, input_.profile, profile_, size, loading_.findings);
    }
    note_largest();
    return *sizes_.rbegin();
  }

 private:
  /// Of each line the largest job, for its share and its environment.
  void note_largest() {
    const Place place{*loading_.input.workload->written->find("trace"), {}};
    models::JobProfile profile = profile_;
    for (const auto& [terms, row] : largest_) {
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
    const auto instances = size_of(reader, row);
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
    if (!submit) return;
    if (!ends_in_time(loading_, *submit, profile_, *row.duration)) {
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
    spec.work = *row.duration;
    spec.expected = estimate_of(row);
    spec.ends = ends_.end_of(row);
    spec.instances = *instances;
    const auto terms = terms_for(reader, row);
    if (!terms) return;
    const auto profile = profile_for(row, *instances, *terms);
    if (!profile) return;
    spec.profile = *profile;
    spec.priority = input_.profile.priority;
    if (row.priority) spec.priority = static_cast<std::int32_t>(*row.priority);
    if (models::machine_time(spec.work, fastest(loading_, profile_)) > profile_.max_runtime) {
      ++too_long_;
    }
    if (spec.submit >= loading_.world().end) ++late_;
    first_ = std::min(first_.value_or(*submit), *submit);
    dated_ = row.date.has_value();
    ++jobs_;
    ++loading_.trace_facts.jobs;
    sizes_.insert(*instances);
    auto& largest = largest_[*terms];
    if (*instances > largest.first) largest = {*instances, std::string{row.job_id}};
    loading_.jobs.specs.push_back(spec);
    loading_.jobs.names.push_back(std::string{row.job_id});
  }

  std::optional<std::uint32_t> size_of(const TraceReader& reader, const TraceRow& row) {
    auto size = sizes_of_rows_.read(reader, row);
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
  std::optional<std::uint32_t> profile_for(const TraceRow& row, std::uint32_t instances,
                                           std::uint16_t terms) {
    const auto weight = static_cast<std::uint32_t>(row.weight.value_or(profile_.weight));
    const std::uint32_t shared = profile_of(row.user, weight, terms);
    if (!input_.profile.gpu_util.trace) return shared;
    models::JobProfile own = loading_.world().profiles[shared];
    const Place place{*loading_.input.workload->written, {}};
    if (bind_utilization(loading_, input_.profile, place, row.job_id, instances, *row.duration,
                         own)) {
      return loading_.intern(std::move(own));
    }
    ++errors_;
    return std::nullopt;
  }

  /// A user of the trace is the owner and the tag `username`, unless the scenario says who is.
  std::uint32_t profile_of(std::string_view user, std::uint32_t weight, std::uint16_t terms) {
    auto& like_it = by_user_[{weight, terms}];
    const auto known = like_it.find(user);
    if (known != like_it.end()) return known->second;
    models::JobProfile profile = profile_;
    profile.weight = weight;
    profile.terms = terms;
    if (!user.empty()) {
      if (profile.owner.empty()) profile.owner = user;
      std::vector<policy::Tag> tags = input_.profile.tags;
      const bool named = std::any_of(
          tags.begin(), tags.end(), [](const policy::Tag& tag) { return tag.first == "username"; });
      if (!named) tags.emplace_back("username", std::string{user});
      profile.tags = loading_.intern(std::move(tags));
    }
    const std::uint32_t id = loading_.intern(std::move(profile));
    like_it.emplace(user, id);
    return id;
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
  TraceSizes sizes_of_rows_;
  TraceEnds ends_;
  std::map<std::string, policy::ShareId, std::less<>> shares_ = {};  ///< of the queue, by name
  /// Profiles by the weight of a row and its terms, then by its user.
  std::map<std::pair<std::uint32_t, std::uint16_t>,
           std::map<std::string, std::uint32_t, std::less<>>>
      by_user_;
  std::size_t errors_ = 0;
  std::uint64_t too_long_ = 0;
  std::uint64_t jobs_ = 0;
  std::uint64_t late_ = 0;         ///< submitted after the end
  std::set<std::uint32_t> sizes_;  ///< in instances
  std::map<std::uint16_t, std::pair<std::uint32_t, std::string>> largest_;  ///< of each terms
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

void load_trace(Loading& loading, const TraceWorkloadInput& input) {
  const Node written = *loading.input.workload->written;
  const auto profile = resolve_all(loading, input, written);
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
      all.instances = read_own(*path, FileUse::jobs, [&] {
        return TraceJobs{loading, input, *profile}.read(*path);
      });
    }
  } catch (const InputError& found) {
    loading.findings.add(found);
  }
  note_job(loading, all, *profile);
}

void check_arrivals(Loading& loading, const DrawnWorkloadInput& input) {
  const auto node = input.arrivals.written;
  if (!node) return;  // its absence is reported already
  const bool at_once = input.arrivals.process == models::Arrivals::all_at_once;
  if (at_once && input.arrivals.gap) {
    loading.findings.add(at_key(*node->find("gap"), "E0228",
                                "\"gap\" has no meaning where all jobs arrive at once",
                                "leave it out"));
  }
  if (!at_once && !input.arrivals.gap) {
    loading.error(*node, "E0202", "arrivals lacks the key \"gap\"",
                  "the time between two submissions");
  }
  const auto last =
      stepped(input.arrivals.first, input.arrivals.gap.value_or(Duration{0}), input.jobs);
  if (!last || *last > longest_duration) {
    loading.error(*node, "E0225",
                  fmt::format("{} jobs with this gap take more than 100 years", input.jobs),
                  "use fewer jobs or a shorter gap");
  }
}

void load_drawn(Loading& loading, const DrawnWorkloadInput& input) {
  const Node written = *loading.input.workload->written;
  const Place place{written, {}};
  check_arrivals(loading, input);
  auto profile = resolve(loading, input.profile, place);
  if (!profile) return;
  WrittenJob written_job{.place = place, .priority = input.profile.priority};
  std::uint32_t largest = 1;
  for (const auto& [instances, weight] : input.instances) {
    if (weight > 0) {
      largest = std::max(largest, instances);
      check_places(loading, "a drawn job", instances, *profile, place, loading.findings);
      refuse_endless_wait(loading, input.profile, *profile, instances, loading.findings);
      check_quota(loading, "a drawn job", instances, profile->pool, place.of("instances"),
                  loading.findings);
      note_size(loading, "a drawn job", instances, *profile, place);
    }
  }
  if (traced_by_job(input.profile)) {
    loading.error(place.of("gpu_util"), "E0228", "drawn jobs have no traces of their own",
                  "{job} has no meaning here");
    return note_job(loading, written_job, *profile);
  }
  if (!bind_utilization(loading, input.profile, place, {}, largest, input.work.scale, *profile))
    return note_job(loading, written_job, *profile);
  if (!ends_in_time(loading, input.arrivals.first, *profile, input.work.scale)) {
    refuse_endless(place, *profile, input.work.scale, loading.findings);
  }
  written_job.instances = largest;
  note_job(loading, written_job, *profile);
  models::JobProfile untagged = *profile;
  untagged.tags = policy::TagSetId{0};
  untagged.owner = input.profile.owner.value_or("");
  models::DrawnWorkload drawn;
  drawn.jobs = static_cast<std::uint32_t>(input.jobs);
  drawn.prefix = input.prefix + "-";
  drawn.arrivals = input.arrivals.process;
  drawn.gap = input.arrivals.gap.value_or(Duration{0});
  drawn.first = input.arrivals.first;
  drawn.work = input.work;
  drawn.instances = input.instances;
  drawn.missing_tag_probability = input.untagged;
  drawn.profile = loading.intern(*profile);
  drawn.untagged_profile = input.untagged > 0 ? loading.intern(untagged) : drawn.profile;
  loading.world().jobs.drawn_prefix = drawn.prefix;
  loading.world().drawn = std::move(drawn);
}

}  // namespace

void load_workload(Loading& loading) {
  if (!loading.input.workload) return;
  const WorkloadInput& workload = *loading.input.workload;
  if (workload.trace && !workload.trace->trace.empty()) load_trace(loading, *workload.trace);
  if (workload.drawn && workload.drawn->jobs > 0) load_drawn(loading, *workload.drawn);
}

}  // namespace reeve::scenarios
