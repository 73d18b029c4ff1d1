#include "spot_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

namespace reeve::policies {
namespace spot_history_test {

using namespace std::chrono_literals;
using policy::Duration;
using policy::Instant;

constexpr Instant kStart{1000h};

/// Whole minutes, summed one by one: what the window holds, by its definition.
double hours_by_minute(const std::vector<int>& held_in_minute, int now, int window) {
  int minutes = 0;
  for (int minute = std::max(0, now - window); minute < now; ++minute) {
    minutes += held_in_minute[static_cast<std::size_t>(minute)];
  }
  return minutes / 60.0;
}

TEST(RecentMachines, HoldsWhatLiesInTheWindowAndNoMore) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 draws{seed};
    const int window = 30 + static_cast<int>(draws() % 200);
    RecentMachines machines{std::chrono::minutes{window}};
    std::vector<int> held_in_minute;
    int held = 0;
    for (int minute = 0; minute < 600; ++minute) {
      const Instant now = kStart + std::chrono::minutes{minute};
      if (draws() % 7 == 0) {
        const int more = static_cast<int>(draws() % 9) - std::min(held, 4);
        machines.change(now, more);
        held += more;
      }
      if (draws() % 20 == 0) {
        EXPECT_NEAR(machines.within(now), hours_by_minute(held_in_minute, minute, window), 1e-9)
            << "seed " << seed << ", minute " << minute;
      }
      held_in_minute.push_back(held);
    }
  }
}

// A rule that looks rarely, or never, must not remember a year of changes.
TEST(RecentMachines, ForgetsWhatIsOlderThanItsWindowAlthoughNobodyAsks) {
  RecentMachines machines{1h};
  for (int minute = 0; minute < 10'000; ++minute) {
    machines.change(kStart + std::chrono::minutes{minute}, minute % 2 == 0 ? 1 : -1);
  }
  EXPECT_LE(machines.remembered(), 31U);
  EXPECT_GE(machines.remembered(), 30U);
}

}  // namespace spot_history_test
}  // namespace reeve::policies
