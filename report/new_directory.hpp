// A directory that is there for what is written into it, and gone if nothing was.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "report/temporary_name.hpp"

namespace reeve::report {

/// Makes a directory and its parents.  When destroyed, or by remove_temporaries(), those it made
/// are removed if they are empty; what was there before stays.  Throws std::runtime_error naming
/// the path.
class NewDirectory {
 public:
  explicit NewDirectory(const std::filesystem::path& directory);
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

 private:
  std::vector<std::unique_ptr<TemporaryName>> made_;  ///< parents first
};

}  // namespace reeve::report
