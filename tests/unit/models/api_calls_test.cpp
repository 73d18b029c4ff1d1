// The API alone: what becomes of a call.
#include "models/fleet/api_calls.hpp"

#include "fleet_rig.hpp"

namespace reeve::models {
namespace api_calls_test {

TEST(ApiCalls, AScriptedFaultHitsItsVerbOnce) {
  FleetRig rig;
  const policy::JobId job = rig.job(100s);
  rig.world.platform.api.scripted = {{.kind = ScriptedApiFault::Kind::rejected,
                                      .verb = policy::VerbKind::stop_job,
                                      .job = job,
                                      .times = 1}};
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  ApiCalls calls{core, events};
  const host::Attempt start{{1}, 1, policy::StartJob{job, 1}};
  const host::Attempt stop{{2}, 1, policy::StopJob{job, 1}};
  EXPECT_EQ(calls.fate_of(start).kind, host::ReplyKind::done);
  EXPECT_EQ(calls.fate_of(stop).kind, host::ReplyKind::rejected);
  EXPECT_EQ(calls.fate_of(stop).kind, host::ReplyKind::done);
}

TEST(ApiCalls, ABucketOfTokensThrottles) {
  FleetRig rig;
  const policy::JobId job = rig.job(100s);
  rig.world.platform.api.calls_per_s = 1;
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  ApiCalls calls{core, events};
  const host::Attempt stop{{1}, 1, policy::StopJob{job, 1}};
  EXPECT_EQ(calls.fate_of(stop).kind, host::ReplyKind::done);
  EXPECT_EQ(calls.fate_of(stop).kind, host::ReplyKind::throttled);
  core.now += 1s;
  EXPECT_EQ(calls.fate_of(stop).kind, host::ReplyKind::done);
}

TEST(ApiCalls, ARefusalTakesTheLatencyOfTheApi) {
  FleetRig rig;
  const policy::JobId job = rig.job(100s);
  rig.world.platform.api.latency = 2s;
  FleetCore core{rig.world, 0, Admission::direct, {}};
  EventDelivery events{core, [](const policy::JobChanged&) { return ""; }};
  ApiCalls calls{core, events};
  calls.send({{7}, 1, policy::StopJob{job, 1}}, {host::ReplyKind::throttled});
  EXPECT_TRUE(events.has_none());
  const sim::Event event = core.queue.pop();
  EXPECT_EQ(event.at_ns, (rig_start + 2s).time_since_epoch().count());
  calls.refuse(event.subject);
  host::Intake intake;
  events.hand_over(intake);
  ASSERT_EQ(intake.replies.size(), 1u);
  EXPECT_EQ(intake.replies[0].kind, host::ReplyKind::throttled);
}

}  // namespace api_calls_test
}  // namespace reeve::models
