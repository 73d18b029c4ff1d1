#include "app/interruption.hpp"

#include <unistd.h>

#include <csignal>

#include "app/exit_code.hpp"
#include "report/temporary_name.hpp"

namespace reeve::app {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void on_signal(int /*signal*/) {
  if (!asked.exchange(true, std::memory_order_relaxed)) return;
  report::remove_temporaries();
  _exit(ExitCode::interrupted);
}

}  // namespace

const std::atomic<bool>& interruption() {
  static const bool caught = [] {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  static_cast<void>(caught);
  return asked;
}

}  // namespace reeve::app
