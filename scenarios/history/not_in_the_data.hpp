// What the sources of a history do not tell, and what the replay assumes instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

class NotInTheData {
 public:
  void note(const ImportedJob& job);
  /// A line for each, after all jobs were noted.
  void tell(const History& history, std::vector<std::string>& lines) const;

 private:
  void tell_ends(std::vector<std::string>& lines) const;

  std::uint64_t running_ = 0, never_started_ = 0, waiting_ = 0, on_spot_ = 0;
};

}  // namespace reeve::scenarios
