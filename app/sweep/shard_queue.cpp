#include "app/sweep/shard_queue.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "app/study/interruption.hpp"
#include "app/sweep/cell_result.hpp"
#include "app/sweep/shards.hpp"

namespace reeve::app {
namespace {

using std::chrono::seconds;

constexpr seconds between_looks{2};
constexpr seconds before_the_next_try{5};
constexpr int most_tries = 120;
constexpr int most_fruitless = 3;

/// False: interrupted.
bool pause(seconds length) {
  constexpr std::chrono::milliseconds slice{100};
  const auto until = std::chrono::steady_clock::now() + length;
  while (std::chrono::steady_clock::now() < until) {
    if (interruption()) return false;
    std::this_thread::sleep_for(slice);
  }
  return true;
}

/// Removes those that have a result by now.
void look(const std::string& directory, const SweepPlan& plan, std::vector<std::size_t>& missing) {
  // NFS shows new files for sure once their directory is opened.
  std::error_code ignored;
  const std::filesystem::directory_iterator opened{directory + "/cells", ignored};
  std::erase_if(missing,
                [&](std::size_t cell) { return kept_cell(directory, plan, cell).has_value(); });
}

/// Until none of these shards is missing, or the queue has nothing of the job.  False: interrupted.
bool watch(ShardQueue& queue, const std::string& job, const std::vector<std::size_t>& shards,
           const std::string& directory, const SweepPlan& plan, std::vector<std::size_t>& missing,
           const Console& console) {
  const bool shows = console.watched() && !console.quiet;
  const std::size_t behind = cells_of(plan, shards.back()).last;
  auto listed = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - listed < queue.patience()) {
    if (!pause(between_looks)) {
      queue.cancel(job);
      return false;
    }
    look(directory, plan, missing);
    if (shows) {
      console.complain(fmt::format("\r\033[K{} of {} cells are done",
                                   plan.cells.size() - missing.size(), plan.cells.size()));
    }
    if (missing.empty() || missing.front() >= behind) break;
    if (queue.lists(job)) listed = std::chrono::steady_clock::now();
  }
  if (shows) console.complain("\r\033[K");
  return true;
}

}  // namespace

bool finish_on(ShardQueue& queue, const std::string& directory, const SweepPlan& plan,
               const Console& console) {
  note_interruption();  // all waiting looks at it
  std::vector<std::size_t> missing = missing_in(directory, plan, nullptr);
  int tries = 0;
  int fruitless = 0;
  while (!missing.empty()) {
    std::vector<std::size_t> shards = shards_of(plan, missing);
    shards.resize(queue.takes(shards));
    const auto job = queue.submit(shards);
    if (!job) {
      if (++tries == most_tries) queue.refuse();
      if (!pause(before_the_next_try)) return false;
      continue;
    }
    tries = 0;
    const std::size_t before = missing.size();
    console.note(fmt::format("job {}: shards {}\n", *job, shards_text(shards)));
    if (!watch(queue, *job, shards, directory, plan, missing, console)) return false;
    fruitless = missing.size() < before ? 0 : fruitless + 1;
    if (fruitless == most_fruitless) {
      throw std::runtime_error(fmt::format("{} jobs in a row finished no cell: see {}",
                                           most_fruitless, queue.logs(*job)));
    }
  }
  return true;
}

}  // namespace reeve::app
