#include "models/resampling.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

#include "models/duration_law.hpp"
#include "sim/draws.hpp"

namespace reeve::models {
namespace {

/// A job of the world, by group and week of its submission.
struct JobOfWeek {
  std::uint32_t group, week, job;
  auto operator<=>(const JobOfWeek&) const = default;
};

std::vector<JobOfWeek> jobs_by_week(const World& world) {
  std::vector<JobOfWeek> jobs;
  for (std::uint32_t job = 0; job < world.jobs.specs.size(); ++job) {
    const Duration after = world.jobs.specs[job].submit - world.start;
    jobs.push_back(
        {world.resampling->group[job], static_cast<std::uint32_t>(after / week_length), job});
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
      laws_.push_back(drawn_law(forecast_->laws[law].work, uniform(0), uniform(1)));
    }
  }

  /// Its whole work, if it is such a job, in the `nth` of its draws.
  void complete(JobSpec& spec, std::uint32_t job, std::uint32_t nth) const {
    if (!forecast_) return;
    const auto& open = forecast_->open;
    const auto found = std::lower_bound(
        open.begin(), open.end(), job,
        [](const OpenJob& each, std::uint32_t wanted) { return each.job < wanted; });
    if (found == open.end() || found->job != job) return;
    const double chance = sim::uniform({seed_, replication_, sim::Cause::forecast_work, job, nth});
    const Duration work = draw_above(laws_[found->law], spec.work, chance);
    const bool is_limited = work >= found->most;
    spec.work = std::max(spec.work, std::min(work, found->most));
    spec.ends = is_limited ? WorkEnd::time_limit : end_of(found->law, job, nth);
    spec.censored = spec.ends == WorkEnd::time_limit || spec.ends == WorkEnd::stopped;
  }

 private:
  WorkEnd end_of(std::uint32_t law, std::uint32_t job, std::uint32_t nth) const {
    const OpenLaw& open = forecast_->laws[law];
    const double chance = sim::uniform({seed_, replication_, sim::Cause::forecast_end, job, nth});
    if (chance <= open.failed) return WorkEnd::failed;
    return chance <= open.failed + open.stopped ? WorkEnd::stopped : WorkEnd::completed;
  }

  const std::optional<Forecast>& forecast_;
  std::uint64_t seed_;
  std::uint32_t replication_;
  std::vector<DurationLaw> laws_;  ///< of this replication
};

/// A recorded job in a week that is drawn.
struct PlacedJob {
  std::uint32_t job = 0;
  bool stays = false;  ///< where the record has it
  JobSpec spec;
};

/// GPU-hours, or instance-hours of instances without GPUs.
double size_of(const World& world, const JobSpec& spec) {
  double devices = spec.instances;
  if (spec.profile < world.profiles.size()) {
    const policy::PoolId pool = world.profiles[spec.profile].pool;
    if (pool.index < world.pools.size()) {
      devices *= std::max(1U, world.directory.types[world.pools[pool.index].type.index].gpus);
    }
  }
  return devices * std::chrono::duration<double, std::ratio<3600>>{spec.work}.count();
}

/// Puts recorded weeks where others were.
///
/// Each week of each group becomes one of its recorded weeks.  The last part of a week is drawn as
/// often as any: where it stands for a whole one, another week has the rest.  So the expected
/// number of jobs in a week is that of the record.
class WeekMover {
 public:
  WeekMover(const World& world, std::uint32_t replication)
      : world_{world},
        drawn_{*world.resampling},
        replication_{replication},
        recorded_{jobs_by_week(world)},
        open_{world, replication} {
    jobs_.logged = world.jobs.logged;
    all_weeks_ = drawn_.weeks + (drawn_.rest > Duration{0} ? 1 : 0);
    slots_ = drawn_.forecast ? drawn_.forecast->weeks : all_weeks_;
    if (drawn_.forecast) levels_ = WeekLevels::of(totals(), world.seed, replication);
  }

  Jobs move() && {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) {
      if (levels_) {
        fill(slot, (*levels_)(slot));
        continue;
      }
      for (std::uint32_t group = 0; group < drawn_.groups; ++group) {
        for (const PlacedJob& placed : week_of(group, slot, 0)) put(placed, slot, 0);
      }
    }
    return std::move(jobs_);
  }

 private:
  double uniform(sim::Cause cause, std::uint32_t entity, std::uint32_t nth) const {
    return sim::uniform({world_.seed, replication_, cause, entity, nth});
  }

  std::uint32_t draw_of(sim::Cause cause, std::uint32_t group, std::uint32_t nth,
                        std::uint32_t weeks) const {
    return std::min(static_cast<std::uint32_t>(uniform(cause, group, nth) * weeks), weeks - 1);
  }

  std::uint32_t draw(std::uint32_t group, std::uint32_t nth, std::uint32_t weeks) const {
    const std::uint32_t week_drawn = draw_of(sim::Cause::week, group, nth, weeks);
    if (!drawn_.forecast) return week_drawn;
    const std::uint32_t list = weeks == all_weeks_ ? 0 : all_weeks_;  // of other weeks
    return draw_of(sim::Cause::forecast_record, group, list + week_drawn, weeks);
  }

