// What SageMaker adds: one test per row of its documented behaviour that no other file has.
#include <gtest/gtest.h>

#include <reeve/policy/clone_fields.hpp>
#include <reeve/policy/failure_reason.hpp>

#include "models/failure_reason.hpp"
#include "tests/unit/models/fleet_rig.hpp"

namespace reeve::models {
namespace fleet_managed_test {

using host::ReplyKind;
using policy::CloneJob;
using policy::CloneLoss;
using policy::FailureClass;
using policy::Primary;
using policy::Secondary;
using policy::StartJob;
using policy::StopJob;
using Kinds = std::vector<ReplyKind>;

CloneJob clone(policy::JobId job, std::initializer_list<CloneLoss> losses = {}) {
  CloneJob verb{.job = job};
  for (const CloneLoss loss : losses) {
    verb.loses = static_cast<std::uint16_t>(verb.loses | static_cast<std::uint16_t>(loss));
  }
  return verb;
}

std::vector<std::string> reasons(const FleetRig& rig) {
  std::vector<std::string> all;
  for (const EventRow& event : rig.record.events) {
    if (!event.reason.empty()) all.push_back(event.reason);
  }
  return all;
}

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

InstanceQuota quota(QuotaFamily family, std::uint32_t instances) {
  InstanceQuota quota{{0}, {}};
  quota.instances[static_cast<std::size_t>(family)] = instances;
  return quota;
}

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

// ---- warm pools -------------------------------------------------------------------------------

TEST(FleetManaged, MachinesStayWarmForTheNextJobOfTheirSizeAndAreBilled) {
  FleetRig rig;
  rig.world.platform.warm_startup = 5s;
  rig.profile().keep_alive = 1800s;
  rig.world.profiles.push_back(rig.profile());
  rig.profile(1).keep_alive = 0s;
  const auto first = rig.job(1000s, 2);
  const auto other = rig.job(100s, 1, 1500s, 1);
  const auto second = rig.job(1000s, 2, 1790s, 1);
  rig.run();
  EXPECT_EQ(rig.row(first).end, rig_start + 1190s);
  EXPECT_EQ(rig.timeline(second),
            "starting 1790, downloading 1790, training 1795, uploading 2795, completed 2805");
  EXPECT_EQ(rig.timeline(other).substr(0, 32), "starting 1500, downloading 1560,")
      << "of another size";
  EXPECT_EQ(rig.usd(Use::idle_reserved), "12.00");
  EXPECT_EQ(rig.usd(Use::startup), "3.70") << "240 + 120 + 10 s";
}

TEST(FleetManaged, AWarmPoolGoesToTheFirstInLineThatMatchesItAndNotToWhoComesLater) {
  FleetRig rig;
  rig.world.platform.warm_startup = 5s;
  rig.profile().keep_alive = 1800s;
  rig.world.profiles.push_back(rig.profile());
  rig.profile(1).keep_alive = 0s;
  rig.job(1000s, 2);
  rig.job(9000s, 2, 0s, 1);
  const auto gang = rig.job(100s, 4, 10s, 1);
  const auto early = rig.job(1000s, 2, 20s, 1);
  const auto late = rig.job(1000s, 2, 1300s, 1);
  rig.run();
  EXPECT_EQ(rig.timeline(early),
            "pending 20, starting 1190, downloading 1190, training 1195, uploading 2195, "
            "completed 2205");
  EXPECT_EQ(rig.timeline(gang).substr(0, 25), "pending 10, starting 9190");
  EXPECT_GT(rig.row(late).first_start, rig.row(gang).end);
}

TEST(FleetManaged, AWarmPoolSparesWhoWaitsForCapacityTheRestOfIt) {
  FleetRig rig;
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 3000s, 0, 0s};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);
  const auto second = rig.job(1000s, 2, 2000s);
  rig.run();
  EXPECT_EQ(rig.timeline(second).substr(0, 27), "pending 2000, starting 4190")
      << "3,000 + 60 + 120 + 1,000 + 10 s, not 5,000";
}

