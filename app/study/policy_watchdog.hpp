// Ends a program whose rule never comes back from a decision: nothing else can take the thread
// back.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

namespace reeve::app {

/// Looks a dozen times in `patience` whether a thread is still in the same call of a policy.
/// Looks are counted, not time, so that a program that was halted is not blamed for it.
class PolicyWatchdog {
 public:
  /// Called on the watchdog's thread, once, with the name of the seat.
  using OnStuck = std::function<void(const std::string& seat)>;
  PolicyWatchdog(std::chrono::milliseconds patience, OnStuck give_up);

 private:
  std::jthread looker_;
};

}  // namespace reeve::app
