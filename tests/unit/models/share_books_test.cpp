// The books of shares alone: what is held, borrowed and lent over time.
#include "fleet_rig.hpp"
#include "models/fleet/shares.hpp"

namespace reeve::models {
namespace share_books_test {

TEST(ShareBooks, BookWhatAShareBorrowsFromAnother) {
  FleetRig rig;
  auto& shares = rig.world.directory.shares;
  rig.world.directory.queues = {{.name = "q", .shares = {{0}, {1}}}};
  for (const std::uint32_t quota : {1u, 3u}) {
    shares.push_back({.name = "s",
                      .queue = {0},
                      .quota = {{{0}, quota}},
                      .sharing = policy::Sharing::lend_and_borrow});
  }
  rig.profile().terms =
      rig.world.directory.intern({.queue = policy::QueueId{0}, .share = policy::ShareId{0}})
          .value();
  const policy::JobId job = rig.job(100s);
  FleetCore core{rig.world, 0, Admission::direct, {.utilization = true}};
  ShareBooks books{core};
  books.hold(job, {0}, 3);
  core.now += 10s;
  books.hold(job, {0}, -3);
  core.now += 10s;
  books.close();
  const Charge twenty_instance_seconds = 20'000'000'000;
  EXPECT_EQ(core.record.share_rows[0].borrowed, twenty_instance_seconds);
  EXPECT_EQ(core.record.share_rows[1].lent, twenty_instance_seconds);
  EXPECT_EQ(core.record.share_use.back().used, 0u);
}

}  // namespace share_books_test
}  // namespace reeve::models