// Machines are sought for both when the first job leaves its own: the one that came first has them.
TEST(FleetManaged, OfThoseWhoWaitForCapacityTheFirstInLineTakesAWarmPool) {
  FleetRig rig;
  rig.world.pools[0].capacity = 6;
  rig.world.pools[0].capacity_wait = DurationLaw{Shape::fixed, 3000s, 0, 0s};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);  // to 4,190
  const auto second = rig.job(1000s, 2, 3'200s);
  const auto first = rig.job(1000s, 2, 3'100s);
  rig.run();
  EXPECT_EQ(rig.timeline(first).substr(0, 27), "pending 3100, starting 4190");
  EXPECT_EQ(rig.timeline(second).substr(0, 27), "pending 3200, starting 5200");
}

TEST(FleetManaged, AWarmPoolEndsWithItsTime) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.job(1000s, 4);
  const auto late = rig.job(100s, 3, 1200s);  // does not match, and has to wait for its machines
  rig.run();
  EXPECT_EQ(rig.timeline(late).substr(0, 27), "pending 1200, starting 1790");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "42.00") << "4 x 600 s, and 3 x 600 s of its own";
}

TEST(FleetManaged, OnlyClustersThatAreSoundAndNotOfSpotStayWarm) {
  const auto idle = [](Market market, std::optional<FailureClass> failure, bool stopped_early) {
    FleetRig rig;
    rig.world.pools[0].market = market;
    rig.profile().keep_alive = 600s;
    if (failure) rig.fault(FaultKind::failure, 100s).failure = *failure;
    const auto job = rig.job(1000s);
    if (stopped_early) rig.call(30s, StopJob{job, 1});
    rig.run();
    return rig.usd(Use::idle_reserved);
  };
  EXPECT_EQ(idle(Market::on_demand, {}, false), "6.00");
  EXPECT_EQ(idle(Market::on_demand, FailureClass::code, false), "6.00");
  EXPECT_EQ(idle(Market::on_demand, FailureClass::infrastructure, false), "0.00");
  EXPECT_EQ(idle(Market::on_demand, {}, true), "0.00") << "nothing was launched yet";
  EXPECT_EQ(idle(Market::spot, {}, false), "0.00");
}

TEST(FleetManaged, AWarmPoolIsOfItsOwnerAlone) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.profile().owner = "ann";
  rig.world.profiles.push_back({});
  rig.profile(1).owner = "bob";
  rig.job(1000s, 4);
  const auto theirs = rig.job(100s, 4, 1200s, 1);
  const auto own = rig.job(100s, 4, 1300s);
  rig.run();
  EXPECT_EQ(rig.timeline(own).substr(0, 13), "starting 1300") << "before all who wait";
  EXPECT_EQ(rig.timeline(theirs).substr(0, 12), "pending 1200");
}

// Warm from 240 (Bob's), 290 and 390 (Ann's, of two kinds of job).  What comes at 500 takes the
// older of hers: 210 + 3 x 600 s, the last its own.
TEST(FleetManaged, OfSeveralWarmPoolsOfAnOwnerTheOldestIsTaken) {
  FleetRig rig;
  rig.profile().keep_alive = 600s;
  rig.profile().owner = "ann";
  rig.world.profiles.resize(3, rig.profile());
  rig.profile(1).owner = "bob";
  rig.job(50s, 1, 0s, 1);
  rig.job(100s);
  rig.job(200s, 1, 0s, 2);
  const auto taker = rig.job(100s, 1, 500s, 2);
  rig.run();
  EXPECT_EQ(rig.timeline(taker).substr(0, 31), "starting 500, downloading 500, ");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "20.10");
}

TEST(FleetManaged, ASchedulerMayStartWorkOnAWarmPool) {
  FleetRig rig;
  rig.admission = Admission::held;
  rig.profile().keep_alive = 600s;
  const auto first = rig.job(1000s, 4);
  const auto second = rig.job(1000s, 4);
  const auto small = rig.job(1000s, 1);
  rig.call(10s, StartJob{first, 1});
  rig.call(1300s, StartJob{small, 1});
  rig.call(1300s, StartJob{second, 1});
  rig.run(9000s);
  EXPECT_EQ(rig.kinds(), Kinds({ReplyKind::done, ReplyKind::rejected, ReplyKind::done}));
  EXPECT_EQ(rig.timeline(second).substr(0, 33), "starting 1300, downloading 1300, ");
}

