#include "sim/event_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "sim/philox.hpp"

namespace reeve::sim {
namespace event_queue_test {

constexpr std::int64_t earliest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t second = 1'000'000'000;

struct Before {
  bool operator()(const Event& a, const Event& b) const { return before(a, b); }
};

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : seed_(seed) {}
  std::uint64_t bits() {
    const PhiloxCounter block = philox({number_++, 0, 0, 0}, {seed_, 1});
    return std::uint64_t{block[0]} << 32 | block[1];
  }
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint32_t seed_;
  std::uint32_t number_ = 0;
};

/// A queue beside an obviously right one; every pop is compared.
class Checked {
 public:
  void push(std::int64_t at_ns, Phase phase) {
    const auto subject = static_cast<std::uint32_t>(pushed_);
    queue_.push(at_ns, phase, 7, subject, ~pushed_);
    oracle_.insert({at_ns, rank_of(phase, pushed_), 7, subject, ~pushed_});
    ++pushed_;
  }

  bool pop_agrees() {
    const Event expected = *oracle_.begin();
    oracle_.erase(oracle_.begin());
    const bool looked = pushed_ % 3 != 0 || same(queue_.top(), expected);
    now_ = expected.at_ns;
    return looked && same(queue_.pop(), expected) && queue_.size() == oracle_.size() &&
           queue_.empty() == oracle_.empty();
  }

  bool drain_agrees() {
    while (!oracle_.empty()) {
      if (!pop_agrees()) return false;
    }
    return true;
  }

  std::int64_t now() const { return now_; }
  std::size_t size() const { return oracle_.size(); }

 private:
  static bool same(const Event& a, const Event& b) {
    return a.at_ns == b.at_ns && a.rank == b.rank && a.kind == b.kind && a.subject == b.subject &&
           a.stamp == b.stamp;
  }

  EventQueue queue_;
  std::set<Event, Before> oracle_;
  std::uint64_t pushed_ = 0;
  std::int64_t now_ = 0;
};

Phase any_phase(Dice& dice) {
  return static_cast<Phase>(dice.below(static_cast<std::int64_t>(phase_count)));
}

struct Increments {
  std::string name;
  std::function<std::int64_t(Dice&)> draw;
};

std::ostream& operator<<(std::ostream& out, const Increments& increments) {
  return out << increments.name;
}

std::int64_t pareto_like(Dice& dice) {
  const auto digits = std::min<std::int64_t>(dice.below(1 << 20) == 0 ? 58 : dice.below(40), 58);
  return dice.below((std::int64_t{1} << digits) + 1);
}

std::vector<Increments> all_increments() {
  return {
      {"uniform", [](Dice& d) { return d.below(2 * second); }},
      {"narrow", [](Dice& d) { return d.below(50); }},
      {"bimodal", [](Dice& d) { return d.below(10) < 9 ? d.below(1000) : d.below(1000 * second); }},
      {"heavy_tail", pareto_like},
      {"ticks", [](Dice& d) { return (1 + d.below(3)) * 60 * second; }},
      {"ticks_and_noise",
       [](Dice& d) { return d.below(2) == 0 ? 60 * second : d.below(60 * second); }},
      {"all_equal", [](Dice&) { return std::int64_t{0}; }},
      {"almost_equal", [](Dice& d) { return std::int64_t{d.below(50) == 0}; }},
      {"into_the_past", [](Dice& d) { return d.below(3 * second) - second; }},
      {"ever_earlier", [](Dice& d) { return -d.below(second); }},
  };
}

class EventQueueOrder : public testing::TestWithParam<Increments> {};

// Grows to `most` events, then holds, then drains, over and over in one queue.
bool agrees(const Increments& increments, std::size_t most, std::uint32_t seed) {
  Dice dice{seed};
  Checked checked;
  for (int round = 0; round < 2; ++round) {
    while (checked.size() < most) {
      checked.push(checked.now() + increments.draw(dice), any_phase(dice));
      if (dice.below(4) == 0 && !checked.pop_agrees()) return false;
    }
    for (std::size_t i = 0; i < 2 * most + 20 && checked.size() > 0; ++i) {
      if (!checked.pop_agrees()) return false;
      const std::int64_t pushes = dice.below(3);
      for (std::int64_t push = 0; push < pushes; ++push) {
        checked.push(checked.now() + increments.draw(dice), any_phase(dice));
      }
    }
    if (!checked.drain_agrees()) return false;
  }
  return true;
}

TEST_P(EventQueueOrder, EqualsThatOfASortedSet) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    for (const std::size_t most : {1u, 2u, 5u, 16u, 33u, 49u, 64u, 100u, 300u, 1000u}) {
      ASSERT_TRUE(agrees(GetParam(), most, seed)) << "seed " << seed << ", size " << most;
    }
  }
  ASSERT_TRUE(agrees(GetParam(), 50'000, 99));
}

INSTANTIATE_TEST_SUITE_P(Increments, EventQueueOrder, testing::ValuesIn(all_increments()),
                         [](const auto& test) { return test.param.name; });

TEST(EventQueue, OrdersOneInstantByPhaseThenInsertion) {
  EventQueue queue;
  queue.push(5, Phase::decide, 0, 0, 0);
  queue.push(5, Phase::world, 0, 1, 0);
  queue.push(5, Phase::decide, 0, 2, 0);
  queue.push(5, Phase::telemetry, 0, 3, 0);
  queue.push(4, Phase::bookkeeping, 0, 4, 0);
  std::vector<std::uint32_t> order;
  while (!queue.empty()) order.push_back(queue.pop().subject);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{4, 1, 3, 0, 2}));
}

