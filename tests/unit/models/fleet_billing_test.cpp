// The books of money alone: bills of launches, uses, and work that is lost or delivered.
#include "fleet_rig.hpp"
#include "models/fleet/billing.hpp"

namespace reeve::models {
namespace fleet_billing_test {

struct BillingRig : FleetRig {
  BillingRig() {
    attempt.job = id;
    attempt.instances = 2;
    attempt.bill.from = attempt.bill.first = core.now;
    attempt.stage_since = core.now;
  }
  std::string usd(Use use) const {
    return fmt::format(
        "{:.2f}", static_cast<double>(
                      to_usd(core.record.ledger.uses()[static_cast<std::size_t>(use)]).micros()) /
                      1e6);
  }
  std::string bill() const {
    return fmt::format("{:.2f}",
                       static_cast<double>(to_usd(core.record.ledger.billed()).micros()) / 1e6);
  }

  policy::JobId id = job(1h, 2);
  FleetCore core{world, 0, Admission::direct, {.ledger = true}};
  Prices prices{world};
  GangSpeeds speeds{core};
  HostMetrics metrics{core, prices, speeds};
  ShareBooks shares{core};
  Billing billing{core, prices, shares, metrics};
  Running attempt;
};

TEST(FleetBilling, WhatIsSpentSumsToTheBill) {
  BillingRig rig;
  rig.core.now += 10s;
  rig.billing.spend_start(rig.attempt);
  rig.core.now += 30s;
  rig.billing.spend(rig.attempt, Use::stalled, rig.core.now - 30s, rig.core.now);
  rig.billing.settle(rig.attempt, Ending::by_user);
  EXPECT_EQ(rig.bill(), "0.80") << "2 instances, 40 seconds, a cent each";
  EXPECT_EQ(rig.usd(Use::startup), "0.20");
  EXPECT_EQ(rig.usd(Use::stalled), "0.60");
  EXPECT_EQ(rig.attempt.bill.from, policy::never);
  EXPECT_EQ(rig.core.record.ledger_lines.size(), 2u);
}

TEST(FleetBilling, AMinimumIsBilledAsDrain) {
  BillingRig rig;
  rig.world.platform.billing.minimum = 60s;
  rig.core.now += 10s;
  rig.billing.spend_start(rig.attempt);
  rig.billing.settle(rig.attempt, Ending::by_user);
  EXPECT_EQ(rig.bill(), "1.20");
  EXPECT_EQ(rig.usd(Use::drain), "1.00");
}

TEST(FleetBilling, SavedWorkIsLostByARestartFromScratchUnlessItWasDelivered) {
  for (const bool delivered : {false, true}) {
    BillingRig rig;
    rig.billing.pay_for(rig.attempt.holding(), Use::productive, rig.core.now, rig.core.now + 10s);
    if (delivered) rig.billing.deliver(rig.id);
    rig.billing.forget_progress(rig.id);
    EXPECT_EQ(rig.usd(Use::lost_work), delivered ? "0.00" : "0.20");
    EXPECT_EQ(rig.usd(Use::productive), delivered ? "0.20" : "0.00");
  }
}

}  // namespace fleet_billing_test
}  // namespace reeve::models
