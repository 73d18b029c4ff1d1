#include "host/timers.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <utility>

#include "troubled_world.hpp"

namespace reeve::host {
namespace timers_test {

/// The same by a map, searched from end to end.
class ObviousTimers {
 public:
  void arm(std::uint32_t seat, std::uint64_t key, Instant when) { armed_[{seat, key}] = when; }
  Instant next() const {
    Instant earliest = policy::never;
    for (const auto& [who, when] : armed_) earliest = std::min(earliest, when);
    return earliest;
  }
  std::vector<Timers::Fired> fire(Instant now) {
    std::vector<Timers::Fired> due;
    for (const auto& [who, when] : armed_) {
      if (when <= now) due.push_back({when, {who.first}, who.second});
    }
    for (const Timers::Fired& fired : due) armed_.erase({fired.seat.index, fired.key});
    std::sort(due.begin(), due.end());
    return due;
  }

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, Instant> armed_;
};

class TimersTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(TimersTest, FireAsTheObviousTimersDo) {
  Timers timers;
  ObviousTimers obvious;
  std::uint64_t draws = GetParam() << 32;
  const auto draw = [&](std::uint64_t below) { return mix(++draws) % below; };
  std::size_t fired_in_all = 0;
  for (int second = 0; second < 500; ++second) {
    for (std::uint64_t i = draw(20); i > 0; --i) {
      const auto seat = static_cast<std::uint32_t>(draw(3));
      const std::uint64_t key = draw(60);
      const Instant when = draw(6) == 0 ? policy::never : at(1s * second + 1s * draw(90));
      timers.arm({seat}, key, when);
      obvious.arm(seat, key, when);
    }
    ASSERT_EQ(timers.next(), obvious.next());
    std::vector<Timers::Fired> fired;
    timers.fire(at(1s * second), fired);
    // A timer taken away stays armed for never in the obvious ones, which never fires.
    ASSERT_EQ(fired, obvious.fire(at(1s * second)));
    fired_in_all += fired.size();
  }
  EXPECT_GT(fired_in_all, 500U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimersTest, testing::Range<std::uint64_t>(1, 21));

}  // namespace timers_test
}  // namespace reeve::host