TEST(FleetManaged, AWarmPoolHasAQuotaOfItsOwn) {
  FleetRig rig;
  rig.world.platform.quotas = {quota(QuotaFamily::warm_pool, 2)};
  rig.profile().keep_alive = 1800s;
  rig.job(1000s, 2);
  const auto over = rig.job(1000s, 1, 1500s);
  const auto same = rig.job(1000s, 2, 1600s);
  const auto late = rig.job(1000s, 1, 9000s);
  rig.run();
  EXPECT_EQ(rig.timeline(over), "failed 1500");
  EXPECT_NE(reasons(rig).at(0).find("'ml.test for training warm pool usage' is 2"),
            std::string::npos);
  EXPECT_EQ(rig.row(same).status, Primary::completed) << "it takes over what is counted";
  EXPECT_EQ(rig.row(late).status, Primary::completed);
}

TEST(FleetManaged, AWarmPoolIsGoneWithItsZoneAndAtTheEndOfTheRun) {
  FleetRig rig;
  rig.profile().keep_alive = 1800s;
  rig.world.outages = {{1300s, 1400s, {{0}}, {}}};
  rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.usd(Use::idle_reserved), "1.10");
  FleetRig open;
  open.profile().keep_alive = 1800s;
  open.job(1000s);
  open.run(1290s);
  EXPECT_EQ(open.usd(Use::idle_reserved), "1.00");
}

// ---- clones -----------------------------------------------------------------------------------

TEST(FleetManaged, ACloneWithoutItsDataOrNetworkFailsWhenItWouldTrain) {
  for (const auto& [loss, failure] : {std::pair{CloneLoss::input_data, FailureClass::data},
                                      std::pair{CloneLoss::vpc, FailureClass::configuration}}) {
    FleetRig rig;
    const auto job = rig.job(1000s);
    rig.call(100s, StopJob{job, 1});
    rig.call(200s, clone(job, {loss}));
    rig.run();
    EXPECT_EQ(rig.timeline(job, 2), "starting 200, downloading 260, failed 380");
    EXPECT_EQ(rig.row(job).failure, failure);
  }
}

TEST(FleetManaged, ACloneWithoutItsCheckpointStartsFromScratchAndSavesNothing) {
  FleetRig rig;
  rig.profile().checkpoint.every = 300s;
  rig.fault(FaultKind::interruption, 700s, 0s).attempt = 2;
  const auto job = rig.job(1000s);
  rig.call(700s, StopJob{job, 1});
  rig.call(2000s, clone(job, {CloneLoss::checkpoint}));
  rig.run();
  EXPECT_EQ(rig.record.attempts.at(1).resumed_from, 0s);
  EXPECT_EQ(rig.row(job).end, rig_start + 2000s + 180s + 700s + 180s + 1000s + 10s);
}

TEST(FleetManaged, ACloneWithoutItsRetryStrategyIsNotRetried) {
  for (const bool loses : {false, true}) {
    FleetRig rig;
    rig.profile().retries = 5;
    auto& fault = rig.fault(FaultKind::failure, 100s);
    fault.failure = FailureClass::infrastructure;
    fault.attempt = 2;
    const auto job = rig.job(1000s);
    rig.call(500s, StopJob{job, 1});
    rig.call(2000s, loses ? clone(job, {CloneLoss::retry_strategy}) : clone(job));
    rig.run();
    EXPECT_EQ(rig.row(job).status, loses ? Primary::failed : Primary::completed);
  }
}

TEST(FleetManaged, OtherFieldsAreMissedByNobodyAndTagsByRules) {
  FleetRig rig;
  rig.world.directory.tag_sets = {{}, {{"username", "ann"}}};
  rig.profile().tags = {1};
  const auto job = rig.job(1000s);
  rig.call(100s, StopJob{job, 1});
  rig.call(2000s, clone(job, {CloneLoss::environment, CloneLoss::experiment, CloneLoss::debug,
                              CloneLoss::profiler, CloneLoss::tags}));
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed);
  for (const auto& news : rig.seen) {
    const auto* request = std::get_if<policy::JobSubmitted>(&news.what.fact);
    if (request == nullptr) continue;
    EXPECT_EQ(request->description.tags.index, request->attempt == 1 ? 1u : 0u);
  }
}

