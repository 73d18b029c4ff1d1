#include "app/sweep/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <variant>

#include "app/sweep/shard_queue.hpp"
#include "app/sweep/shards.hpp"
#include "app/text/shell_word.hpp"
#include "live/aws/system_surroundings.hpp"

namespace reeve::app {
namespace {

/// What a command prints; nothing: it failed.
std::optional<std::string> output_of(const std::string& command) {
  const live::SystemEnvironment shell;
  auto output = shell.output_of(command + " 2>/dev/null");
  if (live::failure_of(output) != nullptr) return std::nullopt;
  return std::get<std::string>(std::move(output));
}

class Slurm final : public ShardQueue {
 public:
  Slurm(const std::string& directory, const std::string& options)
      : directory_{std::filesystem::absolute(directory).string()}, options_{options} {
    std::filesystem::create_directories(directory_ + "/logs");
  }

  std::size_t takes(const std::vector<std::size_t>& shards) const override { return shards.size(); }
  std::optional<std::string> submit(const std::vector<std::size_t>& shards) override {
    if (!output_of("command -v sbatch")) {
      throw std::runtime_error("sbatch is not found: run this where Slurm is installed");
    }
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string part = shell_word(program) + " -q sweep shard " + shell_word(directory_);
    auto printed = output_of(fmt::format(
        "sbatch --parsable --requeue --job-name=reeve-sweep --array={} --output={} {} --wrap {}",
        shards_text(shards), shell_word(directory_ + "/logs/%a.log"), options_, shell_word(part)));
    if (!printed) return std::nullopt;
    printed->resize(std::min(printed->find_first_of(";\n"), printed->size()));  // ID;CLUSTER
    return printed;
  }
  [[noreturn]] void refuse() const override {
    throw std::runtime_error("sbatch takes no job: see sinfo");
  }
  bool lists(const std::string& job) override {
    const auto printed = output_of("squeue --noheader --jobs=" + shell_word(job));
    return printed && !printed->empty();
  }
  /// Slurm may be slow to list a job, and a controller that starts again lists none.
  std::chrono::seconds patience() const override { return std::chrono::seconds{20}; }
  void cancel(const std::string& job) override { output_of("scancel " + shell_word(job)); }
  std::string logs(const std::string& /*job*/) const override { return directory_ + "/logs"; }

 private:
  std::string directory_;
  std::string options_;
};

}  // namespace

bool finish_on_slurm(const std::string& directory, const SweepPlan& plan,
                     const std::string& options, const Console& console) {
  Slurm slurm{directory, options};
  return finish_on(slurm, directory, plan, console);
}

}  // namespace reeve::app
