// Work from a trace, or drawn from distributions.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"

namespace reeve::scenarios {
namespace {

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
  drawn.profile = intern_profile(loading, *profile);
  drawn.untagged_profile = input.untagged > 0 ? intern_profile(loading, untagged) : drawn.profile;
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
