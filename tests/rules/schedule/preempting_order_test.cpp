// Orders that preempt, worked out by hand.

#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies {
namespace preempting_order_test {

using Spans = std::vector<std::pair<Tick, Tick>>;

std::vector<Spans> played(const QueueWorld& world, const std::string& options) {
  RuleAsOrder rule{world, options};
  std::vector<Spans> out;
  for (const oracle::Course& course : oracle::schedule(world.jobs, {world.machines}, rule)) {
    out.push_back(spans(course));
  }
  return out;
}

oracle::Job job(Tick submit, Tick work, std::int64_t machines) {
  oracle::Job made;
  made.submit = submit;
  made.work = work;
  made.needs = {machines};
  return made;
}

// At 10 the first has 90 left; the second wants 20 in all.
TEST(PreemptingOrder, WhoHasLessLeftTakesTheMachines) {
  const QueueWorld world{.machines = 4, .jobs = {job(0, 100, 4), job(10, 20, 3)}};
  EXPECT_EQ(played(world, R"({"algorithm": "srtf"})"),
            (std::vector<Spans>{{{0, 10}, {30, 120}}, {{10, 30}}}));
}

// What is left of who runs grows less: at 85 it has 15 left, fewer than the 20 of the second.
TEST(PreemptingOrder, WhoIsNearlyDoneKeepsThem) {
  const QueueWorld world{.machines = 4, .jobs = {job(0, 100, 4), job(85, 20, 3)}};
  EXPECT_EQ(played(world, R"({"algorithm": "srtf"})"),
            (std::vector<Spans>{{{0, 100}}, {{100, 120}}}));
}

// Both of one machine of 8 GPUs; a queue ends after an hour on it.  The first falls into the second
// queue, and the second job takes its turn; from then on who started first is first.
TEST(PreemptingOrder, WhoHasHadALotLetsOthersPass) {
  const QueueWorld world{.machines = 1, .jobs = {job(0, 100, 1), job(10, 100, 1)}};
  EXPECT_EQ(played(world, R"({"algorithm": "las", "las_limits": [28800]})"),
            (std::vector<Spans>{{{0, 60}, {120, 160}}, {{60, 120}, {160, 200}}}));
}

// As before, but whoever has waited as long as it ran begins anew.  The first ran 60 and waits from
// 60 on: at 120 both have had 60, and it, before the other, runs on in the first queue.  The other
// has waited 40 when the first is done.  With twice as long nothing changes, for nobody waits so
// long.
TEST(PreemptingOrder, WhoWaitedForLongBeginsAnew) {
  const QueueWorld world{.machines = 1, .jobs = {job(0, 100, 1), job(10, 200, 1), job(60, 60, 1)}};
  const auto with = [&](const std::string& promote) {
    return played(world,
                  R"({"algorithm": "las", "las_limits": [28800], "las_promote": )" + promote + "}");
  };
  const std::vector<Spans> never_anew{{{0, 60}, {180, 220}}, {{60, 120}, {220, 360}}, {{120, 180}}};
  EXPECT_EQ(with("-1"), never_anew);
  EXPECT_EQ(with("3"), never_anew);
  EXPECT_EQ(with("1"), (std::vector<Spans>{{{0, 60}, {120, 160}},
                                           {{60, 120}, {180, 240}, {280, 360}},
                                           {{160, 180}, {240, 280}}}));
}

// Of two lengths, 10 and 100 machine-minutes: a new job costs (10 + 10) / 1 = 20 of them for one
// end within 10, and one that outlived 10 costs the 90 that are left.  So the second passes the
// first at 10, and when both have outlived 10 the first goes on; at 50 it costs 50, and a new one
// passes.
TEST(PreemptingOrder, WhoIsLikeliestToEndSoonGoesFirst) {
  const QueueWorld world{.machines = 1, .jobs = {job(0, 100, 1), job(5, 100, 1), job(50, 10, 1)}};
  EXPECT_EQ(
      played(world, R"({"algorithm": "gittins", "gittins_lengths": [4800, 48000]})"),
      (std::vector<Spans>{{{0, 10}, {20, 50}, {60, 120}}, {{10, 20}, {120, 210}}, {{50, 60}}}));
}

// One of 100 on one machine is before one of 30 on four, and behind one of 20.
TEST(PreemptingOrder, WhoHasLessLeftTimesItsMachinesTakesThem) {
  const QueueWorld world{.machines = 4, .jobs = {job(0, 100, 1), job(10, 30, 4), job(60, 9, 4)}};
  EXPECT_EQ(played(world, R"({"algorithm": "srsf"})"),
            (std::vector<Spans>{{{0, 60}, {69, 109}}, {{109, 139}}, {{60, 69}}}));
}

// Only as many lose machines as must, and only those that stand behind.
TEST(PreemptingOrder, NobodyLosesMachinesThatAreNotNeeded) {
  const QueueWorld world{.machines = 6,
                         .jobs = {job(0, 50, 2), job(0, 60, 2), job(0, 70, 2), job(5, 10, 2)}};
  EXPECT_EQ(played(world, R"({"algorithm": "srtf"})"),
            (std::vector<Spans>{{{0, 50}}, {{0, 60}}, {{0, 5}, {15, 80}}, {{5, 15}}}));
}

}  // namespace preempting_order_test
}  // namespace reeve::policies