TEST(FleetManaged, WhatOneCloneLeftOutTheNextOneCannotCopy) {
  FleetRig rig;
  const auto job = rig.job(1000s);
  rig.call(100s, StopJob{job, 1});
  rig.call(200s, clone(job, {CloneLoss::vpc}));
  CloneJob again = clone(job);
  again.attempt = 3;
  rig.call(1000s, again);
  rig.run();
  EXPECT_EQ(rig.row(job).attempts, 3u);
  EXPECT_EQ(rig.row(job).status, Primary::failed);
}

// ---- watchdog ---------------------------------------------------------------------------------

TEST(FleetManaged, TheApplicationsWatchdogEndsWhatStandsStillForSoLong) {
  for (const FaultKind kind : {FaultKind::stall, FaultKind::spin_hang}) {
    FleetRig rig;
    rig.profile().watchdog = Watchdog{1800s, 0, FailureClass::unknown};
    rig.fault(kind, 600s);
    const auto job = rig.job(3600s);
    rig.run();
    EXPECT_EQ(rig.row(job).status, Primary::failed);
    EXPECT_EQ(rig.row(job).end, rig_start + 180s + 600s + 1800s);
    EXPECT_EQ(rig.usd(Use::stalled), "18.00");
  }
}

TEST(FleetManaged, TheWatchdogLeavesAloneWhatRecoversInTime) {
  FleetRig rig;
  rig.profile().watchdog = Watchdog{1800s, 0, FailureClass::unknown};
  rig.fault(FaultKind::stall, 600s, 1800s);
  rig.fault(FaultKind::metrics_lost, 700s);
  const auto job = rig.job(3600s);
  rig.run();
  EXPECT_EQ(rig.row(job).status, Primary::completed) << "it is back when the time is over";
}

TEST(FleetManaged, AWatchdogMissesAsManyStandstillsAsItIsSaidTo) {
  FleetRig rig;
  rig.world.pools[0].capacity = 400;
  rig.profile().watchdog = Watchdog{1800s, 0.25, FailureClass::unknown};
  rig.profile().max_runtime = 3000s;
  rig.fault(FaultKind::stall, 600s);
  for (int nth = 0; nth < 400; ++nth) rig.job(9000s);
  rig.run();
  int missed = 0;
  for (const JobRow& row : rig.record.job_rows) missed += row.status == Primary::stopped ? 1 : 0;
  EXPECT_NEAR(missed, 100, 30);
}

// ---- a zone is gone ---------------------------------------------------------------------------

TEST(FleetManaged, AnOutageFailsWhatRunsAndNobodyStartsUntilItIsOver) {
  FleetRig rig;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto job = rig.job(1000s);
  const auto later = rig.job(1000s, 1, 600s);
  rig.run();
  EXPECT_EQ(rig.timeline(job), "starting 0, downloading 60, training 180, failed 500");
  EXPECT_EQ(rig.row(job).failure, FailureClass::infrastructure);
  EXPECT_EQ(rig.timeline(later).substr(0, 27), "pending 600, starting 2000,");
  std::vector<std::uint32_t> offers;
  for (const auto& news : rig.seen) {
    const auto* change = std::get_if<policy::CapacityChanged>(&news.what.fact);
    if (change != nullptr) offers.push_back(change->instances);
  }
  EXPECT_EQ(offers, std::vector<std::uint32_t>({4, 0, 4}));
}

TEST(FleetManaged, AnOutageInterruptsSpotAndWhatIsRetriedWaits) {
  FleetRig rig;
  rig.world.pools[0].market = Market::spot;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job).substr(28, 46), "training 180, interrupted 500, starting 2000, ");

  FleetRig retried;
  retried.profile().retries = 1;
  retried.world.outages = {{500s, 2000s, {{0}}, {}}};
  const auto other = retried.job(1000s);
  retried.run();
  EXPECT_EQ(retried.timeline(other),
            "starting 0, downloading 60, training 180, pending 500, starting 2000, downloading "
            "2060, training 2180, uploading 3180, completed 3190");
}

