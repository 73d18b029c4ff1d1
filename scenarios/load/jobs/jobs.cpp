// Jobs: profiles, pools, copies, names, and the checks that need more than one key.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <reeve/policy/training_job_name.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/progress.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using models::PlatformModel;

/// Reports a fault of the last copy that no clock could show.
bool refuse_late_faults(const JobInput& input, const Place& place, Findings& findings) {
  for (std::size_t i = 0; i < input.profile.faults.size(); ++i) {
    const FaultInput& fault = input.profile.faults[i];
    const auto last = stepped(fault.fault.at, fault.at_step, input.count - 1);
    if (last && *last <= longest_duration) continue;
    findings.error(place.of("faults")[i].find("at_step").value_or(place.of("faults")), "E0225",
                   "the last copy's fault occurs after more than 100 years of training",
                   "too late");
    return true;
  }
  return false;
}

/// Warns of copies that the clock never gets to.
void warn_of_late_copies(const Resolved& resolved, const JobInput& input, const Place& place,
                         Findings& findings) {
  const models::World& world = resolved.world();
  if (world.end == policy::never) return;
  const Duration length = world.end - world.start;
  const auto late = [&](std::uint64_t copy) {
    const auto submit = stepped(input.submit, input.submit_every, copy);
    return !submit || *submit >= length;
  };
  if (!late(input.count - 1)) return;
  const bool all = late(0);
  findings.warning(
      place.of(all ? "submit" : "submit_every"), "W0484",
      all ? fmt::format("job {} is submitted after the clock ends", in_quotes(input.name))
          : fmt::format("the last of {} jobs {} is submitted after the clock ends", input.count,
                        in_quotes(input.name)),
      fmt::format("it ends after {}: later jobs never run", show(length)),
      "use a longer \"horizon\"");
}

void load_copies(Loading& loading, const JobInput& input, const Place& place,
                 const models::JobProfile& profile) {
  const bool steps = std::any_of(input.profile.faults.begin(), input.profile.faults.end(),
                                 [](const FaultInput& f) { return f.at_step > Duration{0}; });
  const auto last = stepped(input.submit, input.submit_every, input.count - 1);
  if (!last || *last > longest_duration) {
    loading.error(place.of(input.count > 1 ? "submit_every" : "submit"), "E0225",
                  "the last copy would be submitted more than 100 years after the start",
                  "too late");
    return;
  }
  if (!ends_in_time(loading, *last, profile, input.work)) {
    refuse_endless(place, profile, input.work, loading.findings);
    return;
  }
  if (refuse_late_faults(input, place, loading.findings)) return;
  warn_of_late_copies(loading, input, place, loading.findings);
  models::JobSpec spec;
  spec.work = input.work;
  spec.expected = input.expected_work.value_or(input.work);
  spec.instances = input.instances;
  spec.priority = input.profile.priority;
  const bool traced = input.profile.gpu_util.trace.has_value();
  if (!traced) spec.profile = intern_profile(loading, profile);
  for (std::uint64_t copy = 0; copy < input.count; ++copy) {
    spec.submit = loading.world().start + *stepped(input.submit, input.submit_every, copy);
    std::string name = input.count == 1 ? input.name : fmt::format("{}-{}", input.name, copy + 1);
    if (traced || (steps && copy > 0)) {
      models::JobProfile own = profile;
      for (std::size_t i = 0; i < own.faults.size(); ++i) {
        own.faults[i].at = *stepped(own.faults[i].at, input.profile.faults[i].at_step, copy);
      }
      if (!bind_utilization(loading, input.profile, place, name, input.instances, input.work, own))
        return;
      spec.profile = intern_profile(loading, std::move(own));
    }
    for (const PriorityChangeInput& change : input.priority_changes) {
      loading.jobs.priority_changes.push_back(
          {loading.jobs.specs.size(), change.at, change.priority});
    }
    loading.jobs.specs.push_back(spec);
    loading.jobs.names.push_back(std::move(name));
  }
}

