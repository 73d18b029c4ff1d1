// What SageMaker adds: limits, quotas, API calls and billing. One test per row of its behaviour.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <reeve/policy/clone_fields.hpp>
#include <reeve/policy/failure_reason.hpp>
#include <set>
#include <string>
#include <vector>

#include "models/failure_reason.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_managed_test {

using host::ReplyKind;
using policy::FailureClass;
using policy::Primary;
using policy::Secondary;
using policy::StartJob;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

// ---- Pending --------------------------------------------------------------------------------

TEST(FleetManaged, AnAttemptThatIsPendingForTooLongIsStopped) {
  FleetRig rig;
  rig.profile().max_pending = 500s;
  const auto first = rig.job(3600s, 4);
  const auto late = rig.job(100s, 4, 10s);
  rig.run();
  EXPECT_EQ(rig.timeline(late), "pending 10, stopped 510");
  EXPECT_EQ(rig.row(late).status, Primary::stopped);
  EXPECT_EQ(rig.row(first).status, Primary::completed) << "what runs is not pending";
}

TEST(FleetManaged, WhatATimeOutOfPendingIsCalledMayBeChosen) {
  FleetRig rig;
  rig.world.platform.pending_ends_as = Secondary::max_wait_time_exceeded;
  rig.profile().max_pending = 500s;
  rig.job(3600s, 4);
  const auto late = rig.job(100s, 4, 10s);
  rig.run();
  EXPECT_EQ(rig.timeline(late), "pending 10, max_wait_time_exceeded 510");
}

TEST(FleetManaged, PendingDoesNotCountWhileATrainingPlanWaitsForItsWindow) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  rig.world.pools[0].windows = {{1000s, 1400s}, {3000s, 90'000s}};
  rig.profile().max_pending = 500s;
  rig.world.profiles.push_back({});
  rig.job(80'000s, 4, 0s, 1);  // until the first window ends
  rig.job(80'000s, 4, 5s, 1);  // from the second one on
  const auto late = rig.job(100s, 4, 10s);
  rig.run(100'000s);
  EXPECT_EQ(rig.timeline(late), "pending 10, stopped 3100") << "400 s and 100 s of the two windows";
}

// ---- RetryStrategy ----------------------------------------------------------------------------

TEST(FleetManaged, AnInternalErrorIsRetriedFromTheLastCheckpointWithinTheAttempt) {
  FleetRig rig;
  rig.profile().retries = 1;
  rig.profile().checkpoint.every = 300s;
  rig.fault(FaultKind::failure, 500s).failure = FailureClass::infrastructure;
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 680, downloading 740, training "
            "860, uploading 1560, completed 1570");
  EXPECT_EQ(rig.row(job).attempts, 1u);
  EXPECT_EQ(rig.record.retries, 1u);
  EXPECT_EQ(rig.usd(Use::lost_work), "2.00");
  EXPECT_EQ(rig.usd(Use::startup), "2.40") << "provisioning is free, twice";
}

TEST(FleetManaged, RetriesComeToAnEndAndAreForInternalErrorsOnly) {
  for (const auto failure :
       {FailureClass::infrastructure, FailureClass::hardware, FailureClass::code}) {
    const bool internal = failure != FailureClass::code;
    FleetRig rig;
    rig.profile().retries = internal ? 1 : 5;
    for (const Duration at : {100s, 900s}) rig.fault(FaultKind::failure, at).failure = failure;
    const auto job = rig.job(3600s);
    rig.run();
    EXPECT_EQ(rig.row(job).status, Primary::failed);
    EXPECT_EQ(rig.record.retries, internal ? 1u : 0u);
    EXPECT_EQ(rig.row(job).end, rig_start + 180s + (internal ? 900s : 100s));
  }
}

TEST(FleetManaged, MaxRuntimeBoundsAllRetriesTogether) {
  FleetRig rig;
  rig.profile().retries = 3;
  rig.profile().max_runtime = 1000s;  // from the start of the first start-up
  rig.fault(FaultKind::failure, 600s).failure = FailureClass::infrastructure;
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 780, downloading 840, training "
            "960, stopping 1060, uploading 1090, max_runtime_exceeded 1100");
}

// ---- cluster repair ---------------------------------------------------------------------------

TEST(FleetManaged, AHardwareFaultIsRepairedUnbilledBeforeAnythingFails) {
  FleetRig rig;
  rig.world.platform.cluster_repair = {10, 500s, 500s, 0.5};
  rig.profile().checkpoint.every = 300s;
  rig.fault(FaultKind::hardware, 700s);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 880, downloading 1380, training "
            "1500, uploading 1900, completed 1910");
  EXPECT_EQ(rig.record.repairs, 1u);
  EXPECT_EQ(rig.billed(), "13.50") << "120 + 700 + 120 + 400 + 10 s; the repair is free";
}

TEST(FleetManaged, TheRepairAfterTheLastOneFailsTheAttempt) {
  FleetRig rig;
  rig.world.platform.cluster_repair = {2, 10s, 10s, 0.5};
  for (const Duration at : {100s, 1000s, 2000s}) rig.fault(FaultKind::hardware, at);
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::failed);
  EXPECT_EQ(rig.row(job).failure, FailureClass::hardware);
  EXPECT_EQ(rig.row(job).end, rig_start + 180s + 2000s);
  EXPECT_EQ(rig.record.repairs, 2u);
}

