// What a piece of work costs a process that does nothing else: a child forked for it alone.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>

namespace reeve::bench {

/// CPU time is what the work cost in user and system mode, faulting its pages in included; on a
/// machine that others use it is steadier than wall time.
struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
  double peak_bytes = 0;  ///< resident, of the whole child
};

/// Runs `work` in a child and waits for it.  Throws std::runtime_error if it fails.
template <class Work>
Cost cost_of(Work&& work) {
  std::fflush(nullptr);  // or the child would print it again
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    int status = 1;
    try {
      work();
      status = 0;
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "%s\n", problem.what());
    }
    std::fflush(nullptr);
    ::_exit(status);
  }
  int status = 0;
  rusage used{};
  if (::wait4(child, &status, 0, &used) != child) throw std::runtime_error("wait4 failed");
  const auto end = std::chrono::steady_clock::now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the work failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {std::chrono::duration<double>(end - begin).count(),
          seconds(used.ru_utime) + seconds(used.ru_stime),
          1024.0 * static_cast<double>(used.ru_maxrss)};
}

/// The least in each respect: what disturbs a measurement only adds to it.
inline Cost least(const Cost& a, const Cost& b) {
  return {std::min(a.wall_s, b.wall_s), std::min(a.cpu_s, b.cpu_s),
          std::min(a.peak_bytes, b.peak_bytes)};
}

/// The least cost of several tries.
template <class Work>
Cost least_cost_of(int tries, Work&& work) {
  Cost cost = cost_of(work);
  for (int i = 1; i < tries; ++i) cost = least(cost, cost_of(work));
  return cost;
}

}  // namespace reeve::bench
