#include "app/study/policy_watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "host/policy_call.hpp"

namespace reeve::app {
namespace policy_watchdog_test {

using namespace std::chrono_literals;

TEST(PolicyWatchdogTest, NamesTheSeatThatDoesNotComeBack) {
  std::promise<std::string> stuck;
  const PolicyWatchdog watchdog{60ms, [&](const std::string& seat) { stuck.set_value(seat); }};
  const host::WatchedName seat{"loops"};
  policy::HeldMemory held;
  const host::PolicyCall call{seat, held};
  EXPECT_EQ(stuck.get_future().get(), "loops");
}

TEST(PolicyWatchdogTest, ANameIsReadThoughItsHostIsGone) {
  const std::string* text = nullptr;
  {
    const std::string of_a_host(100, 'x');
    text = host::WatchedName{of_a_host}.text();
    EXPECT_EQ(host::WatchedName{of_a_host}.text(), text) << "kept once";
  }
  EXPECT_EQ(*text, std::string(100, 'x'));
}

TEST(PolicyWatchdogTest, LeavesAloneWhoComesBackHoweverOftenItIsAsked) {
  std::atomic<bool> is_stuck{false};
  const PolicyWatchdog watchdog{60ms, [&](const std::string&) { is_stuck = true; }};
  const host::WatchedName seat{"quick"};
  policy::HeldMemory held;
  const auto end = std::chrono::steady_clock::now() + 300ms;
  while (std::chrono::steady_clock::now() < end) const host::PolicyCall call{seat, held};
  EXPECT_FALSE(is_stuck);
}

TEST(PolicyWatchdogTest, EndsWithItsCommand) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const PolicyWatchdog watchdog{60s, [](const std::string&) { FAIL(); }};
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s) << "it does not wait for its next look";
}

}  // namespace policy_watchdog_test
}  // namespace reeve::app
