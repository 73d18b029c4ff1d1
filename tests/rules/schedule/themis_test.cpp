// Themis' auctions and leases, worked out by hand.
#include "policies/scheduling/orders/themis.hpp"

#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies {
namespace themis_test {

using Spans = std::vector<std::pair<Tick, Tick>>;
using Places = std::vector<std::size_t>;

// 7 and 5 gain more than 8 alone on 6 machines; of equal gains the first has them.
TEST(BestBids, HaveTheLargestGainTogether) {
  EXPECT_EQ(best_bids({{4, 8}, {3, 7}, {3, 5}}, 6), (Places{1, 2}));
  EXPECT_EQ(best_bids({{3, 5}, {3, 5}, {3, 5}}, 6), (Places{0, 1}));
  EXPECT_EQ(best_bids({{7, 9}}, 6), Places{});
  EXPECT_EQ(best_bids({}, 6), Places{});
}

oracle::Job job(Tick submit, Tick work, std::int64_t machines) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  return made;
}

std::vector<Spans> played(const QueueWorld& world, const std::string& more) {
  RuleAsOrder rule{world, R"({"algorithm": "themis")" + more + "}"};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

// Two jobs of one machine, of an hour each.  At 20 the first lease ends: the first is at 20 + 40 of
// 2 hours, the second at 10 + 60, and has the machine.  At 40 the first is at 40 + 40, the other at
// 30 + 40, and so on in turn; at 100 the first is done.
TEST(Themis, WhoseEndComesLatestHasTheNextLease) {
  const QueueWorld world{.machines = 1, .jobs = {job(0, 60, 1), job(10, 60, 1)}};
  EXPECT_EQ(played(world, ""),
            (std::vector<Spans>{{{0, 20}, {40, 60}, {80, 100}}, {{20, 40}, {60, 80}, {100, 120}}}));
}

// While no job is pending, a lease continues; leases end by the clock all the same.
TEST(Themis, ALeaseEndsByTheClock) {
  const QueueWorld world{.machines = 1, .jobs = {job(0, 100, 1), job(50, 5, 1)}};
  EXPECT_EQ(played(world, ""), (std::vector<Spans>{{{0, 60}, {65, 105}}, {{60, 65}}}));
  EXPECT_EQ(played(world, R"(, "lease": "2h")"), (std::vector<Spans>{{{0, 100}}, {{100, 105}}}));
}

// Two machines; the third job wants both.  At 60 the first is done.  The second would be done after
// 60 minutes, alone on one machine after 60 (1.0); the gang after 45 + 40, alone on one machine
// after 80 (1.06), and has both, though the second began at 10.  At 80 the second is at 70 + 10 of
// 60 (1.33), the gang at 65 + 20 of 80 (1.06).
TEST(Themis, LeasesEndTogetherSoThatAGangHasAllItsMachines) {
  const QueueWorld world{.machines = 2, .jobs = {job(0, 60, 1), job(10, 60, 1), job(15, 40, 2)}};
  EXPECT_EQ(played(world, ""),
            (std::vector<Spans>{{{0, 60}}, {{10, 60}, {80, 90}}, {{60, 80}, {90, 110}}}));
}

}  // namespace themis_test
}  // namespace reeve::policies