TEST(FleetManaged, AHangIsNotRepaired) {
  FleetRig rig;
  rig.fault(FaultKind::spin_hang, 100s);
  rig.job(3600s);
  rig.run(86'400s);
  EXPECT_EQ(rig.record.repairs, 0u);
}

// ---- quotas -----------------------------------------------------------------------------------

TEST(FleetManaged, AnAttemptOverItsQuotaFailsAtOnceAndCostsNothing) {
  FleetRig rig;
  rig.world.platform.quotas = {quota(QuotaFamily::training, 2)};
  const auto first = rig.job(1000s, 2);
  const auto second = rig.job(1000s, 1, 10s);
  const auto third = rig.job(1000s, 2, 5000s);
  rig.run();
  EXPECT_EQ(rig.row(first).status, Primary::completed);
  EXPECT_EQ(rig.timeline(second), "failed 10");
  EXPECT_EQ(rig.row(second).failure, FailureClass::quota);
  EXPECT_TRUE(rig.row(second).billed == 0);
  EXPECT_EQ(rig.row(third).status, Primary::completed) << "what ended is counted no longer";
  EXPECT_EQ(rig.record.quota_refusals, 1u);
  EXPECT_EQ(reasons(rig),
            std::vector<std::string>{
                "ResourceLimitExceeded: The account-level service limit 'ml.test for training job "
                "usage' is 2 Instances, with current utilization of 2 Instances and a request "
                "delta of 1 Instances. Please contact AWS support to request an increase for this "
                "limit."});
}

TEST(FleetManaged, WhatIsPendingOrInterruptedIsCountedAgainstTheQuota) {
  FleetRig rig;
  rig.world.platform.quotas = {quota(QuotaFamily::training, 5)};
  rig.job(1000s, 4);
  rig.job(100s, 1, 10s);  // pending
  const auto over = rig.job(100s, 1, 20s);
  rig.run();
  EXPECT_EQ(rig.timeline(over), "failed 20");
}

TEST(FleetManaged, QuotasOfSpotAndOfOtherTrainingAreTwo) {
  for (const Market market : {Market::on_demand, Market::spot, Market::reserved}) {
    FleetRig rig;
    rig.world.pools[0].market = market;
    rig.world.platform.quotas = {quota(QuotaFamily::spot, 0)};
    const auto job = rig.job(100s);
    rig.run(86'400s);
    EXPECT_EQ(rig.row(job).status, market == Market::spot ? Primary::failed : Primary::completed);
  }
}

TEST(FleetManaged, ACloneOrStartOverTheQuotaIsRefused) {
  FleetRig rig;
  rig.world.platform.quotas = {quota(QuotaFamily::training, 2)};
  const auto stopped = rig.job(1000s, 1);
  rig.call(100s, StopJob{stopped, 1});
  rig.job(9000s, 2, 200s);
  rig.call(300s, clone(stopped));
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::no_room}));
  EXPECT_EQ(rig.row(stopped).attempts, 1u);

  FleetRig held;
  held.admission = Admission::held;
  held.world.platform.quotas = {quota(QuotaFamily::training, 1)};
  const auto a = held.job(1000s);
  const auto b = held.job(1000s);
  held.call(10s, StartJob{a, 1});
  held.call(20s, StartJob{b, 1});
  held.call(5000s, StartJob{b, 1});
  held.run();
  EXPECT_EQ(held.kinds(), Kinds({ReplyKind::done, ReplyKind::no_room, ReplyKind::done}));
  EXPECT_EQ(held.row(b).status, Primary::completed);
}

