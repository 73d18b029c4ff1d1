// Drawn work: names, arrivals, sizes, and what a seed and a replication change.
#include <gtest/gtest.h>

#include <map>

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

}  // namespace workload_test
}  // namespace reeve::models
