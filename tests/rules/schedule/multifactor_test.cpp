// Slurm's multifactor priority: each factor by hand.

#include "tests/rules/schedule/rule_as_order.hpp"

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

}  // namespace multifactor_test
}  // namespace reeve::policies