// A scheduler would ask for its start for ever.
TEST(FleetManaged, NothingIsPlacedWhereItsQuotaIsSmallerThanIt) {
  FleetRig rig;
  rig.admission = Admission::held;
  rig.world.directory.pools.push_back({.name = "spot", .market = Market::spot});
  rig.world.pools.push_back({"spot", {0}, Market::spot, 4, {9'000'000'000}});
  rig.world.platform.quotas = {quota(QuotaFamily::spot, 1)};
  const auto large = rig.job(100s, 2);
  const auto small = rig.job(100s, 1);
  rig.call(1s, policy::PlaceJob{large, 1, {1}});
  rig.call(2s, policy::PlaceJob{small, 1, {1}});
  rig.run(1000s);
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::rejected, ReplyKind::done}));
}

// ---- calls ------------------------------------------------------------------------------------

TEST(FleetManaged, CallsHaveRatesOfTheirOwnAndStartsAreCreations) {
  FleetRig rig;
  rig.world.platform.api.rates = {{policy::VerbKind::stop_job, 1},
                                  {policy::VerbKind::clone_job, 1}};
  const auto a = rig.job(1000s);
  const auto b = rig.job(1000s);
  rig.call(1000s, StopJob{a, 1});
  rig.call(1000s, StopJob{b, 1});
  rig.call(1000s, StartJob{a, 1});
  rig.call(1000s, clone(a));
  rig.call(1000s, policy::Notify{a, 1});
  rig.call(1000s, policy::Notify{b, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::throttled, ReplyKind::done,
                                ReplyKind::throttled, ReplyKind::done, ReplyKind::done}));
}

TEST(FleetManaged, ABurstMayBeLargerThanTheRate) {
  FleetRig rig;
  rig.world.platform.api.rates = {{policy::VerbKind::notify, 1}};
  rig.world.platform.api.burst = 3;
  const auto job = rig.job(1000s);
  for (std::uint16_t nth = 1; nth <= 4; ++nth) rig.call(500s, policy::Notify{job, 1, nth});
  rig.call(502s, policy::Notify{job, 1, 5});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::done, ReplyKind::done,
                                ReplyKind::throttled, ReplyKind::done}));
}

TEST(FleetManaged, OfBrownOutsThatOverlapTheWorstCounts) {
  for (const bool harmless_first : {true, false}) {
    FleetRig rig;
    const BrownOut harmless{0s, 5000s, 0, 0};
    const BrownOut harsh{1000s, 2000s, 1, 0};
    rig.world.platform.api.brownouts = {harmless_first ? harmless : harsh,
                                        harmless_first ? harsh : harmless};
    const auto job = rig.job(9000s);
    rig.call(1000s, StopJob{job, 1});
    rig.call(2000s, StopJob{job, 1});
    rig.run();
    EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::throttled, ReplyKind::done}));
  }
}

