// Slurm's multifactor priority against a plain oracle, in random worlds.
#include <array>
#include <cmath>

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/multifactor.hpp"
#include "tests/rules/schedule/rule_as_order.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace multifactor_oracle_test {

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

struct Drawn {
  QueueWorld world;
  oracle::Multifactor::Model model;
  std::string options;
};

Drawn drawn(std::uint32_t seed) {
  SeededNumbers number{seed};
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
  model.period = periods[static_cast<std::size_t>(number(0, std::ssize(periods) - 1))];
  model.max_priority = number(1, 10);
  model.favors_small = number(0, 1) == 0;
  model.fair_tree = number(0, 1) == 0;
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
  const std::vector<std::uint32_t> seeds = tests::seeds(500);
  using Passing = oracle::Multifactor::Passing;
  std::size_t waited = 0;
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
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
  EXPECT_GT(waited, 2 * seeds.size());
}

}  // namespace multifactor_oracle_test
}  // namespace reeve::policies
