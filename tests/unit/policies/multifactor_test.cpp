// Slurm's multifactor priority: each factor by hand, and all of them against a plain oracle in
// random worlds.
#include "tests/property/oracles/multifactor.hpp"

#include <random>

#include "rule_as_order.hpp"

namespace reeve::policies {
namespace multifactor_test {

constexpr Tick hour = 60;

oracle::Job job(Tick submit, Tick work, std::int64_t machines, std::size_t share = 0,
                std::int64_t priority = 0) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  made.share = share;
  made.priority = priority;
  return made;
}

/// Options of the algorithm, with no weight but those in `weights`.
std::string weighing(const std::string& weights, const std::string& more = "") {
  std::string out = R"({"algorithm": "multifactor", )" + weights;
  for (const char* const name : {"age", "fair_share", "size", "priority"}) {
    const std::string key = std::string{R"("weight.)"} + name + '"';
    if (weights.find(key) == std::string::npos) out += ", " + key + ": 0";
  }
  return out + more + "}";
}

std::vector<Tick> starts(const QueueWorld& world, const std::string& options) {
  RuleAsOrder rule{world, options};
  std::vector<Tick> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(course.first_start());
  }
  return out;
}

// "When PriorityFavorSmall is NO, the larger the job, the greater its job size factor will be."
TEST(Multifactor, LargeJobsGoFirstOrSmallOnes) {
  const QueueWorld world{.machines = 4,
                         .jobs = {job(0, 10, 4), job(1, 10, 2), job(1, 10, 4), job(1, 10, 1)},
                         .shares = {{}}};
  const std::string size = R"("weight.size": 1000)";
  EXPECT_EQ(starts(world, weighing(size)), (std::vector<Tick>{0, 20, 10, 20}));
  EXPECT_EQ(starts(world, weighing(size, R"(, "favors": "small")")),
            (std::vector<Tick>{0, 10, 20, 10}));
}

// 10 of 100 of priority are 100 points, and so are 16.8 hours of 7 days: whoever came 16 hours
// before stands behind, whoever came 17 hours before does not.
TEST(Multifactor, AgeOutweighsPriorityInTime) {
  const std::string weights = R"("weight.age": 1000, "weight.priority": 1000)";
  for (const Tick later : {16, 17}) {
    const QueueWorld world{
        .machines = 1,
        .jobs = {job(0, 20 * hour, 1), job(0, hour, 1), job(later * hour, hour, 1, 0, 10)},
        .shares = {{}}};
    const Tick first = 20 * hour;
    EXPECT_EQ(starts(world, weighing(weights)), later == 17
                                                    ? (std::vector<Tick>{0, first, first + hour})
                                                    : (std::vector<Tick>{0, first + hour, first}));
    EXPECT_EQ(starts(world, weighing(weights, R"(, "max_age": "2h")")),
              (std::vector<Tick>{0, first + hour, first}))
        << "both are as old as one can get";
  }
}

