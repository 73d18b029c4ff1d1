// What the tests of the live adapter compare: the scenarios that are there, and decisions by time.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <reeve/policy/units.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace reeve::tests {

/// Of decisions, each a line that begins with its time.  At the last instant the queue may be read
/// or not.
inline std::string lines_before(policy::Instant until, const std::string& all) {
  std::istringstream lines{all};
  std::string before;
  for (std::string line; std::getline(lines, line);) {
    if (std::stoll(line) < until.time_since_epoch().count()) before += line + '\n';
  }
  return before;
}

/// The scenarios that reeve ships, and the examples if they are there.
inline std::vector<std::filesystem::path> shipped_scenarios() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root{REEVE_SOURCE_DIR};
  for (const auto& folder : {root / "scenarios/gallery", root / "../shared/examples"}) {
    if (!std::filesystem::exists(folder)) {
      std::cout << "skipped: there is no " << folder << '\n';
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
      if (entry.path().extension() == ".jsonc") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace reeve::tests
