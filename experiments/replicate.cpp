#include "experiments/replicate.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace reeve::experiments {
namespace {

/// Hands out tasks by number and takes their results back in that order.
class TaskLine {
 public:
  TaskLine(std::size_t tasks, std::size_t ahead, const Receive& receive)
      : tasks_{tasks}, ahead_{ahead}, receive_{receive} {}

  /// The next task, or `tasks` when there is none; waits while too many results are held back.
  std::size_t take() {
    std::unique_lock lock{mutex_};
    room_.wait(lock, [&] { return next_ < delivered_ + ahead_ || stopped_; });
    return stopped_ ? tasks_ : std::min(next_++, tasks_);
  }

  void give(std::size_t task, RunResult&& result) {
    const std::lock_guard lock{mutex_};
    if (failure_) return;  // results are no longer collected
    waiting_.emplace(task, std::move(result));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == delivered_;
         first = waiting_.erase(first), ++delivered_) {
      // A thread may have finished a later replication before an earlier one was cut off: samples
      // of policies are paired by their place, so they must not have gaps.
      if (cut_off_ && first->second.replication > 0) continue;
      cut_off_ = cut_off_ || first->second.record.partial;
      try {
        receive_(std::move(first->second));
      } catch (...) {
        stop(std::current_exception());
        return;
      }
    }
    room_.notify_all();
  }

  /// No task is begun from now on.  `failure`, if any, is thrown once all threads are back.
  void halt(std::exception_ptr failure) {
    const std::lock_guard lock{mutex_};
    stop(std::move(failure));
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void stop(std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
    stopped_ = true;
    room_.notify_all();
  }

  const std::size_t tasks_;
  const std::size_t ahead_;
  const Receive& receive_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t next_ = 0;
  std::size_t delivered_ = 0;
  std::map<std::size_t, RunResult> waiting_;
  bool stopped_ = false;
  bool cut_off_ = false;  ///< a run was interrupted
  std::exception_ptr failure_;
};

}  // namespace

void replicate(const scenarios::Scenario& scenario, const ReplicateOptions& options,
               const Receive& receive) {
  const std::size_t policies = options.policies.size();
  const std::size_t tasks = policies * options.runs;
  const unsigned threads = static_cast<unsigned>(
      std::clamp<std::size_t>(options.threads, 1, std::max<std::size_t>(tasks, 1)));
  TaskLine line{tasks, 2 * std::size_t{threads}, receive};
  const auto work = [&] {
    for (std::size_t task = line.take(); task < tasks; task = line.take()) {
      if (options.run.interrupted != nullptr && *options.run.interrupted) return line.halt({});
      try {
        const auto replication = static_cast<std::uint32_t>(task / policies);
        line.give(task, run(scenario, *options.policies[task % policies], replication,
                            options.of(replication)));
      } catch (...) {
        return line.halt(std::current_exception());
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(work);
  work();
  others.clear();
  line.rethrow();
}

}  // namespace reeve::experiments
