// What people do with their jobs, and what they leave alone.
#include <gtest/gtest.h>

#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_people_test {

using policy::CloneJob;
using policy::Origin;
using policy::Primary;
using policy::StopJob;

/// Ann is away for the first three hours.
FleetRig anns_rig() {
  FleetRig rig;
  rig.profile().owner = "ann";
  rig.world.humans = {{"ann", {{0h, 3h}}, OnReturn::resubmit_unfinished, std::nullopt}};
  return rig;
}

std::vector<std::pair<Duration, Origin>> submissions(const FleetRig& rig) {
  std::vector<std::pair<Duration, Origin>> all;
  for (const auto& news : rig.seen) {
    const auto* submitted = std::get_if<policy::JobSubmitted>(&news.what.fact);
    if (submitted != nullptr)
      all.emplace_back(news.what.happened_at - rig_start, submitted->origin);
  }
  return all;
}

using Submissions = std::vector<std::pair<Duration, Origin>>;

TEST(People, ResubmitOnReturnWhatEndedUnfinished) {
  FleetRig rig = anns_rig();
  rig.fault(FaultKind::failure, 100s);
  const auto failed = rig.job(1000s);
  const auto fine = rig.job(90s);
  rig.run();
  EXPECT_EQ(submissions(rig),
            Submissions({{0s, Origin::person}, {0s, Origin::person}, {3h, Origin::person}}));
  EXPECT_EQ(rig.row(failed).status, Primary::completed);
  EXPECT_EQ(rig.row(fine).attempts, 1u);
}

TEST(People, StopWhatStandsStillBeforeTheyResubmitIt) {
  FleetRig rig = anns_rig();
  rig.fault(FaultKind::spin_hang, 100s);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, stopping 10800, uploading 10830, "
            "stopped 10840");
  EXPECT_EQ(submissions(rig), Submissions({{0s, Origin::person}, {10840s, Origin::person}}));
  EXPECT_EQ(rig.record.stalls.at(0).detected, policy::never) << "no rule noticed it";
}

TEST(People, LeaveAloneWhatARuleRestartedAndWhatIsNotTheirs) {
  FleetRig rig = anns_rig();
  rig.fault(FaultKind::failure, 100s);
  rig.world.profiles.push_back(rig.profile());
  rig.profile(1).owner = "bob";
  const auto restarted = rig.job(20'000s);
  const auto anothers = rig.job(1000s, 1, 0s, 1);
  rig.call(1000s, CloneJob{restarted, 2});
  rig.run();
  EXPECT_EQ(rig.row(restarted).attempts, 2u);
  EXPECT_EQ(rig.row(anothers).attempts, 1u);
}

TEST(People, ThatDoNothingOnReturnDoNothing) {
  FleetRig rig = anns_rig();
  rig.world.humans[0].on_return = OnReturn::nothing;
  rig.fault(FaultKind::failure, 100s);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 1u);
}

TEST(People, WhoArePresentReactWithinTheirTime) {
  FleetRig rig = anns_rig();
  rig.world.humans[0].away.clear();
  rig.world.humans[0].reacts_within = 10min;
  rig.fault(FaultKind::failure, 100s);
  rig.job(1000s);
  rig.run();
  EXPECT_EQ(submissions(rig), Submissions({{0s, Origin::person}, {280s + 10min, Origin::person}}));
}

TEST(People, WhoLeaveMeanwhileReactWhenTheyAreBack) {
  FleetRig rig = anns_rig();
  rig.world.humans[0].away = {{300s, 2h}};
  rig.world.humans[0].reacts_within = 10min;
  rig.fault(FaultKind::failure, 100s);
  rig.job(1000s);
  rig.run();
  EXPECT_EQ(submissions(rig), Submissions({{0s, Origin::person}, {2h, Origin::person}}));
}

TEST(People, WhoAreStillAwayForAnotherReasonAreNotBack) {
  FleetRig rig = anns_rig();
  rig.world.humans[0].away = {{0h, 2h}, {1h, 5h}};
  rig.fault(FaultKind::failure, 100s);
  rig.job(1000s);
  rig.run();
  EXPECT_EQ(submissions(rig), Submissions({{0s, Origin::person}, {5h, Origin::person}}));
}

TEST(People, TakeTheirTimeOverEachEndAnew) {
  FleetRig rig = anns_rig();
  rig.world.humans[0].away.clear();
  rig.world.humans[0].reacts_within = 1h;
  rig.fault(FaultKind::failure, 100s).attempt = 1;
  const auto job = rig.job(5000s);
  rig.call(1000s, CloneJob{job, 2});  // a rule was faster
  rig.call(2000s, StopJob{job, 2});   // and stopped it again: over at 2040
  rig.run();
  EXPECT_EQ(
      submissions(rig),
      Submissions({{0s, Origin::person}, {1000s, Origin::rule}, {2040s + 1h, Origin::person}}));
}

// The job fails after 280 s, and nothing else happens in 500 days.
TEST(People, WhoWouldHaveComeBackLaterWasCutOff) {
  const auto cut_off = [](const Human& human) {
    FleetRig rig = anns_rig();
    rig.world.humans = {human};
    rig.world.kill_switch.engaged = {{12'000h, 12'001h}};
    rig.fault(FaultKind::failure, 100s);
    rig.job(1000s);
    rig.run();
    return rig.record.cut_off;
  };
  EXPECT_TRUE(cut_off({"ann", {{0h, 13'000h}}, OnReturn::resubmit_unfinished, std::nullopt}));
  EXPECT_TRUE(cut_off({"ann", {}, OnReturn::nothing, 13'000h}));
  EXPECT_FALSE(cut_off({"ann", {{0h, 13'000h}}, OnReturn::nothing, std::nullopt}));
  EXPECT_FALSE(cut_off({"bob", {{0h, 13'000h}}, OnReturn::resubmit_unfinished, std::nullopt}));
  EXPECT_FALSE(cut_off({"ann", {{0h, 13'000h}}, OnReturn::nothing, 13'000h}))
      << "who is away does not see how it ends";
  EXPECT_FALSE(cut_off({"ann", {{12'999h, 13'002h}}, OnReturn::nothing, 13'000h}));
}

TEST(People, GiveUpBeforeTheNumbersRunOut) {
  FleetRig rig = anns_rig();
  rig.world.platform = {};
  rig.world.humans[0].away.clear();
  rig.world.humans[0].reacts_within = 1s;
  rig.fault(FaultKind::failure, 0s).recovers_on_restart = false;
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 65'535u);
}

}  // namespace fleet_people_test
}  // namespace reeve::models
