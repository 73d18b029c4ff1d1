// Draws a scenario's workload: arrivals, sizes and durations of one replication.
#include <algorithm>
#include <numeric>

#include "models/duration_law.hpp"
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

constexpr Duration week = std::chrono::hours{24 * 7};

/// The jobs of each group and week, in file order.
std::vector<std::vector<std::uint32_t>> jobs_by_week(const World& world) {
  const Resampling& drawn = *world.resampling;
  std::vector<std::vector<std::uint32_t>> jobs(std::size_t{drawn.groups} * drawn.weeks);
  for (std::uint32_t job = 0; job < world.jobs.specs.size(); ++job) {
    const Duration after = world.jobs.specs[job].submit - world.start;
    const auto of = static_cast<std::uint64_t>(after / week);
    if (of < drawn.weeks) jobs[std::size_t{drawn.group[job]} * drawn.weeks + of].push_back(job);
  }
  return jobs;
}

/// Each week of each group becomes one of its recorded weeks.  A job that moves has the number of
/// its new week behind its name.
Jobs resample(const World& world, std::uint32_t replication) {
  const Resampling& drawn = *world.resampling;
  const auto recorded = jobs_by_week(world);
  Jobs jobs{.specs = {}, .names = {}, .logged = world.jobs.logged};
  const std::uint32_t slots = drawn.weeks + (drawn.rest > Duration{0} ? 1 : 0);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    for (std::uint32_t group = 0; group < drawn.groups; ++group) {
      const double chance = sim::uniform({world.seed, replication, sim::Cause::week, group, slot});
      const auto from = std::min(static_cast<std::uint32_t>(chance * drawn.weeks), drawn.weeks - 1);
      for (const std::uint32_t job : recorded[std::size_t{group} * drawn.weeks + from]) {
        JobSpec spec = world.jobs.specs[job];
        const Duration into = spec.submit - world.start - from * week;
        if (slot == drawn.weeks && into >= drawn.rest) continue;
        spec.submit = world.start + slot * week + into;
        const std::string& name = world.jobs.names[job];
        jobs.names.push_back(from == slot ? name : name + "@" + std::to_string(slot + 1));
        jobs.specs.push_back(spec);
      }
    }
  }
  return jobs;
}

}  // namespace

std::string Jobs::name(policy::JobId job) const {
  if (job.index < names.size()) return names[job.index];
  return drawn_prefix + std::to_string(job.index - names.size() + 1);
}

Jobs materialize(const World& world, std::uint32_t replication) {
  if (world.resampling && replication > 0) return resample(world, replication);
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