TEST(FleetManaged, ReservedMachinesArePaidForDuringAnOutage) {
  FleetRig rig;
  rig.world.pools[0].market = Market::reserved;
  rig.world.outages = {{500s, 2000s, {{0}}, {}}};
  rig.job(1000s, 4);
  rig.run(3600s);
  EXPECT_EQ(rig.billed(), "144.00");
  EXPECT_EQ(rig.usd(Use::idle_reserved), "124.00");
}

// ---- the link from alarms ---------------------------------------------------------------------

policy::AlarmRule idle_rule() {
  policy::AlarmRule rule;
  rule.period = 1min;
  rule.threshold = 1;
  return rule;
}

std::size_t told(const FleetRig& rig, policy::AlarmState state) {
  return static_cast<std::size_t>(
      std::count_if(rig.seen.begin(), rig.seen.end(), [&](const FleetRig::Seen& news) {
        const auto* change = std::get_if<policy::AlarmChanged>(&news.what.fact);
        return change != nullptr && change->state == state;
      }));
}

TEST(FleetManaged, AnAlarmWhoseLinkIsDownFiresAndIsNotHeard) {
  FleetRig rig;
  rig.world.platform.alarm_link.down = {{1000s, 100'000s}};
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.run();
  EXPECT_EQ(told(rig, policy::AlarmState::alarm), 0u);
  const AlarmRow& row = rig.record.alarms.at(0);
  EXPECT_NE(row.fired, policy::never);
  EXPECT_EQ(row.unheard, row.fired);
}

TEST(FleetManaged, AnAlarmThatSomebodyActedOnWasHeard) {
  FleetRig rig;
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(9000s, policy::Notify{job, 1});
  rig.run();
  EXPECT_EQ(told(rig, policy::AlarmState::alarm), 1u);
  EXPECT_EQ(rig.record.alarms.at(0).unheard, policy::never);
}

TEST(FleetManaged, AnAlarmIsHeardByARuleWhoseCallFails) {
  FleetRig rig;
  rig.profile().max_runtime = 20'000s;
  rig.fault(FaultKind::stall, 1200s);
  const auto job = rig.job(30'000s);
  rig.world.platform.api.scripted = {
      {ScriptedApiFault::Kind::throttled, policy::VerbKind::stop_job, {}, 1}};
  rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  rig.call(4000s, policy::StopJob{job, 1});
  rig.run();
  EXPECT_EQ(rig.kinds().back(), host::ReplyKind::throttled);
  EXPECT_NE(rig.record.alarms.at(0).fired, policy::never);
  EXPECT_EQ(rig.record.alarms.at(0).unheard, policy::never);
}

TEST(FleetManaged, AnAlarmThatIsOverWithinAnHourNeedsNobody) {
  for (const bool longer : {false, true}) {
    FleetRig rig;
    rig.fault(FaultKind::stall, 1200s, longer ? 4500s : 3000s);
    const auto job = rig.job(9'000s);
    rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
    rig.run();
    EXPECT_EQ(rig.record.alarms.at(0).unheard != policy::never, longer);
  }
}

TEST(FleetManaged, ALinkMayLoseSomeOfTheNews) {
  FleetRig rig;
  rig.world.pools[0].capacity = 200;
  rig.world.platform.alarm_link.lost = 0.3;
  rig.fault(FaultKind::stall, 1200s, 1200s);
  for (int nth = 0; nth < 200; ++nth) {
    const auto job = rig.job(3600s);
    rig.call(200s, policy::PutAlarm{{job, 1, 0}, 1, idle_rule()});
  }
  rig.run();
  EXPECT_NEAR(static_cast<double>(told(rig, policy::AlarmState::alarm)), 140, 25);
}

/// An InternalServerError after 100 s of training, and three retries.
FleetRig broken_service(bool recovers) {
  FleetRig rig;
  Fault& fault = rig.fault(FaultKind::failure, 100s);
  fault.failure = policy::FailureClass::infrastructure;
  fault.recovers_on_restart = recovers;
  rig.profile().retries = 2;
  return rig;
}

TEST(FleetManaged, ARetryMeetsAgainWhatNoRestartMends) {
  FleetRig rig = broken_service(false);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 280, downloading 340, "
            "training 460, starting 560, downloading 620, training 740, failed 840");
}

TEST(FleetManaged, ARetryDoesNotMeetWhatARestartMends) {
  FleetRig rig = broken_service(true);
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 280, downloading 340, "
            "training 460, uploading 1460, completed 1470");
}

TEST(FleetManaged, WhatComesAtATimeOfTheAttemptComesThenWhateverIsRetried) {
  FleetRig rig = broken_service(false);
  rig.profile().retries = 1;
  rig.fault(FaultKind::stall, 330s, 50s);  // at 510 s: nothing runs then
  rig.fault(FaultKind::stall, 500s, 50s);  // at 680 s, in the second run
  rig.profile().faults.front().at = 200s;
  const auto job = rig.job(1000s);
  rig.run();
  EXPECT_EQ(rig.timeline(job),
            "starting 0, downloading 60, training 180, starting 380, downloading 440, "
            "training 560, failed 760");
  EXPECT_EQ(rig.usd(Use::stalled), "0.50");
}

TEST(FleetManaged, ADrawnFaultThatRepeatsIsMetAgainByARetry) {
  for (const bool repeats : {true, false}) {
    FleetRig rig;
    rig.profile().retries = 2;
    DrawnFault drawn{FaultKind::failure, 1, {Shape::fixed, 100s}, {}, {}, repeats};
    drawn.classes = {{policy::FailureClass::infrastructure, 1}};
    rig.profile().drawn_faults.push_back(drawn);
    const auto job = rig.job(1000s);
    rig.run();
    const auto ends = repeats ? policy::Primary::failed : policy::Primary::completed;
    EXPECT_EQ(rig.row(job).status, ends);
  }
}

/// How long launches of a gang looked for their master; the first was retried.
std::vector<Duration> rendezvous_of_launches() {
  FleetRig rig = broken_service(false);
  Platform& platform = rig.world.platform;
  platform.model = PlatformModel::ec2;
  platform.unmanaged.rendezvous =
      Rendezvous{.poll = 1s, .tags_after = DurationLaw{Shape::uniform, 0s, 0, 10'000s}};
  rig.job(1000s, 2);
  rig.run();
  std::vector<Duration> looked;
  Instant since = policy::never;
  for (const EventRow& event : rig.record.events) {
    if (event.secondary == policy::Secondary::downloading) since = event.at;
    if (event.secondary == policy::Secondary::training) looked.push_back(event.at - since);
  }
  return looked;
}

TEST(FleetManaged, EachLaunchOfAnAttemptLooksForItsMasterAnew) {
  const std::vector<Duration> looked = rendezvous_of_launches();
  ASSERT_EQ(looked.size(), 3u);
  EXPECT_NE(looked[0], looked[1]);
  EXPECT_NE(looked[1], looked[2]);
}

TEST(FleetManaged, AStallThatComesAgainIsSeenOrMissedByLuckOfItsOwn) {
  FleetRig rig;
  rig.world.pools[0].capacity = 200;
  rig.world.pools[0].market = Market::spot;
  rig.world.pools[0].reclaim = Reclaim{1000s, 10s};
  rig.fault(FaultKind::stall, 100s, 50s).recovers_on_restart = false;
  rig.profile().watchdog = Watchdog{10s, 0.5};
  for (int nth = 0; nth < 200; ++nth) rig.job(100h);
  rig.run(4'000s);  // of four launches each, with three stalls whose end comes before
  int alive = 0;
  for (const JobRow& row : rig.record.job_rows) alive += row.status != policy::Primary::failed;
  EXPECT_NEAR(alive, 200 / 16, 10) << "half of them fail in each launch";
}

}  // namespace fleet_managed_test
}  // namespace reeve::models
