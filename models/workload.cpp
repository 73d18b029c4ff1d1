// Draws a scenario's workload: arrivals, sizes and durations of one replication.
#include <algorithm>

#include "models/duration_law.hpp"
#include "models/resampling.hpp"
#include "models/world.hpp"
#include "sim/draws.hpp"

namespace reeve::models {
namespace {

class Draws {
 public:
  Draws(const World& world, std::uint32_t replication, std::uint32_t first_job)
      : seed_{world.seed}, replication_{replication}, first_job_{first_job} {}
  double operator()(sim::Cause cause, std::uint32_t nth) const {
    return sim::uniform({seed_, replication_, cause, first_job_ + nth, 0});
  }

 private:
  std::uint64_t seed_;
  std::uint32_t replication_;
  std::uint32_t first_job_;
};

Duration gap_before(const DrawnWorkload& drawn, const Draws& draws, std::uint32_t nth) {
  switch (drawn.arrivals) {
    case Arrivals::poisson:
      return sim::exponential(drawn.gap, draws(sim::Cause::arrival, nth));
    case Arrivals::fixed_gap:
      return nth == 0 ? Duration{0} : drawn.gap;
    case Arrivals::all_at_once:
      return Duration{0};
  }
  __builtin_unreachable();
}

std::uint32_t draw_size(const DrawnWorkload& drawn, const Draws& draws, std::uint32_t nth) {
  if (drawn.instances.size() == 1) return drawn.instances.front().first;
  return sim::discrete(drawn.instances, draws(sim::Cause::size, nth));
}

}  // namespace

std::string Jobs::name(policy::JobId job) const {
  if (job.index < names.size()) return names[job.index];
  return drawn_prefix + std::to_string(job.index - names.size() + 1);
}

Jobs materialize(const World& world, std::uint32_t replication) {
  if (world.resampling && (replication > 0 || world.resampling->forecast)) {
    return resample(world, replication);
  }
  Jobs jobs = world.jobs;
  if (!world.drawn) return jobs;
  const DrawnWorkload& drawn = *world.drawn;
  const auto known = static_cast<std::uint32_t>(jobs.specs.size());
  const Draws draws{world, replication, known};
  jobs.drawn_prefix = drawn.prefix;
  jobs.specs.reserve(known + drawn.jobs);
  Instant at = policy::later(world.start, drawn.first);
  for (std::uint32_t nth = 0; nth < drawn.jobs; ++nth) {
    at = policy::later(at, gap_before(drawn, draws, nth));
    const Duration work = std::max(draw(drawn.work, draws(sim::Cause::work, nth)), Duration{1});
    const bool untagged = drawn.missing_tag_probability > 0 &&
                          draws(sim::Cause::tag_missing, nth) <= drawn.missing_tag_probability;
    jobs.specs.push_back({.submit = at,
                          .work = work,
                          .expected = work,
                          .instances = draw_size(drawn, draws, nth),
                          .profile = untagged ? drawn.untagged_profile : drawn.profile,
                          .priority = untagged ? drawn.untagged_priority : drawn.priority});
  }
  return jobs;  // ids stay in file order; the fleet sorts submissions by instant, stably
}

}  // namespace reeve::models