void check_job(Loading& loading, const JobInput& input, const Place& place,
               const models::JobProfile& profile) {
  const std::string who = fmt::format("job {}", in_quotes(input.name));
  check_places(loading, who, input.instances, profile, place, loading.findings);
  check_quota(loading, who, input.instances, profile.pool, place.of("instances"), loading.findings);
  note_size(loading, who, input.instances, profile, place, input.submit);
  check_against_work(loading, profile, input.work, place, loading.findings);
  refuse_endless_wait(loading, input.profile, profile, input.instances, loading.findings);
  if (has_ticks(loading.world()))
    check_tick_deadline(loading, profile, input.work, place, loading.findings);
  for (std::size_t i = 0; i < profile.faults.size(); ++i) {
    for (const std::uint32_t host : profile.faults[i].hosts) {
      if (host <= input.instances) continue;
      const Node fault = *input.profile.faults[i].written;
      loading.warning(
          fault.find("hosts").value_or(fault), "W0405",
          fmt::format("host {} of a job with {}", host, counted(input.instances, "instance")),
          "hosts count from 1");
    }
  }
  const bool aws = loading.world().platform.model == PlatformModel::sagemaker_training;
  if (aws && !policy::is_training_job_name(input.name)) {
    loading.warning(place.of("name"), "W0409",
                    fmt::format("AWS would reject the job name {}", in_quotes(input.name)),
                    "only letters, digits and hyphens, at most 63");
  }
}

void load_job(Loading& loading, const Node& node) {
  JobInput input = text_table().fresh();
  input.count = 1;
  const auto defaults = loading.input.job_defaults.written;
  Findings unread;  // what is wrong in job_defaults was reported once
  if (defaults) job_defaults_table().read(*defaults, unread, input, {}, true);
  const std::size_t errors_before = loading.findings.errors();
  if (!text_table().read(node, loading.findings, input, defaults)) return;
  // What follows from a choice that was not understood would only be guessed.
  const bool failed = loading.findings.errors() > errors_before;
  if (failed && loading.findings.unknown_choice(node.pointer() + '/')) return;
  if (failed && !misspelled_keys(node, *text_table().shape()).empty()) return;
  const Place place{node, defaults};
  const auto profile = resolve(loading, input.profile, place);
  if (!profile) return;
  WrittenJob written{.place = place, .priority = input.profile.priority};
  if (loading.findings.errors() > errors_before || unread.errors() > 0) {
    return note_job(loading, written, *profile);
  }
  if (input.count > loading.limits.written_jobs - loading.jobs.specs.size()) {
    loading.error(place.of("count"), "E0226",
                  fmt::format("more than {} jobs", loading.limits.written_jobs), "too many",
                  "use \"workload\" for large numbers of jobs");
    return;
  }
  check_job(loading, input, place, *profile);
  written.instances = input.instances;
  written.work = input.work;
  const std::size_t jobs_before = loading.jobs.specs.size();
  load_copies(loading, input, place, *profile);
  if (loading.jobs.specs.size() == jobs_before) return note_job(loading, written, *profile);
  written.profile = loading.jobs.specs.back().profile;
  loading.written_jobs.push_back(written);
}

/// Where the names of jobs are written, for messages; made once, for there may be many duplicates.
class NamePlaces {
 public:
  explicit NamePlaces(const Loading& loading)
      : elsewhere_{loading.input.jobs.written.value_or(*loading.input.written)} {
    if (const auto workload = loading.input.written->find("workload")) elsewhere_ = *workload;
    if (!loading.input.jobs.written) return;
    for (const Node job : loading.input.jobs.written->as_array()) {
      const auto key = job.find("name");
      if (!key || !key->is_text()) continue;
      const auto [known, added] = places_.try_emplace(std::string{key->as_text()}, *key, *key);
      if (!added) known->second.second = *key;
    }
  }

