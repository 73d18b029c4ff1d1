// The progress bar on stderr, drawn only on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "app/console.hpp"
#include "experiments/run.hpp"

namespace reeve::app {

/// What is being waited for.
struct ProgressOf {
  std::uint64_t runs = 1;               ///< of all policies
  unsigned threads = 1;                 ///< of several, the clock is that of any run
  policy::Instant start;                ///< of the simulated clock
  policy::Instant end = policy::never;  ///< `never`: not known
  std::string headline;                 ///< whose ± is shown: "saved"
};

/// Draws ten times a second from a thread of its own, first after half a second; gone without a
/// trace when destroyed.  Does nothing if stderr is no terminal.
class ProgressBar {
 public:
  ProgressBar(const Console& console, ProgressOf of);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// To pass to runs; null if stderr is not watched.
  experiments::RunProgress* run() { return watched_ ? &run_ : nullptr; }
  /// One more run is done.
  void finished_run(std::uint64_t events);
  /// Once for each time the bar was drawn: the width takes longer than many a run.
  bool wants_headline() { return watched_ && stale_.exchange(false); }
  /// `half_width` of the headline's interval, NaN: not known yet.
  void show_headline(double half_width) { half_width_ = half_width; }

 private:
  void draw_until_stopped(const std::stop_token& stop);
  std::string line() const;
  /// Of the work done, 0 to 1; the clock is that of the current run.
  double share(std::chrono::nanoseconds clock) const;

  ProgressOf of_;
  bool watched_;
  experiments::RunProgress run_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<double> half_width_;
  std::atomic<bool> stale_{true};
  std::chrono::steady_clock::time_point began_;
  std::jthread drawer_;
};

}  // namespace reeve::app
