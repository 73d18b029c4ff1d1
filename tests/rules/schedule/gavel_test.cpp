// Gavel's rounds on machines of several kinds, worked out by hand.
#include "tests/rules/schedule/gavel_machines.hpp"

namespace reeve::policies {
namespace gavel_test {

using namespace gavel_machines;  // NOLINT: its bench

// The paper's section 3: two jobs, one machine of each of two kinds, of which one is 3 times as
// fast for the one and 2 times for the other: each is to be on either for half of its time.
TEST(Gavel, JobsTakeTurnsOnMachinesOfTwoKinds) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 1}};
  const Whereabouts where = Machines{world}.until(120);
  EXPECT_EQ(where[0][7], std::optional<std::size_t>{where[0][1] == 1U ? 0U : 1U});
  for (const auto& each : where) {
    EXPECT_EQ(part(each, 0), 0.5);
    EXPECT_EQ(part(each, 1), 0.5);
  }
}

// A job without stated speeds stays in the pool that it asked for.
TEST(Gavel, WhoIsForOneKindIsNeverSentElsewhere) {
  const World world{.jobs = {{0, kLong, 1, {1, 0}, 0}, {0, kLong, 1, {1, 0}, 0}},
                    .machines = {1, 5}};
  const Whereabouts where = Machines{world}.until(120);
  EXPECT_EQ(part(where[0], 0), 0.5);
  EXPECT_EQ(part(where[1], 0), 0.5);
}

// For the first half of an hour there is no fast one; then both are to be there all of their time.
TEST(Gavel, MachinesThatAreNewAreInTheNextProgramme) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 2},
                    .changes = {{0, {1}, 0}, {30, {1}, 2}}};
  const Whereabouts where = Machines{world}.until(120);
  for (const auto& each : where) {
    EXPECT_EQ(part({each.begin(), each.begin() + 30}, 1), 0);
    EXPECT_EQ(part({each.begin() + 36, each.end()}, 1), 1);
  }
}

TEST(Gavel, WhereThePlatformRefusesAJobItIsNotSentAgain) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 1}};
  Machines machines{world};
  machines.refuse({1});
  const Whereabouts where = machines.until(240);
  EXPECT_EQ(machines.refusals(), 2U) << "once for each job";
  EXPECT_NEAR(part(where[0], 0), 0.5, 0.06);
  EXPECT_NEAR(part(where[1], 0), 0.5, 0.06);
}

}  // namespace gavel_test
}  // namespace reeve::policies
