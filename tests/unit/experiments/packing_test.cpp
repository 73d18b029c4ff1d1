#include "experiments/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

namespace reeve::experiments {
namespace packing_test {

using models::NodeShape;
using models::PackingRule;
using models::TaskShape;
using policy::Duration;
using scenarios::SharedNodes;
using scenarios::SharedTask;
using std::chrono::seconds;

SharedNodes cluster(std::vector<NodeShape> nodes) {
  return {std::move(nodes), {""}, {}};
}

SharedTask task(std::int64_t submit, std::int64_t run, std::uint32_t gpus, std::int64_t gpu_milli) {
  return {TaskShape{1000, 1024, gpus, gpu_milli}, seconds{submit}, seconds{run}};
}

TEST(PackingReplay, WhoFitsPassesWhoDoesNot) {
  // 600 until 10; a whole GPU from then on; 400 beside the first at once.
  const std::vector<SharedTask> tasks{task(0, 10, 1, 600), task(1, 5, 1, 1000), task(2, 3, 1, 400)};
  const PackingReplay played =
      replay(PackingRule::best_fit, cluster({{8000, 8192, 1, 0}}), {}, tasks, {});
  EXPECT_EQ(played.tasks, 3u);
  EXPECT_EQ(played.waited, 1u);
  EXPECT_EQ(played.waits.largest(), Duration{seconds{9}});
  EXPECT_EQ(played.peak_allocated, 1000);
  EXPECT_EQ(played.gpu_milli, 1000);
  EXPECT_TRUE(played.allocated_time == models::Charge{12'200} * 1'000'000'000);
  EXPECT_EQ(played.span, Duration{seconds{15}});
}

TEST(PackingReplay, LeavesOutWhoHasNoHomeAndWhoNeverRan) {
  std::vector<SharedTask> tasks{task(0, 10, 2, 1000), task(0, 10, 1, 1000), task(0, 0, 1, 1000)};
  tasks.push_back(tasks[1]);
  tasks.back().run.reset();
  const PackingReplay played =
      replay(PackingRule::fgd, cluster({{8000, 8192, 1, 0}}), {}, tasks, {});
  EXPECT_EQ(played.homeless, 1u);
  EXPECT_EQ(played.tasks, 2u);
  EXPECT_EQ(played.waits.largest(), Duration{seconds{10}});
}

TEST(PackingReplay, MachinesAreFreeAtTheInstantInWhichOthersEnd) {
  const std::vector<SharedTask> tasks{task(0, 5, 1, 1000), task(5, 5, 1, 1000)};
  const PackingReplay played =
      replay(PackingRule::worst_fit, cluster({{8000, 8192, 1, 0}}), {}, tasks, {});
  EXPECT_EQ(played.waited, 0u);
}

TEST(PackingReplay, SaysSoWhereTheClockEnds) {
  const Duration century = std::chrono::hours{24 * 36525};
  std::vector<SharedTask> tasks(4, task(0, 0, 1, 1000));
  for (SharedTask& each : tasks) each.run = century;
  EXPECT_THROW(replay(PackingRule::first_fit, cluster({{8000, 8192, 1, 0}}), {}, tasks, {}),
               std::overflow_error);
}

/// Every second: ends, then all who wait, in the order in which they came.
std::vector<std::int64_t> naive_waits(PackingRule rule, const SharedNodes& nodes,
                                      const std::vector<SharedTask>& tasks) {
  models::NodePacking packing{rule, nodes.nodes, {}};
  struct Held {
    std::size_t id;
    std::int64_t until;
    models::NodePacking::Place place;
  };
  std::vector<Held> held;
  std::vector<std::int64_t> waits(tasks.size(), -1);
  std::vector<std::size_t> order(tasks.size());
  for (std::size_t id = 0; id < order.size(); ++id) order[id] = id;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return tasks[a].submit < tasks[b].submit; });
  for (std::int64_t now = 0; now < 100'000; ++now) {
    std::erase_if(held, [&](const Held& one) {
      if (one.until > now) return false;
      packing.release(tasks[one.id].shape, one.place);
      return true;
    });
    bool all = true;
    for (const std::size_t id : order) {
      const std::int64_t submit = std::chrono::floor<seconds>(tasks[id].submit).count();
      if (waits[id] >= 0) continue;
      all = false;
      if (submit > now) continue;
      const auto place = packing.place(tasks[id].shape, 0);
      if (!place) continue;
      waits[id] = now - submit;
      held.push_back({id, now + std::chrono::floor<seconds>(*tasks[id].run).count(), *place});
    }
    if (all) break;
  }
  for (std::int64_t& wait : waits) wait *= 1'000'000'000;
  std::sort(waits.begin(), waits.end());
  return waits;
}

TEST(PackingReplay, IsWhatAnOracleSaysThatLooksAtAllEverySecond) {
  std::uint64_t waited = 0;
  for (std::uint64_t world = 0; world < 200; ++world) {
    std::mt19937_64 draw{world};
    std::vector<NodeShape> shapes(1 + draw() % 4);
    for (NodeShape& node : shapes) {
      node = {static_cast<std::int64_t>(4000 + draw() % 4 * 4000), 64 * 1024,
              static_cast<std::uint32_t>(1 + draw() % 4), 0};
    }
    shapes[0] = {16'000, 64 * 1024, 4, 0};
    const SharedNodes nodes = cluster(shapes);
    std::vector<SharedTask> tasks;
    for (std::uint64_t each = draw() % 40; each > 0; --each) {
      const auto gpus = static_cast<std::uint32_t>(draw() % 4);
      const std::int64_t part = gpus == 1 ? static_cast<std::int64_t>(1 + draw() % 10) * 100
                                          : std::int64_t{gpus > 0} * 1000;
      tasks.push_back(task(static_cast<std::int64_t>(draw() % 30),
                           static_cast<std::int64_t>(1 + draw() % 20), gpus, part));
      tasks.back().shape.cpu_milli = static_cast<std::int64_t>(draw() % 8) * 1000;
    }
    const PackingRule rule = packing_rules()[world % 2 == 0 ? 2 : 3].rule;
    const PackingReplay played = replay(rule, nodes, {}, tasks, {});
    EXPECT_EQ(played.waits.sorted, naive_waits(rule, nodes, tasks)) << "world " << world;
    EXPECT_EQ(played.homeless, 0u);
    waited += played.waited;
  }
  EXPECT_GT(waited, 500u);
}

TEST(DrawnTasks, AskForTheLoadAndNoMoreThanTheLastOfThem) {
  const std::vector<SharedTask> tasks{task(0, 1, 1, 500), task(0, 1, 2, 1000), task(0, 1, 0, 0)};
  for (const std::int64_t load : {1, 20, 100, 130, 1000}) {
    for (std::uint32_t run = 0; run < 20; ++run) {
      const auto drawn = drawn_tasks(tasks, 40'000, load, {7, run});
      std::int64_t asked = 0;
      for (const TaskShape& each : drawn) asked += each.gpus * each.gpu_milli;
      EXPECT_GE(asked * 100, 40'000 * load);
      const TaskShape& last = drawn.back();
      EXPECT_LT((asked - last.gpus * last.gpu_milli) * 100, 40'000 * load);
    }
  }
  EXPECT_EQ(drawn_tasks(tasks, 40'000, 130, {7, 3}), drawn_tasks(tasks, 40'000, 130, {7, 3}));
  EXPECT_NE(drawn_tasks(tasks, 40'000, 130, {7, 3}), drawn_tasks(tasks, 40'000, 130, {7, 4}));
}

TEST(DrawnTasks, EveryTaskOfTheFileIsThereOnceBeforeOthersAreDrawn) {
  std::vector<SharedTask> tasks;
  for (std::int64_t part = 1; part <= 100; ++part) tasks.push_back(task(0, 1, 1, part));
  std::map<std::int64_t, int> count;
  for (const TaskShape& each : drawn_tasks(tasks, 8'000, 130, {1, 0})) ++count[each.gpu_milli];
  EXPECT_EQ(count.size(), 100u);
}

TEST(DrawnTasks, RefuseTasksThatNeverReachTheLoad) {
  EXPECT_THROW(drawn_tasks(std::vector{task(0, 1, 0, 0)}, 1000, 130, {}), std::length_error);
  EXPECT_THROW(drawn_tasks(std::vector{task(0, 1, 1, 1)}, 100'000'000, 130, {}), std::length_error);
}

TEST(PackingFill, CountsWhatIsPlacedAndWhatIsOfNoUse) {
  // Three parts of 600 on two GPUs: two fit, and 800 are left of which nobody can use 600.
  const std::vector<TaskShape> tasks(3, TaskShape{1000, 1024, 1, 600});
  const PackingFill filled = fill(PackingRule::best_fit, cluster({{8000, 8192, 2, 0}}),
                                  models::typical_tasks(tasks), tasks, {});
  EXPECT_EQ(filled.tasks, 3u);
  EXPECT_EQ(filled.placed, 2u);
  EXPECT_EQ(filled.allocated, 1200);
  EXPECT_EQ(filled.gpu_milli, 2000);
  EXPECT_DOUBLE_EQ(filled.fragments_pct, 40);
}

}  // namespace packing_test
}  // namespace reeve::experiments
