// The files that a sweep reads beside its scenario: traces and price books.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "app/sweep/sweep_plan.hpp"

namespace reeve::app {

/// Adds the SHA-256 of each file that the plan does not have yet, by its path as the scenario names
/// it.  Files that are missing are left out.
void add_inputs(SweepPlan& plan, const std::set<std::string>& files);

/// Sees that the files of a plan stay as they were when it was made: cells of other files are not
/// paired with those that are kept.
class InputWatch {
 public:
  /// Throws UsageError if a file is missing or another one.
  explicit InputWatch(const SweepPlan& plan);
  /// The same.  Reads a file again only if its size, its place or the time of its last change is
  /// another.
  void check();

 private:
  struct State {
    std::uintmax_t size = 0;
    std::int64_t changed_s = 0;  ///< of the inode, which no program can set
    std::int64_t changed_ns = 0;
    std::uintmax_t place = 0;  ///< the inode
    bool operator==(const State&) const = default;
  };
  static State state_of(const std::filesystem::path& file);

  const SweepPlan& plan_;
  std::map<std::string, State> states_;
};

}  // namespace reeve::app
