#include "app/study/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <limits>

#include "report/format.hpp"

namespace reeve::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view clear_line = "\r\x1b[K";

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

}  // namespace

ProgressBar::ProgressBar(const Console& console, ProgressOf of)
    : of_{std::move(of)},
      watched_{console.watched()},
      half_width_{std::numeric_limits<double>::quiet_NaN()},
      began_{steady_clock::now()} {
  if (!watched_) return;
  run_.clock_ns = of_.start.time_since_epoch().count();
  drawer_ = std::jthread{[this](const std::stop_token& stop) { draw_until_stopped(stop); }};
}

ProgressBar::~ProgressBar() {
  drawer_.request_stop();
  if (drawer_.joinable()) drawer_.join();
}

void ProgressBar::finished_run(std::uint64_t events) {
  events_ += events;
  run_.clock_ns = of_.start.time_since_epoch().count();
  ++done_;
}

void ProgressBar::draw_until_stopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any tick;
  std::unique_lock lock{mutex};
  bool drawn = false;
  milliseconds wait{500};
  while (!stop.stop_requested()) {
    tick.wait_for(lock, stop, wait, [] { return false; });
    if (stop.stop_requested()) break;
    Console{}.complain(std::string{clear_line} + line());
    drawn = true;
    stale_ = true;
    wait = milliseconds{100};
  }
  if (drawn) Console{}.complain(clear_line);
}

double ProgressBar::share(std::chrono::nanoseconds clock) const {
  double share = static_cast<double>(done_);
  if (of_.end != policy::never && of_.end > of_.start && of_.threads == 1) {
    const double inside =
        static_cast<double>(clock.count()) / static_cast<double>((of_.end - of_.start).count());
    share += std::clamp(inside, 0.0, 1.0);
  }
  return std::min(share / static_cast<double>(of_.runs), 1.0);
}

std::string ProgressBar::line() const {
  const std::uint64_t done = done_;
  const std::chrono::nanoseconds clock{run_.clock_ns.load() - of_.start.time_since_epoch().count()};
  const double share = this->share(clock);
  const double elapsed = seconds_since(began_);
  const double events = static_cast<double>(done == 0 ? run_.events.load() : events_.load());
  std::string text;
  // The first run of an unknown end: a share would stay at 0 %.
  if (share > 0) {
    constexpr int cells = 20;
    for (int cell = 0; cell < cells; ++cell) text += cell < share * cells ? "█" : "░";
    text += fmt::format(" {:3.0f} %  ", share * 100);
  }
  if (of_.runs > 1) text += fmt::format("{}/{} runs  ", done, of_.runs);
  const bool are_long = elapsed > static_cast<double>(done);  // more than a second each
  if (clock.count() > 0 && (of_.runs == 1 || are_long)) {
    text += "clock " + report::duration(std::chrono::floor<std::chrono::seconds>(clock)) + "  ";
  }
  text += fmt::format("{:.3g} M events/s", events / elapsed / 1e6);
  if (share > 0) text += fmt::format("  {:.0f} s left", elapsed * (1 - share) / share);
  const double half_width = half_width_;
  if (!std::isnan(half_width)) text += fmt::format("  {} ± ${:.2f}", of_.headline, half_width);
  return text;
}

}  // namespace reeve::app
