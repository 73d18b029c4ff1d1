// A directory for new files that is removed again if it stays empty.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "report/temporary_name.hpp"

namespace reeve::report {

/// Creates a directory and its parents.  The destructor, or remove_temporaries(), removes those
/// that it created if they are empty; existing ones stay.  Throws std::runtime_error naming the
/// path.
class NewDirectory {
 public:
  explicit NewDirectory(const std::filesystem::path& directory);
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

 private:
  void remove_empty();

  std::vector<std::unique_ptr<TemporaryName>> made_;  ///< parents first
};

}  // namespace reeve::report
