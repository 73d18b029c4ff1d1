// What a launch is billed for: to the nanosecond at the edges.
#include "models/billing.hpp"

#include <gtest/gtest.h>

#include "models/platform_presets.hpp"

namespace reeve::models {
namespace billing_test {

using namespace std::chrono_literals;

constexpr BillingRules ec2{60s, true};

TEST(Billing, ALaunchIsBilledForItsMinimumUnlessTheBooksAreOnlyClosed) {
  EXPECT_EQ(bill_of(ec2, 1ns, Ending::by_user).billed, 60s);
  EXPECT_EQ(bill_of(ec2, 60s, Ending::by_user).billed, 60s);
  EXPECT_EQ(bill_of(ec2, 60s + 1ns, Ending::by_user).billed, 60s + 1ns);
  EXPECT_EQ(bill_of(ec2, 3s, Ending::horizon).billed, 3s);
}

TEST(Billing, TheFirstHourIsFreeToTheNanosecond) {
  const LaunchBill inside = bill_of(ec2, 1h - 1ns, Ending::reclaimed);
  EXPECT_TRUE(inside.free);
  EXPECT_EQ(inside.billed, 0s);
  const LaunchBill outside = bill_of(ec2, 1h, Ending::reclaimed);
  EXPECT_FALSE(outside.free);
  EXPECT_EQ(outside.billed, 1h);
}

TEST(Billing, WhoEndsALaunchHimselfPaysForItsFirstHour) {
  EXPECT_FALSE(bill_of(ec2, 30min, Ending::by_user).free);
  EXPECT_FALSE(bill_of(ec2, 30min, Ending::horizon).free);
  EXPECT_FALSE(bill_of({60s, false}, 30min, Ending::reclaimed).free);
  EXPECT_EQ(bill_of({60s, false}, 3s, Ending::reclaimed).billed, 60s);
}

TEST(Billing, PlatformsDifferAsTheirDocumentsSay) {
  const PlatformPreset managed = preset_of(PlatformModel::sagemaker_training);
  EXPECT_EQ(managed.stop_grace, 120s);
  EXPECT_EQ(managed.max_runtime, 24h);
  EXPECT_EQ(managed.notice, 0s);
  EXPECT_EQ(managed.billing.minimum, 0s);
  EXPECT_FALSE(managed.billing.first_hour_free);
  const PlatformPreset aws = preset_of(PlatformModel::ec2);
  EXPECT_EQ(aws.notice, 120s);
  EXPECT_EQ(aws.billing.minimum, 60s);
  EXPECT_TRUE(aws.billing.first_hour_free);
  EXPECT_EQ(aws.max_runtime, Duration::max());
  const PlatformPreset google = preset_of(PlatformModel::gcp);
  EXPECT_EQ(google.notice, 30s);
  EXPECT_FALSE(google.billing.first_hour_free);
}

}  // namespace billing_test
}  // namespace reeve::models
