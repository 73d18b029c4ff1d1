#include "app/live/interruptible_clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/study/interruption.hpp"

namespace reeve::app {

void InterruptibleClock::sleep(policy::Duration wait) {
  using std::chrono::steady_clock;
  constexpr policy::Duration look_each = std::chrono::milliseconds{50};
  const steady_clock::time_point end = steady_clock::now() + wait;
  while (!ends_early_ || !interruption()) {
    const policy::Duration left = end - steady_clock::now();
    if (left <= policy::Duration{0}) return;
    std::this_thread::sleep_for(std::min(left, look_each));
  }
}

}  // namespace reeve::app
