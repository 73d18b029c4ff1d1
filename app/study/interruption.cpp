#include "app/study/interruption.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <string_view>

#include "app/exit_code.hpp"
#include "report/temporary_name.hpp"

namespace reeve::app {
namespace {

std::atomic<bool> asked{false};
std::atomic<bool> orderly{false};
std::atomic<bool> noted{false};
std::atomic<long> asked_at_ms{0};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

[[noreturn]] void end_at_once() {
  report::remove_temporaries();
  constexpr std::string_view message = "reeve: interrupted\n";
  if (::write(STDERR_FILENO, message.data(), message.size()) < 0) _exit(ExitCode::interrupted);
  _exit(ExitCode::interrupted);
}

long now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000 + now.tv_nsec / 1'000'000;
}

extern "C" void on_signal(int /*signal*/) {
  // timeout(1) sends its signal to the process and to its group.  That is one request.
  constexpr long one_request_ms = 100;
  const bool again = asked.exchange(true, std::memory_order_relaxed);
  if (!orderly) end_at_once();
  if (again) {
    if (now_ms() - asked_at_ms > one_request_ms) end_at_once();
    return;
  }
  asked_at_ms = now_ms();
  // Not in the list of functions for handlers, but no more than a system call.
  const itimerval patience{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 800'000}};
  setitimer(ITIMER_REAL, &patience, nullptr);
}

extern "C" void on_alarm(int /*signal*/) {
  if (asked && !noted) end_at_once();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_signals() {
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGALRM, on_alarm);
  handle(SIGXFSZ, SIG_IGN);
}

const std::atomic<bool>& interruption() {
  orderly = true;
  return asked;
}

void note_interruption() {
  noted = true;
}

void forget_interruption() {
  noted = false;
}

}  // namespace reeve::app
