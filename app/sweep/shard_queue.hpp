// Runs the parts of a sweep as array jobs of a scheduler, until none is missing.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// A scheduler that takes array jobs: Slurm, AWS Batch.
class ShardQueue {
 public:
  ShardQueue() = default;
  ShardQueue(const ShardQueue&) = delete;
  ShardQueue& operator=(const ShardQueue&) = delete;
  virtual ~ShardQueue() = default;

  /// How many of these shards, from the first one on, one job takes.
  virtual std::size_t takes(const std::vector<std::size_t>& shards) const = 0;
  /// The id of the job.  Nothing: it may be taken later.  Throws if it never will be.
  virtual std::optional<std::string> submit(const std::vector<std::size_t>& shards) = 0;
  /// Throws what to say if no job was taken for long.
  [[noreturn]] virtual void refuse() const = 0;
  /// Whether the queue says that the job has not ended.
  virtual bool lists(const std::string& job) = 0;
  /// For so long, a job that is not listed may still run, or its results are not seen yet.
  virtual std::chrono::seconds patience() const = 0;
  virtual void cancel(const std::string& job) = 0;
  /// Where the user finds what the job said.
  virtual std::string logs(const std::string& job) const = 0;
};

/// Submits the missing shards, watches their results and submits again what is missing once the
/// queue has nothing of them.  Results count, not what the queue says, so a job that was submitted
/// twice only wastes work.  False: interrupted, and the job is cancelled.  Throws if the queue
/// takes no job for ten minutes, and std::runtime_error if three jobs in a row finish no cell.
bool finish_on(ShardQueue& queue, const std::string& directory, const SweepPlan& plan,
               const Console& console);

}  // namespace reeve::app
