#include "app/sweep/slurm.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>
#include <variant>
#include <vector>

#include "app/study/interruption.hpp"
#include "app/sweep/cell_result.hpp"
#include "app/sweep/shards.hpp"
#include "app/text/shell_word.hpp"
#include "live/aws/system_surroundings.hpp"

namespace reeve::app {
namespace {

using std::chrono::seconds;

constexpr seconds between_looks{2};
/// Slurm may be slow to list a job, and a controller that starts again lists none.
constexpr seconds unlisted_for{20};

/// What a command prints; nothing: it failed.
std::optional<std::string> output_of(const std::string& command) {
  const live::SystemEnvironment shell;
  auto output = shell.output_of(command + " 2>/dev/null");
  if (live::failure_of(output) != nullptr) return std::nullopt;
  return std::get<std::string>(std::move(output));
}

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

class Slurm {
 public:
  Slurm(const std::string& directory, const std::string& options)
      : directory_{std::filesystem::absolute(directory).string()}, options_{options} {
    std::filesystem::create_directories(directory_ + "/logs");
  }

  /// The number of the job; nothing: Slurm did not take it.
  std::optional<std::string> submit(const std::string& shards) const {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string part = shell_word(program) + " -q sweep shard " + shell_word(directory_);
    auto printed = output_of(fmt::format(
        "sbatch --parsable --requeue --job-name=reeve-sweep --array={} --output={} {} --wrap {}",
        shards, shell_word(directory_ + "/logs/%a.log"), options_, shell_word(part)));
    if (!printed) return std::nullopt;
    printed->resize(std::min(printed->find_first_of(";\n"), printed->size()));  // ID;CLUSTER
    return printed;
  }
  bool lists(const std::string& job) const {
    const auto printed = output_of("squeue --noheader --jobs=" + shell_word(job));
    return printed && !printed->empty();
  }
  void cancel(const std::string& job) const { output_of("scancel " + shell_word(job)); }

 private:
  std::string directory_;
  std::string options_;
};

/// Until nothing is missing or Slurm has nothing of the job.  False: interrupted.
bool watch(const Slurm& slurm, const std::string& job, const std::string& directory,
           const SweepPlan& plan, std::vector<std::size_t>& missing, const Console& console) {
  auto listed = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - listed < unlisted_for) {
    if (!pause(between_looks)) {
      slurm.cancel(job);
      return false;
    }
    std::erase_if(missing,
                  [&](std::size_t cell) { return kept_cell(directory, plan, cell).has_value(); });
    if (console.watched() && !console.quiet) {
      console.complain(fmt::format("\r\033[K{} of {} cells are done",
                                   plan.cells.size() - missing.size(), plan.cells.size()));
    }
    if (missing.empty()) break;
    if (slurm.lists(job)) listed = std::chrono::steady_clock::now();
  }
  if (console.watched() && !console.quiet) console.complain("\r\033[K");
  return true;
}

}  // namespace

bool finish_on_slurm(const std::string& directory, const SweepPlan& plan,
                     const std::string& options, const Console& console) {
  note_interruption();  // all waiting looks at it
  const Slurm slurm{directory, options};
  std::vector<std::size_t> missing = missing_in(directory, plan, nullptr);
  constexpr seconds before_the_next_try{5};
  constexpr int most_tries = 120;
  constexpr int most_fruitless = 3;
  int tries = 0;
  int fruitless = 0;
  while (!missing.empty()) {
    const auto job = slurm.submit(shards_text(plan, missing));
    if (!job) {
      if (++tries == most_tries) throw std::runtime_error("sbatch takes no job: see sinfo");
      if (!pause(before_the_next_try)) return false;
      continue;
    }
    tries = 0;
    const std::size_t before = missing.size();
    console.note(fmt::format("job {}: shards {}\n", *job, shards_text(plan, missing)));
    if (!watch(slurm, *job, directory, plan, missing, console)) return false;
    fruitless = missing.size() < before ? 0 : fruitless + 1;
    if (fruitless == most_fruitless) {
      throw std::runtime_error(
          fmt::format("{} jobs in a row finished no cell: see {}/logs", most_fruitless, directory));
    }
  }
  return true;
}

}  // namespace reeve::app
