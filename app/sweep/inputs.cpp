#include "app/sweep/inputs.hpp"

#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "app/usage_error.hpp"
#include "report/hash_chain.hpp"

namespace reeve::app {
namespace {

/// Nothing: there is no such file.
std::optional<std::string> hash_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::nullopt;
  return report::sha256(file);
}

}  // namespace

void add_inputs(SweepPlan& plan, const std::set<std::string>& files) {
  for (const std::string& file : files) {
    if (plan.inputs.contains(file)) continue;
    if (auto hash = hash_of(std::filesystem::path{plan.folder} / file)) plan.inputs[file] = *hash;
  }
}

InputWatch::InputWatch(const SweepPlan& plan) : plan_{plan} {
  check();
}

InputWatch::State InputWatch::state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {static_cast<std::uintmax_t>(status.st_size), status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec, static_cast<std::uintmax_t>(status.st_ino)};
}

void InputWatch::check() {
  for (const auto& [name, hash] : plan_.inputs) {
    const std::filesystem::path file = std::filesystem::path{plan_.folder} / name;
    const State state = state_of(file);
    const auto known = states_.find(name);
    if (known != states_.end() && known->second == state) continue;
    const auto now = hash_of(file);
    if (now != hash) {
      throw UsageError{name + (now ? " has changed since" : " is missing, which was read when") +
                           " the sweep was planned",
                       "plan it again in a new directory"};
    }
    states_[name] = state;
  }
}

}  // namespace reeve::app
