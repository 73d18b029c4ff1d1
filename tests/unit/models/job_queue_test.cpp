// Queued attempts alone: limits of their waits, and whether they are tried again.
#include "models/fleet/job_queue.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace job_queue_test {

struct QueueRig : FleetRig {
  policy::JobId id = job(1h);
  FleetCore core{world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  SpareInstances spares{core, events};
  AccountQuotas quotas{core, spares};
  JobQueue jobs{core, events, quotas};
};

TEST(JobQueue, PendingTimeDoesNotCountOutsideThePlansWindows) {
  QueueRig rig;
  rig.profile().max_pending = 30min;
  EXPECT_EQ(rig.jobs.pending_limit(rig.id, rig_start), rig_start + 30min);
  rig.world.pools[0].windows = {{0s, 20min}, {2h, 3h}};
  EXPECT_EQ(rig.jobs.pending_limit(rig.id, rig_start), rig_start + 2h + 10min);
}

TEST(JobQueue, ARequestDiffersFromTheSpecificationOnlyIfItIsStored) {
  QueueRig rig;
  EXPECT_EQ(rig.jobs.request_of(rig.id).number, 1);
  Request second = rig.jobs.request_of(rig.id);
  second.number = 2;
  rig.jobs.store(second);
  EXPECT_EQ(rig.jobs.request_of(rig.id).number, 2);
  rig.jobs.remove(rig.id);
  EXPECT_EQ(rig.jobs.request_of(rig.id).number, 1);
}

TEST(JobQueue, ARequeueWaitIsBookedOfAJobThatRanBefore) {
  QueueRig rig;
  rig.jobs.begin_requeue_wait(rig.id);
  rig.core.now += 10s;
  rig.jobs.end_requeue_wait(rig.id);
  EXPECT_TRUE(rig.core.record.waits_again.empty());
  rig.core.record.job_rows[0].first_start = rig_start;
  rig.jobs.begin_requeue_wait(rig.id);
  rig.core.now += 10s;
  rig.jobs.end_requeue_wait(rig.id);
  EXPECT_EQ(rig.core.record.waits_again.at(rig.id), 10s);
}

}  // namespace job_queue_test
}  // namespace reeve::models