  /// The sizes of the recorded whole weeks.
  std::vector<double> totals() const {
    std::vector<double> sums(drawn_.weeks, 0);
    constexpr std::uint32_t of_record = ~std::uint32_t{0};
    for (const JobOfWeek& each : recorded_) {
      if (each.week >= drawn_.weeks) continue;
      JobSpec spec = world_.jobs.specs[each.job];
      open_.complete(spec, each.job, of_record);
      sums[each.week] += size_of(world_, spec);
    }
    return sums;
  }

  /// What a group has in the week: the `copy`th draw of it.
  std::vector<PlacedJob> week_of(std::uint32_t group, std::uint32_t slot,
                                 std::uint32_t copy) const {
    const bool is_rest = !drawn_.forecast && slot == drawn_.weeks;
    const Duration length = is_rest ? drawn_.rest : week_length;
    const std::uint32_t nth = 2 * copy * slots_ + slot;
    const std::uint32_t from = draw(group, nth, all_weeks_);
    std::vector<PlacedJob> placed;
    const auto add = [&](std::uint32_t of, Duration first) {
      auto each = std::lower_bound(recorded_.begin(), recorded_.end(), JobOfWeek{group, of, 0});
      for (; each != recorded_.end() && each->group == group && each->week == of; ++each) {
        JobSpec spec = world_.jobs.specs[each->job];
        const Duration into = spec.submit - world_.start - of * week_length;
        if (into < first || into >= length) continue;
        spec.submit = world_.start + slot * week_length + into;
        open_.complete(spec, each->job, copy * slots_ + slot);
        placed.push_back({each->job, of == slot && !drawn_.forecast, spec});
      }
    };
    add(from, Duration{0});
    if (from >= drawn_.weeks && length != drawn_.rest) {
      add(draw(group, slots_ + nth, drawn_.weeks), drawn_.rest);
    }
    return placed;
  }

  /// Draws weeks of the groups, in random order, until they have `level` in all.  Of the last one
  /// it takes jobs in random order; the job that goes beyond is drawn with the probability that
  /// makes `level` the expected size.
  void fill(std::uint32_t slot, double level) {
    constexpr std::uint32_t most_copies = 16;
    double have = 0;
    for (std::uint32_t copy = 0; copy < most_copies; ++copy) {
      for (const std::uint32_t group : shuffled(drawn_.groups, 0, slot, copy)) {
        const std::vector<PlacedJob> placed = week_of(group, slot, copy);
        double whole = have;
        for (const PlacedJob& each : placed) whole += size_of(world_, each.spec);
        if (whole > level) {
          fill_with_part(placed, slot, copy, level - have);
          return;
        }
        for (const PlacedJob& each : placed) put(each, slot, copy);
        have = whole;
      }
    }
  }

  void fill_with_part(const std::vector<PlacedJob>& placed, std::uint32_t slot, std::uint32_t copy,
                      double left) {
    std::vector<std::uint32_t> taken;
    const auto count = static_cast<std::uint32_t>(placed.size());
    for (const std::uint32_t place : shuffled(count, drawn_.groups, slot, copy)) {
      const double size = size_of(world_, placed[place].spec);
      const std::uint32_t entity = drawn_.groups + count;
      const bool fits = size <= left;
      if (fits || uniform(sim::Cause::forecast_order, entity, copy * slots_ + slot) * size <= left)
        taken.push_back(place);
      if (!fits) break;
      left -= size;
    }
    std::sort(taken.begin(), taken.end());
    for (const std::uint32_t place : taken) put(placed[place], slot, copy);
  }

  /// 0 to `count` - 1 in random order.
  std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint32_t first_entity,
                                      std::uint32_t slot, std::uint32_t copy) const {
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t each = 0; each < count; ++each) {
      order.emplace_back(
          uniform(sim::Cause::forecast_order, first_entity + each, copy * slots_ + slot), each);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> result;
    for (const auto& [chance, each] : order) result.push_back(each);
    return result;
  }

  /// A job that moves has the number of its new week behind its name.
  void put(const PlacedJob& placed, std::uint32_t slot, std::uint32_t copy) {
    std::string name = world_.jobs.names[placed.job];
    if (!placed.stays) name += "@" + std::to_string(slot + 1);
    if (copy > 0) name += "." + std::to_string(copy + 1);
    jobs_.names.push_back(name);
    jobs_.specs.push_back(placed.spec);
  }

  const World& world_;
  const Resampling& drawn_;
  std::uint32_t replication_;
  std::vector<JobOfWeek> recorded_;
  OpenWork open_;
  std::uint32_t all_weeks_ = 0;  ///< recorded ones, with the last part of one
  std::uint32_t slots_ = 0;      ///< weeks that the replication has
  std::optional<WeekLevels> levels_;
  Jobs jobs_;
};

}  // namespace

Jobs resample(const World& world, std::uint32_t replication) {
  return WeekMover{world, replication}.move();
}

}  // namespace reeve::models