  /// The list as a whole for copies and traces.
  Node first(const std::string& name) const {
    const auto known = places_.find(name);
    return known == places_.end() ? elsewhere_ : known->second.first;
  }
  Node last(const std::string& name) const {
    const auto known = places_.find(name);
    return known == places_.end() ? elsewhere_ : known->second.second;
  }

 private:
  Node elsewhere_;
  std::map<std::string, std::pair<Node, Node>> places_;
};

void report_duplicates(Loading& loading, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const NamePlaces places{loading};
  for (const std::string& name : names) {
    if (loading.findings.full()) return;
    const Node first = places.first(name);
    const Position line = first.source().position(first.offset());
    loading.findings.add(at(places.last(name), "E0208",
                            fmt::format("two jobs have the name {}", in_quotes(name)),
                            "job names must be unique")
                             .with_note(fmt::format("the first is on line {}", line.line)));
  }
}

void check_drawn_names(Loading& loading) {
  const auto& drawn = loading.world().drawn;
  if (!drawn || loading.findings.full()) return;
  for (const auto& [name, id] : loading.names.jobs) {
    if (!drawn_number(name, *drawn)) continue;
    loading.error(NamePlaces{loading}.first(std::string{name}), "E0208",
                  fmt::format("a drawn job also has the name {}", in_quotes(name)),
                  "job names must be unique", "give \"workload\" a \"name\" of its own");
    return;
  }
}

/// Sorts the jobs by name.  Returns the names of those that have the name of an earlier job.
std::vector<std::string> note_names(Loading& loading) {
  const models::JobNames& names = loading.world().jobs.names;
  auto& known = loading.names.jobs;
  known.reserve(names.size());
  for (std::uint32_t id = 0; id < names.size(); ++id) known.push_back({names[id], {id}});
  std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.index) < std::tie(b.first, b.second.index);
  });
  std::vector<std::uint32_t> again;
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i].first == known[i - 1].first) again.push_back(known[i].second.index);
  }
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  known.erase(std::unique(known.begin(), known.end(), same), known.end());
  std::sort(again.begin(), again.end());
  std::vector<std::string> duplicates;
  for (const std::uint32_t id : again) duplicates.push_back(names[id]);
  return duplicates;
}

/// Of each profile, how large its largest job is.
void note_sizes(Loading& loading) {
  const models::World& world = loading.world();
  loading.largest.resize(world.profiles.size());
  const auto note = [&](std::uint32_t profile, std::uint32_t instances) {
    loading.largest[profile] = std::max(loading.largest[profile], instances);
  };
  for (const models::JobSpec& job : world.jobs.specs) note(job.profile, job.instances);
  if (!world.drawn) return;
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight == 0) continue;
    note(world.drawn->profile, instances);
    note(world.drawn->untagged_profile, instances);
  }
}

}  // namespace

void note_job(Loading& loading, WrittenJob job, models::JobProfile profile) {
  job.apart = &loading.profiles_apart.emplace_back(std::move(profile));
  loading.written_jobs.push_back(std::move(job));
}

void note_size(Loading& loading, std::string_view who, std::uint32_t instances,
               const models::JobProfile& profile, const Place& place, Duration since) {
  const policy::Directory& directory = loading.world().directory;
  if (directory.shares.empty() && directory.environments.empty()) return;
  loading.written_sizes.push_back({place.of("instances"), std::string{who}, instances,
                                   directory.terms[profile.terms], profile.pool, since});
}

void load_jobs(Loading& loading) {
  const auto defaults = loading.input.job_defaults.written;
  if (defaults) {
    JobInput unused = text_table().fresh();
    job_defaults_table().read(*defaults, loading.findings, unused, {}, true);
  }
  const auto jobs = loading.input.jobs.written;
  if (jobs) {
    for (const Node job : jobs->as_array()) {
      if (loading.findings.full()) return;
      load_job(loading, job);
    }
  }
  const bool none = !jobs || jobs->size() == 0;
  const bool unread = !jobs && loading.input.written->find("jobs");  // no list: reported already
  const bool needs_none = loading.input.live.has_value();
  if (none && !unread && !needs_none && !loading.input.written->find("workload")) {
    loading.error(jobs.value_or(*loading.input.written), "E0202",
                  "a scenario needs work: \"jobs\" or \"workload\"", "no job anywhere");
  }
}