// Submitted at once to one machine, the jobs of the first user come before those of the second as
// long as they have no usage; then they take turns.
TEST(Multifactor, WhoUsedLessIsNext) {
  QueueWorld world{.machines = 1,
                   .jobs = {job(0, 30, 1), job(0, 10, 1), job(0, 10, 1), job(0, 10, 1)},
                   .shares = {{}},
                   .users = {"ann", "ann", "bob", "bob"}};
  for (const char* const formula : {"fair_tree", "classic"}) {
    EXPECT_EQ(starts(world, weighing(R"("weight.fair_share": 1000)",
                                     std::string{R"(, "fair_share": ")"} + formula + '"')),
              (std::vector<Tick>{0, 50, 30, 40}));
  }
}

// The first share has used 100 minutes and the second 60, all of bob's.  Cat is of the first and
// has used nothing.  By the tree all of the second go before her; by the formula bob, with
// 2^(-0.375 / 0.25) = 0.35, goes after her, with 2^(-0.3125 / 0.25) = 0.42.
TEST(Multifactor, TheTreePutsAllUsersOfOneShareBeforeThoseOfAnother) {
  const QueueWorld world{.machines = 1,
                         .jobs = {job(0, 100, 1, 0), job(1, 60, 1, 1), job(101, 10, 1, 0),
                                  job(101, 10, 1, 1), job(101, 10, 1, 1)},
                         .shares = {{}, {}},
                         .users = {"ann", "bob", "cat", "bob", "dan"}};
  const std::string usage = R"("weight.fair_share": 1000, "half_life": "0s")";
  EXPECT_EQ(starts(world, weighing(usage)), (std::vector<Tick>{0, 100, 180, 170, 160}));
  EXPECT_EQ(starts(world, weighing(usage, R"(, "fair_share": "classic")")),
            (std::vector<Tick>{0, 100, 170, 180, 160}));
}

// A share whose weight is a quarter of another's has four times its shares.
TEST(Multifactor, AShareOfLowWeightGetsMore) {
  QueueWorld world{.machines = 1, .shares = {{}, {}}};
  world.shares[0].weight = weight_one / 4;
  for (std::size_t one = 0; one < 1000; ++one) world.jobs.push_back(job(0, 10, 1, one % 2));
  const std::vector<Tick> when =
      starts(world, weighing(R"("weight.fair_share": 1000, "half_life": "0s")"));
  std::array<double, 2> started{};
  for (std::size_t one = 0; one < when.size(); ++one) started[one % 2] += when[one] < 5000 ? 1 : 0;
  EXPECT_NEAR(started[0] / started[1], 4, 0.05);
}

TEST(Multifactor, PromisesTheFirstAloneMachines) {
  const std::string easy = R"({"algorithm": "multifactor", "backfill": "easy"})";
  EXPECT_TRUE(check_rule("schedule", easy).message.empty());
  const std::string all = R"({"algorithm": "multifactor", "backfill": "conservative"})";
  EXPECT_EQ(check_rule("schedule", all).option, "backfill");
  // The second waits for all machines until 50; of the others one is over by then.
  const QueueWorld world{.machines = 4,
                         .jobs = {job(0, 50, 3), job(1, 10, 4, 0, 9), job(2, 49, 1), job(2, 48, 1)},
                         .shares = {{}}};
  EXPECT_EQ(starts(world, weighing(R"("weight.priority": 1000, "backfill": "easy")")),
            (std::vector<Tick>{0, 50, 60, 2}));
}

struct Drawn {
  QueueWorld world;
  oracle::Multifactor::Model model;
  std::string options;
};

Drawn drawn(std::uint32_t seed) {
  std::mt19937 luck{seed};
  const auto number = [&luck](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(low + luck() % (high - low + 1));
  };
  Drawn out;
  QueueWorld& world = out.world;
  oracle::Multifactor::Model& model = out.model;
  world.machines = number(1, 20);
  for (std::int64_t left = number(1, 4); left > 0; --left) {
    const auto halvings = static_cast<std::uint32_t>(number(0, 3));
    ShareFacts facts;
    facts.weight = weight_one >> halvings;
    world.shares.push_back(facts);
    model.shares.push_back(std::exp2(halvings));
  }
  const std::int64_t users = number(1, 4);
  for (std::int64_t left = number(2, 60); left > 0; --left) {
    const auto size = static_cast<std::uint32_t>(std::min<std::int64_t>(6, world.machines));
    const auto share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    const Tick submit = number(0, 200);
    world.jobs.push_back(job(submit, number(1, 60), number(1, size), share, number(0, 12) - 2));
    model.users.push_back(static_cast<std::size_t>(number(1, 1000) % users));
    world.users.push_back("user-" + std::to_string(model.users.back()));
  }
  model.age = number(0, 2) * 1000;
  model.fair_share = number(0, 2) * 1000;
  model.size = number(0, 2) * 1000;
  model.priority = number(0, 2) * 1000;
  model.max_age = number(1, 200);
  model.half_life = number(0, 1) * number(1, 300);
  constexpr std::array<Tick, 4> periods{1, 5, 30, 60};
  model.period = periods[luck() % periods.size()];
  model.max_priority = number(1, 10);
  model.favors_small = luck() % 2 == 0;
  model.fair_tree = luck() % 2 == 0;
  const auto part = [&](const char* name, std::int64_t value, const char* quote = "",
                        const char* unit = "") {
    out.options +=
        std::string{", \""} + name + "\": " + quote + std::to_string(value) + unit + quote;
  };
  out.options = R"({"algorithm": "multifactor")";
  part("weight.age", model.age);
  part("weight.fair_share", model.fair_share);
  part("weight.size", model.size);
  part("weight.priority", model.priority);
  part("max_priority", model.max_priority);
  part("max_age", model.max_age, "\"", "m");
  part("half_life", model.half_life, "\"", "m");
  part("calc_period", model.period, "\"", "m");
  out.options += std::string{R"(, "favors": ")"} + (model.favors_small ? "small" : "large");
  out.options += std::string{R"(", "fair_share": ")"} + (model.fair_tree ? "fair_tree" : "classic");
  return out;
}

TEST(Multifactor, InRandomWorldsEachStartsWhenTheOracleSays) {
  using Passing = oracle::Multifactor::Passing;
  std::size_t waited = 0;
  for (std::uint32_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    Drawn of = drawn(seed);
    for (const Passing passing : {Passing::none, Passing::any_fit, Passing::easy}) {
      constexpr std::array<const char*, 3> names{"none", "any_fit", "easy"};
      const std::string options =
          of.options + R"(", "backfill": ")" + names[static_cast<std::size_t>(passing)] + "\"}";
      of.model.passing = passing;
      oracle::Multifactor plain{of.model};
      RuleAsOrder rule{of.world, options};
      const auto expected = oracle::schedule(of.world.jobs, {of.world.machines}, plain);
      const auto courses = oracle::schedule(of.world.jobs, {of.world.machines}, rule);
      for (std::size_t one = 0; one < of.world.jobs.size(); ++one) {
        EXPECT_EQ(spans(courses[one]), spans(expected[one]))
            << options << ": seed " << seed << ", job " << one;
        waited += expected[one].first_start() > of.world.jobs[one].submit ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(waited, 1000U);
}

}  // namespace multifactor_test
}  // namespace reeve::policies
