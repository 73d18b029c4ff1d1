#include "app/interruption.hpp"

#include <csignal>

namespace reeve::app {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void on_signal(int /*signal*/) {
  asked.store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& interruption() {
  static const bool caught = [] {
    struct sigaction action {};
    action.sa_handler = on_signal;
    // SA_RESETHAND: the second signal does what signals do.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  static_cast<void>(caught);
  return asked;
}

}  // namespace reeve::app