void sort_jobs(Loading& loading) {
  JobList& list = loading.jobs;
  std::vector<std::uint32_t> order(list.specs.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return list.specs[a].submit < list.specs[b].submit;
  });
  models::Jobs& jobs = loading.world().jobs;
  std::vector<policy::JobId> ids(order.size());
  if (std::is_sorted(order.begin(), order.end())) {  // as a large trace is: no second copy
    for (const std::uint32_t index : order) ids[index] = {index};
    jobs.specs = std::move(list.specs);
    jobs.names = models::JobNames{std::move(list.names)};
  } else {
    jobs.specs.reserve(order.size());
    jobs.names.reserve(order.size());
    for (const std::uint32_t index : order) {
      ids[index] = {static_cast<std::uint32_t>(jobs.specs.size())};
      jobs.specs.push_back(list.specs[index]);
      jobs.names.push_back(std::move(list.names[index]));
    }
  }
  list.specs = {};
  list.names = {};
  resolve_priority_changes(loading, ids);
  note_sizes(loading);
  report_duplicates(loading, note_names(loading));
  check_drawn_names(loading);
}

bool ends_in_time(const Loading& loading, Duration begins, const models::JobProfile& profile,
                  Duration work) {
  const Duration room = latest_instant - loading.world().start;
  const Duration training = training_time(loading.world(), profile, work);
  return training <= room && begins <= room - training;
}

void refuse_endless(const Place& place, const models::JobProfile& profile, Duration work,
                    Findings& findings) {
  const bool pauses = models::time_to_finish(profile.checkpoint, work) - work > work;
  const Node node = place.of(pauses ? "checkpoint" : "work");
  const Node pause = node.find("cost").value_or(node.find("size").value_or(node));
  findings.error(pauses ? pause : node, "E0225",
                 pauses ? fmt::format("{} checkpoints take the job beyond the year 2199",
                                      models::checkpoints_before_end(profile.checkpoint, work))
                        : "the job would end after the year 2199, even without disturbance",
                 "too long");
}

void check_against_work(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                        const Place& place, Findings& findings) {
  // `at` is the clock's time since the first Training: what holds the work up lets a later fault
  // still happen.
  const Duration training = training_time(resolved.world(), profile, work);
  for (std::size_t i = 0; i < profile.faults.size(); ++i) {
    const models::Fault& late = profile.faults[i];
    if (late.at < training || may_be_held_up(resolved, profile, late, work)) continue;
    const Node fault = place.of("faults")[i];
    findings.warning(fault.find("at").value_or(fault), "W0402",
                     fmt::format("this fault never happens: the work is {}", show(work)),
                     "after the work is done");
  }
  if (profile.max_runtime < models::machine_time(work, fastest(resolved, profile))) {
    findings.warning(place.of("max_runtime"), "W0403",
                     fmt::format("the first attempt cannot complete {} of work: it ends after {}",
                                 show(work), show(profile.max_runtime)),
                     "max_runtime is shorter than the work",
                     place.here.find("max_runtime")
                         ? ""
                         : "write a \"max_runtime\"; without one AWS ends a job after 24h");
  }
  // Common defaults are no mistake of a short job.
  const bool own = place.here.find("checkpoint").has_value();
  if (own && profile.checkpoint.every > Duration{0} && profile.checkpoint.every >= work) {
    const Node checkpoint = place.of("checkpoint");
    findings.warning(checkpoint.find("every").value_or(checkpoint), "W0404",
                     fmt::format("no checkpoint is ever written: the work is {}", show(work)),
                     "not before the work is done");
  }
}

}  // namespace reeve::scenarios
