// The event bus alone: delays, copies, losses.
#include "models/fleet/event_delivery.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace event_delivery_test {

struct BusRig : FleetRig {
  std::size_t delivered(Duration after) {
    FleetCore core{world, 0, Admission::direct, {.events = true}};
    EventDelivery events{core, [](const policy::JobChanged&) { return "reason"; }};
    events.tell(
        {core.now, policy::JobChanged{id, 1, 1, policy::Primary::failed, policy::Secondary::failed,
                                      policy::FailureClass::code, 0, 0}});
    while (!core.queue.empty()) {
      const sim::Event event = core.queue.pop();
      if (event.at_ns <= (rig_start + after).time_since_epoch().count()) {
        events.deliver(event.subject);
      }
    }
    for (const EventRow& row : core.record.events) EXPECT_EQ(row.reason, "reason");
    host::Intake intake;
    events.hand_over(intake);
    EXPECT_TRUE(events.has_none());
    return intake.observations.size();
  }
  policy::JobId id = job(100s);
};

TEST(EventDelivery, AnEventComesAfterTheDelayOfTheBus) {
  BusRig rig;
  EXPECT_EQ(rig.delivered(0s), 1u);
  rig.world.platform.events.delay = 5s;
  EXPECT_EQ(rig.delivered(4s), 0u);
  EXPECT_EQ(rig.delivered(5s), 1u);
}

TEST(EventDelivery, TheBusRepeatsAndLosesEvents) {
  BusRig rig;
  rig.world.platform.events.duplicates = 1;
  rig.world.platform.events.duplicate_within = 10s;
  EXPECT_EQ(rig.delivered(10s), 2u);
  rig.world.platform.events.lost = 1;
  EXPECT_EQ(rig.delivered(1h), 0u);
}

}  // namespace event_delivery_test
}  // namespace reeve::models
