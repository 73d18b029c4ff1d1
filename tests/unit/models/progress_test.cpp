// Progress in closed form against a clock that ticks, with checkpoints taken one by one.
#include "models/progress.hpp"

#include <gtest/gtest.h>

#include "sim/draws.hpp"

namespace reeve::models {
namespace progress_test {

struct Ticked {
  Progress progress;
  bool finished = false;
};

/// Trains for `active` ticks of 1 ns.
Ticked tick_by_tick(const Checkpoint& plan, std::int64_t remaining, std::int64_t active) {
  std::int64_t work = 0;
  std::int64_t written = 0;
  std::int64_t durable = 0;
  std::int64_t pausing = 0;
  std::int64_t pause_left = 0;
  std::int64_t upload_left = 0;
  const auto written_now = [&] {
    written = work;
    upload_left = plan.upload.count();
    if (upload_left == 0) durable = work;
  };
  for (std::int64_t tick = 0; tick < active && work < remaining; ++tick) {
    if (upload_left > 0 && --upload_left == 0) durable = written;
    if (pause_left > 0) {
      ++pausing;
      if (--pause_left == 0) written_now();
      continue;
    }
    ++work;
    const bool due = plan.every.count() > 0 && work - written >= plan.every.count();
    if (!due || work >= remaining || upload_left > 0) continue;  // none at the very end
    pause_left = plan.cost.count();
    if (pause_left == 0) written_now();
  }
  return {{Duration{work}, Duration{durable}, Duration{pausing}, Duration{written}},
          work == remaining};
}

TEST(Progress, AgreesWithATickingClock) {
  std::uint32_t nth = 0;
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(sim::random_bits({7, 0, sim::Cause::scenario_fuzz, 0, ++nth}) %
                                     static_cast<std::uint64_t>(below));
  };
  for (int round = 0; round < 20'000; ++round) {
    Checkpoint plan{Duration{pick(12)}, Duration{pick(6)}, Sync::during};
    if (round % 2 == 1) plan.upload = Duration{pick(16)};
    const std::int64_t remaining = 1 + pick(60);
    const Duration finish = time_to_finish(plan, Duration{remaining});
    const std::int64_t active = pick(finish.count() + 1);
    const Ticked oracle = tick_by_tick(plan, remaining, active);
    const Progress got = progress_after(plan, Duration{remaining}, Duration{active});
    SCOPED_TRACE(testing::Message()
                 << "every " << plan.every.count() << " cost " << plan.cost.count() << " upload "
                 << plan.upload.count() << " remaining " << remaining << " active " << active);
    ASSERT_EQ(got.work, oracle.progress.work);
    ASSERT_EQ(got.durable, oracle.progress.durable);
    ASSERT_EQ(got.checkpointing, oracle.progress.checkpointing);
    ASSERT_EQ(got.written, oracle.progress.written);
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

TEST(Progress, ACheckpointCountsOnceItIsUploaded) {
  using namespace std::chrono_literals;
  const Checkpoint plan{1h, 2min, Sync::during, std::nullopt, 10min};
  EXPECT_EQ(progress_after(plan, 10h, 72min - 1ns).durable, 0h);
  EXPECT_EQ(progress_after(plan, 10h, 72min - 1ns).written, 1h);
  EXPECT_EQ(progress_after(plan, 10h, 72min).durable, 1h);
  EXPECT_EQ(progress_after(plan, 10h, 124min).durable, 1h) << "the second is written, not away";
  EXPECT_EQ(progress_after(plan, 10h, 134min).durable, 2h);
  EXPECT_EQ(time_to_finish(plan, 10h), 10h + 18min) << "an upload holds nothing up";
}

TEST(Progress, WhileOneUploadsNoOtherIsWritten) {
  using namespace std::chrono_literals;
  const Checkpoint plan{1h, 2min, Sync::during, std::nullopt, 90min};
  EXPECT_EQ(progress_after(plan, 10h, 62min + 90min).durable, 1h);
  EXPECT_EQ(progress_after(plan, 10h, 62min + 90min + 1min).checkpointing, 3min);
  EXPECT_EQ(progress_after(plan, 10h, 154min + 90min).durable, 150min);
  EXPECT_EQ(checkpoints_before_end(plan, 10h), 6) << "at 1 h, then every 90 min: 8 h 30 min";
  EXPECT_EQ(work_of(plan, 10h, 2h, 500'000), 1h) << "half as fast: the first after two hours";
  EXPECT_EQ(work_of(plan, 10h, 20h, 500'000), 10h);
}

TEST(Progress, NoCheckpointIsTakenAtTheVeryEnd) {
  using namespace std::chrono_literals;
  const Checkpoint plan{1h, 2min, Sync::during};
  EXPECT_EQ(time_to_finish(plan, 1h), 1h);
  EXPECT_EQ(time_to_finish(plan, 2h), 2h + 2min);
  EXPECT_EQ(time_to_finish(plan, 2h + 1ns), 2h + 4min + 1ns);
  EXPECT_EQ(time_to_finish(plan, 0h), 0h);
}

}  // namespace progress_test
}  // namespace reeve::models