TEST(FleetManaged, InABrownOutCallsAreThrottledOrTheirRepliesLost) {
  FleetRig rig;
  rig.world.platform.api.brownouts = {{1000s, 2000s, 1, 0}, {3000s, 3100s, 0, 1}};
  const auto a = rig.job(9000s);
  const auto b = rig.job(9000s);
  rig.call(1000s, StopJob{a, 1});
  rig.call(1999s, StopJob{a, 1});
  rig.call(2000s, StopJob{a, 1});
  rig.call(3050s, StopJob{b, 1});
  rig.run();
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::throttled, ReplyKind::throttled, ReplyKind::done}));
  EXPECT_EQ(rig.row(b).end, rig_start + 3090s) << "the stop happened, the reply did not come";
}

TEST(FleetManaged, EventsMayBeLostAndHappenAllTheSame) {
  FleetRig rig;
  rig.world.platform.events.lost = 1;
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "");
  EXPECT_EQ(rig.row(job).status, Primary::completed);
  ASSERT_FALSE(rig.record.events.empty());
  for (const EventRow& event : rig.record.events) EXPECT_EQ(event.delivered, policy::never);
  EXPECT_EQ(rig.record.deliveries, 0u);
}

TEST(FleetManaged, WhatWasLostIsSeenByTheNextLookAtAllJobs) {
  FleetRig rig;
  rig.world.platform.events.lost = 1;
  rig.world.platform.events.poll = 600s;
  const auto job = rig.job(1000s);
  rig.run();
  ASSERT_FALSE(rig.record.events.empty());
  for (const EventRow& event : rig.record.events) {
    EXPECT_EQ(event.delivered, event.at + 600s - (event.at - rig_start) % 600s);
  }
  EXPECT_EQ(rig.row(job).status, Primary::completed);
}

TEST(FleetManaged, WhoStopsWhatIsOverLearnsThatItIs) {
  FleetRig rig;
  rig.world.platform.events.lost = 1;
  const auto job = rig.job(1000s);
  rig.call(1100s, StopJob{job, 1});
  rig.call(9000s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.timeline(job), "stopped 1140") << "of the second call's answer";
}

// ---- after the end ----------------------------------------------------------------------------