TEST(EventQueue, TakesTheWholeRangeOfTimes) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Dice dice{seed};
    Checked checked;
    for (int i = 0; i < 3000; ++i) {
      switch (dice.below(4)) {
        case 0:
          checked.push(earliest + dice.below(2), any_phase(dice));
          break;
        case 1:
          checked.push(latest - dice.below(2), any_phase(dice));
          break;
        default:
          checked.push(static_cast<std::int64_t>(dice.bits()), any_phase(dice));
      }
      if (dice.below(3) == 0) {
        ASSERT_TRUE(checked.pop_agrees()) << "seed " << seed;
      }
    }
    ASSERT_TRUE(checked.drain_agrees()) << "seed " << seed;
  }
}

TEST(EventQueue, HoldsManyEventsAtTheEndsOfTime) {
  for (const std::int64_t end : {earliest, latest}) {
    Dice dice{3};
    Checked checked;
    for (int i = 0; i < 500; ++i) checked.push(end, any_phase(dice));
    for (int i = 0; i < 500; ++i) {
      ASSERT_TRUE(checked.pop_agrees());
      checked.push(end, any_phase(dice));
    }
    ASSERT_TRUE(checked.drain_agrees());
  }
}

// Each batch of a hundred lies before everything that is pending.
TEST(EventQueue, TakesBatchesEverFurtherInThePast) {
  Dice dice{11};
  Checked checked;
  for (std::int64_t batch = 0; batch < 300; ++batch) {
    for (int i = 0; i < 100; ++i) {
      checked.push(-batch * second + dice.below(second), any_phase(dice));
    }
    ASSERT_TRUE(checked.pop_agrees());
  }
  ASSERT_TRUE(checked.drain_agrees());
}

// A look at a tied instant, then news before it: the instant must wait, whole and in order.
TEST(EventQueue, KeepsATiedInstantBehindLateNews) {
  Dice dice{5};
  Checked checked;
  for (int i = 0; i < 400; ++i) checked.push(100 * second, any_phase(dice));
  ASSERT_TRUE(checked.pop_agrees());
  for (int i = 0; i < 400; ++i) {
    checked.push(99 * second + dice.below(2 * second), any_phase(dice));
    checked.push(100 * second - 1 + dice.below(3), any_phase(dice));
    if (i % 3 == 0) {
      ASSERT_TRUE(checked.pop_agrees());
    }
  }
  ASSERT_TRUE(checked.drain_agrees());
}

TEST(EventQueue, IsAsNewAfterClear) {
  EventQueue queue;
  for (int i = 0; i < 500; ++i) queue.push(i * second, Phase::world, 0, 0, 0);
  queue.pop();
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.size(), 0u);
  queue.push(-3, Phase::reply, 1, 2, 3);
  EXPECT_EQ(queue.top().rank, rank_of(Phase::reply, 0));
  EXPECT_EQ(queue.pop().at_ns, -3);
  EXPECT_TRUE(queue.empty());
}

}  // namespace event_queue_test
}  // namespace reeve::sim
