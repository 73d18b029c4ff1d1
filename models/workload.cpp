// Draws a scenario's workload: arrivals, sizes and durations of one replication.
#include <algorithm>
#include <compare>
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

/// A job of the world, by group and week of its submission.
struct JobOfWeek {
  std::uint32_t group, week, job;
  auto operator<=>(const JobOfWeek&) const = default;
};

std::vector<JobOfWeek> jobs_by_week(const World& world) {
  std::vector<JobOfWeek> jobs;
  for (std::uint32_t job = 0; job < world.jobs.specs.size(); ++job) {
    const Duration after = world.jobs.specs[job].submit - world.start;
    jobs.push_back({world.resampling->group[job], static_cast<std::uint32_t>(after / week), job});
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

/// The work of jobs whose end the record does not show.
class OpenWork {
 public:
  OpenWork(const World& world, std::uint32_t replication)
      : forecast_{world.resampling->forecast}, seed_{world.seed}, replication_{replication} {
    if (!forecast_) return;
    for (std::uint32_t law = 0; law < forecast_->laws.size(); ++law) {
      const auto uniform = [&](std::uint32_t nth) {
        return sim::uniform({seed_, replication_, sim::Cause::forecast_law, law, nth});
      };
      laws_.push_back(drawn_law(forecast_->laws[law], uniform(0), uniform(1)));
    }
  }

  /// Its whole work, if it is such a job, in the `slot`th week to come.
  void complete(JobSpec& spec, std::uint32_t job, std::uint32_t slot) const {
    if (!forecast_) return;
    const auto& open = forecast_->open;
    const auto found = std::lower_bound(
        open.begin(), open.end(), job,
        [](const OpenJob& each, std::uint32_t wanted) { return each.job < wanted; });
    if (found == open.end() || found->job != job) return;
    const double chance = sim::uniform({seed_, replication_, sim::Cause::forecast_work, job, slot});
    const Duration work = draw_above(laws_[found->law], spec.work, chance);
    spec.work = std::max(spec.work, std::min(work, found->most));
    spec.ends = WorkEnd::completed;
    spec.censored = false;
  }

 private:
  const std::optional<Forecast>& forecast_;
  std::uint64_t seed_;
  std::uint32_t replication_;
  std::vector<DurationLaw> laws_;  ///< of this replication
};

/// Puts recorded weeks where others were.
class WeekMover {
 public:
  WeekMover(const World& world, std::uint32_t replication)
      : world_{world}, recorded_{jobs_by_week(world)}, open_{world, replication} {
    jobs_.logged = world.jobs.logged;
  }

  /// The jobs of the group in week `from` that were submitted `first` to `last` into it, to week
  /// `slot`.  One that moves has the number of its new week behind its name.
  void move(std::uint32_t group, std::uint32_t from, std::uint32_t slot, Duration first,
            Duration last) {
    const bool stays = from == slot && !world_.resampling->forecast;
    auto each = std::lower_bound(recorded_.begin(), recorded_.end(), JobOfWeek{group, from, 0});
    for (; each != recorded_.end() && each->group == group && each->week == from; ++each) {
      JobSpec spec = world_.jobs.specs[each->job];
      const Duration into = spec.submit - world_.start - from * week;
      if (into < first || into >= last) continue;
      spec.submit = world_.start + slot * week + into;
      open_.complete(spec, each->job, slot);
      const std::string& name = world_.jobs.names[each->job];
      jobs_.names.push_back(stays ? name : name + "@" + std::to_string(slot + 1));
      jobs_.specs.push_back(spec);
    }
  }
  Jobs take() && { return std::move(jobs_); }

 private:
  const World& world_;
  std::vector<JobOfWeek> recorded_;
  OpenWork open_;
  Jobs jobs_;
};

/// Each week of each group becomes one of its recorded weeks.  The last part of a week is drawn as
/// often as any: where it stands for a whole one, another week has the rest.  So the expected
/// number of jobs in a week is that of the record.
Jobs resample(const World& world, std::uint32_t replication) {
  const Resampling& drawn = *world.resampling;
  const bool has_rest = drawn.rest > Duration{0};
  const std::uint32_t recorded = drawn.weeks + (has_rest ? 1 : 0);
  const std::uint32_t slots = drawn.forecast ? drawn.forecast->weeks : recorded;
  const auto draw_of = [&](sim::Cause cause, std::uint32_t group, std::uint32_t nth,
                           std::uint32_t weeks) {
    const double chance = sim::uniform({world.seed, replication, cause, group, nth});
    return std::min(static_cast<std::uint32_t>(chance * weeks), weeks - 1);
  };
  const auto draw = [&](std::uint32_t group, std::uint32_t nth, std::uint32_t weeks) {
    const std::uint32_t week_drawn = draw_of(sim::Cause::week, group, nth, weeks);
    if (!drawn.forecast) return week_drawn;
    const std::uint32_t list = weeks == recorded ? 0 : recorded;  // another list of other weeks
    return draw_of(sim::Cause::forecast_record, group, list + week_drawn, weeks);
  };
  WeekMover mover{world, replication};
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Duration length = !drawn.forecast && slot == drawn.weeks ? drawn.rest : week;
    for (std::uint32_t group = 0; group < drawn.groups; ++group) {
      const std::uint32_t from = draw(group, slot, recorded);
      mover.move(group, from, slot, Duration{0}, length);
      if (from < drawn.weeks || length == drawn.rest) continue;
      mover.move(group, draw(group, slots + slot, drawn.weeks), slot, drawn.rest, length);
    }
  }
  return std::move(mover).take();
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
