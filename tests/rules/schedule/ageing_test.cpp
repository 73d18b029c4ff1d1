// Priorities that grow while a job waits, worked out by hand.

#include "tests/rules/schedule/ageing_rig.hpp"

namespace reeve::policies {
namespace ageing_test {

constexpr Tick hour = 60;

using ageing_rig::ageing;
using ageing_rig::job;
using ageing_rig::starts;

/// A job of priority 0, and one of priority 5 every hour, each for an hour on the only machine.
QueueWorld stream() {
  QueueWorld world{.machines = 1, .jobs = {job(0, hour, 1, 5), job(0, hour, 1, 0)}};
  for (Tick at = 1; at <= 30; ++at) world.jobs.push_back(job(at * hour, hour, 1, 5));
  return world;
}

// "A solution to the problem of indefinite blockage of low-priority processes is aging": A.
// Silberschatz et al., Operating System Concepts, "Priority Scheduling".
TEST(Ageing, WhoWaitsLongEnoughGoesBeforeWhoIsMoreUrgent) {
  EXPECT_EQ(starts(stream(), ageing("0s"))[1], 31 * hour) << "when no other job arrives";
  // Those of the first four hours are more urgent, that of the fifth is as urgent and came later.
  EXPECT_EQ(starts(stream(), ageing("1h"))[1], 5 * hour);
  EXPECT_EQ(starts(stream(), ageing("2h"))[1], 10 * hour);
}

TEST(Ageing, ManyPointsAreNotMoreThanFitIntoTime) {
  QueueWorld world{.machines = 1, .jobs = {job(0, hour, 1, 0)}};
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  world.jobs.push_back(job(1, hour, 1, 0));
  world.jobs.push_back(job(1, hour, 1, -most));
  world.jobs.push_back(job(1, hour, 1, most));
  EXPECT_EQ(starts(world, ageing("1000d")), (std::vector<Tick>{0, 2 * hour, 3 * hour, hour}));
}

TEST(Ageing, APriorityThatIsChangedCountsWithTheAge) {
  QueueWorld world{
      .machines = 1,
      .jobs = {job(0, 10 * hour, 1, 0), job(0, hour, 1, 0), job(6 * hour, hour, 1, 9)}};
  EXPECT_EQ(starts(world, ageing("1h")), (std::vector<Tick>{0, 11 * hour, 10 * hour}));
  world.priorities = {{8 * hour, 1, 4}};
  EXPECT_EQ(starts(world, ageing("1h")), (std::vector<Tick>{0, 10 * hour, 11 * hour}));
}

}  // namespace ageing_test
}  // namespace reeve::policies