TEST(FleetManaged, TheUploadOfAStoppedAttemptMayTakeADayAndIsBilled) {
  FleetRig rig;
  rig.world.platform.late_upload = {1, {Shape::fixed, 86'400s, 0, 0s}};
  const auto job = rig.job(9000s);
  const auto done = rig.job(500s);
  rig.call(1000s, StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.row(job).end, rig_start + 1030s + 86'400s);
  EXPECT_EQ(rig.usd(Use::drain), "864.30");
  EXPECT_EQ(rig.row(done).end, rig_start + 180s + 500s + 10s) << "no rule stopped it";
}

TEST(FleetManaged, FailureReasonsBeginWithTheirClassAndAreReadByIt) {
  using enum FailureClass;
  EXPECT_EQ(failure_reason(infrastructure),
            "InternalServerError: We encountered an internal error. Please try again.");
  EXPECT_EQ(failure_reason(infrastructure, true),
            "InternalServerError: We encountered an internal error.  Please try again.");
  EXPECT_EQ(failure_reason(capacity),
            "CapacityError: Unable to provision requested ML compute capacity. Please retry using "
            "a different ML instance type.");
  const std::map<FailureClass, FailureClass> read{{none, none},
                                                  {unknown, unknown},
                                                  {infrastructure, infrastructure},
                                                  {capacity, capacity},
                                                  {code, code},
                                                  {out_of_memory, configuration},
                                                  {data, configuration},
                                                  {configuration, configuration},
                                                  {hardware, infrastructure},
                                                  {quota, quota}};
  for (const auto& [of, as] : read) {
    EXPECT_EQ(policy::classify(failure_reason(of)), as) << failure_reason(of);
    EXPECT_LE(failure_reason(of).size(), policy::failure_reason_max);
  }
  EXPECT_EQ(policy::classify("a text that mentions ClientError: late"), unknown);
  EXPECT_EQ(policy::classify("CapacityError"), unknown) << "no class without its colon";
}

TEST(FleetManaged, AFailureSaysWhyWithOneBlankOrTwo) {
  std::set<std::string> seen;
  FleetRig rig;
  rig.fault(FaultKind::failure, 100s).failure = FailureClass::infrastructure;
  for (int nth = 0; nth < 30; ++nth) rig.job(1000s);
  rig.run();
  for (const std::string& reason : reasons(rig)) seen.insert(reason);
  EXPECT_EQ(seen, (std::set<std::string>{failure_reason(FailureClass::infrastructure),
                                         failure_reason(FailureClass::infrastructure, true)}));
}

TEST(FleetManaged, BillableSecondsOfSpotAreScaledByItsDiscount) {
  FleetRig rig;
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].price = {10'800'000'000};  // 30 % of 36
  rig.job(1001s);
  rig.run();
  ASSERT_EQ(rig.record.attempts.size(), 1u);
  EXPECT_EQ(rig.record.attempts[0].billed, 120s + 1001s + 10s);
  EXPECT_EQ(rig.record.attempts[0].billable, 339s) << "1131 s x 0.3 = 339.3 s";
  FleetRig on_demand;
  on_demand.job(1001s);
  on_demand.run();
  EXPECT_EQ(on_demand.record.attempts.at(0).billable, 1131s);
}

TEST(FleetManaged, SpotMayBeBilledAsWholeSecondsAtTheOnDemandPrice) {
  for (const SpotBilling how : {SpotBilling::exact, SpotBilling::billable_seconds}) {
    FleetRig rig;
    rig.world.pools[0].market = Market::spot;
    rig.world.pools[0].price = {10'800'000'000};
    rig.world.pools[0].reclaim = Reclaim{440s, 100s};
    rig.world.platform.spot_billing = how;
    rig.profile().checkpoint.every = 100s;
    rig.exact_lines = how == SpotBilling::exact;
    rig.job(701s);
    rig.run();
    ASSERT_EQ(rig.record.attempts.size(), 1u);
    // Held for 440 s three times (60 s of 500 are provisioning), 300 s of work kept each; then 120
    // + 101 + 10 s.  0.3 x 1111 = 333.3.
    EXPECT_EQ(rig.record.attempts[0].billed, 1111s);
    EXPECT_EQ(rig.record.attempts[0].billable, 333s);
    EXPECT_EQ(rig.billed(), "3.33");
    const Charge off = charge({36'000'000'000}, 1, 333s) - rig.record.ledger.billed();
    EXPECT_TRUE((off == 0) == (how == SpotBilling::billable_seconds));
  }
}

TEST(FleetManaged, ManagedSpotBillsAnInterruptedFirstHourAndGivesNoNotice) {
  FleetRig rig;
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].reclaim = Reclaim{940s, 100s};
  rig.profile().checkpoint.every = 500s;
  const auto job = rig.job(600s);
  rig.run();
  EXPECT_EQ(rig.usd(Use::lost_work), "0.00");
  EXPECT_EQ(rig.row(job).interruptions, 0u);
  FleetRig cut;
  cut.world.pools[0].market = Market::spot;
  cut.world.pools[0].reclaim = Reclaim{940s, 100s};
  cut.profile().checkpoint.every = 500s;
  cut.job(900s);
  cut.run();
  EXPECT_EQ(cut.usd(Use::lost_work), "3.20") << "820 s trained, 500 kept, all of it paid for";
}

}  // namespace fleet_managed_test
}  // namespace reeve::models
