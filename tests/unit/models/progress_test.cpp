// Progress in closed form against a clock that ticks, with checkpoints taken one by one.
#include "models/progress.hpp"

#include <gtest/gtest.h>

#include "sim/draws.hpp"

namespace reeve::models {
namespace {

struct Ticked {
  Progress progress;
  bool finished = false;
};

/// Trains for `active` ticks of 1 ns.
Ticked tick_by_tick(const Checkpoint& plan, std::int64_t remaining, std::int64_t active) {
  std::int64_t work = 0;
  std::int64_t durable = 0;
  std::int64_t pausing = 0;
  std::int64_t pause_left = 0;
  const auto reached = [&] {  // a point at which a checkpoint is due; never at the very end
    return plan.every.count() > 0 && work < remaining && work > durable &&
           (work - durable) == plan.every.count();
  };
  for (std::int64_t tick = 0; tick < active && work < remaining; ++tick) {
    if (pause_left > 0) {
      ++pausing;
      if (--pause_left == 0) durable = work;
      continue;
    }
    ++work;
    if (!reached()) continue;
    pause_left = plan.cost.count();
    if (pause_left == 0) durable = work;
  }
  return {{Duration{work}, Duration{durable}, Duration{pausing}}, work == remaining};
}

TEST(Progress, AgreesWithATickingClock) {
  std::uint32_t nth = 0;
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(sim::random_bits({7, 0, sim::Cause::scenario_fuzz, 0, ++nth}) %
                                     static_cast<std::uint64_t>(below));
  };
  for (int round = 0; round < 20'000; ++round) {
    const Checkpoint plan{Duration{pick(12)}, Duration{pick(6)}, Sync::during};
    const std::int64_t remaining = 1 + pick(60);
    const Duration finish = time_to_finish(plan, Duration{remaining});
    const std::int64_t active = pick(finish.count() + 1);
    const Ticked oracle = tick_by_tick(plan, remaining, active);
    const Progress got = progress_after(plan, Duration{remaining}, Duration{active});
    SCOPED_TRACE(testing::Message()
                 << "every " << plan.every.count() << " cost " << plan.cost.count() << " remaining "
                 << remaining << " active " << active);
    ASSERT_EQ(got.work, oracle.progress.work);
    ASSERT_EQ(got.durable, oracle.progress.durable);
    ASSERT_EQ(got.checkpointing, oracle.progress.checkpointing);
    ASSERT_EQ((got.work + got.checkpointing).count(), active) << "time went missing";
    ASSERT_EQ(oracle.finished, active == finish.count());
  }
}

TEST(Progress, TimeToFinishIsWhenTheWorkIsDoneAndNotSooner) {
  for (std::int64_t every = 0; every < 8; ++every) {
    for (std::int64_t cost = 0; cost < 4; ++cost) {
      for (std::int64_t remaining = 1; remaining < 40; ++remaining) {
        const Checkpoint plan{Duration{every}, Duration{cost}, Sync::during};
        const Duration finish = time_to_finish(plan, Duration{remaining});
        EXPECT_EQ(progress_after(plan, Duration{remaining}, finish).work.count(), remaining);
        EXPECT_LT(progress_after(plan, Duration{remaining}, finish - Duration{1}).work.count(),
                  remaining);
      }
    }
  }
}

TEST(Progress, ACheckpointCountsFromTheInstantItsPauseEnds) {
  using namespace std::chrono_literals;
  const Checkpoint plan{1h, 2min, Sync::during};
  EXPECT_EQ(progress_after(plan, 10h, 1h + 2min - 1ns).durable, 0h);
  EXPECT_EQ(progress_after(plan, 10h, 1h + 2min).durable, 1h);
  EXPECT_EQ(progress_after(plan, 10h, 2h + 4min).durable, 2h);
}

TEST(Progress, NoCheckpointIsTakenAtTheVeryEnd) {
  using namespace std::chrono_literals;
  const Checkpoint plan{1h, 2min, Sync::during};
  EXPECT_EQ(time_to_finish(plan, 1h), 1h);
  EXPECT_EQ(time_to_finish(plan, 2h), 2h + 2min);
  EXPECT_EQ(time_to_finish(plan, 2h + 1ns), 2h + 4min + 1ns);
  EXPECT_EQ(time_to_finish(plan, 0h), 0h);
}

}  // namespace
}  // namespace reeve::models
