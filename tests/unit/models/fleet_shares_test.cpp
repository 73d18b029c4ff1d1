// What jobs of each share hold, what of that is borrowed, and from which share.
#include "fleet_rig.hpp"

namespace reeve::models {
namespace fleet_shares_test {

using policy::Sharing;

/// Four machines; no rule plans with quotas, so jobs take what is there.
struct ShareRig : FleetRig {
  ShareRig() {
    Platform& platform = world.platform;
    platform.provisioning = platform.startup = platform.upload = platform.stop_grace = 0s;
    world.directory.queues = {{.name = "q", .shares = {{0}, {1}, {2}}}};
  }
  /// A share with a profile of its own jobs.
  void share(std::uint32_t quota, Sharing sharing) {
    auto& shares = world.directory.shares;
    const policy::ShareId id{static_cast<std::uint32_t>(shares.size())};
    shares.push_back({.name = "s", .queue = {0}, .quota = {{{0}, quota}}, .sharing = sharing});
    if (id.index > 0) world.profiles.push_back(profile());
    world.profiles.back().terms =
        world.directory.intern({.queue = policy::QueueId{0}, .share = id}).value();
  }
  Charge borrowed(std::size_t share) const {
    return record.share_rows[share].borrowed / 1'000'000'000;
  }
  Charge lent(std::size_t share) const { return record.share_rows[share].lent / 1'000'000'000; }
};

TEST(Shares, WhatIsBorrowedIsLentByThoseWhoLendFirst) {
  ShareRig rig;
  rig.share(2, Sharing::lend_and_borrow);
  rig.share(1, Sharing::reserve);
  rig.share(1, Sharing::lend);
  rig.job(100s, 4);
  rig.run();
  EXPECT_EQ(rig.borrowed(0), 200);
  EXPECT_EQ(rig.lent(2), 100) << "it lends";
  EXPECT_EQ(rig.lent(1), 100) << "no job asked";
  EXPECT_EQ(rig.lent(0) + rig.borrowed(1) + rig.borrowed(2), 0);
}

TEST(Shares, WhatNoQuotaCoversIsLentByNobody) {
  ShareRig rig;
  rig.share(1, Sharing::lend_and_borrow);
  rig.share(1, Sharing::lend);
  rig.job(100s, 4);
  rig.run();
  EXPECT_EQ(rig.borrowed(0), 300);
  EXPECT_EQ(rig.lent(1), 100);
}

TEST(Shares, AChangedQuotaCountsFromThenOn) {
  ShareRig rig;
  rig.share(4, Sharing::lend_and_borrow);
  rig.world.quota_changes = {{.at = 60s, .share = {0}, .pool = {0}, .instances = 3}};
  rig.job(100s, 4);
  rig.run();
  EXPECT_EQ(rig.borrowed(0), 40);
}

}  // namespace fleet_shares_test
}  // namespace reeve::models
