// Drawn work: names, arrivals, sizes, and what a seed and a replication change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "models/duration_law.hpp"
#include "models/world.hpp"

namespace reeve::models {
namespace workload_test {

using namespace std::chrono_literals;

constexpr Instant t0 = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2};

World drawn_world(std::uint32_t jobs) {
  World world;
  world.start = t0;
  DrawnWorkload drawn;
  drawn.jobs = jobs;
  drawn.gap = 10min;
  drawn.work = {.shape = Shape::exponential, .scale = 4h, .parameter = 0, .high = 0h};
  drawn.instances = {{1, 3.0}, {8, 1.0}};
  world.drawn = drawn;
  return world;
}

std::vector<Instant> submissions(const Jobs& jobs) {
  std::vector<Instant> at;
  for (const JobSpec& spec : jobs.specs) at.push_back(spec.submit);
  return at;
}

TEST(Workload, WrittenJobsComeFirstAndKeepTheirNames) {
  World world = drawn_world(3);
  world.jobs.names = {"llama", "bert"};
  world.jobs.specs.resize(2);
  world.drawn->prefix = "night-";
  const Jobs jobs = materialize(world, 0);
  ASSERT_EQ(jobs.specs.size(), 5u);
  EXPECT_EQ(jobs.name({0}), "llama");
  EXPECT_EQ(jobs.name({1}), "bert");
  EXPECT_EQ(jobs.name({2}), "night-1");
  EXPECT_EQ(jobs.name({4}), "night-3");
}

TEST(Workload, PoissonGapsHaveTheirMeanAndArriveInOrder) {
  const Jobs jobs = materialize(drawn_world(20'000), 0);
  EXPECT_TRUE(std::is_sorted(jobs.specs.begin(), jobs.specs.end(),
                             [](const auto& a, const auto& b) { return a.submit < b.submit; }));
  const Duration mean = (jobs.specs.back().submit - t0) / 20'000;
  EXPECT_NEAR(std::chrono::duration<double>(mean).count(), 600, 15);
  Duration work{0};
  for (const JobSpec& spec : jobs.specs) {
    EXPECT_GT(spec.work, 0ns);
    EXPECT_EQ(spec.work, spec.expected);
    work += spec.work / 20'000;
  }
  EXPECT_NEAR(std::chrono::duration<double>(work).count(), 4 * 3600, 400);
}

TEST(Workload, SizesComeInProportionToTheirWeights) {
  std::map<std::uint32_t, int> seen;
  for (const JobSpec& spec : materialize(drawn_world(4'000), 0).specs) ++seen[spec.instances];
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_NEAR(seen[1], 3000, 120);
}

TEST(Workload, FixedGapsAndBurstsAreWhatTheySay) {
  World world = drawn_world(3);
  world.drawn->first = 1h;
  world.drawn->arrivals = Arrivals::fixed_gap;
  EXPECT_EQ(submissions(materialize(world, 0)),
            std::vector<Instant>({t0 + 1h, t0 + 1h + 10min, t0 + 1h + 20min}));
  world.drawn->arrivals = Arrivals::all_at_once;
  EXPECT_EQ(submissions(materialize(world, 0)), std::vector<Instant>({t0 + 1h, t0 + 1h, t0 + 1h}));
}

TEST(Workload, ReplicationsDifferAndASeedReproduces) {
  World world = drawn_world(50);
  const auto first = submissions(materialize(world, 0));
  EXPECT_EQ(first, submissions(materialize(world, 0)));
  EXPECT_NE(first, submissions(materialize(world, 1)));
  world.seed = 2;
  EXPECT_NE(first, submissions(materialize(world, 0)));
}

TEST(Workload, SomeJobsLackTheirTags) {
  World world = drawn_world(2'000);
  world.drawn->untagged_profile = 1;
  world.drawn->missing_tag_probability = 0.25;
  int untagged = 0;
  for (const JobSpec& spec : materialize(world, 0).specs) untagged += spec.profile == 1 ? 1 : 0;
  EXPECT_NEAR(untagged, 500, 80);
}

constexpr Duration day = std::chrono::hours{24};

/// Two users over 2 weeks and 3 days: one works on Mondays, the other only in the last days.
World recorded_world() {
  World world;
  world.start = t0;
  Resampling drawn;
  const auto add = [&](Duration after, std::uint32_t user, const char* name) {
    JobSpec spec;
    spec.submit = t0 + after;
    spec.work = 1h;
    world.jobs.specs.push_back(spec);
    world.jobs.names.push_back(name);
    drawn.group.push_back(user);
  };
  add(0h, 0, "a1");
  add(7 * day, 0, "a2");
  add(7 * day + 5h, 0, "a3");
  add(15 * day, 1, "b1");
  add(16 * day, 1, "b2");
  drawn.groups = 2;
  drawn.weeks = 2;
  drawn.rest = 3 * day;
  world.resampling = drawn;
  return world;
}

TEST(Resampling, TheFirstRunIsTheRecord) {
  const Jobs jobs = materialize(recorded_world(), 0);
  ASSERT_EQ(jobs.specs.size(), 5u);
  EXPECT_EQ(jobs.names[4], "b2");
}

TEST(Resampling, WeeksMoveWholeAndNamesStayUnique) {
  const World world = recorded_world();
  const std::map<std::string, Duration> hour_of_week{
      {"a1", 0h}, {"a2", 0h}, {"a3", 5h}, {"b1", day}, {"b2", 2 * day}};
  for (std::uint32_t run = 1; run < 50; ++run) {
    const Jobs jobs = materialize(world, run);
    const std::set<std::string> names{jobs.names.begin(), jobs.names.end()};
    EXPECT_EQ(names.size(), jobs.specs.size());
    for (std::size_t job = 0; job < jobs.specs.size(); ++job) {
      const Duration after = jobs.specs[job].submit - t0;
      EXPECT_LT(after, 17 * day);
      EXPECT_EQ(after % (7 * day), hour_of_week.at(jobs.names[job].substr(0, 2)));
    }
  }
}

TEST(Resampling, TheMeanNumberOfJobsIsThatOfTheRecord) {
  const World world = recorded_world();
  constexpr std::uint32_t runs = 4'000;
  std::map<char, double> jobs;
  for (std::uint32_t run = 1; run <= runs; ++run) {
    for (const std::string& name : materialize(world, run).names) jobs[name.front()] += 1;
  }
  EXPECT_NEAR(jobs['a'] / runs, 3, 0.1);
  EXPECT_NEAR(jobs['b'] / runs, 2, 0.1);
}

/// The recorded world, whose job b2 still ran; `most`: its time limit.
World world_to_come(std::uint32_t weeks, Duration most = Duration::max()) {
  World world = recorded_world();
  world.jobs.specs.back().ends = WorkEnd::running;
  world.jobs.specs.back().censored = true;
  const FittedLaw law{.law = {Shape::lognormal, 2h, 1.0, Duration{0}},
                      .scale_error = 0.3,
                      .shape_error = 0.1,
                      .correlation = 0.2};
  world.resampling->forecast = Forecast{
      .weeks = weeks, .laws = {{.work = law}}, .open = {{.job = 4, .law = 0, .most = most}}};
  return world;
}

TEST(Forecast, HasItsWeeksWhateverTheLengthOfTheRecord) {
  for (const std::uint32_t weeks : {1U, 3U, 9U}) {
    const World world = world_to_come(weeks);
    double jobs = 0;
    constexpr std::uint32_t runs = 3'000;
    for (std::uint32_t run = 0; run < runs; ++run) {
      for (const JobSpec& spec : materialize(world, run).specs) {
        EXPECT_LT(spec.submit - t0, weeks * 7 * day);
        jobs += 1;
      }
    }
    // Five jobs on three Mondays, Tuesdays and Wednesdays.
    EXPECT_NEAR(jobs / runs / weeks, 5 / 3.0, 0.08) << weeks;
  }
}

TEST(Forecast, DrawsTheRestOfTheWorkOfRunningJobs) {
  const World world = world_to_come(4);
  const World limited = world_to_come(4, 90min);
  std::set<Duration> works;
  for (std::uint32_t run = 0; run < 200; ++run) {
    const Jobs jobs = materialize(world, run);
    const Jobs again = materialize(world, run);
    const Jobs cut = materialize(limited, run);
    ASSERT_EQ(jobs.specs.size(), again.specs.size());
    for (std::size_t job = 0; job < jobs.specs.size(); ++job) {
      const JobSpec& spec = jobs.specs[job];
      EXPECT_EQ(spec.work, again.specs[job].work);
      EXPECT_EQ(spec.ends, WorkEnd::completed);
      EXPECT_FALSE(spec.censored);
      const bool reaches = jobs.names[job].starts_with("b2") && spec.work >= 90min;
      EXPECT_EQ(cut.specs[job].ends, reaches ? WorkEnd::time_limit : WorkEnd::completed);
      EXPECT_EQ(cut.specs[job].censored, reaches);
      if (!jobs.names[job].starts_with("b2")) {
        EXPECT_EQ(spec.work, 1h);
        continue;
      }
      EXPECT_GE(spec.work, 1h) << "it had done an hour";
      EXPECT_EQ(cut.specs[job].work, std::min(spec.work, Duration{90min}));
      works.insert(spec.work);
    }
  }
  EXPECT_GT(works.size(), 100u) << "each week of each run has its own";
}

TEST(Forecast, RunningJobsEndAsOthersOfTheirGroup) {
  World world = world_to_come(4);
  world.resampling->forecast->laws[0].failed = 0.5;
  world.resampling->forecast->laws[0].stopped = 0.2;
  std::map<WorkEnd, double> ends;
  double all = 0;
  for (std::uint32_t run = 0; run < 2'000; ++run) {
    const Jobs jobs = materialize(world, run);
    for (std::size_t job = 0; job < jobs.specs.size(); ++job) {
      if (!jobs.names[job].starts_with("b2")) continue;
      ends[jobs.specs[job].ends] += 1;
      all += 1;
    }
  }
  EXPECT_NEAR(ends[WorkEnd::failed] / all, 0.5, 0.03);
  EXPECT_NEAR(ends[WorkEnd::stopped] / all, 0.2, 0.03);
  EXPECT_NEAR(ends[WorkEnd::completed] / all, 0.3, 0.03);
}

/// One group: week `i` has `jobs[i]` jobs of 1 to 3 hours.
World world_of_weeks(const std::vector<int>& jobs) {
  World world;
  world.start = t0;
  Resampling drawn;
  for (std::size_t of = 0; of < jobs.size(); ++of) {
    for (int job = 0; job < jobs[of]; ++job) {
      JobSpec spec;
      spec.submit = t0 + static_cast<std::int64_t>(of) * 7 * day + job * 1h;
      spec.work = (1 + job % 3) * 1h;
      world.jobs.specs.push_back(spec);
      world.jobs.names.push_back(std::to_string(of) + "-" + std::to_string(job));
      drawn.group.push_back(0);
    }
  }
  drawn.weeks = static_cast<std::uint32_t>(jobs.size());
  drawn.forecast = Forecast{.weeks = 1, .laws = {}, .open = {}};
  world.resampling = drawn;
  return world;
}

TEST(Forecast, WeeksCanHaveMoreThanAnyRecordedOneAndTheirMeanStays) {
  const World world = world_of_weeks({20, 35, 50, 28, 41, 33, 60, 25});
  double recorded = 0;
  for (const JobSpec& spec : world.jobs.specs) recorded += static_cast<double>(spec.work / 1h) / 8;
  constexpr std::uint32_t runs = 4'000;
  double mean = 0, squares = 0;
  int larger = 0, smaller = 0;
  for (std::uint32_t run = 0; run < runs; ++run) {
    const Jobs jobs = materialize(world, run);
    EXPECT_EQ((std::set<std::string>{jobs.names.begin(), jobs.names.end()}).size(),
              jobs.specs.size());
    double hours = 0;
    for (const JobSpec& spec : jobs.specs) {
      EXPECT_LT(spec.submit - t0, 7 * day);
      hours += static_cast<double>(spec.work / 1h);
    }
    larger += hours > 120 ? 1 : 0;
    smaller += hours < 39 ? 1 : 0;
    mean += hours / runs;
    squares += hours * hours / runs;
  }
  EXPECT_NEAR(mean, recorded, 3 * std::sqrt((squares - mean * mean) / runs));
  EXPECT_GT(larger, runs / 50);
  EXPECT_GT(smaller, runs / 50);
}

TEST(Forecast, EqualWeeksStayEqual) {
  const World world = world_of_weeks({30, 30, 30, 30, 30});
  for (std::uint32_t run = 0; run < 50; ++run) {
    EXPECT_NEAR(static_cast<double>(materialize(world, run).specs.size()), 30, 1);
  }
}

TEST(Forecast, DrawsAboveWhatIsKnownHaveTheConditionalDistribution) {
  for (const DurationLaw& law :
       {DurationLaw{Shape::lognormal, 2h, 1.3, Duration{0}},
        DurationLaw{Shape::weibull, 2h, 0.7, Duration{0}},
        DurationLaw{Shape::exponential, 2h, 0, Duration{0}},
        DurationLaw{Shape::pareto, 2h, 1.5, Duration{0}}, DurationLaw{Shape::uniform, 2h, 0, 9h}}) {
    for (const Duration floor : {Duration{0}, Duration{30min}, Duration{5h}}) {
      const double longer = 1 - share_below(law, floor);
      for (const double chance : {1e-9, 0.02, 0.3, 0.7, 1.0}) {
        const Duration drawn = draw_above(law, floor, chance);
        EXPECT_GE(drawn, floor);
        const double below = (share_below(law, drawn) - (1 - longer)) / longer;
        EXPECT_NEAR(below, chance, 1e-6) << static_cast<int>(law.shape);
      }
    }
  }
}

TEST(Forecast, DrawsStayWithinTheirBounds) {
  for (const Shape shape : {Shape::fixed, Shape::uniform, Shape::exponential, Shape::lognormal,
                            Shape::weibull, Shape::pareto}) {
    const DurationLaw law{shape, 2h, shape == Shape::uniform ? 0.0 : 1.2, 9h};
    const FittedLaw unknown{.law = law, .scale_error = 10, .shape_error = 10, .correlation = -1};
    for (const double chance : {0x1p-53, 0.5, 1.0}) {
      for (const double parameters : {0x1p-53, 0.5, 1.0}) {
        const DurationLaw other = drawn_law(unknown, parameters, 1 - parameters / 2);
        for (const Duration floor : {Duration{1}, Duration{1h}, Duration{1000h}}) {
          const Duration drawn = draw_above(other, floor, chance);
          EXPECT_GE(drawn, floor) << static_cast<int>(shape);
          EXPECT_LE(drawn, std::max({floor, Duration{9h},
                                     other.shape == Shape::fixed ? other.scale : Duration{0}}));
        }
      }
    }
  }
}

TEST(Forecast, ParametersSpreadAsTheirErrorsSay) {
  const FittedLaw fitted{.law = {Shape::lognormal, 2h, 1.5, Duration{0}},
                         .scale_error = 0.2,
                         .shape_error = 0.1,
                         .correlation = 0.5};
  double squares = 0, product = 0;
  constexpr int steps = 60;
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      const DurationLaw law = drawn_law(fitted, (i + 0.5) / steps, (j + 0.5) / steps);
      const double scale = std::log(static_cast<double>(law.scale.count()) / 7.2e12);
      const double shape = std::log(law.parameter / 1.5);
      squares += scale * scale / (steps * steps);
      product += scale * shape / (steps * steps);
    }
  }
  EXPECT_NEAR(std::sqrt(squares), 0.2, 0.01);
  EXPECT_NEAR(product, 0.5 * 0.2 * 0.1, 0.001);
}

}  // namespace workload_test
}  // namespace reeve::models
